#include "trace/write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "call/datatype.h"
#include "trace/number.h"

/* A non-blocking call that a wait will name by its ends and tag. */
struct request {
    int32_t peer, tag;
    bool is_send;
};

struct writer {
    FILE *out;
    const struct program *program;
    uint32_t rank;
    struct request *requests; /* by slot */
    uint32_t outstanding;
};

static int type_of(const struct call *call)
{
    return call->datatype ? call->datatype - 1 : DATATYPE_BYTE;
}

static uint64_t elements(const struct call *call, uint64_t bytes)
{
    return bytes / (uint64_t)datatype_bytes(type_of(call));
}

static void write_point(struct writer *writer, const struct call *call, const char *name, uint64_t bytes)
{
    bool immediate = call->flags & CALL_IMMEDIATE;
    fprintf(writer->out, "%s%s %d %d %" PRIu64 " %d\n", immediate ? "i" : "", name, call->peer, call->tag,
            elements(call, bytes), type_of(call));
    if (!immediate)
        return;
    writer->outstanding++;
    writer->requests[call->slot] = (struct request){call->peer, call->tag, call->op == CALL_SEND};
}

static void write_wait(struct writer *writer, const struct call *call)
{
    const struct request *request = &writer->requests[call->slot];
    int32_t me = (int32_t)writer->rank;
    writer->outstanding--;
    fprintf(writer->out, "wait %d %d %d\n", request->is_send ? me : request->peer,
            request->is_send ? request->peer : me, request->tag);
}

/* The buffer's extent comes before its counts: their sum, as they lie one behind the other. */
static void write_counts(const struct writer *writer, const struct call *call, uint64_t at)
{
    const uint64_t *bytes = writer->program->counts + at;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < writer->program->ranks; i++)
        sum += bytes[i];
    fprintf(writer->out, " %" PRIu64, elements(call, sum));
    for (uint32_t i = 0; i < writer->program->ranks; i++)
        fprintf(writer->out, " %" PRIu64, elements(call, bytes[i]));
}

static bool write_collective(const struct writer *writer, const struct call *call)
{
    FILE *out = writer->out;
    int type = type_of(call);
    uint64_t count = elements(call, call->bytes);
    switch ((enum call_op)call->op) {
    case CALL_BARRIER:
        fprintf(out, "barrier\n");
        return true;
    case CALL_BCAST:
        fprintf(out, "bcast %" PRIu64 " %d %d\n", count, call->peer, type);
        return true;
    case CALL_REDUCE:
        fprintf(out, "reduce %" PRIu64 " 0 %d %d\n", count, call->peer, type);
        return true;
    case CALL_ALLREDUCE:
        fprintf(out, "allreduce %" PRIu64 " 0 %d\n", count, type);
        return true;
    case CALL_ALLTOALL:
        fprintf(out, "alltoall %" PRIu64 " %" PRIu64 " %d %d\n", count, elements(call, call->recv_bytes),
                type, type);
        return true;
    case CALL_ALLTOALLV:
        fprintf(out, "alltoallv");
        write_counts(writer, call, call->send_counts);
        write_counts(writer, call, call->recv_counts);
        fprintf(out, " %d %d\n", type, type);
        return true;
    default:
        return false;
    }
}

static bool write_call(struct writer *writer, const struct call *call)
{
    FILE *out = writer->out;
    char amount[NUMBER_TEXT];
    fprintf(out, "%u ", writer->rank);
    switch ((enum call_op)call->op) {
    case CALL_INIT:
    case CALL_FINALIZE:
        fprintf(out, "%s\n", call_op_name((enum call_op)call->op));
        return true;
    case CALL_COMPUTE:
        fprintf(out, "compute %.*s\n", (int)number_print(call->amount, amount), amount);
        return true;
    case CALL_SEND:
        write_point(writer, call, "send", call->bytes);
        return true;
    case CALL_RECV:
        write_point(writer, call, "recv", call->recv_bytes);
        return true;
    case CALL_SENDRECV:
        fprintf(out, "sendRecv %" PRIu64 " %d %" PRIu64 " %d %d %d\n", elements(call, call->bytes),
                call->peer, elements(call, call->recv_bytes), call->source, type_of(call), type_of(call));
        return true;
    case CALL_WAIT:
        write_wait(writer, call);
        return true;
    case CALL_WAITALL:
        fprintf(out, "waitall %u\n", writer->outstanding);
        writer->outstanding = 0;
        return true;
    default:
        return write_collective(writer, call);
    }
}

/* False where the program makes a call that has no line here. */
static bool write_calls(struct writer *writer, struct program *program)
{
    struct call scratch;
    const struct call *call = program_next(program, writer->rank, &scratch);
    bool framed = call && call->op == CALL_INIT;
    if (!framed)
        fprintf(writer->out, "%u init\n", writer->rank);
    for (; call; call = program_next(program, writer->rank, &scratch))
        if (!write_call(writer, call)) {
            diag_error("%s: no line of a trace says '%s' here", program->name,
                       call_op_name((enum call_op)call->op));
            return false;
        }
    if (!framed)
        fprintf(writer->out, "%u finalize\n", writer->rank);
    return true;
}

static enum status cannot_write(const char *path, int error)
{
    diag_error("cannot write %s: %s", path, strerror(error));
    return STATUS_FAILED;
}

static enum status write_rank(struct program *program, uint32_t rank, const char *path)
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return cannot_write(path, errno);
    struct writer writer = {.out = out, .program = program, .rank = rank};
    writer.requests =
        mem_alloc(program->ops->slots(program, rank), sizeof *writer.requests, "requests of a rank");
    bool known = write_calls(&writer, program);
    free(writer.requests);
    bool failed = ferror(out);
    int error = errno;
    if (fclose(out) && !failed) {
        failed = true;
        error = errno;
    }
    if (failed)
        return cannot_write(path, error);
    return known ? STATUS_OK : STATUS_FAILED;
}

static char *rank_path(const char *folder, uint32_t rank)
{
    return mem_format("%s/rank-%u.txt", folder, rank + 1);
}

static void remove_unfinished(const char *folder, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        char *path = rank_path(folder, rank);
        unlink(path);
        free(path);
    }
    rmdir(folder);
}

enum status program_write(struct program *program, const char *folder)
{
    struct stat there;
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (!lstat(folder, &there)) {
        diag_error("%s exists; name a folder that does not, so that ranks of two traces never mix", folder);
        return STATUS_BAD_INPUT;
    }
    char *unfinished = mem_format("%.*s.unfinished-%ld", (int)length, folder, (long)getpid());
    if (mkdir(unfinished, 0777)) {
        enum status status = cannot_write(folder, errno);
        free(unfinished);
        return status;
    }
    program->ops->rewind(program);
    enum status status = STATUS_OK;
    uint32_t begun = 0;
    while (status == STATUS_OK && begun < program->ranks) {
        char *path = rank_path(unfinished, begun);
        status = write_rank(program, begun++, path);
        free(path);
    }
    if (status == STATUS_OK && rename(unfinished, folder))
        status = cannot_write(folder, errno);
    if (status != STATUS_OK)
        remove_unfinished(unfinished, begun);
    free(unfinished);
    return status;
}
