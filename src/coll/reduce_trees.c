#include "coll/algorithms.h"
#include "coll/near.h"
#include "coll/shapes.h"

/* The sum of a rank with children, and what they send. The root sums up in its receive buffer. */
static struct coll_span sum_of(const struct coll_call *call)
{
    return span_of(call->rank == call->root ? COLL_RECV_BUFFER : COLL_SCRATCH, 0, call->bytes);
}

static struct coll_span arrival_of(const struct coll_call *call)
{
    return span_of(COLL_SCRATCH, call->rank == call->root ? 0 : call->bytes, call->bytes);
}

static uint64_t inner_scratch(const struct coll_call *call)
{
    return call->rank == call->root ? call->bytes : 2 * call->bytes;
}

/* -------------------------------------------------------------------- trees */

/* A rank receives from its children one by one, adds, and sends to its parent. */
static bool along(enum shape_kind kind, const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t v = ring_down(call->rank, call->root, call->size);
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, call->bytes);
    struct shape shape;
    shape_of(kind, v, call->size, &shape);
    if (phase > shape.count)
        return false;
    if (phase > 0)
        step_reduce(sink, arrival_of(call), sum_of(call));
    else if (shape.count > 0 || v == 0)
        step_copy(sink, own, sum_of(call));
    if (phase < shape.count)
        sink->recv(sink, ring_up(call->root, shape.child[phase], call->size), arrival_of(call));
    else if (v > 0)
        sink->send(sink, ring_up(call->root, shape.parent, call->size), shape.count > 0 ? sum_of(call) : own);
    return true;
}

static uint64_t scratch_along(enum shape_kind kind, const struct coll_call *call)
{
    struct shape shape;
    shape_of(kind, ring_down(call->rank, call->root, call->size), call->size, &shape);
    return shape.count > 0 ? inner_scratch(call) : 0;
}

static bool chain(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return along(SHAPE_CHAIN, call, phase, sink);
}

static uint64_t chain_scratch(const struct coll_call *call)
{
    return scratch_along(SHAPE_CHAIN, call);
}

const struct coll_algorithm coll_reduce_line = {
    .kind = COLL_REDUCE,
    .name = "line",
    .doc = "from rank to rank, without segments: P-1 messages in P-1 rounds (Open MPI: chain, pipeline)",
    .emit = chain,
    .scratch = chain_scratch,
};

static bool binary(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return along(SHAPE_BINARY, call, phase, sink);
}

static uint64_t binary_scratch(const struct coll_call *call)
{
    return scratch_along(SHAPE_BINARY, call);
}

const struct coll_algorithm coll_reduce_binary = {
    .kind = COLL_REDUCE,
    .name = "binary",
    .doc = "binary tree: P-1 messages in at most 2 floor(log2 P) rounds (Open MPI: binary)",
    .emit = binary,
    .scratch = binary_scratch,
};

/* The root of this tree is the last rank, which sends the sum on to the root of the call. Inner ranks sum up
 * in scratch. */
static bool in_order_binary(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    uint32_t rank = call->rank, last = call->size - 1;
    bool is_end = rank == last && rank == call->root;
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, call->bytes);
    struct coll_span sum = span_of(is_end ? COLL_RECV_BUFFER : COLL_SCRATCH, 0, call->bytes);
    struct coll_span arrival = span_of(COLL_SCRATCH, is_end ? 0 : call->bytes, call->bytes);
    struct shape shape;
    shape_of(SHAPE_IN_ORDER, rank, call->size, &shape);
    if (phase <= shape.count && phase > 0)
        step_reduce(sink, arrival, sum);
    else if (phase == 0 && (shape.count > 0 || is_end))
        step_copy(sink, own, sum);
    if (phase < shape.count)
        sink->recv(sink, shape.child[phase], arrival);
    else if (phase == shape.count && !is_end)
        sink->send(sink, rank == last ? call->root : shape.parent, shape.count > 0 ? sum : own);
    else if (phase == shape.count + 1 && rank == call->root && !is_end)
        sink->recv(sink, last, span_of(COLL_RECV_BUFFER, 0, call->bytes));
    else
        return phase == shape.count;
    return true;
}

static uint64_t in_order_scratch(const struct coll_call *call)
{
    struct shape shape;
    shape_of(SHAPE_IN_ORDER, call->rank, call->size, &shape);
    bool is_end = call->rank == call->size - 1 && call->rank == call->root;
    return shape.count == 0 ? 0 : is_end ? call->bytes : 2 * call->bytes;
}

