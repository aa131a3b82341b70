#include "schedule/path/one_switch.h"

#include "base/diag.h"
#include "schedule/path/ports.h"

bool path_is_crossbar(const struct path_problem *problem)
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

void one_switch_search(const struct path_problem *problem, const struct circuit_effort *effort,
                       struct path_schedule *schedule)
{
    struct circuit_problem ports;
    struct circuit_schedule found;
    struct path_schedule candidate = {.count = 0};
    if (!path_is_crossbar(problem) || !path_ports_init(problem, problem->hops, &ports))
        return;
    struct diag_silence silence = diag_begin_silence();
    if (circuit_schedule_make(&ports, circuit_algorithm_find("best"), effort, &found) == STATUS_OK) {
        path_ports_take(problem, &found, &candidate);
        path_keep_shorter(schedule, &candidate, problem->hops > 1 ? "two hops" : "best");
        circuit_schedule_free(&found);
    }
    diag_end_silence(&silence);
    path_schedule_free(&candidate);
    circuit_problem_free(&ports);
}
