#include "trace/ti/action.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "call/datatype.h"
#include "trace/image/number.h"
#include "trace/ti/action_table.h"
#include "trace/ti/annotations.h"

/* The fields of a line by what they mean; letters as in trace/ti/action_table.h. */
struct action_arguments {
    const struct action_form *form;
    const struct action_field *fields[ACTION_LETTERS]; /* NULL: the line leaves it out */
    int64_t integers[ACTION_LETTERS];
    double amount;
};

static bool read_amount(struct action_reader *reader, const struct action_field *field, double *amount)
{
    char buffer[64];
    const char *begin = reader->text + field->at, *end = begin + field->length;
    if (number_amount(begin, end, amount) != end)
        return action_field_error(
            reader, field,
            "'%s' is not an amount; a number such as 12132 or 2.66329e+06, not negative, is "
            "expected",
            action_field_shown(reader, field, buffer));
    return true;
}

/* The number of ranks in the line's communicator. */
static uint32_t comm_size(const struct action_reader *reader)
{
    return reader->writer->comms.groups[reader->comm].size;
}

static bool read_rank(struct action_reader *reader, const struct action_field *field, int64_t rank)
{
    if (rank >= 0 && rank < reader->ranks)
        return true;
    return action_field_error(reader, field, "there is no rank %lld; the trace has the ranks 0 to %u",
                              (long long)rank, reader->ranks - 1);
}

static bool read_root(struct action_reader *reader, const struct action_field *field, int64_t root)
{
    if (root < 0 || root < comm_size(reader) || reader->comm == 0)
        return read_rank(reader, field, root);
    return action_field_error(reader, field, "there is no rank %lld in a communicator of %u", (long long)root,
                              comm_size(reader));
}

/* ------------------------------------------------------ fields to arguments */

static bool read_argument(struct action_reader *reader, struct action_arguments *arguments, char letter,
                          const struct action_field *field)
{
    unsigned index = action_form_letter(letter);
    int64_t *value = &arguments->integers[index];
    arguments->fields[index] = field;
    switch (letter) {
    case 'a':
        return read_amount(reader, field, &arguments->amount);
    case 'd':
    case 's':
        if (!action_field_integer(reader, field, "a rank", value))
            return false;
        return *value == TI_UNDEFINED || read_rank(reader, field, *value);
    case 'r':
        return action_field_integer(reader, field, "a root", value) && read_root(reader, field, *value);
    case 't':
        if (!action_field_integer(reader, field, "a tag", value))
            return false;
        if (*value > INT32_MAX || *value <= INT32_MIN)
            return action_field_error(reader, field, "the tag %lld does not fit into an int",
                                      (long long)*value);
        return true;
    case 'x':
    case 'X':
        return action_field_integer(reader, field, "the number of a datatype", value);
    default:
        if (!action_field_integer(reader, field, "a count", value))
            return false;
        return *value >= 0 ||
               action_field_error(reader, field,
                                  "the count %lld is negative; a count of elements, 0 or more, is "
                                  "expected",
                                  (long long)*value);
    }
}

static bool check_field_count(struct action_reader *reader, const struct action_form *form)
{
    size_t least = action_form_fields(form, comm_size(reader), false),
           most = action_form_fields(form, comm_size(reader), true);
    size_t given = reader->field_count - 1;
    if (given >= least && given <= most)
        return true;
    const struct action_field *place = given < least ? &reader->fields[0] : &reader->fields[most + 1];
    char range[48];
    if (least == most)
        snprintf(range, sizeof range, "%zu", least);
    else
        snprintf(range, sizeof range, "%zu to %zu", least, most);
    return action_field_error(reader, place, "'%s' has %zu fields, but takes %s:%s%s", form->name, given,
                              range, *form->usage ? " " : " none", form->usage);
}

static bool read_arguments(struct action_reader *reader, struct action_arguments *arguments)
{
    if (!check_field_count(reader, arguments->form))
        return false;
    const struct action_field *field = reader->fields + 1, *end = reader->fields + reader->field_count;
    for (const char *letter = arguments->form->letters; *letter && *letter != '*' && field < end; letter++) {
        if (!action_form_is_vector(*letter)) {
            if (!read_argument(reader, arguments, *letter, field++))
                return false;
            continue;
        }
        arguments->fields[action_form_letter(*letter)] = field;
        for (uint32_t i = 0; i < comm_size(reader); i++)
            if (!read_argument(reader, arguments, *letter == 'v' ? 'c' : 'C', field++))
                return false;
    }
    return true;
}

/* ---------------------------------------------------------- counts to bytes */

/* The size of the elements of the type that `letter` ('x' or 'X') names. 0: it is unknown, and not `needed`.
 * False: an error has been reported. */
