#include "schedule/path/one_switch.h"

#include "base/diag.h"
#include "base/mem.h"

/* Whether each circuit passes a node's link to the switch and one back, and no other. */
static bool is_crossbar(const struct path_problem *problem)
{
    bool is_one = problem->topo.switches == 1 && problem->routes.routes == problem->count;
    for (uint32_t i = 0; i < problem->count && is_one; i++) {
        uint32_t count;
        const uint32_t *links = tdm_route(&problem->routes, i, &count);
        is_one = count == 2 && links[0] == topo_injection(&problem->topo, problem->entries[i].source) &&
                 links[1] == topo_ejection(&problem->topo, problem->entries[i].destination);
    }
    return is_one;
}

/* The entries of both problems are in the same order. */
static void take_pieces(const struct path_problem *problem, const struct circuit_schedule *found,
                        struct path_schedule *schedule)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct circuit_piece *piece = &found->pieces[i];
        path_add(schedule, &(struct path_piece){.entry = piece->entry,
                                                .route = problem->routes.first_route[piece->entry],
                                                .plane = piece->crossbar,
                                                .start_ps = piece->start_ps,
                                                .end_ps = piece->end_ps});
    }
}

static struct circuit_demand demand_of(const struct path_problem *problem)
{
    struct circuit_demand demand = {.count = problem->count};
    demand.lines = mem_alloc((size_t)problem->count + 1, sizeof *demand.lines, "a demand");
    for (uint32_t i = 0; i < problem->count; i++)
        demand.lines[i] = (struct circuit_demand_line){
            problem->entries[i].source, problem->entries[i].destination, problem->entries[i].bytes};
    return demand;
}

void one_switch_search(const struct path_problem *problem, const struct circuit_effort *effort,
                       struct path_schedule *schedule)
{
    const struct circuit_switching switching = {.delta_ps = problem->delta_ps,
                                                .rate_bytes_per_s = problem->rate_bytes_per_s,
                                                .switches = problem->planes,
                                                .hops = 1,
                                                .all_stop = problem->all_stop};
    struct circuit_problem one;
    struct circuit_schedule found;
    struct path_schedule candidate = {.count = 0};
    if (!is_crossbar(problem))
        return;
    struct circuit_demand demand = demand_of(problem);
    struct diag_silence silence = diag_begin_silence();
    if (circuit_problem_init(&one, &demand, &switching) == STATUS_OK) {
        if (circuit_schedule_make(&one, circuit_algorithm_find("best"), effort, &found) == STATUS_OK) {
            take_pieces(problem, &found, &candidate);
            path_keep_shorter(schedule, &candidate, "best");
            circuit_schedule_free(&found);
        }
        circuit_problem_free(&one);
    }
    diag_end_silence(&silence);
    path_schedule_free(&candidate);
    circuit_demand_free(&demand);
}
