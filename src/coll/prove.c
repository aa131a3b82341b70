#include "coll/prove.h"

#include <stdio.h>
#include <string.h>

#include "coll/prover.h"

/* ----------------------------------------------------------------- matching */

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static struct proof_pair *pair_of(struct prover *prover, const struct proof_step *step)
{
    uint32_t source = step->kind == STEP_SEND ? step->rank : step->peer;
    uint32_t destination = step->kind == STEP_SEND ? step->peer : step->rank;
    return &prover->pairs[(size_t)source * prover->world->size + destination];
}

static void queue_end(struct prover *prover, struct proof_pair *pair, const struct proof_step *step)
{
    uint32_t index = pool_take(&prover->ends);
    *(struct proof_end *)pool_at(&prover->ends, index) =
        (struct proof_end){.step = *step, .clock = prover->ranks[step->rank].clock};
    if (pair->head)
        ((struct proof_end *)pool_at(&prover->ends, pair->tail - 1))->next = index + 1;
    else
        pair->head = index + 1;
    pair->tail = index + 1;
    prover_order_post(prover, step, index);
}

static void match(struct prover *prover, struct proof_pair *pair, const struct proof_step *step)
{
    uint32_t index = pair->head - 1;
    struct proof_end other = *(struct proof_end *)pool_at(&prover->ends, index);
    pool_give(&prover->ends, index);
    pair->head = other.next;
    prover_deliver(prover, step->kind == STEP_SEND ? step : &other.step,
                   step->kind == STEP_SEND ? &other.step : step);
    uint32_t round = larger(other.clock, prover->ranks[step->rank].clock) + 1;
    prover_order_match(prover, step, &other.step, index, round);
    prover_end_waiting(prover, other.step.rank, round);
    prover_end_waiting(prover, step->rank, round);
}

static void count_send(struct prover *prover, const struct proof_step *step)
{
    struct proof_rank *self = &prover->ranks[step->rank];
    struct proof_pair *there = pair_of(prover, step);
    struct proof_pair *back = &prover->pairs[(size_t)step->peer * prover->world->size + step->rank];
    if (!there->used && !back->used) {
        self->peers++;
        prover->ranks[step->peer].peers++;
    }
    there->used = true;
    self->messages++;
    self->bytes += step->from.bytes;
}

/* -------------------------------------------------------------------- steps */

struct prover_sink {
    struct coll_sink base;
    struct prover *prover;
    uint32_t rank;
};

static struct proof_step next_step(struct prover_sink *sink, enum proof_step_kind kind)
{
    struct proof_rank *self = &sink->prover->ranks[sink->rank];
    return (struct proof_step){.kind = kind,
                               .rank = sink->rank,
                               .phase = self->phase,
                               .flag = STEP_NO_FLAG,
                               .index = self->next_step++ - self->phase_first};
}

static void post(struct prover_sink *sink, const struct proof_step *step)
{
    struct prover *prover = sink->prover;
    if (prover->failed)
        return;
    if (step->peer >= prover->world->size || step->peer == step->rank) {
        prover_fail(prover, step, "has no other rank as its peer");
        return;
    }
    if (!prover_post(prover, step))
        return;
    if (step->kind == STEP_SEND)
        count_send(prover, step);
    prover_begin_waiting(prover, sink->rank);
    struct proof_pair *pair = pair_of(prover, step);
    if (pair->head && ((struct proof_end *)pool_at(&prover->ends, pair->head - 1))->step.kind != step->kind)
        match(prover, pair, step);
    else
        queue_end(prover, pair, step);
}

static void sink_send(struct coll_sink *base, uint32_t peer, struct coll_span from)
{
    struct prover_sink *sink = (struct prover_sink *)base;
    struct proof_step step = next_step(sink, STEP_SEND);
    step.peer = peer;
    step.from = from;
    post(sink, &step);
}