static bool element_bytes(struct action_reader *reader, const struct action_arguments *arguments, char letter,
                          bool needed, int64_t *bytes)
{
    const struct action_field *field = arguments->fields[action_form_letter(letter)];
    int64_t id = field ? arguments->integers[action_form_letter(letter)] : reader->default_datatype;
    *bytes = id >= INT32_MIN && id <= INT32_MAX ? datatype_bytes((int)id) : -1;
    if (*bytes >= 0)
        return true;
    *bytes = 0;
    if (id != DATATYPE_DERIVED)
        return action_field_error(
            reader, field, "%lld is not a datatype; SimGrid numbers them from 0 (%s) to %d (%s)",
            (long long)id, datatype_name(0), DATATYPE_COUNT_OF - 1, datatype_name(DATATYPE_COUNT_OF - 1));
    if (!needed)
        return true;
    return action_field_error(
        reader, field,
        "-1 is a derived datatype, whose size the trace has lost; replace it by the number of a "
        "predefined one (6 = BYTE) and the count by that many elements");
}

static bool multiply(struct action_reader *reader, const struct action_field *field, int64_t count,
                     int64_t element, uint64_t *bytes)
{
    int64_t product;
    if (__builtin_mul_overflow(count, element, &product))
        return action_field_error(reader, field, "%lld elements of %lld bytes are more than 2^63 bytes",
                                  (long long)count, (long long)element);
    *bytes = (uint64_t)product;
    return true;
}

/* `count` is 'c' or 'C', `type` 'x' or 'X'. */
static bool read_bytes(struct action_reader *reader, const struct action_arguments *arguments, char count,
                       char type, uint64_t *bytes)
{
    int64_t elements = arguments->integers[action_form_letter(count)], element;
    return element_bytes(reader, arguments, type, elements != 0, &element) &&
           multiply(reader, arguments->fields[action_form_letter(count)], elements, element, bytes);
}

/* `vector` is 'v' or 'V'. Sets *at to its place among the size vectors, in bytes. */
static bool read_vector(struct action_reader *reader, const struct action_arguments *arguments, char vector,
                        char type, uint64_t *at)
{
    const struct action_field *fields = arguments->fields[action_form_letter(vector)];
    bool any = false;
    int64_t element, elements;
    if (!reader->vector)
        reader->vector = mem_alloc(reader->ranks, sizeof *reader->vector, "a vector of counts");
    for (uint32_t i = 0; i < comm_size(reader); i++) {
        number_integer(reader->text + fields[i].at, reader->text + reader->length, &elements);
        reader->vector[i] = (uint64_t)elements;
        any |= elements != 0;
    }
    if (!element_bytes(reader, arguments, type, any, &element))
        return false;
    for (uint32_t i = 0; i < comm_size(reader); i++)
        if (!multiply(reader, &fields[i], (int64_t)reader->vector[i], element, &reader->vector[i]))
            return false;
    *at = counts_intern(&reader->writer->counts, reader->vector, comm_size(reader));
    return true;
}

/* ----------------------------------------------------------- point to point */

static int32_t tag_of_receive(int64_t tag)
{
    return tag == TI_ANY_TAG ? CALL_ANY_TAG : (int32_t)tag;
}

static bool read_send(struct action_reader *reader, const struct action_arguments *arguments,
                      struct action *action)
{
    struct call *call = &action->call;
    int64_t peer = arguments->integers[action_form_letter('d')];
    if (peer == TI_UNDEFINED) {
        *call = (struct call){.op = CALL_NOTHING};
        return true;
    }
    call->peer = (int32_t)peer;
    call->tag = (int32_t)arguments->integers[action_form_letter('t')];
    if (!read_bytes(reader, arguments, 'c', 'x', &call->bytes))
        return false;
    if (call->flags & CALL_IMMEDIATE) {
        action->role = ROLE_START;
        bool to_itself = call->peer == (int32_t)reader->rank;
        action->key =
            requests_key(reader->requests, call->peer, to_itself ? tag_of_receive(call->tag) : call->tag,
                         !to_itself, reader->comm);
    }
    return true;
}

static int32_t source_of(int64_t source)
{
    return source == TI_UNDEFINED ? CALL_ANY_SOURCE : (int32_t)source;
}

static bool read_recv(struct action_reader *reader, const struct action_arguments *arguments,
                      struct action *action)
{
    struct call *call = &action->call;
    call->peer = source_of(arguments->integers[action_form_letter('s')]);
    call->tag = tag_of_receive(arguments->integers[action_form_letter('t')]);
    if (call->peer == CALL_ANY_SOURCE)
        action->doubt = DOUBT_UNDEFINED_SOURCE;
    if (!read_bytes(reader, arguments, 'C', 'X', &call->recv_bytes))
        return false;
    if (call->flags & CALL_IMMEDIATE) {
        action->role = ROLE_START;
        action->key = requests_key(reader->requests, call->peer, call->tag, false, reader->comm);
    }
    return true;
}

