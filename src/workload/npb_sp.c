#include "workload/list.h"
#include "workload/npb_solver.h"

PARAM_TABLE(sp_params, "npb:sp", struct solver, "SP of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct solver, npb_classes));

static const struct {
    uint16_t points, iterations;
} classes[NPB_CLASSES] = {
    [NPB_S] = {12, 100},  [NPB_W] = {36, 400},  [NPB_A] = {64, 400},   [NPB_B] = {102, 400},
    [NPB_C] = {162, 400}, [NPB_D] = {408, 500}, [NPB_E] = {1020, 500},
};

static bool sp_fits(const struct npb *npb, uint64_t ranks)
{
    return solver_fits(classes[npb->class].points, ranks);
}

static bool sp_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    (void)program;
    struct solver *solver = config;
    double n = solver->points = classes[solver->npb.class].points;
    solver->iterations = classes[solver->npb.class].iterations;
    solver->operations = 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4;
    solver->shares = (struct solver_shares){.rhs = 0.30, .forward = 0.14, .backward = 0.07, .update = 0.07};
    return solver_prepare(solver, "SP", sp_fits, problem);
}

const struct workload npb_sp_workload = {
    .name = "npb:sp",
    .doc = "SP, sweeps of middle-sized messages: npb:sp:class=D,ranks=64",
    .params = &sp_params,
    .prepare = sp_prepare,
    .ranks = npb_ranks,
    .phase = solver_phase,
    .slots = SOLVER_SLOTS,
};
