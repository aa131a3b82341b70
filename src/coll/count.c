#include "coll/count.h"

#include "base/mem.h"
#include "base/progress.h"
#include "coll/nodes.h"

struct counter {
    struct coll_sink base;
    struct coll_call call;
    struct coll_counts counts;
    uint32_t node;
    uint64_t *queue_pairs, *posted_sends, *messages, *scratch; /* of each node */
    uint32_t *met; /* of each rank: the last one that met it, plus 1 */
    uint64_t messages_of_rank;
};

static void meet(struct counter *counter, uint32_t peer)
{
    if (node_of(&counter->call, peer) == counter->node || counter->met[peer] == counter->call.rank + 1)
        return;
    counter->met[peer] = counter->call.rank + 1;
    counter->queue_pairs[counter->node]++;
}

static void count_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    struct counter *counter = (struct counter *)sink;
    bool within = node_of(&counter->call, peer) == counter->node;
    meet(counter, peer);
    counter->messages_of_rank++;
    counter->messages[counter->node]++;
    counter->posted_sends[counter->node] += !within;
    *(within ? &counter->counts.local_messages : &counter->counts.messages) += 1;
    *(within ? &counter->counts.local_bytes : &counter->counts.bytes) += from.bytes;
}

static void count_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    (void)into;
    meet((struct counter *)sink, peer);
}

static void count_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)into, (void)flag;
    meet((struct counter *)sink, peer);
    ((struct counter *)sink)->counts.flags_raised++;
}

static void count_barrier(struct coll_sink *sink)
{
    struct counter *counter = (struct counter *)sink;
    counter->counts.barriers += node_local_of(&counter->call, counter->call.rank) == 0;
}

static void count_raise(struct coll_sink *sink, uint32_t flag)
{
    (void)flag;
    ((struct counter *)sink)->counts.flags_raised++;
}

static void count_await(struct coll_sink *sink, uint32_t flag)
{
    (void)sink, (void)flag;
}

static void count_local(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    struct counter *counter = (struct counter *)sink;
    (void)into;
    counter->counts.copies++;
    counter->counts.copied_bytes += from.bytes;
}

static void raise_to(uint64_t *most, uint64_t value)
{
    if (value > *most)
        *most = value;
}

static void count_rank(const struct coll_algorithm *algorithm, struct counter *counter)
{
    struct coll_counts *counts = &counter->counts;
    uint32_t phase = 0;
    counter->node = node_of(&counter->call, counter->call.rank);
    counter->messages_of_rank = 0;
    while (coll_emit(algorithm, &counter->call, phase, &counter->base))
        phase++;
    if (phase > counts->phases_max)
        counts->phases_max = phase;
    raise_to(&counts->messages_rank_max, counter->messages_of_rank);
    counter->scratch[counter->node] += coll_scratch(algorithm, &counter->call);
    if (algorithm->shared && node_local_of(&counter->call, counter->call.rank) == 0) /* the node's */
        raise_to(&counts->shared_bytes, algorithm->shared(&counter->call) *
                                            (algorithm->shared_copies ? algorithm->shared_copies : 1));
}

void coll_take_lengths(struct coll_call *call)
{
    const uint64_t *counts = call->all.counts;
    bool is_root = call->rank == call->root;
    if (!counts)
        return;
    call->bytes = counts[call->rank];
    if (call->kind == COLL_ALLTOALLV || (call->kind == COLL_SCATTERV && is_root))
        call->send_bytes = counts;
    else if (call->kind == COLL_ALLGATHERV || call->kind == COLL_REDUCE_SCATTER || is_root)
        call->recv_bytes = counts;
    if ((call->kind == COLL_GATHERV || call->kind == COLL_SCATTERV) && !is_root)
        call->send_bytes = call->recv_bytes = NULL;
}

struct coll_counts coll_count(const struct coll_algorithm *algorithm, const struct coll_call *call,
                              bool local)
{
    uint32_t nodes = node_count(call);
    uint64_t *of_nodes = mem_alloc(4 * (size_t)nodes, sizeof *of_nodes, "counts of nodes");
    struct counter counter = {.base = {.send = count_send,
                                       .recv = count_recv,
                                       .recv_raise = count_recv_raise,
                                       .barrier = count_barrier,
                                       .raise = count_raise,
                                       .await = count_await,
                                       .copy = count_local,
                                       .reduce = count_local,
                                       .local = local},
                              .call = *call,
                              .queue_pairs = of_nodes,
                              .posted_sends = of_nodes + nodes,
                              .messages = of_nodes + 2 * (size_t)nodes,
                              .scratch = of_nodes + 3 * (size_t)nodes,
                              .met = mem_alloc(call->size, sizeof(uint32_t), "ranks met")};
    progress_begin(algorithm->name, call->size);
    for (uint32_t rank = 0; rank < call->size; rank++) {
        progress_tell(rank);
        counter.call.rank = rank;
        coll_take_lengths(&counter.call);
        count_rank(algorithm, &counter);
    }
    progress_end();
    for (uint32_t node = 0; node < nodes; node++) {
        raise_to(&counter.counts.queue_pairs, counter.queue_pairs[node]);
        raise_to(&counter.counts.posted_sends, counter.posted_sends[node]);
        raise_to(&counter.counts.node_messages, counter.messages[node]);
        raise_to(&counter.counts.scratch_bytes, counter.scratch[node]);
    }
    free(counter.met);
    free(of_nodes);
    return counter.counts;
}