const struct coll_algorithm coll_reduce_in_order_binary = {
    .kind = COLL_REDUCE,
    .name = "in-order-binary",
    .doc =
        "binary tree in the order of the ranks to the last rank, which sends the sum to the root: at most P "
        "messages (Open MPI: in-order_binary)",
    .emit = in_order_binary,
    .scratch = in_order_scratch,
};

/* ------------------------------------------------ reduce-scatter and gather */

/* The place of a rank in the gather. If the root has left, it takes the place of id 0, whose window it gets.
 */
struct gather_place {
    bool takes_part, swapped;
    uint32_t id, root_id;
};

static struct gather_place place_of(const struct near_plan *plan)
{
    uint32_t root = plan->call->root, rank = plan->call->rank;
    struct gather_place place = {.takes_part = plan->fold.role != FOLD_LEAVER, .id = plan->fold.id};
    place.swapped = root < 2 * plan->fold.rest && root % 2 != 0;
    place.root_id = root < 2 * plan->fold.rest ? root / 2 : root - plan->fold.rest;
    if (!place.swapped)
        return place;
    place.root_id = 0;
    if (rank == root)
        place.id = 0;
    place.takes_part = rank == root || (place.takes_part && place.id > 0);
    return place;
}

/* The window of id 0, to the root that has left. */
static void swap(const struct near_plan *plan, struct coll_sink *sink)
{
    uint32_t root = plan->call->root, holder = near_rank(plan, 0);
    struct coll_span window = near_window(plan, 0, plan->fold.rounds, plan->sum);
    if (plan->call->rank == root)
        sink->recv(sink, holder, window);
    else if (plan->call->rank == holder)
        sink->send(sink, root, window);
}

/* Windows go back in the reverse order of the halvings. A rank that is not on the root's side of a pair sends
 * its window, and is done. */
static bool gather(const struct near_plan *plan, const struct gather_place *place, uint32_t step,
                   struct coll_sink *sink)
{
    uint32_t apart = place->id ^ place->root_id, last = apart > 0 ? log2_floor(apart) : 0;
    if (!place->takes_part || step >= plan->fold.rounds - last)
        return false;
    uint32_t bit = plan->fold.rounds - 1 - step, other = place->id ^ UINT32_C(1) << bit;
    uint32_t peer = place->swapped && other == 0 ? plan->call->root : near_rank(plan, other);
    if (apart > 0 && bit == last)
        sink->send(sink, peer, near_window(plan, place->id, bit + 1, plan->sum));
    else
        sink->recv(sink, peer, near_window(plan, other, bit + 1, plan->sum));
    return true;
}

static bool rabenseifner(const struct coll_call *call, bool split, uint32_t phase, struct coll_sink *sink)
{
    struct near_plan plan = near_plan_of(call, split, false, sum_of(call), arrival_of(call));
    struct gather_place place = place_of(&plan);
    uint32_t before = near_fold_phases(&plan);
    if (phase < before) {
        near_fold(&plan, phase, sink);
        return true;
    }
    phase -= before;
    if (plan.fold.role == FOLD_LEAVER)
        phase += plan.fold.rounds;
    if (phase > plan.fold.rounds)
        return gather(&plan, &place, phase - plan.fold.rounds - 1, sink);
    if (plan.fold.role != FOLD_LEAVER)
        near_add(&plan, phase, sink);
    if (phase < plan.fold.rounds)
        near_halve(&plan, phase, sink);
    else if (place.swapped)
        swap(&plan, sink);
    return true;
}

static uint64_t rabenseifner_scratch(const struct coll_call *call)
{
    return call->size > 1 ? inner_scratch(call) : 0;
}

static bool rabenseifner_near(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return rabenseifner(call, false, phase, sink);
}

const struct coll_algorithm coll_reduce_rabenseifner_near = {
    .kind = COLL_REDUCE,
    .name = "rabenseifner-near",
    .doc = "recursive halving with the nearest partners first, then a gather: Q log2 Q + Q-1 + P-Q messages "
           "(Rabenseifner 2004; MPICH: reduce_scatter_gather)",
    .emit = rabenseifner_near,
    .scratch = rabenseifner_scratch,
};

static bool rabenseifner_split(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return rabenseifner(call, true, phase, sink);
}

const struct coll_algorithm coll_reduce_rabenseifner_split = {
    .kind = COLL_REDUCE,
    .name = "rabenseifner-split",
    .doc = "rabenseifner-near; the ranks beyond a power of two first add up half a vector each: Q log2 Q + "
           "Q-1 + 3(P-Q) messages (Open MPI: rabenseifner)",
    .emit = rabenseifner_split,
    .scratch = rabenseifner_scratch,
};
