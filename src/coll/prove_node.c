#include <string.h>

#include "coll/nodes.h"
#include "coll/prover.h"

/* The order of steps, by vector clocks. Every rank is a thread. Its own entry counts its steps: the phase in
 * the upper half, the step in the lower half. The entry of another thread says how far the rank knows that
 * thread to be. Knowledge passes by barriers, flags and messages only. An access of shared memory ends at a
 * certain value of its thread's entry. An access that conflicts with it must know of that value.
 *
 * A message that raises a flag arrives between the steps of its rank. So each flag has a thread, whose entry
 * counts the calls in which the flag was raised. */
struct order_cell {
    uint32_t writer; /* thread */
    uint64_t written_until;
};

struct order_flag {
    uint32_t raised;                                  /* times */
    uint64_t *known[COLL_PROOF_REPEATS_MAX];          /* what a rank learns from the flag, for each call */
    struct order_cell raiser[COLL_PROOF_REPEATS_MAX]; /* by which thread it was raised, and when */
    uint32_t rounds[COLL_PROOF_REPEATS_MAX];          /* in which it was raised */
    uint8_t *awaited;                                 /* by local rank */
};

struct order_node {
    uint32_t here;
    uint32_t flag_count;
    uint32_t first_thread; /* of its flags */
    uint64_t bytes;        /* of one copy of its shared memory */
    uint64_t cells;        /* of one copy */
    struct proof_cell *memory;
    struct order_cell *order;
    uint64_t *read_until; /* cell * here + local rank */
    struct order_flag *flags;
    uint64_t *barrier; /* what those who arrived know */
    uint32_t arrived, barrier_round;
};

struct proof_order {
    struct arena arena;
    uint32_t threads, copies;
    struct order_node *nodes;
    uint64_t *known;          /* rank * threads: now */
    uint64_t *acquired;       /* rank * threads: from the end of the phase on */
    uint32_t *entries;        /* rank * COLL_PROOF_REPEATS_MAX + call: its first phase; 0: not begun */
    uint32_t *ended;          /* calls that a rank has left */
    struct proof_step *waits; /* the last barrier or flag that a rank had to wait for */
    uint64_t *end_known;
    size_t end_capacity;
};

static struct order_node *node_at(const struct prover *prover, uint32_t rank)
{
    return &prover->order->nodes[node_of(&prover->ranks[rank].call, rank)];
}

static uint32_t local_at(const struct prover *prover, uint32_t rank)
{
    return node_local_of(&prover->ranks[rank].call, rank);
}

static void join(const struct proof_order *order, uint64_t *into, const uint64_t *from)
{
    for (uint32_t i = 0; i < order->threads; i++)
        if (from[i] > into[i])
            into[i] = from[i];
}

static uint64_t *acquired_by(const struct prover *prover, uint32_t rank)
{
    return prover->order->acquired + (size_t)rank * prover->order->threads;
}

/* What the rank knows when it makes the step, with all its own steps before. */
static uint64_t *known_at(const struct prover *prover, const struct proof_step *step)
{
    uint64_t *known = prover->order->known + (size_t)step->rank * prover->order->threads;
    known[step->rank] = (uint64_t)prover->ranks[step->rank].epochs << 32 | step->index;
    return known;
}

/* -------------------------------------------------------------- set-up, end */

static void open_node(struct prover *prover, uint32_t rank, struct order_node *node)
{
    struct proof_order *order = prover->order;
    const struct coll_call *call = &prover->ranks[rank].call;
    const struct coll_algorithm *algorithm = prover->algorithm;
    node->here = node_ranks(call, node_of(call, rank));
    node->bytes = algorithm->shared ? algorithm->shared(call) : 0;
    node->cells = node->bytes / prover->world->element_bytes;
    node->flag_count = algorithm->flags ? algorithm->flags(call) : 0;
    node->first_thread = order->threads;
    order->threads += node->flag_count;
    node->memory = arena_alloc(&order->arena, order->copies * node->cells * sizeof *node->memory);
    node->order = arena_alloc(&order->arena, order->copies * node->cells * sizeof *node->order);
    node->read_until =
        arena_alloc(&order->arena, order->copies * node->cells * node->here * sizeof *node->read_until);
    node->flags = arena_alloc(&order->arena, node->flag_count * sizeof *node->flags);
    if (order->copies * node->bytes > prover->proof->shared_max)
        prover->proof->shared_max = order->copies * node->bytes;
}

/* To be called when all threads are counted. */
static void open_clocks(struct proof_order *order, struct order_node *node)
{
    size_t bytes = order->threads * sizeof *order->known;
    node->barrier = arena_alloc(&order->arena, bytes);
    for (uint32_t f = 0; f < node->flag_count; f++) {
        node->flags[f].awaited = arena_alloc(&order->arena, node->here);
        for (uint32_t call = 0; call < COLL_PROOF_REPEATS_MAX; call++)
            node->flags[f].known[call] = arena_alloc(&order->arena, bytes);
    }
}

