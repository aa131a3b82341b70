#include "workload/messages.h"

#include <stdlib.h>

#include "base/mem.h"
#include "call/graph.h"
#include "coll/nodes.h"
#include "workload/patterns_internal.h"

/* Messages are counted at both ends, because either end of a rooted collective may be that of one rank. */
struct message_count {
    struct coll_sink base;
    struct program *program;
    const struct patterns_options *options;
    uint64_t calls, sent, received; /* of the ranks counted so far */
    double bytes, between_nodes;    /* of those that they send to other nodes */
    const struct group *group;      /* of the present call */
    uint32_t node;                  /* of the present rank */
    uint64_t steps, most_steps;
    struct coll_nodes nodes[2]; /* of all ranks; by server */
    uint32_t *node_storage[2];  /* NULL: not made yet */
};

static void count_sent(struct message_count *count, uint32_t peer, uint64_t bytes)
{
    count->sent++;
    if (program_node(count->program, peer, count->options->ranks_per_node) == count->node)
        return;
    count->between_nodes++;
    count->bytes += (double)bytes;
}

static void count_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    struct message_count *count = (struct message_count *)sink;
    count_sent(count, group_world(count->group, peer), from.bytes);
}

static void count_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    (void)peer, (void)into;
    ((struct message_count *)sink)->received++;
}

static void count_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)peer, (void)into, (void)flag;
    ((struct message_count *)sink)->received++;
}

static void ignore_barrier(struct coll_sink *sink)
{
    (void)sink;
}

static void ignore_flag(struct coll_sink *sink, uint32_t flag)
{
    (void)sink, (void)flag;
}

static void ignore_local(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)sink, (void)from, (void)into;
}

static const struct coll_nodes *nodes_of_all(struct message_count *count, bool by_server)
{
    uint32_t **storage = &count->node_storage[by_server];
    const struct group *all = &count->program->groups[0];
    if (!*storage) {
        *storage = mem_alloc(coll_nodes_storage(all->size), sizeof **storage, "nodes of ranks");
        group_places(count->program, all, count->options->ranks_per_node, by_server, *storage);
        coll_nodes_init(&count->nodes[by_server], all->size, *storage, *storage);
    }
    return &count->nodes[by_server];
}

/* False: the call has too many steps, or its messages depend on nodes that are not known here. */
static bool count_collective(struct message_count *count, uint32_t rank, const struct call *call)
{
    struct coll_call coll_call = patterns_coll_call(count->program, count->options, rank, call);
    const struct coll_algorithm *algorithm = patterns_algorithm(count->options, &coll_call);
    uint64_t before = count->sent + count->received;
    count->group = &count->program->groups[call->group];
    if (coll_call.size > count->most_steps - count->steps || (algorithm->node_aware && call->group != 0))
        return false;
    if (algorithm->node_aware)
        coll_call.nodes = nodes_of_all(count, !coll_needs_memory(algorithm));
    const struct coll_call whole = coll_call;
    uint32_t parts = coll_parts(algorithm, &whole, count->options->splits);
    for (uint32_t part = 0; part < parts && count->steps <= count->most_steps; part++) {
        coll_call.bytes = coll_part_bytes(&whole, parts, part);
        for (uint32_t phase = 0; count->steps <= count->most_steps; phase++, count->steps++)
            if (!coll_emit(algorithm, &coll_call, phase, &count->base))
                break;
    }
    count->steps += coll_call.size + count->sent + count->received - before;
    return count->steps <= count->most_steps;
}

static bool count_rank(struct message_count *count, uint32_t rank)
{
    struct call scratch;
    const struct call *call;
    count->node = program_node(count->program, rank, count->options->ranks_per_node);
    while ((call = program_next(count->program, rank, &scratch))) {
        bool sends = call->op == CALL_SEND || call->op == CALL_SENDRECV;
        bool receives = call->op == CALL_RECV || call->op == CALL_SENDRECV;
        count->calls++;
        if (++count->steps > count->most_steps)
            return false;
        if (sends && call->peer >= 0 && (uint32_t)call->peer < count->program->ranks)
            count_sent(count, (uint32_t)call->peer, call->bytes);
        count->received +=
            receives && (call->op == CALL_SENDRECV ? call->source : call->peer) != CALL_PROC_NULL;
        if (call_is_collective(call) && !count_collective(count, rank, call))
            return false;
    }
    return count->program->status == STATUS_OK;
}

/* The i-th of the ranks that are counted, i from 0; they are spread evenly, also if there are few. */
static uint32_t sampled_rank(uint32_t i, uint32_t ranks)
{
    const double golden = 0.6180339887498949;
    double turn = (double)i * golden;
    return 1 + (uint32_t)((turn - (double)(uint32_t)turn) * (double)(ranks - 1));
}

/* Of all ranks, from what rank 0 has and what some others have together. 0: too large. */
static uint64_t of_all(uint64_t first, uint64_t others, double scale)
{
    double all = (double)first + (double)others * scale;
    return all < (double)(UINT64_MAX / 4) ? (uint64_t)all : 0;
}

static struct program_estimate estimate_graph(const struct program *program, uint32_t ranks_per_node)
{
    const struct graph *graph = program->graph;
    struct program_estimate estimate = {.calls = graph->operations, .messages = graph->sends};
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        uint32_t node = program_node(program, rank, ranks_per_node);
        for (uint32_t i = 0; i < graph->ranks[rank].count; i++) {
            const struct graph_operation *operation = &graph->ranks[rank].operations[i];
            bool leaves = operation->kind == GRAPH_SEND &&
                          program_node(program, operation->peer, ranks_per_node) != node;
            estimate.between_nodes += leaves;
            estimate.bytes += leaves ? (double)operation->amount : 0;
        }
    }
    return estimate;
}

struct program_estimate program_estimate(struct program *program, const struct patterns_options *options)
{
    enum { MOST_STEPS = 1 << 23, MOST_RANKS = 16 };
    struct message_count count = {.base = {.send = count_send,
                                           .recv = count_recv,
                                           .recv_raise = count_recv_raise,
                                           .barrier = ignore_barrier,
                                           .raise = ignore_flag,
                                           .await = ignore_flag,
                                           .copy = ignore_local,
                                           .reduce = ignore_local},
                                  .program = program,
                                  .options = options,
                                  .most_steps = MOST_STEPS};
    uint32_t ranks = program->ranks, others = 0;
    if (program->graph)
        return estimate_graph(program, options->ranks_per_node);
    program->ops->rewind(program);
    bool going = count_rank(&count, 0);
    struct message_count first = count, last = count;
    /* Each turn needs a rank that is at its beginning; to rewind costs a step for each rank. */
    for (uint32_t i = 0; going && ranks > 1 && i < MOST_RANKS; i++, count.steps += ranks) {
        program->ops->rewind(program);
        if (!count_rank(&count, sampled_rank(i, ranks)))
            break;
        others++;
        last = count;
    }
    program->ops->rewind(program);
    free(count.node_storage[false]);
    free(count.node_storage[true]);
    if (!going || (ranks > 1 && !others))
        return (struct program_estimate){0};
    double scale = others ? (double)(ranks - 1) / others : 0;
    uint64_t sends = of_all(first.sent, last.sent - first.sent, scale);
    uint64_t receives = of_all(first.received, last.received - first.received, scale);
    return (struct program_estimate){.calls = of_all(first.calls, last.calls - first.calls, scale),
                                     .messages = sends > receives ? sends : receives,
                                     .bytes = first.bytes + (last.bytes - first.bytes) * scale,
                                     .between_nodes = first.between_nodes +
                                                      (last.between_nodes - first.between_nodes) * scale};
}