static void sink_recv_raise(struct coll_sink *base, uint32_t peer, struct coll_span into, uint32_t flag)
{
    struct prover_sink *sink = (struct prover_sink *)base;
    struct proof_step step = next_step(sink, STEP_RECV);
    step.peer = peer;
    step.into = into;
    step.flag = flag;
    post(sink, &step);
}

static void sink_recv(struct coll_sink *base, uint32_t peer, struct coll_span into)
{
    sink_recv_raise(base, peer, into, STEP_NO_FLAG);
}

static void sync_step(struct coll_sink *base, enum proof_step_kind kind, uint32_t flag)
{
    struct prover_sink *sink = (struct prover_sink *)base;
    struct proof_step step = next_step(sink, kind);
    step.flag = flag;
    if (!sink->prover->failed)
        prover_order_sync(sink->prover, &step);
}

static void sink_barrier(struct coll_sink *base)
{
    sync_step(base, STEP_BARRIER, STEP_NO_FLAG);
}

static void sink_raise(struct coll_sink *base, uint32_t flag)
{
    sync_step(base, STEP_RAISE, flag);
}

static void sink_await(struct coll_sink *base, uint32_t flag)
{
    sync_step(base, STEP_AWAIT, flag);
}

static void local_step(struct prover_sink *sink, enum proof_step_kind kind, struct coll_span from,
                       struct coll_span into, uint64_t *bytes)
{
    struct proof_step step = next_step(sink, kind);
    step.from = from;
    step.into = into;
    if (!sink->prover->failed && prover_local(sink->prover, &step))
        *bytes += from.bytes;
}

static void sink_copy(struct coll_sink *base, struct coll_span from, struct coll_span into)
{
    struct prover_sink *sink = (struct prover_sink *)base;
    local_step(sink, STEP_COPY, from, into, &sink->prover->proof->copied_bytes);
}

static void sink_reduce(struct coll_sink *base, struct coll_span from, struct coll_span into)
{
    struct prover_sink *sink = (struct prover_sink *)base;
    local_step(sink, STEP_REDUCE, from, into, &sink->prover->proof->reduced_bytes);
}

/* ---------------------------------------------------------------------- run */

/* Cells of a buffer. Scratch need not be a whole number of elements. */
static uint64_t cells_of(const struct prover *prover, uint64_t bytes)
{
    return bytes / prover->world->element_bytes;
}

/* No schedule has more phases than this: twice a linear chain over all ranks and back, and one for each
 * segment of a vector. */
static uint32_t phases_limit(const struct coll_world *world)
{
    uint64_t segments = world->segment_bytes ? world->bytes / world->element_bytes : 0;
    return 4 * world->size + 64 + (uint32_t)segments;
}

static uint32_t repeats(const struct prover *prover)
{
    return prover->world->repeats ? prover->world->repeats : 1;
}

/* The rank has finished a call. If there is another call, it begins that at once, with new data. */
static bool begin_next_call(struct prover *prover, uint32_t rank)
{
    struct proof_rank *self = &prover->ranks[rank];
    if (self->calls + 1 == repeats(prover) || !prover_check_result(prover, rank))
        return false;
    self->calls++;
    self->phase = 0;
    for (int b = COLL_SEND_BUFFER; b <= COLL_SCRATCH; b++)
        for (uint64_t i = 0; i < cells_of(prover, self->buffers[b].bytes); i++) {
            struct proof_cell *cell = &self->buffers[b].cells[i];
            if (b == COLL_SEND_BUFFER)
                cell->at += prover->call_elements;
            else
                cell->set = RANK_SET_NONE;
        }
    prover_order_begin_call(prover, rank);
    return true;
}