/* SimGrid prints no sendRecv with a partner MPI_PROC_NULL. An undefined source is therefore MPI_ANY_SOURCE.
 */
static bool read_sendrecv(struct action_reader *reader, const struct action_arguments *arguments,
                          struct action *action)
{
    struct call *call = &action->call;
    int64_t peer = arguments->integers[action_form_letter('d')];
    if (peer == TI_UNDEFINED)
        return action_field_error(reader, arguments->fields[action_form_letter('d')],
                                  "sendRecv needs a destination; -333 is none");
    call->peer = (int32_t)peer;
    call->source = source_of(arguments->integers[action_form_letter('s')]);
    if (call->source == CALL_ANY_SOURCE)
        action->doubt = DOUBT_UNDEFINED_SOURCE;
    return read_bytes(reader, arguments, 'c', 'x', &call->bytes) &&
           read_bytes(reader, arguments, 'C', 'X', &call->recv_bytes);
}

/* SimGrid prints the tag of the collective, or one less. */
static uint32_t waited_collective_key(struct action_reader *reader, int32_t tag)
{
    bool one_less = action_is_collective_tag(tag + 1);
    return requests_collective_key(reader->requests, one_less ? tag + 1 : tag, reader->comm);
}

static bool read_wait(struct action_reader *reader, const struct action_arguments *arguments,
                      struct action *action)
{
    int64_t source = arguments->integers[action_form_letter('s')],
            target = arguments->integers[action_form_letter('d')];
    int32_t tag = (int32_t)arguments->integers[action_form_letter('t')];
    int64_t me = reader->rank;
    action->role = action->call.op == CALL_WAIT ? ROLE_WAIT : ROLE_TEST;
    if (source != me && target != me)
        return action_field_error(
            reader, arguments->fields[action_form_letter('s')],
            "rank %u can only wait for what it sends or receives, but neither end is rank %u", reader->rank,
            reader->rank);
    if (source == me && target == me)
        action->key = tag < 0 && tag != TI_ANY_TAG ? waited_collective_key(reader, tag)
                                                   : requests_key(reader->requests, (int32_t)me,
                                                                  tag_of_receive(tag), false, reader->comm);
    else if (target == me)
        action->key =
            requests_key(reader->requests, source_of(source), tag_of_receive(tag), false, reader->comm);
    else if (target != TI_UNDEFINED)
        action->key = requests_key(reader->requests, (int32_t)target, tag, true, reader->comm);
    else {
        action->role = ROLE_PLAIN; /* the wait for a send to MPI_PROC_NULL */
        action->call = (struct call){.op = CALL_NOTHING};
    }
    return true;
}

/* -------------------------------------------------------------- collectives */

static bool read_sizes(struct action_reader *reader, const struct action_arguments *arguments,
                       struct call *call)
{
    bool at_root = call->peer == (int32_t)comms_rank(&reader->writer->comms, reader->comm, reader->rank);
    switch ((enum call_op)call->op) {
    case CALL_BARRIER:
        return true;
    case CALL_ALLTOALL:
    case CALL_ALLGATHER:
        return read_bytes(reader, arguments, 'c', 'x', &call->bytes) &&
               read_bytes(reader, arguments, 'C', 'X', &call->recv_bytes);
    case CALL_ALLTOALLV:
        return read_vector(reader, arguments, 'v', 'x', &call->send_counts) &&
               read_vector(reader, arguments, 'V', 'X', &call->recv_counts);
    case CALL_ALLGATHERV:
        return read_bytes(reader, arguments, 'c', 'x', &call->bytes) &&
               read_vector(reader, arguments, 'V', 'X', &call->recv_counts);
    /* Only the root's sizes of the other side count. MPI ignores those of other ranks. */
    case CALL_GATHER:
        return read_bytes(reader, arguments, 'c', 'x', &call->bytes) &&
               (!at_root || read_bytes(reader, arguments, 'C', 'X', &call->recv_bytes));
    case CALL_GATHERV:
        return read_bytes(reader, arguments, 'c', 'x', &call->bytes) &&
               (!at_root || read_vector(reader, arguments, 'V', 'X', &call->recv_counts));
    case CALL_SCATTER:
        if (!read_bytes(reader, arguments, 'C', 'X', &call->recv_bytes))
            return false;
        call->bytes = call->recv_bytes;
        return !at_root || read_bytes(reader, arguments, 'c', 'x', &call->bytes);
    case CALL_SCATTERV:
        if (!read_bytes(reader, arguments, 'C', 'X', &call->recv_bytes))
            return false;
        call->bytes = call->recv_bytes;
        return !at_root || read_vector(reader, arguments, 'v', 'x', &call->send_counts);
    case CALL_REDUCE_SCATTER:
        return read_vector(reader, arguments, 'V', 'X', &call->recv_counts);
    default:
        return read_bytes(reader, arguments, 'c', 'x', &call->bytes);
    }
}

