#include "trace/ti/write.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/memory_stream.h"
#include "base/progress.h"
#include "call/datatype.h"
#include "call/lost.h"
#include "output/output.h"
#include "trace/image/number.h"
#include "trace/ti/action_table.h"

/* A non-blocking call. A wait names it by its ends and tag. It is outstanding in the `round` of the writer
 * that it began in. */
struct ti_request {
    int32_t peer, tag;
    uint32_t comm, round;
    bool is_send;
};

struct ti_writer {
    FILE *out;
    const struct program *program;
    uint32_t rank;
    struct ti_request *requests; /* by slot */
    uint32_t outstanding;
    uint32_t round;  /* from 1; a waitall begins the next one, in which none of the requests before is left */
    uint32_t *comms; /* the communicators that the rank has defined so far */
    size_t comm_count, comm_capacity;
};

/* A call that was read from a trace names no type, but the elements of its reduction have a size. A type
 * without a size counts nothing. */
static int type_of(const struct call *call)
{
    if (call->datatype && datatype_bytes(call->datatype - 1) > 0)
        return call->datatype - 1;
    return call->element_bytes > 1 ? datatype_of_bytes(call->element_bytes) : DATATYPE_BYTE;
}

static void print_count(const struct ti_writer *writer, const struct call *call, uint64_t bytes)
{
    fprintf(writer->out, " %" PRIu64, bytes / (uint64_t)datatype_bytes(type_of(call)));
}

/* A count for each rank of the communicator. `at` 0: all are `uniform`. */
static void print_counts(const struct ti_writer *writer, const struct call *call, uint64_t at,
                         uint64_t uniform)
{
    for (uint32_t i = 0; i < writer->program->groups[call->group].size; i++)
        print_count(writer, call, at ? writer->program->counts[at + i] : uniform);
}

/* The size of a buffer that holds the blocks of all ranks. */
static void print_buffer(const struct ti_writer *writer, const struct call *call, uint64_t at,
                         uint64_t uniform)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < writer->program->groups[call->group].size; i++)
        bytes += at ? writer->program->counts[at + i] : uniform;
    print_count(writer, call, bytes);
}

static void print_amount(const struct ti_writer *writer, const struct call *call)
{
    char text[NUMBER_TEXT];
    fprintf(writer->out, " %.*s", (int)number_print(call->amount, text), text);
}

static void print_source(const struct ti_writer *writer, int32_t source)
{
    fprintf(writer->out, " %d", source == CALL_ANY_SOURCE ? TI_UNDEFINED : source);
}

static void print_tag(const struct ti_writer *writer, int32_t tag)
{
    fprintf(writer->out, " %d", tag == CALL_ANY_TAG ? TI_ANY_TAG : tag);
}

/* One field, by its letter (trace/ti/action_table.h). A 'b' is about the counts behind it. */
static void print_field(const struct ti_writer *writer, const struct call *call, const char *letter)
{
    bool sends = letter[1] == 'v';
    switch (*letter) {
    case 'd':
        fprintf(writer->out, " %d", call->peer);
        break;
    case 's':
        print_source(writer, call->op == CALL_SENDRECV ? call->source : call->peer);
        break;
    case 't':
        print_tag(writer, call->tag);
        break;
    case 'c':
    case 'C':
        print_count(writer, call, *letter == 'c' ? call->bytes : call->recv_bytes);
        break;
    case 'v':
        print_counts(writer, call, call->send_counts, call->bytes);
        break;
    case 'V':
        print_counts(writer, call, call->recv_counts, call->recv_bytes);
        break;
    case 'b':
        print_buffer(writer, call, sends ? call->send_counts : call->recv_counts,
                     sends ? call->bytes : call->recv_bytes);
        break;
    case 'a':
        print_amount(writer, call);
        break;
    case 'r':
        fprintf(writer->out, " %d", call->peer);
        break;
    default: /* x, X */
        fprintf(writer->out, " %d", type_of(call));
    }
}

