#include "workload/list.h"
#include "workload/npb.h"

/* FT: Fourier transforms in three dimensions. Each rank holds whole planes: this is the 1-D layout, which the
 * program chooses for up to as many ranks as planes. A transform does two dimensions locally, then an
 * alltoall, then the third dimension. */

struct ft {
    struct npb npb;
};

PARAM_TABLE(ft_params, "npb:ft", struct ft, "FT of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct ft, npb_classes));

static const struct {
    uint8_t x_bits, y_bits, z_bits; /* logarithms of the number of points along each dimension */
    uint8_t iterations;
} classes[NPB_CLASSES] = {
    [NPB_S] = {6, 6, 6, 6},  [NPB_W] = {7, 7, 5, 6},     [NPB_A] = {8, 8, 7, 6},     [NPB_B] = {9, 8, 8, 20},
    [NPB_C] = {9, 9, 9, 20}, [NPB_D] = {11, 10, 10, 25}, [NPB_E] = {12, 11, 11, 25},
};

static bool ft_fits(const struct npb *npb, uint64_t ranks)
{
    return npb_is_power_of_two(ranks) && npb_log2(ranks) <= classes[npb->class].z_bits;
}

static bool ft_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    (void)program;
    const struct npb *npb = config;
    if (ft_fits(npb, npb->ranks))
        return true;
    return npb_refuse_ranks(npb, "FT", UINT64_C(1) << classes[npb->class].z_bits, ft_fits, problem);
}

static int all_bits(const struct ft *ft)
{
    return classes[ft->npb.class].x_bits + classes[ft->npb.class].y_bits + classes[ft->npb.class].z_bits;
}

/* Operations on this rank, `per_point` for each point that it holds. The benchmark counts, for N points,
 * N (14.8157 + 7.19641 ln N) before the iterations and N (5.23518 + 7.21113 ln N) in each. */
static void compute(struct phase *phase, const struct ft *ft, double per_point)
{
    double points = (double)(UINT64_C(1) << all_bits(ft)) / (double)ft->npb.ranks;
    phase_compute(phase, npb_whole(points * per_point));
}

#define LN_2 0.69314718055994530942

/* One transform: `per_point` operations before it, and `factor` times ln N in it. A forward transform does x
 * and y first, an inverse one z. */
static void transform(struct phase *phase, const struct ft *ft, double per_point, double factor,
                      bool is_inverse)
{
    double xy = factor * LN_2 * (all_bits(ft) - classes[ft->npb.class].z_bits);
    double z = factor * LN_2 * classes[ft->npb.class].z_bits;
    uint64_t block = (UINT64_C(1) << all_bits(ft)) / ft->npb.ranks / ft->npb.ranks;
    compute(phase, ft, per_point + (is_inverse ? z : xy));
    if (ft->npb.ranks > 1)
        phase_collective(phase, CALL_ALLTOALL, block, DATATYPE_DOUBLE_COMPLEX);
    compute(phase, ft, is_inverse ? xy : z);
}

static bool ft_calls(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    (void)rank;
    const struct ft *ft = config;
    if (phase_within(&number, 1)) {
        npb_begin(phase, &ft->npb);
        for (int i = 0; i < 4; i++) /* iterations, both sides of the grid of ranks, layout */
            phase_collective(phase, CALL_BCAST, 1, DATATYPE_INT);
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_LOGICAL); /* timers? */
        transform(phase, ft, 0, 7.19641, false); /* touches all memory before the timed ones start */
        phase_plain(phase, CALL_BARRIER);
    } else if (phase_within(&number, 1)) {
        transform(phase, ft, 14.8157, 7.19641, false);
    } else if (phase_within(&number, classes[ft->npb.class].iterations)) {
        transform(phase, ft, 5.23518, 7.21113, true);
        phase_collective(phase, CALL_REDUCE, 1, DATATYPE_DOUBLE_COMPLEX); /* the checksum */
    } else if (phase_within(&number, 1)) {
        phase_plain(phase, CALL_FINALIZE);
    } else {
        return false;
    }
    return true;
}

static bool ft_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    return npb_interrupt(config, rank, number, phase, ft_calls(config, rank, number, phase));
}

const struct workload npb_ft_workload = {
    .name = "npb:ft",
    .doc = "FT, alltoalls of whole arrays: npb:ft:class=D,ranks=64",
    .params = &ft_params,
    .prepare = ft_prepare,
    .ranks = npb_ranks,
    .phase = ft_phase,
};
