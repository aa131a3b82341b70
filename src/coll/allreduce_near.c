#include "coll/algorithms.h"
#include "coll/near.h"

/* Rabenseifner's allreduce as MPI libraries do it: the nearest partners exchange the largest halves. */

/* The windows that the halvings have made, put together again in the reverse order. */
static void put_together(const struct near_plan *plan, uint32_t halvings, struct coll_sink *sink)
{
    uint32_t other = plan->fold.id ^ UINT32_C(1) << (halvings - 1), peer = near_rank(plan, other);
    step_exchange(sink, peer, near_window(plan, plan->fold.id, halvings, plan->sum), peer,
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
    if (plan.fold.role == FOLD_LEAVER) {
        if (phase == 0)
            sink->recv(sink, plan.fold.partner, plan.sum);
        return phase == 0;
    }
    if (phase > 2 * plan.fold.rounds)
        return false;
    if (phase <= plan.fold.rounds)
        near_add(&plan, phase, sink);
    if (phase < plan.fold.rounds)
        near_halve(&plan, phase, sink);
    else if (phase < 2 * plan.fold.rounds)
        put_together(&plan, 2 * plan.fold.rounds - phase, sink);
    else if (plan.fold.role == FOLD_HELPER)
        sink->send(sink, plan.fold.partner, plan.sum);
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