static void note_request(struct ti_writer *writer, const struct call *call)
{
    struct ti_request request = {
        .peer = call->peer, .tag = call->tag, .comm = call->context, .is_send = call->op == CALL_SEND};
    if (call_is_collective(call))
        request = (struct ti_request){.peer = (int32_t)writer->rank,
                                      .tag = action_collective_tag((enum call_op)call->op),
                                      .comm = call->context};
    request.round = writer->round;
    writer->requests[call->slot] = request;
    writer->outstanding++;
}

/* A wait for MPI_REQUEST_NULL does nothing, and no line says it. */
static bool waits_for_nothing(const struct ti_writer *writer, const struct call *call)
{
    return (call->op == CALL_WAIT || call->op == CALL_TEST) &&
           writer->requests[call->slot].round != writer->round;
}

static void print_waitall(struct ti_writer *writer)
{
    fprintf(writer->out, " %u", writer->outstanding);
    writer->outstanding = 0;
    writer->round++;
}

static void print_wait(struct ti_writer *writer, const struct call *call)
{
    struct ti_request *request = &writer->requests[call->slot];
    int32_t me = (int32_t)writer->rank;
    if (call->op == CALL_WAIT) {
        request->round = 0;
        writer->outstanding--;
    }
    print_source(writer, request->is_send ? me : request->peer);
    fprintf(writer->out, " %d", request->is_send ? request->peer : me);
    print_tag(writer, request->tag);
}

/* What SimGrid's fields do not say: a source that is certainly any, and the tags of a sendrecv. */
static void print_annotations(const struct ti_writer *writer, const struct call *call)
{
    bool both = call->op == CALL_SENDRECV;
    if ((call->op == CALL_RECV && call->peer == CALL_ANY_SOURCE) || (both && call->source == CALL_ANY_SOURCE))
        fputs(" #any", writer->out);
    if (both && (call->tag || call->expected)) {
        fputs(" #tags", writer->out);
        print_tag(writer, call->tag);
        print_tag(writer, call_source_tag(call));
    }
}

/* ----------------------------------------------------------- communicators */

/* "0-3,5": the members in their order. */
static void print_members(const struct ti_writer *writer, const struct group *group)
{
    for (uint32_t i = 0, last; i < group->size; i = last + 1) {
        uint32_t first = group_world(group, i);
        for (last = i; last + 1 < group->size && group_world(group, last + 1) == first + last + 1 - i;)
            last++;
        fprintf(writer->out, "%s%" PRIu32, i ? "," : "", first);
        if (last > i)
            fprintf(writer->out, "-%" PRIu32, group_world(group, last));
    }
}

/* The line that defines a communicator, before the rank names it for the first time. */
static void define_comm(struct ti_writer *writer, uint32_t comm)
{
    for (size_t i = 0; i < writer->comm_count; i++)
        if (writer->comms[i] == comm)
            return;
    writer->comms =
        mem_grow(writer->comms, &writer->comm_capacity, writer->comm_count + 1, "communicators of a rank");
    writer->comms[writer->comm_count++] = comm;
    fprintf(writer->out, "%u comm_split #c%" PRIu32 " ", writer->rank, comm);
    print_members(writer, &writer->program->groups[comm]);
    putc('\n', writer->out);
}

/* The communicator of a call; of a wait, that of the call it waits for. */
static uint32_t comm_of(const struct ti_writer *writer, const struct call *call)
{
    bool waits = call->op == CALL_WAIT || call->op == CALL_TEST;
    return waits ? writer->requests[call->slot].comm : call->context;
}

/* Traces name a communicator by one number, which is its group and its context. */
static bool has_comm(const struct ti_writer *writer, const struct call *call)
{
    return call->context < writer->program->group_count &&
           (!call_is_collective(call) || call->group == call->context);
}

/* ------------------------------------------------------------------- lines */

/* A name is one word: what may not be in one, as in a name that a damaged file has, becomes '_'. */
static void write_lost(struct ti_writer *writer, const struct call *call)
{
    enum { LONGEST = 100 };
    const struct program_lost *lost = writer->program->lost;
    size_t length = 0;
    const char *name = lost ? lost->name(lost, writer->rank, call, &length) : NULL;
    fprintf(writer->out, "%u comm_size #lost ", writer->rank);
    for (size_t i = 0; name && i < length && i < LONGEST; i++)
        putc(name[i] > ' ' && name[i] <= '~' ? name[i] : '_', writer->out);
    fputs(name && length ? "\n" : "unknown\n", writer->out);
}

