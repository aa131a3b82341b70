#include "coll/algorithms.h"
#include "coll/near.h"

/* Rabenseifner's allreduce as MPI libraries do it: the nearest partners exchange the largest halves. */

/* The windows that the halvings have made, put together again in the reverse order. */
static void put_together(const struct near_plan *plan, uint32_t halvings, struct coll_sink *sink)
{
    uint32_t other = plan->id ^ UINT32_C(1) << (halvings - 1), peer = near_rank(plan, other);
    step_exchange(sink, peer, near_window(plan, plan->id, halvings, plan->sum), peer,
                  near_window(plan, other, halvings, plan->sum));
}

static bool rabenseifner(const struct coll_call *call, bool split, bool odd_stay, uint32_t phase,
                         struct coll_sink *sink)
{
    struct near_plan plan = near_plan_of(call, split, odd_stay, span_of(COLL_RECV_BUFFER, 0, call->bytes),
                                         span_of(COLL_SCRATCH, 0, call->bytes));
    uint32_t before = near_fold_phases(&plan);
    if (phase < before) {
        near_fold(&plan, phase, sink);
        return true;
    }
    phase -= before;
    if (plan.role == FOLD_LEAVER) {
        if (phase == 0)
            sink->recv(sink, plan.partner, plan.sum);
        return phase == 0;
    }
    if (phase > 2 * plan.rounds)
        return false;
    if (phase <= plan.rounds)
        near_add(&plan, phase, sink);
    if (phase < plan.rounds)
        near_halve(&plan, phase, sink);
    else if (phase < 2 * plan.rounds)
        put_together(&plan, 2 * plan.rounds - phase, sink);
    else if (plan.role == FOLD_HELPER)
        sink->send(sink, plan.partner, plan.sum);
    return true;
}

static uint64_t vector_scratch(const struct coll_call *call)
{
    return call->size > 1 ? call->bytes : 0;
}

static bool rabenseifner_near(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return rabenseifner(call, false, true, phase, sink);
}

const struct coll_algorithm coll_allreduce_rabenseifner_near = {
    .kind = COLL_ALLREDUCE,
    .name = "rabenseifner-near",
    .doc = "rabenseifner with the nearest partners first: 2 Q log2 Q + 2(P-Q) messages (MPICH: "
           "reduce_scatter_allgather)",
    .emit = rabenseifner_near,
    .scratch = vector_scratch,
};

static bool rabenseifner_split(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    return rabenseifner(call, true, false, phase, sink);
}

const struct coll_algorithm coll_allreduce_rabenseifner_split = {
    .kind = COLL_ALLREDUCE,
    .name = "rabenseifner-split",
    .doc = "rabenseifner-near; the ranks beyond a power of two first add up half a vector each: 2 Q log2 Q + "
           "4(P-Q) messages (Open MPI: rabenseifner)",
    .emit = rabenseifner_split,
    .scratch = vector_scratch,
};

/* ------------------------------------------------------------------- linear */

/* The root receives and adds one rank after another, and then sends to all at once. */
static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    struct coll_span own = span_of(COLL_SEND_BUFFER, 0, call->bytes);
    struct coll_span sum = span_of(COLL_RECV_BUFFER, 0, call->bytes);
    struct coll_span arrival = span_of(COLL_SCRATCH, 0, call->bytes);
    if (call->rank > 0) {
        if (phase == 0)
            sink->send(sink, 0, own);
        else if (phase == 1)
            sink->recv(sink, 0, sum);
        return phase <= 1;
    }
    if (phase >= call->size)
        return false;
    if (phase == 0)
        step_copy(sink, own, sum);
    else
        step_reduce(sink, arrival, sum);
    if (phase < call->size - 1) {
        sink->recv(sink, phase + 1, arrival);
        return true;
    }
    for (uint32_t peer = 1; peer < call->size; peer++)
        sink->send(sink, peer, sum);
    return true;
}

static uint64_t linear_scratch(const struct coll_call *call)
{
    return call->rank == 0 && call->size > 1 ? call->bytes : 0;
}

const struct coll_algorithm coll_allreduce_linear = {
    .kind = COLL_ALLREDUCE,
    .name = "linear",
    .doc = "rank 0 receives and adds one rank after another, then sends to all at once: 2(P-1) messages in P "
           "rounds (Open MPI: basic_linear)",
    .emit = linear,
    .scratch = linear_scratch,
};