static bool is_reduction(const struct call *call)
{
    return call->op == CALL_REDUCE || call->op == CALL_ALLREDUCE || call->op == CALL_REDUCE_SCATTER ||
           call->op == CALL_SCAN || call->op == CALL_EXSCAN;
}

static bool read_collective(struct action_reader *reader, const struct action_arguments *arguments,
                            struct action *action)
{
    struct call *call = &action->call;
    call->peer = (int32_t)arguments->integers[action_form_letter('r')];
    if (!read_sizes(reader, arguments, call))
        return false;
    if (is_reduction(call)) {
        int64_t element;
        if (!element_bytes(reader, arguments, call->op == CALL_REDUCE_SCATTER ? 'X' : 'x', false, &element))
            return false;
        call->element_bytes = (uint8_t)element;
        call->amount = arguments->amount;
    }
    if (call->flags & CALL_IMMEDIATE) {
        action->role = ROLE_START;
        action->key =
            requests_collective_key(reader->requests, action_collective_tag(call->op), reader->comm);
    }
    return true;
}

/* SimGrid prints MPI_Reduce_scatter_block with zeros for counts, and not always with one per rank. */
static bool is_block_of_zeros(const struct action_reader *reader)
{
    for (size_t i = 1; i + 1 < reader->field_count; i++) {
        const struct action_field *field = &reader->fields[i];
        if (field->length != 1 || reader->text[field->at] != '0')
            return false;
    }
    return reader->field_count >= 3;
}

/* -------------------------------------------------------------------- lines */

static bool read_unknown(struct action_reader *reader)
{
    char name[64];
    action_field_shown(reader, &reader->fields[0], name);
    const char *refusal = action_form_refusal(reader->text + reader->fields[0].at, reader->fields[0].length);
    if (refusal)
        return action_field_error(reader, &reader->fields[0], "'%s' cannot be replayed: %s", name, refusal);
    return action_field_error(reader, &reader->fields[0], "'%s' is not an action%s", name,
                              diag_did_you_mean(action_form_nearest(name)));
}

static bool read_by_op(struct action_reader *reader, const struct action_arguments *arguments,
                       struct action *action)
{
    struct call *call = &action->call;
    switch ((enum call_op)call->op) {
    case CALL_INIT:
        action->role = ROLE_INIT;
        return true;
    case CALL_FINALIZE:
        action->role = ROLE_FINALIZE;
        return true;
    case CALL_COMPUTE:
        action->role = ROLE_COMPUTE;
        call->amount = arguments->amount;
        return true;
    case CALL_SLEEP:
        call->amount = arguments->amount;
        return true;
    case CALL_SEND:
        return read_send(reader, arguments, action);
    case CALL_RECV:
        return read_recv(reader, arguments, action);
    case CALL_SENDRECV:
        return read_sendrecv(reader, arguments, action);
    case CALL_WAIT:
    case CALL_TEST:
        return read_wait(reader, arguments, action);
    case CALL_WAITALL:
        action->role = ROLE_WAITALL;
        call->expected = (uint32_t)(arguments->integers[action_form_letter('c')] < UINT32_MAX
                                        ? arguments->integers[action_form_letter('c')]
                                        : UINT32_MAX);
        return true;
    case CALL_NOTHING:
        return true;
    default:
        return read_collective(reader, arguments, action);
    }
}

bool action_read(struct action_reader *reader, struct action *action)
{
    struct annotations annotations;
    action_split(reader);
    const struct action_field *name = &reader->fields[0];
    const struct action_form *form = action_form_find(reader->text + name->at, name->length);
    if (!form)
        return read_unknown(reader);
    *action = (struct action){.call = {.op = form->op, .flags = form->flags}};
    struct action_arguments arguments = {.form = form};
    if (!annotations_read(reader, &annotations))
        return false;
    if (form->op == CALL_REDUCE_SCATTER && is_block_of_zeros(reader)) {
        action->doubt = DOUBT_ZERO_COUNTS;
        if (form->flags & CALL_IMMEDIATE) {
            action->role = ROLE_START;
            action->key =
                requests_collective_key(reader->requests, action_collective_tag(form->op), reader->comm);
        }
        return annotations_apply(reader, &annotations, action);
    }
    if (annotations.members && !annotations_define(reader, &annotations))
        return false;
    if (annotations.site_number && !annotations_define_site(reader, &annotations))
        return false;
    return read_arguments(reader, &arguments) && read_by_op(reader, &arguments, action) &&
           annotations_apply(reader, &annotations, action);
}