static bool synchronises(const struct coll_algorithm *algorithm)
{
    return algorithm->shared || algorithm->flags;
}

void prover_order_open(struct prover *prover)
{
    const struct coll_algorithm *algorithm = prover->algorithm;
    uint32_t size = prover->world->size, nodes = prover->world->nodes ? prover->world->nodes->count : size;
    if (!synchronises(algorithm) && algorithm->kind != COLL_BARRIER)
        return;
    struct proof_order *order = prover->order = mem_alloc(1, sizeof *order, "the order of steps");
    order->threads = size;
    order->copies = algorithm->shared_copies ? algorithm->shared_copies : 1;
    order->nodes = arena_alloc(&order->arena, nodes * sizeof *order->nodes);
    for (uint32_t rank = 0; rank < size; rank++)
        if (local_at(prover, rank) == 0)
            open_node(prover, rank, node_at(prover, rank));
    for (uint32_t node = 0; node < nodes; node++)
        open_clocks(order, &order->nodes[node]);
    size_t clocks = (size_t)size * order->threads * sizeof *order->known;
    order->known = arena_alloc(&order->arena, clocks);
    order->acquired = arena_alloc(&order->arena, clocks);
    order->waits = arena_alloc(&order->arena, size * sizeof *order->waits);
    order->ended = arena_alloc(&order->arena, size * sizeof *order->ended);
    order->entries =
        arena_alloc(&order->arena, (size_t)size * COLL_PROOF_REPEATS_MAX * sizeof *order->entries);
    for (uint32_t rank = 0; rank < size; rank++)
        prover_order_begin_call(prover, rank);
}

void prover_order_close(struct prover *prover)
{
    if (!prover->order)
        return;
    arena_free(&prover->order->arena);
    free(prover->order->end_known);
    free(prover->order);
}

/* --------------------------------------------------------- calls and phases */

static uint32_t *entry_of(const struct prover *prover, uint32_t rank, uint32_t call)
{
    return &prover->order->entries[(size_t)rank * COLL_PROOF_REPEATS_MAX + call];
}

static uint64_t copy_at(const struct prover *prover, uint32_t rank)
{
    return prover->ranks[rank].calls % prover->order->copies * node_at(prover, rank)->cells;
}

void prover_order_begin_call(struct prover *prover, uint32_t rank)
{
    if (!prover->order)
        return;
    struct order_node *node = node_at(prover, rank);
    prover->ranks[rank].buffers[COLL_SHARED] =
        (struct proof_buffer){.cells = node->memory + copy_at(prover, rank), .bytes = node->bytes};
    *entry_of(prover, rank, prover->ranks[rank].calls) = prover->ranks[rank].epochs + 1;
}

static void fail_early_end(struct prover *prover, uint32_t rank, const char *until, uint32_t number,
                           const char *what)
{
    prover_fail(prover, NULL, "rank %u leaves call %u and need not have waited until %s %u %s", rank,
                prover->ranks[rank].calls, until, number, what);
}

/* Who writes a copy of shared memory must know that all have finished with it. If calls use two copies in
 * turn, a rank knows that from the call between: all ranks of its node have entered that one. */
static void check_entries(struct prover *prover, uint32_t rank, const uint64_t *known)
{
    bool meets_all = prover->algorithm->kind == COLL_BARRIER, meets_node = prover->order->copies > 1;
    for (uint32_t other = 0; (meets_all || meets_node) && other < prover->world->size; other++) {
        uint32_t entry = *entry_of(prover, other, prover->ranks[rank].calls);
        bool is_met = entry > 0 && known[other] >= (uint64_t)entry << 32;
        if (is_met || (!meets_all && node_at(prover, other) != node_at(prover, rank)))
            continue;
        fail_early_end(prover, rank, "rank", other,
                       meets_all ? "enters it" : "enters it; calls with copies of shared memory must");
        return;
    }
}

#define ALL_RAISED "is raised; calls with copies of shared memory must"

/* Another rank may raise the same flag in the next call, if that is of another algorithm or has another
 * root. All flags of this call must be up before. */
static void check_flags(struct prover *prover, uint32_t rank, const uint64_t *known)
{
    struct order_node *node = node_at(prover, rank);
    uint32_t now = prover->ranks[rank].calls;
    if (prover->order->copies < 2 || prover->algorithm->own_flags)
        return;
    for (uint32_t f = 0; f < node->flag_count; f++) {
        const struct order_cell *raiser = &node->flags[f].raiser[now];
        if (node->flags[f].raised > now && known[raiser->writer] < raiser->written_until) {
            fail_early_end(prover, rank, "flag", f, ALL_RAISED);
            return;
        }
    }
}