/* False: no action says the call. */
static bool write_call(struct ti_writer *writer, const struct call *call)
{
    const struct action_form *form = action_form_of_call(call);
    if (call->op == CALL_NOTHING && call->flags & CALL_PHASE)
        fprintf(writer->out, "%u comm_size #phase %d\n", writer->rank, call->tag);
    if (call->op == CALL_NOTHING && call->flags & CALL_LOST)
        write_lost(writer, call);
    if (call->op == CALL_NOTHING || waits_for_nothing(writer, call))
        return true;
    if (!form || !has_comm(writer, call))
        return false;
    uint32_t comm = comm_of(writer, call);
    if (comm)
        define_comm(writer, comm);
    fprintf(writer->out, "%u %s", writer->rank, form->name);
    if (call->op == CALL_WAITALL) {
        print_waitall(writer);
    } else if (call->op == CALL_WAIT || call->op == CALL_TEST) {
        print_wait(writer, call);
    } else {
        for (const char *letter = form->letters; *letter && *letter != '*'; letter++)
            print_field(writer, call, letter);
    }
    print_annotations(writer, call);
    if (call->flags & CALL_IMMEDIATE)
        note_request(writer, call);
    if (comm)
        fprintf(writer->out, " #c%" PRIu32, comm);
    putc('\n', writer->out);
    return true;
}

/* False, reported: no action says one of the calls. */
static bool write_calls(struct ti_writer *writer, struct program *program)
{
    struct call scratch;
    const struct call *call = program_next(program, writer->rank, &scratch);
    bool framed = call && call->op == CALL_INIT;
    if (!framed)
        fprintf(writer->out, "%u init\n", writer->rank);
    for (; call; call = program_next(program, writer->rank, &scratch)) {
        if (program->total_calls)
            progress_step();
        if (!write_call(writer, call)) {
            diag_error("%s: no line of a trace says '%s' here", program->name,
                       call_op_name((enum call_op)call->op));
            return false;
        }
    }
    if (!framed)
        fprintf(writer->out, "%u finalize\n", writer->rank);
    return program->status == STATUS_OK;
}

enum status ti_write_rank(struct program *program, uint32_t rank, FILE *out)
{
    struct ti_writer writer = {.out = out, .program = program, .rank = rank, .round = 1};
    writer.requests =
        mem_alloc(program->ops->slots(program, rank), sizeof *writer.requests, "requests of a rank");
    bool known = write_calls(&writer, program);
    free(writer.requests);
    free(writer.comms);
    return known ? STATUS_OK : STATUS_FAILED;
}

char *ti_rank_text(struct program *program, uint32_t rank, size_t *size)
{
    char *text = NULL;
    FILE *out = memory_stream_open(&text, size);
    enum status status = ti_write_rank(program, rank, out);
    if (fclose(out) || status != STATUS_OK) {
        free(text);
        return NULL;
    }
    return text;
}

const char *rank_file_name(uint32_t rank, char name[static RANK_FILE_NAME])
{
    snprintf(name, RANK_FILE_NAME, "rank-%" PRIu32 ".txt", rank + 1);
    return name;
}

static enum status write_file(struct program *program, uint32_t rank, const struct output_folder *folder)
{
    struct output output;
    char name[RANK_FILE_NAME];
    enum status status = output_folder_file(folder, rank_file_name(rank, name), &output);
    if (status == STATUS_OK)
        status = output_close(&output, ti_write_rank(program, rank, output.file));
    return status;
}

enum status ti_write(struct program *program, const char *path)
{
    struct output_folder folder;
    enum status status = output_folder_open(&folder, path);
    if (status != STATUS_OK)
        return status;
    program->ops->rewind(program);
    progress_begin("writing the trace", program->total_calls ? program->total_calls : program->ranks);
    for (uint32_t rank = 0; status == STATUS_OK && rank < program->ranks; rank++) {
        status = write_file(program, rank, &folder);
        if (!program->total_calls)
            progress_tell(rank + UINT64_C(1));
    }
    progress_end();
    return output_folder_close(&folder, status);
}
