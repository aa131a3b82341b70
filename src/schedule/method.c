#include "schedule/method.h"

#include "base/mem.h"

const char *const tdm_algorithm_names[] = {
    "greedy", "coloring", "coloring-literal", "coloring-initial", "coloring-longest", "aapc", "combined",
    "best",   NULL};

static bool wants_phases(const struct topo *topo, int algorithm)
{
    return algorithm == TDM_AAPC || algorithm == TDM_COMBINED ||
           (algorithm == TDM_BEST && tdm_has_closed_aapc(topo));
}

static enum status run(struct tdm_plan *plan, const struct tdm_method *method,
                       const struct tdm_phases *phases)
{
    const struct tdm_problem *problem = &plan->problem;
    struct tdm_schedule *schedule = &plan->schedule;
    uint32_t *order = NULL;
    switch (method->algorithm) {
    case TDM_GREEDY:
        if (method->random_order)
            order = tdm_random_order(problem->requests, method->seed, "tdm.greedy");
        tdm_greedy(problem, order, schedule);
        free(order);
        return STATUS_OK;
    case TDM_COLORING:
        return tdm_coloring(problem, TDM_READING_FITTED, method->seed, schedule);
    case TDM_COLORING_LITERAL:
        return tdm_coloring(problem, TDM_READING_LITERAL, method->seed, schedule);
    case TDM_COLORING_INITIAL:
        return tdm_coloring(problem, TDM_READING_INITIAL, method->seed, schedule);
    case TDM_COLORING_LONGEST:
        return tdm_coloring(problem, TDM_READING_LONGEST, method->seed, schedule);
    case TDM_AAPC:
        tdm_ordered_aapc(problem, phases, schedule);
        return STATUS_OK;
    case TDM_COMBINED:
        return tdm_combined(problem, phases, method->seed, schedule);
    default:
        plan->moves = tdm_best(problem, phases->of ? phases : NULL, plan->bound, method->seed, &method->limit,
                               schedule);
        return STATUS_OK;
    }
}

/* A search ends at the bound, so it takes the better of two; for others the cheap one is enough. */
static uint32_t bound_of(const struct tdm_problem *problem, int algorithm)
{
    uint32_t bound = tdm_lower_bound(problem);
    if (algorithm != TDM_BEST || problem->routes != problem->requests)
        return bound;
    uint32_t other = tdm_odd_set_bound(problem);
    return other > bound ? other : bound;
}

enum status tdm_plan_init(struct tdm_plan *plan, const struct topo *topo, const struct tdm_pattern *pattern,
                          const struct tdm_method *method)
{
    *plan = (struct tdm_plan){.moves = 0};
    enum status status = tdm_problem_from_pattern(topo, pattern, method->free_routes, &plan->problem);
    if (status != STATUS_OK)
        return status;
    tdm_schedule_init(&plan->schedule, plan->problem.requests);
    plan->bound = bound_of(&plan->problem, method->algorithm);
    struct tdm_phases phases = {.count = 0};
    if (wants_phases(topo, method->algorithm)) {
        phases.of = mem_alloc(pattern->count + 1, sizeof *phases.of, "phases of requests");
        status = tdm_aapc_phases(topo, pattern, phases.of, &phases.count);
        if (status == STATUS_OK && method->random_order)
            phases.ties = tdm_random_order(phases.count, method->seed, "tdm.aapc");
    }
    if (status == STATUS_OK)
        status = run(plan, method, &phases);
    free(phases.of);
    free(phases.ties);
    if (status != STATUS_OK)
        tdm_plan_free(plan);
    return status;
}

void tdm_plan_free(struct tdm_plan *plan)
{
    tdm_schedule_free(&plan->schedule);
    tdm_problem_free(&plan->problem);
}
