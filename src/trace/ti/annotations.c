#include "trace/ti/annotations.h"

#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/comms.h"
#include "trace/image/number.h"
#include "trace/ti/action_table.h"

static const char *const words[] = {"#any",   "#b", "#behind", "#burst", "#i",   "#lost",
                                    "#phase", "#s", "#site",   "#tags",  "#wait"};

static bool read_flag(const struct action_reader *reader, const struct action_field *field,
                      struct annotations *annotations)
{
    if (action_field_is(reader, field, "#any"))
        return annotations->any = true;
    if (action_field_is(reader, field, "#i"))
        return annotations->immediate = true;
    if (action_field_is(reader, field, "#s"))
        return annotations->synchronous = true;
    return action_field_is(reader, field, "#b") && (annotations->buffered = true);
}

/* Nanoseconds on the clock and on the processor, and instructions, for trace/image/bursts.c. */
static size_t read_burst(struct action_reader *reader, const struct action_field *field, size_t fields)
{
    int64_t number;
    if (fields == 4 && reader->text[field[3].at] == '#') /* the next annotation */
        fields = 3;
    for (size_t i = 1; i < fields; i++) {
        const char *begin = reader->text + field[i].at, *end = begin + field[i].length;
        if (number_integer(begin, end, &number) != end || number < 0) {
            action_field_error(reader, &field[i],
                               "nanoseconds, nanoseconds of processor time and a number of instructions are "
                               "expected behind #burst, none of them negative");
            return 0;
        }
    }
    reader->writer->flags |= IMAGE_HAS_BURSTS;
    return fields;
}

/* An annotation with fields of its own. Returns the number of fields with it; 0: an error has been reported.
 */
static size_t read_longer(struct action_reader *reader, const struct action_field *field, size_t left,
                          struct annotations *annotations)
{
    char name[64];
    if (action_field_is(reader, field, "#tags") && left >= 3) {
        annotations->send_tag = field + 1;
        annotations->recv_tag = field + 2;
        return 3;
    }
    if (action_field_is(reader, field, "#lost") && left >= 2) {
        annotations->lost = field + 1;
        return 2;
    }
    if (action_field_is(reader, field, "#wait") && left >= 2) {
        annotations->waited = field + 1;
        return 2;
    }
    if (action_field_is(reader, field, "#phase") && left >= 2) {
        annotations->phase = field + 1;
        return 2;
    }
    if (action_field_is(reader, field, "#behind") && left >= 4)
        return 4; /* for trace/edit/interval.c */
    if (action_field_is(reader, field, "#burst") && left >= 3)
        return read_burst(reader, field, left > 4 ? 4 : left);
    if (action_field_is(reader, field, "#site") && left >= 3) {
        annotations->site_number = field + 1;
        return left; /* its text is the rest of the line */
    }
    if (field->length > 2 && memcmp(reader->text + field->at, "#@", 2) == 0) {
        annotations->site = field;
        return 1;
    }
    bool defines = action_field_is(reader, &reader->fields[0], "comm_split") && left >= 2;
    if (field->length > (defines ? 1 : 2) && reader->text[field->at] == '#' &&
        reader->text[field->at + 1] == 'c') {
        annotations->comm = field;
        annotations->members = defines ? field + 1 : NULL;
        return defines ? 2 : 1;
    }
    action_field_shown(reader, field, name);
    const char *near = diag_nearest_of(name, words, sizeof words / sizeof *words);
    action_field_error(reader, field, "'%s' is not an annotation%s", name, diag_did_you_mean(near));
    return 0;
}

bool annotations_read(struct action_reader *reader, struct annotations *annotations)
{
    size_t first = 1;
    reader->all_fields = reader->field_count;
    *annotations = (struct annotations){0};
    while (first < reader->field_count && reader->text[reader->fields[first].at] != '#')
        first++;
    for (size_t i = first, taken; i < reader->field_count; i += taken) {
        const struct action_field *field = &reader->fields[i];
        taken = read_flag(reader, field, annotations)
                    ? 1
                    : read_longer(reader, field, reader->field_count - i, annotations);
        if (!taken)
            return false;
    }
    reader->field_count = first;
    reader->comm = 0;
    if (!annotations->comm || annotations->members)
        return true;
    reader->comm =
        comms_find(&reader->writer->comms, reader->text + annotations->comm->at, annotations->comm->length);
    return reader->comm || action_field_error(reader, annotations->comm,
                                              "no comm_split before this line defines this communicator");
}