/* Runs a rank whose phase is complete until it has to wait. */
static void run_rank(struct prover *prover, uint32_t rank)
{
    struct prover_sink sink = {.base = {.send = sink_send,
                                        .recv = sink_recv,
                                        .recv_raise = sink_recv_raise,
                                        .barrier = sink_barrier,
                                        .raise = sink_raise,
                                        .await = sink_await,
                                        .copy = sink_copy,
                                        .reduce = sink_reduce,
                                        .local = true},
                               .prover = prover,
                               .rank = rank};
    struct proof_rank *self = &prover->ranks[rank];
    self->clock = self->phase_end;
    self->phase_first = self->next_step;
    self->pending = 1; /* the emission itself: the phase must not end while it is being posted */
    self->epochs++;
    prover_order_begin_phase(prover, rank);
    if (!coll_emit(prover->algorithm, &self->call, self->phase, &sink.base)) {
        prover_order_end_call(prover, rank);
        if (begin_next_call(prover, rank))
            prover->ready[prover->ready_count++] = rank;
        else
            self->done = true;
        return;
    }
    if (++self->phase > phases_limit(prover->world))
        prover_fail(prover, NULL, "rank %u: more than %u phases", rank, phases_limit(prover->world));
    prover_end_waiting(prover, rank, self->clock);
}

static const struct proof_end *first_waiting(const struct prover *prover)
{
    uint32_t size = prover->world->size;
    for (uint32_t rank = 0; rank < size; rank++)
        for (uint32_t peer = 0; peer < size; peer++)
            for (uint32_t there = 0; there < 2; there++) {
                uint32_t head =
                    prover->pairs[there ? (size_t)rank * size + peer : (size_t)peer * size + rank].head;
                const struct proof_end *end = head ? pool_at(&prover->ends, head - 1) : NULL;
                if (end && end->step.rank == rank)
                    return end;
            }
    return NULL;
}

static void check_finished(struct prover *prover)
{
    const struct proof_end *end = first_waiting(prover);
    if (!end) {
        prover_order_blocked(prover);
        return;
    }
    const struct proof_rank *peer = &prover->ranks[end->step.peer];
    const char *missing = end->step.kind == STEP_SEND ? "receive" : "send";
    if (peer->done)
        prover_fail(prover, &end->step, "is never matched: rank %u has no such %s", end->step.peer, missing);
    else
        prover_fail(prover, &end->step, "deadlocks: rank %u waits in phase %u and has not posted the %s",
                    end->step.peer, peer->phase - 1, missing);
}

static void execute(struct prover *prover)
{
    uint32_t size = prover->world->size;
    for (uint32_t i = 0; i < size; i++)
        prover->ready[prover->ready_count++] = size - 1 - i;
    while (prover->ready_count > 0 && !prover->failed)
        run_rank(prover, prover->ready[--prover->ready_count]);
    if (!prover->failed)
        check_finished(prover);
    if (!prover->failed)
        prover_check_results(prover);
}

/* -------------------------------------------------------------- set-up, end */

static uint64_t buffer_bytes(const struct prover *prover, uint32_t rank, int buffer)
{
    const struct coll_algorithm *algorithm = prover->algorithm;
    if (buffer == COLL_SEND_BUFFER)
        return prover_send_bytes(prover->world, algorithm->kind, rank);
    if (buffer == COLL_RECV_BUFFER)
        return prover_recv_bytes(prover->world, algorithm->kind, rank);
    if (buffer == COLL_SCRATCH)
        return coll_scratch(algorithm, &prover->ranks[rank].call);
    return 0; /* shared memory is the node's (prove_node.c) */
}

