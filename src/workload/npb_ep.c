#include <stdio.h>

#include "workload/list.h"
#include "workload/npb.h"

/* EP: counts random numbers. Ranks communicate at the end only. */

struct ep {
    struct npb npb;
};

PARAM_TABLE(ep_params, "npb:ep", struct ep, "EP of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct ep, npb_classes));

/* logarithm of the number of pairs of random numbers */
static const uint8_t pair_bits[NPB_CLASSES] = {24, 25, 28, 30, 32, 36, 40};

enum { BATCH_BITS = 16, ANNULI = 10 };

/* Pairs are generated in batches, and each rank has at least one batch. */
static bool ep_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    (void)program;
    const struct npb *npb = config;
    uint64_t batches = UINT64_C(1) << (pair_bits[npb->class] - BATCH_BITS);
    if (npb->ranks <= batches)
        return true;
    problem->param = "ranks";
    snprintf(problem->text, sizeof problem->text,
             "EP of class %s has %llu batches of numbers, too few for %llu ranks", npb_classes[npb->class],
             (unsigned long long)batches, (unsigned long long)npb->ranks);
    return false;
}

static bool ep_calls(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct npb *npb = config;
    uint64_t batches = UINT64_C(1) << (pair_bits[npb->class] - BATCH_BITS);
    uint64_t mine = batches / npb->ranks + (rank < batches % npb->ranks);
    if (!phase_within(&number, 1))
        return false;
    npb_begin(phase, npb);
    phase_collective(phase, CALL_BCAST, 1, DATATYPE_LOGICAL); /* timers? */
    phase_plain(phase, CALL_BARRIER);
    /* The benchmark counts one operation per random number. */
    phase_compute(phase, 2.0 * (double)(mine << BATCH_BITS));
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE); /* sum of x */
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE); /* sum of y */
    phase_collective(phase, CALL_ALLREDUCE, ANNULI, DATATYPE_DOUBLE);
    phase_collective(phase, CALL_ALLREDUCE, 1, DATATYPE_DOUBLE); /* the slowest rank's time */
    phase_plain(phase, CALL_FINALIZE);
    return true;
}

static bool ep_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    return npb_interrupt(config, rank, number, phase, ep_calls(config, rank, number, phase));
}

const struct workload npb_ep_workload = {
    .name = "npb:ep",
    .doc = "EP, almost no messages: npb:ep:class=D,ranks=64",
    .params = &ep_params,
    .prepare = ep_prepare,
    .ranks = npb_ranks,
    .phase = ep_phase,
};