void prover_order_end_call(struct prover *prover, uint32_t rank)
{
    if (!prover->order || prover->failed)
        return;
    const struct proof_step end = {.rank = rank};
    const uint64_t *known = known_at(prover, &end);
    check_entries(prover, rank, known);
    check_flags(prover, rank, known);
    prover->order->ended[rank] = prover->ranks[rank].calls + 1;
}

void prover_order_begin_phase(struct prover *prover, uint32_t rank)
{
    struct proof_step beginning = {.rank = rank};
    if (prover->order)
        join(prover->order, known_at(prover, &beginning), acquired_by(prover, rank));
}

/* ------------------------------------------------------- barriers and flags */

static void arrive(struct prover *prover, const struct proof_step *step)
{
    struct proof_order *order = prover->order;
    struct order_node *node = node_at(prover, step->rank);
    const struct coll_call *call = &prover->ranks[step->rank].call;
    uint32_t round = prover->ranks[step->rank].clock;
    join(order, node->barrier, known_at(prover, step));
    node->barrier_round = round > node->barrier_round ? round : node->barrier_round;
    order->waits[step->rank] = *step;
    prover_begin_waiting(prover, step->rank);
    if (++node->arrived < node->here)
        return;
    for (uint32_t local = 0; local < node->here; local++) {
        uint32_t rank = node_member(call, node_of(call, step->rank), local);
        join(order, acquired_by(prover, rank), node->barrier);
        prover_end_waiting(prover, rank, node->barrier_round);
    }
    node->arrived = node->barrier_round = 0;
    memset(node->barrier, 0, order->threads * sizeof *node->barrier);
}

static struct order_flag *flag_at(struct prover *prover, const struct proof_step *step)
{
    struct order_node *node = node_at(prover, step->rank);
    if (step->flag < node->flag_count)
        return &node->flags[step->flag];
    prover_fail(prover, step, "names flag %u of %u", step->flag, node->flag_count);
    return NULL;
}

/* A rank that has left the call cannot know of a flag that is raised now. */
static void check_ended(struct prover *prover, const struct proof_step *step)
{
    const struct coll_call *call = &prover->ranks[step->rank].call;
    if (prover->order->copies < 2 || prover->algorithm->own_flags)
        return;
    for (uint32_t local = 0; local < node_at(prover, step->rank)->here; local++) {
        uint32_t rank = node_member(call, node_of(call, step->rank), local);
        if (prover->order->ended[rank] > prover->ranks[step->rank].calls)
            prover_fail(prover, NULL,
                        "rank %u leaves call %u and need not have waited until flag %u " ALL_RAISED, rank,
                        prover->ranks[step->rank].calls, step->flag);
    }
}

/* In the present call of the rank; `known` and `round` belong to the thread `thread`, which raises the flag.
 */
static void raise_flag(struct prover *prover, const struct proof_step *step, const uint64_t *known,
                       uint32_t thread, uint32_t round)
{
    struct order_flag *flag = flag_at(prover, step);
    const struct coll_call *call = &prover->ranks[step->rank].call;
    uint32_t now = prover->ranks[step->rank].calls;
    if (!flag)
        return;
    if (flag->raised != now) {
        prover_fail(prover, step, "raises flag %u, which has been raised %u times in %u calls before",
                    step->flag, flag->raised, now);
        return;
    }
    check_ended(prover, step);
    join(prover->order, flag->known[now], known);
    flag->raiser[now] = (struct order_cell){thread, known[thread]};
    flag->rounds[now] = round;
    flag->raised++;
    for (uint32_t local = 0; local < node_at(prover, step->rank)->here; local++) {
        uint32_t rank = node_member(call, node_of(call, step->rank), local);
        if (!flag->awaited[local] || prover->ranks[rank].calls != now)
            continue;
        flag->awaited[local] = 0;
        join(prover->order, acquired_by(prover, rank), flag->known[now]);
        prover_end_waiting(prover, rank, round);
    }
}

static void await_flag(struct prover *prover, const struct proof_step *step)
{
    struct order_flag *flag = flag_at(prover, step);
    uint32_t now = prover->ranks[step->rank].calls;
    if (!flag)
        return;
    prover_begin_waiting(prover, step->rank);
    if (flag->raised > now) {
        join(prover->order, acquired_by(prover, step->rank), flag->known[now]);
        prover_end_waiting(prover, step->rank, flag->rounds[now]);
        return;
    }
    flag->awaited[local_at(prover, step->rank)] = 1;
    prover->order->waits[step->rank] = *step;
}

