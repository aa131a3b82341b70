#include "workload/list.h"
#include "workload/npb_solver.h"

PARAM_TABLE(bt_params, "npb:bt", struct solver, "BT of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct solver, npb_classes));

static const struct {
    uint16_t points, iterations;
} classes[NPB_CLASSES] = {
    [NPB_S] = {12, 60},   [NPB_W] = {24, 200},  [NPB_A] = {64, 200},   [NPB_B] = {102, 200},
    [NPB_C] = {162, 200}, [NPB_D] = {408, 250}, [NPB_E] = {1020, 250},
};

static bool bt_fits(const struct npb *npb, uint64_t ranks)
{
    return solver_fits(classes[npb->class].points, ranks);
}

static bool bt_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    (void)program;
    struct solver *solver = config;
    double n = solver->points = classes[solver->npb.class].points;
    solver->is_block = true;
    solver->iterations = classes[solver->npb.class].iterations;
    solver->operations = 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n;
    solver->shares = (struct solver_shares){.rhs = 0.09, .forward = 0.28, .backward = 0.02, .update = 0.01};
    return solver_prepare(solver, "BT", bt_fits, problem);
}

const struct workload npb_bt_workload = {
    .name = "npb:bt",
    .doc = "BT, sweeps of larger messages: npb:bt:class=D,ranks=64",
    .params = &bt_params,
    .prepare = bt_prepare,
    .ranks = npb_ranks,
    .phase = solver_phase,
    .slots = SOLVER_SLOTS,
};