/* ------------------------------------------------------------------ members */

struct members {
    uint32_t *ranks;
    size_t count, capacity;
};

/* "4" or "0-3" from *at on. */
static bool read_range(struct action_reader *reader, const struct action_field *field, const char **at,
                       struct members *members)
{
    const char *end = reader->text + field->at + field->length;
    int64_t first, last;
    const char *next = number_integer(*at, end, &first);
    last = first;
    if (next && next < end && *next == '-')
        next = number_integer(next + 1, end, &last);
    if (!next || first < 0 || last < first || last >= reader->ranks)
        return action_field_error(reader, field, "ranks such as 0-3,5 are expected, from 0 to %u",
                                  reader->ranks - 1);
    for (int64_t rank = first; rank <= last; rank++) {
        if (members->count == reader->ranks)
            return action_field_error(reader, field, "more members than there are ranks");
        members->ranks = mem_grow(members->ranks, &members->capacity, members->count + 1, "members");
        members->ranks[members->count++] = (uint32_t)rank;
    }
    *at = next;
    return true;
}

static int compare_ranks(const void *first, const void *second)
{
    const uint32_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

static bool is_sound(struct action_reader *reader, const struct action_field *field,
                     const struct members *members)
{
    uint32_t *sorted = mem_alloc(members->count, sizeof *sorted, "members");
    bool has_me = false, twice = false;
    memcpy(sorted, members->ranks, members->count * sizeof *sorted);
    qsort(sorted, members->count, sizeof *sorted, compare_ranks);
    for (size_t i = 0; i < members->count; i++) {
        has_me |= sorted[i] == reader->rank;
        twice |= i && sorted[i] == sorted[i - 1];
    }
    free(sorted);
    if (twice)
        return action_field_error(reader, field, "a rank is named twice");
    return has_me ||
           action_field_error(reader, field, "rank %u names a communicator that it is not in", reader->rank);
}

bool annotations_define(struct action_reader *reader, const struct annotations *annotations)
{
    struct members members = {0};
    const struct action_field *field = annotations->members;
    const char *at = reader->text + field->at, *end = at + field->length;
    bool good = read_range(reader, field, &at, &members);
    while (good && at < end) {
        good = *at++ == ',' || action_field_error(reader, field, "a comma is expected between ranks");
        good = good && read_range(reader, field, &at, &members);
    }
    good = good && is_sound(reader, field, &members);
    bool is_world = annotations->comm->length == 2; /* "#c": it has no name */
    if (good && is_world && members.count != reader->ranks)
        good = action_field_error(reader, field, "the program had %zu ranks, but the trace has %u",
                                  members.count, reader->ranks);
    if (good && !is_world &&
        !comms_define(&reader->writer->comms, reader->text + annotations->comm->at, annotations->comm->length,
                      members.ranks, members.count))
        good =
            action_field_error(reader, field, "this communicator has other members in an earlier comm_split");
    free(members.ranks);
    return good;
}

/* --------------------------------------------------------------- call sites */

/* The number in `field` from byte `from` of it on. */
static bool read_site_number(struct action_reader *reader, const struct action_field *field, size_t from,
                             uint64_t *number)
{
    const char *at = reader->text + field->at + from, *end = reader->text + field->at + field->length;
    int64_t value;
    if (number_integer(at, end, &value) != end || value < 0)
        return action_field_error(reader, field, "the number of a call site is expected, such as #@3");
    *number = (uint64_t)value;
    return true;
}

bool annotations_define_site(struct action_reader *reader, const struct annotations *annotations)
{
    const struct action_field *field = annotations->site_number;
    const struct action_field *last = &reader->fields[reader->all_fields - 1];
    uint64_t number = 0;
    if (!action_field_is(reader, &reader->fields[0], "comm_size"))
        return action_field_error(reader, field, "only a comm_size defines a call site");
    if (!read_site_number(reader, field, 0, &number))
        return false;
    const size_t from = field[1].at, length = last->at + last->length - from;
    uint32_t site = sites_intern(&reader->writer->sites, reader->text + from, length);
    uint32_t *known = hashmap_slot(&reader->sites, number);
    if (*known && *known != site)
        return action_field_error(reader, field, "this call site has another text in an earlier line");
    *known = site;
    return true;
}

/* The call site of the line. */
static bool find_site(struct action_reader *reader, const struct annotations *annotations, uint32_t *site)
{
    uint64_t number = 0;
    if (!read_site_number(reader, annotations->site, 2, &number))
        return false;
    *site = hashmap_get(&reader->sites, number);
    return *site ||
           action_field_error(reader, annotations->site, "no #site before this line defines this call site");
}

/* ------------------------------------------------------------------ effects */

static bool read_tag(struct action_reader *reader, const struct action_field *field, int32_t *tag)
{
    int64_t value;
    if (!action_field_integer(reader, field, "a tag", &value))
        return false;
    if (value > INT32_MAX || value <= INT32_MIN)
        return action_field_error(reader, field, "the tag %lld does not fit into an int", (long long)value);
    *tag = value == TI_ANY_TAG ? CALL_ANY_TAG : (int32_t)value;
    return true;
}

static bool apply_tags(struct action_reader *reader, const struct annotations *annotations, struct call *call)
{
    int32_t source_tag = 0;
    if (call->op != CALL_SENDRECV)
        return action_field_error(reader, annotations->send_tag, "only a sendRecv has two tags");
    if (!read_tag(reader, annotations->send_tag, &call->tag) ||
        !read_tag(reader, annotations->recv_tag, &source_tag))
        return false;
    call->expected = (uint32_t)source_tag - (uint32_t)call->tag;
    return true;
}

static bool apply_wait(struct action_reader *reader, const struct annotations *annotations,
                       struct action *action)
{
    const struct action_form *form =
        action_form_find(reader->text + annotations->waited->at, annotations->waited->length);
    if (action->call.op != CALL_NOTHING || !form || form->op < CALL_BARRIER)
        return action_field_error(reader, annotations->waited,
                                  "the name of a collective is expected behind comm_size #wait");
    action->call = (struct call){.op = CALL_WAIT};
    action->role = ROLE_WAIT;
    action->key = requests_collective_key(reader->requests, action_collective_tag(form->op), reader->comm);
    return true;
}

static bool apply_phase(struct action_reader *reader, const struct annotations *annotations,
                        struct call *call)
{
    int64_t level;
    if (call->op != CALL_NOTHING)
        return action_field_error(reader, annotations->phase, "only a comm_size begins a phase");
    if (!action_field_integer(reader, annotations->phase, "the number of a phase", &level))
        return false;
    if (level > INT32_MAX || level < INT32_MIN)
        return action_field_error(reader, annotations->phase, "the number %lld does not fit into an int",
                                  (long long)level);
    call->flags |= CALL_PHASE;
    call->tag = (int32_t)level;
    return true;
}

static void apply_to_send(const struct annotations *annotations, struct call *call)
{
    if (annotations->synchronous)
        call->flags |= CALL_SYNCHRONOUS;
    if (annotations->buffered)
        call->flags |= CALL_BUFFERED;
}

static bool is_member(struct action_reader *reader, const struct annotations *annotations)
{
    const struct comms *comms = &reader->writer->comms;
    return reader->comm == 0 ||
           comms_rank(comms, reader->comm, reader->rank) < comms->groups[reader->comm].size ||
           action_field_error(reader, annotations->comm, "rank %u is not in this communicator", reader->rank);
}

bool annotations_apply(struct action_reader *reader, const struct annotations *annotations,
                       struct action *action)
{
    struct call *call = &action->call;
    if (annotations->site && !find_site(reader, annotations, &action->site))
        return false;
    if (call->op == CALL_SEND)
        apply_to_send(annotations, call);
    if (annotations->any)
        action->doubt = DOUBT_NONE;
    if (annotations->lost) {
        action->doubt = DOUBT_LOST;
        call->flags |= call->op == CALL_NOTHING ? CALL_LOST : 0;
    }
    if (annotations->immediate && call_is_collective(call)) {
        call->flags |= CALL_IMMEDIATE;
        action->role = ROLE_START;
        action->key =
            requests_collective_key(reader->requests, action_collective_tag(call->op), reader->comm);
    }
    bool has_ends = call->op == CALL_SEND || call->op == CALL_RECV || call->op == CALL_SENDRECV;
    if (has_ends || call_is_collective(call))
        call->context = reader->comm;
    if (call_is_collective(call)) {
        if (!is_member(reader, annotations))
            return false;
        call->group = reader->comm;
    }
    if (annotations->phase && !apply_phase(reader, annotations, call))
        return false;
    if (annotations->send_tag && !apply_tags(reader, annotations, call))
        return false;
    return !annotations->waited || apply_wait(reader, annotations, action);
}