bool prover_order_sync(struct prover *prover, const struct proof_step *step)
{
    if (!synchronises(prover->algorithm))
        prover_fail(prover, step,
                    "synchronises ranks of a node, but the algorithm declares no shared memory and no flags");
    else if (step->kind == STEP_BARRIER)
        arrive(prover, step);
    else if (step->kind == STEP_RAISE)
        raise_flag(prover, step, known_at(prover, step), step->rank, prover->ranks[step->rank].clock);
    else
        await_flag(prover, step);
    return !prover->failed;
}

bool prover_order_blocked(struct prover *prover)
{
    for (uint32_t rank = 0; prover->order && rank < prover->world->size; rank++) {
        const struct proof_step *step = &prover->order->waits[rank];
        if (prover->ranks[rank].done || !step->kind)
            continue;
        if (step->kind == STEP_BARRIER)
            prover_fail(prover, step, "is reached by %u of the node's %u ranks",
                        node_at(prover, rank)->arrived, node_at(prover, rank)->here);
        else
            prover_fail(prover, step, "does not end: no rank raises the flag");
        return true;
    }
    return false;
}

/* ----------------------------------------------------------------- messages */

void prover_order_post(struct prover *prover, const struct proof_step *step, uint32_t end)
{
    struct proof_order *order = prover->order;
    if (!order)
        return;
    order->end_known = mem_grow(order->end_known, &order->end_capacity, ((size_t)end + 1) * order->threads,
                                "what posted messages know");
    memcpy(order->end_known + (size_t)end * order->threads, known_at(prover, step),
           order->threads * sizeof *order->end_known);
}

void prover_order_match(struct prover *prover, const struct proof_step *step, const struct proof_step *other,
                        uint32_t other_end, uint32_t round)
{
    struct proof_order *order = prover->order;
    if (!order || prover->failed)
        return;
    const struct proof_step *recv = step->kind == STEP_RECV ? step : other;
    const uint64_t *here = known_at(prover, step);
    uint64_t *there = order->end_known + (size_t)other_end * order->threads;
    join(order, acquired_by(prover, recv->rank), recv == step ? there : here);
    if (recv->flag == STEP_NO_FLAG)
        return;
    join(order, there,
         here); /* for the flag: what sender and receiver knew when they posted, and the arrival */
    if (flag_at(prover, recv)) {
        uint32_t thread = node_at(prover, recv->rank)->first_thread + recv->flag;
        there[thread] = acquired_by(prover, recv->rank)[thread] = prover->ranks[recv->rank].calls + 1;
        raise_flag(prover, recv, there, thread, round);
    }
}

/* ----------------------------------------------------------------- accesses */

/* The end of the access: a thread, and the value of its entry. */
static struct order_cell end_of(const struct prover *prover, const struct proof_step *step,
                                enum order_access access)
{
    uint64_t epoch = prover->ranks[step->rank].epochs;
    if (step->kind == STEP_RECV && step->flag != STEP_NO_FLAG && access == ORDER_WRITE)
        return (struct order_cell){node_at(prover, step->rank)->first_thread + step->flag,
                                   prover->ranks[step->rank].calls + 1};
    if (step->kind == STEP_SEND || step->kind == STEP_RECV)
        return (struct order_cell){step->rank, (epoch + 1) << 32};
    return (struct order_cell){step->rank, (epoch << 32 | step->index) + 1};
}

static bool fail_race(struct prover *prover, const struct proof_step *step, uint32_t thread, const char *what)
{
    if (thread < prover->world->size)
        prover_fail(prover, step, "races with rank %u, which may be %s there", thread, what);
    else
        prover_fail(prover, step, "races with the message that raises flag %u",
                    thread - node_at(prover, step->rank)->first_thread);
    return false;
}

bool prover_order_access(struct prover *prover, const struct proof_step *step, const struct coll_span *span,
                         enum order_access access)
{
    struct order_node *node = node_at(prover, step->rank);
    const struct coll_call *call = &prover->ranks[step->rank].call;
    const uint64_t *known = known_at(prover, step);
    struct order_cell end = end_of(prover, step, access);
    uint64_t element = prover->world->element_bytes,
             first = copy_at(prover, step->rank) + span->offset / element;
    if (step->flag != STEP_NO_FLAG && !flag_at(prover, step))
        return false;
    for (uint64_t i = first; i < first + span->bytes / element; i++) {
        uint64_t *read_until = node->read_until + i * node->here;
        if (node->order[i].written_until > known[node->order[i].writer])
            return fail_race(prover, step, node->order[i].writer, "writing");
        for (uint32_t local = 0; access == ORDER_WRITE && local < node->here; local++) {
            uint32_t reader = node_member(call, node_of(call, step->rank), local);
            if (read_until[local] > known[reader])
                return fail_race(prover, step, reader, "reading");
            read_until[local] = 0;
        }
        if (access == ORDER_WRITE)
            node->order[i] = end;
        else if (end.written_until > read_until[local_at(prover, step->rank)])
            read_until[local_at(prover, step->rank)] = end.written_until;
    }
    return true;
}