static bool size_buffers(struct prover *prover, uint64_t *cells)
{
    bool columns = prover->world->counts && prover->algorithm->kind == COLL_ALLTOALLV;
    uint32_t size = prover->world->size;
    *cells = 0;
    if (columns)
        prover->recv_counts =
            mem_alloc((size_t)size * size, sizeof *prover->recv_counts, "counts to receive");
    for (uint32_t r = 0; r < size; r++) {
        struct proof_rank *self = &prover->ranks[r];
        self->call = coll_world_call(prover->world, prover->algorithm->kind, r,
                                     columns ? prover->recv_counts + (size_t)r * size : NULL);
        self->next_step = 1;
        for (int b = 0; b < PROOF_BUFFERS; b++) {
            self->buffers[b].bytes = buffer_bytes(prover, r, b);
            if (cells_of(prover, self->buffers[b].bytes) > COLL_PROOF_ELEMENTS_MAX - *cells) {
                prover_fail(prover, NULL,
                            "the prover takes up to %d elements in all buffers; prove fewer or larger ones",
                            COLL_PROOF_ELEMENTS_MAX);
                return false;
            }
            *cells += cells_of(prover, self->buffers[b].bytes);
        }
        if (self->buffers[COLL_SCRATCH].bytes > prover->proof->scratch_max)
            prover->proof->scratch_max = self->buffers[COLL_SCRATCH].bytes;
    }
    return true;
}

static void fill_buffers(struct prover *prover, uint64_t cells)
{
    struct proof_cell *next = prover->cells = mem_alloc(cells, sizeof *prover->cells, "symbols");
    for (uint32_t r = 0; r < prover->world->size; r++) {
        struct proof_buffer *buffers = prover->ranks[r].buffers;
        for (int b = 0; b < PROOF_BUFFERS; b++) {
            buffers[b].cells = next;
            next += cells_of(prover, buffers[b].bytes);
        }
        if (cells_of(prover, buffers[COLL_SEND_BUFFER].bytes) > prover->call_elements)
            prover->call_elements = (uint32_t)cells_of(prover, buffers[COLL_SEND_BUFFER].bytes);
        for (uint64_t i = 0; i < cells_of(prover, buffers[COLL_SEND_BUFFER].bytes); i++)
            buffers[COLL_SEND_BUFFER].cells[i] =
                (struct proof_cell){.set = rank_sets_one(r), .at = (uint32_t)i};
    }
}

static void sum_up(const struct prover *prover)
{
    struct coll_proof *proof = prover->proof;
    for (uint32_t r = 0; r < prover->world->size; r++) {
        const struct proof_rank *self = &prover->ranks[r];
        proof->messages += self->messages;
        proof->bytes += self->bytes;
        if (self->messages > proof->messages_rank_max)
            proof->messages_rank_max = self->messages;
        if (self->bytes > proof->bytes_rank_max)
            proof->bytes_rank_max = self->bytes;
        proof->peers_max = larger(proof->peers_max, self->peers);
        proof->phases_max = larger(proof->phases_max, self->phase);
        proof->rounds = larger(proof->rounds, self->phase_end);
    }
}

bool coll_prove(const struct coll_algorithm *algorithm, const struct coll_world *world,
                struct coll_proof *proof)
{
    struct prover prover = {.algorithm = algorithm, .world = world, .proof = proof};
    uint64_t cells;
    *proof = (struct coll_proof){0};
    if (!prover_world_check(world, algorithm->kind, proof))
        return false;
    prover.ranks = mem_alloc(world->size, sizeof *prover.ranks, "ranks to prove");
    if (size_buffers(&prover, &cells)) {
        prover.pairs = mem_alloc((size_t)world->size * world->size, sizeof *prover.pairs, "pairs of ranks");
        prover.ready = mem_alloc(world->size, sizeof *prover.ready, "ranks to run");
        pool_init(&prover.ends, sizeof(struct proof_end), "ends of messages");
        rank_sets_init(&prover.sets, world->size);
        fill_buffers(&prover, cells);
        prover_order_open(&prover);
        execute(&prover);
        sum_up(&prover);
        prover_order_close(&prover);
        pool_free(&prover.ends);
        rank_sets_free(&prover.sets);
    }
    free(prover.cells);
    free(prover.ready);
    free(prover.pairs);
    free(prover.recv_counts);
    free(prover.ranks);
    return !prover.failed;
}
