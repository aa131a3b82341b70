#include "coll/algorithms.h"
#include "coll/steps.h"

static const struct coll_span nothing = {COLL_SCRATCH, 0, 0};

static bool linear(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase > 1 || call->size == 1)
        return false;
    void (*step)(struct coll_sink *, uint32_t, struct coll_span) =
        (call->rank == 0) == (phase == 0) ? sink->recv : sink->send;
    if (call->rank > 0) {
        step(sink, 0, nothing);
        return true;
    }
    for (uint32_t peer = 1; peer < call->size; peer++)
        step(sink, peer, nothing);
    return true;
}

const struct coll_algorithm coll_barrier_linear = {
    .kind = COLL_BARRIER,
    .name = "linear",
    .doc = "all to rank 0, then rank 0 to all: 2(P-1) empty messages in 2 rounds",
    .emit = linear,
};

static bool dissemination(const struct coll_call *call, uint32_t phase, struct coll_sink *sink)
{
    if (phase >= log2_ceil(call->size))
        return false;
    uint32_t distance = UINT32_C(1) << phase;
    step_exchange(sink, ring_up(call->rank, distance, call->size), nothing,
                  ring_down(call->rank, distance, call->size), nothing);
    return true;
}

const struct coll_algorithm coll_barrier_dissemination = {
    .kind = COLL_BARRIER,
    .name = "dissemination",
    .doc = "in round k a signal to the rank 2^k further on: P ceil(log2 P) empty messages (Hensgen, Finkel, "
           "Manber 1988)",
    .emit = dissemination,
};
