#include <stdio.h>

#include "workload/list.h"
#include "workload/npb.h"
#include "workload/npb_is_keys.h"

/* IS: ranks integer keys. The ranks count their keys by buckets, agree which rank takes which buckets, and
 * send each key to its new owner. The sizes of the messages follow from the keys, so the keys are generated
 * and counted. */

struct is {
    struct npb npb;
    int how;
    struct is_problem problem;
    struct is_exchange exchange;
};

enum { COUNTS_EXACT, COUNTS_UNIFORM };
static const char *const counts_choices[] = {"exact", "uniform", NULL};

PARAM_TABLE(is_params, "npb:is", struct is, "IS of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct is, npb_classes_to_d),
            {.name = "counts",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct is, how),
             .default_text = "exact",
             .choices = counts_choices,
             .doc = "numbers of keys from rank to rank: exact counts, or uniform, the same for all pairs"});

static const struct {
    uint8_t all_bits, key_bits,
        bucket_bits; /* logarithm of the number of keys; bits of a key; logarithm of the number of buckets */
    uint16_t fewest_ranks, most_ranks;
} classes[] = {
    [NPB_S] = {16, 11, 9, 1, 128},   [NPB_W] = {20, 16, 10, 1, 1024}, [NPB_A] = {23, 19, 10, 1, 1024},
    [NPB_B] = {25, 21, 10, 1, 1024}, [NPB_C] = {27, 23, 10, 1, 1024}, [NPB_D] = {31, 27, 10, 4, 1024},
};

enum { REQUEST = SLOT_FIRST, CHECKED_KEYS = 5, CHAIN_TAG = 1000 };

static bool is_fits(const struct npb *npb, uint64_t ranks)
{
    return npb_is_power_of_two(ranks) && ranks >= classes[npb->class].fewest_ranks &&
           ranks <= classes[npb->class].most_ranks;
}

static bool is_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    struct is *is = config;
    if (!is_fits(&is->npb, is->npb.ranks))
        return npb_refuse_ranks(&is->npb, "IS", classes[is->npb.class].most_ranks, is_fits, problem);
    is->problem = (struct is_problem){.keys = UINT64_C(1) << classes[is->npb.class].all_bits,
                                      .key_bits = classes[is->npb.class].key_bits,
                                      .bucket_bits = classes[is->npb.class].bucket_bits,
                                      .ranks = (uint32_t)is->npb.ranks};
    if (is->how == COUNTS_EXACT)
        is_exchange_count(&is->exchange, &is->problem);
    else
        is_exchange_uniform(&is->exchange, &is->problem);
    program->counts = is->exchange.counts;
    return true;
}

static void is_release(void *config)
{
    is_exchange_free(&((struct is *)config)->exchange);
}

/* The benchmark counts one operation for each key that is ranked: half for the buckets, half for the rest. */
static void compute(struct phase *phase, const struct is *is)
{
    phase_compute(phase, (double)(is->problem.keys / is->problem.ranks) / 2);
}

static void iterate(struct phase *phase, const struct is *is, uint32_t rank, uint64_t iteration)
{
    uint64_t at = iteration * is->problem.ranks + rank;
    uint64_t buckets = UINT64_C(1) << is->problem.bucket_bits;
    compute(phase, is);
    phase_collective(phase, CALL_ALLREDUCE, buckets + CHECKED_KEYS, DATATYPE_INT);
    phase_collective(phase, CALL_ALLTOALL, 1, DATATYPE_INT);
    phase_alltoallv(phase, is->exchange.sends[at], is->exchange.receives[at], DATATYPE_INT);
    compute(phase, is);
}

/* Each rank sends its greatest key to the next rank. */
static void verify(struct phase *phase, uint32_t rank, uint32_t ranks)
{
    phase_collective(phase, CALL_REDUCE, 1, DATATYPE_DOUBLE); /* the slowest rank's time */
    if (rank > 0)
        phase_irecv(phase, REQUEST, rank - 1, CHAIN_TAG, 1, DATATYPE_INT);
    if (rank + 1 < ranks)
        phase_send(phase, rank + 1, CHAIN_TAG, 1, DATATYPE_INT);
    if (rank > 0)
        phase_wait(phase, REQUEST);
    phase_collective(phase, CALL_REDUCE, 1, DATATYPE_INT);
    phase_plain(phase, CALL_FINALIZE);
}

static bool is_calls(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct is *is = config;
    if (phase_within(&number, 1)) {
        npb_begin(phase, &is->npb);
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_INT); /* timers? */
        iterate(phase, is, rank, 0); /* touches all memory before the timed ones start */
    } else if (phase_within(&number, IS_ITERATIONS)) {
        iterate(phase, is, rank, number);
    } else if (phase_within(&number, 1)) {
        verify(phase, rank, is->problem.ranks);
    } else {
        return false;
    }
    return true;
}

static bool is_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    return npb_interrupt(config, rank, number, phase, is_calls(config, rank, number, phase));
}

const struct workload npb_is_workload = {
    .name = "npb:is",
    .doc = "IS, alltoallv of integers: npb:is:class=C,ranks=64",
    .params = &is_params,
    .prepare = is_prepare,
    .release = is_release,
    .ranks = npb_ranks,
    .phase = is_phase,
    .slots = REQUEST + 1,
};
