#include "call/call.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"

static const char *const op_names[CALL_OPS] = {
    [CALL_INIT] = "init",
    [CALL_FINALIZE] = "finalize",
    [CALL_COMPUTE] = "compute",
    [CALL_SLEEP] = "sleep",
    [CALL_SEND] = "send",
    [CALL_RECV] = "recv",
    [CALL_SENDRECV] = "sendRecv",
    [CALL_WAIT] = "wait",
    [CALL_WAITALL] = "waitall",
    [CALL_TEST] = "test",
    [CALL_NOTHING] = "nothing",
    [CALL_BARRIER] = "barrier",
    [CALL_BCAST] = "bcast",
    [CALL_REDUCE] = "reduce",
    [CALL_ALLREDUCE] = "allreduce",
    [CALL_ALLTOALL] = "alltoall",
    [CALL_ALLTOALLV] = "alltoallv",
    [CALL_ALLGATHER] = "allgather",
    [CALL_ALLGATHERV] = "allgatherv",
    [CALL_GATHER] = "gather",
    [CALL_GATHERV] = "gatherv",
    [CALL_SCATTER] = "scatter",
    [CALL_SCATTERV] = "scatterv",
    [CALL_REDUCE_SCATTER] = "reducescatter",
    [CALL_SCAN] = "scan",
    [CALL_EXSCAN] = "exscan",
};

const char *call_op_name(enum call_op op)
{
    return (unsigned)op < CALL_OPS ? op_names[op] : "unknown";
}

void group_places(const struct program *program, const struct group *group, uint32_t ranks_per_node,
                  bool by_server, uint32_t *place_of)
{
    uint32_t last = 0, places = 0;
    uint32_t nodes = by_server && program->nodes_per_server ? program->nodes_per_server : 1;
    for (uint32_t rank = 0; rank < group->size; rank++) {
        place_of[rank] = program_node(program, group_world(group, rank), ranks_per_node) / nodes;
        last = place_of[rank] > last ? place_of[rank] : last;
    }
    uint32_t *number_of = mem_alloc((size_t)last + 1, sizeof *number_of, "numbers of nodes");
    for (uint32_t rank = 0; rank < group->size; rank++) {
        uint32_t *number = &number_of[place_of[rank]];
        if (*number == 0)
            *number = ++places;
        place_of[rank] = *number - 1;
    }
    free(number_of);
}

/* A text that grows piece by piece. What does not fit is cut off. */
struct call_text {
    char *text;
    size_t size;
    size_t used;
};

static void add(struct call_text *description, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct call_text *description, const char *format, ...)
{
    size_t room = description->size - description->used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(description->text + description->used, room, format, args);
    va_end(args);
    if (length > 0)
        description->used += (size_t)length < room ? (size_t)length : room - 1;
}

static void add_tag(struct call_text *description, int32_t tag)
{
    if (tag == CALL_ANY_TAG)
        add(description, ", any tag");
    else
        add(description, ", tag %d", tag);
}

static void add_peer(struct call_text *description, const char *preposition, int32_t peer)
{
    if (peer == CALL_ANY_SOURCE)
        add(description, " %s any source", preposition);
    else if (peer == CALL_PROC_NULL)
        add(description, " %s no process", preposition);
    else
        add(description, " %s rank %d", preposition, peer);
}

static void describe_collective(struct call_text *description, const struct call *call)
{
    bool rooted = call->op == CALL_BCAST || call->op == CALL_REDUCE || call->op == CALL_GATHER ||
                  call->op == CALL_GATHERV || call->op == CALL_SCATTER || call->op == CALL_SCATTERV;
    if (call->send_counts || call->recv_counts)
        add(description, " with a size for each peer");
    else if (call->op != CALL_BARRIER)
        add(description, " of %llu bytes", (unsigned long long)call->bytes);
    if (rooted)
        add(description, ", root %d", call->peer);
}

static void describe_arguments(struct call_text *description, const struct call *call)
{
    switch ((enum call_op)call->op) {
    case CALL_SEND:
        add(description, " of %llu bytes", (unsigned long long)call->bytes);
        add_peer(description, "to", call->peer);
        add_tag(description, call->tag);
        break;
    case CALL_RECV:
        add(description, " of %llu bytes", (unsigned long long)call->recv_bytes);
        add_peer(description, "from", call->peer);
        add_tag(description, call->tag);
        break;
    case CALL_SENDRECV:
        add(description, " of %llu bytes", (unsigned long long)call->bytes);
        add_peer(description, "to", call->peer);
        add(description, " and %llu bytes", (unsigned long long)call->recv_bytes);
        add_peer(description, "from", call->source);
        add_tag(description, call->tag);
        break;
    case CALL_WAIT:
    case CALL_TEST:
        add(description, " for request %u", call->slot);
        break;
    case CALL_WAITALL:
        add(description, " for all outstanding requests");
        break;
    case CALL_COMPUTE:
        add(description, " of %g operations", call->amount);
        break;
    case CALL_SLEEP:
        add(description, " of %g seconds", call->amount);
        break;
    default:
        if (call_is_collective(call))
            describe_collective(description, call);
    }
}

const char *call_describe(const struct call *call, char *buffer, size_t size)
{
    struct call_text description = {.text = buffer, .size = size};
    if (!size)
        return buffer;
    buffer[0] = '\0';
    if (call->flags & CALL_SYNCHRONOUS)
        add(&description, "synchronous ");
    if (call->flags & CALL_BUFFERED)
        add(&description, "buffered ");
    if (call->flags & CALL_IMMEDIATE)
        add(&description, "non-blocking ");
    add(&description, "%s", call_op_name((enum call_op)call->op));
    describe_arguments(&description, call);
    return buffer;
}
