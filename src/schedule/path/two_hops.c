#include "schedule/path/two_hops.h"

#include "base/diag.h"
#include "base/mem.h"
#include "schedule/circuit/two_hops.h"
#include "schedule/path/list_search.h"
#include "schedule/path/ports.h"
#include "schedule/path/slot_search.h"

#define STAGE_STEPS 5e8 /* of the search for a stage */
enum { LEAST_MOVES = 2 };

/* --------------------------------------------------------------------- ways */

void path_ways_init(struct path_problem *problem)
{
    uint32_t *index = mem_alloc((size_t)problem->topo.nodes + 1, sizeof *index, "nodes"), count = 0;
    struct tdm_pattern pairs = {0};
    problem->way_index = index;
    for (uint32_t i = 0; i < problem->count; i++)
        index[problem->entries[i].source] = index[problem->entries[i].destination] = 1;
    for (uint32_t node = 0; node < problem->topo.nodes; node++)
        if (index[node])
            index[node] = count++;
        else
            index[node] = CIRCUIT_NONE;
    problem->way_nodes = count;
    if (count > RELAY_MOST_PORTS)
        return;
    for (uint32_t from = 0; from < problem->topo.nodes; from++)
        for (uint32_t to = 0; to < problem->topo.nodes && index[from] != CIRCUIT_NONE; to++)
            if (index[to] != CIRCUIT_NONE && to != from)
                tdm_pattern_add(&pairs, from, to);
    struct diag_silence silence = diag_begin_silence();
    if (tdm_problem_from_pattern(&problem->topo, &pairs, false, &problem->ways) != STATUS_OK)
        problem->ways = (struct tdm_problem){.routes = 0};
    diag_end_silence(&silence);
    tdm_pattern_free(&pairs);
}

/* ------------------------------------------------------------------- search */

struct path_network {
    struct two_hops_network base;
    const struct path_problem *problem;
    const struct path_algorithm *algorithm;
};

/* Stages are many, so that the search of each is short. */
static struct circuit_effort effort_of_stage(const struct path_problem *stage,
                                             const struct circuit_effort *effort)
{
    struct circuit_effort its = *effort;
    double moves = STAGE_STEPS / (stage->all_stop ? slot_cost(stage) : list_cost(stage));
    if (moves < (double)its.moves)
        its.moves = moves < LEAST_MOVES ? LEAST_MOVES : (uint64_t)moves;
    return its;
}

static enum status schedule_on_topology(const struct two_hops_network *base,
                                        const struct circuit_demand *demand,
                                        const struct circuit_effort *effort,
                                        struct circuit_schedule *schedule)
{
    const struct path_network *network = (const struct path_network *)base;
    const struct path_problem *problem = network->problem;
    const struct circuit_switching switching = {.delta_ps = problem->delta_ps,
                                                .rate_bytes_per_s = problem->rate_bytes_per_s,
                                                .switches = problem->planes,
                                                .hops = 1,
                                                .all_stop = problem->all_stop};
    struct path_problem stage;
    struct path_schedule made;
    enum status status = path_problem_init(&stage, &problem->topo, false, demand, &switching);
    if (status != STATUS_OK)
        return status;
    struct circuit_effort its = effort_of_stage(&stage, effort);
    status = path_schedule_make(&stage, network->algorithm, &its, &made);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < made.count; i++)
            circuit_add(schedule, made.pieces[i].entry, made.pieces[i].plane, made.pieces[i].start_ps,
                        made.pieces[i].end_ps);
        path_schedule_free(&made);
    }
    path_problem_free(&stage);
    return status;
}

/* Plans know the direct schedule by its time: it is one piece for them. */
static void search(const struct path_problem *problem, const struct path_algorithm *algorithm,
                   const struct circuit_effort *effort, ps_t bound_ps, struct path_schedule *schedule)
{
    struct circuit_problem ports;
    struct circuit_schedule found = {.count = 0};
    struct path_schedule candidate = {.count = 0};
    const struct path_network network = {
        {&problem->ways, problem->topo.links, schedule_on_topology}, problem, algorithm};
    if (!path_ports_init(problem, 2, &ports))
        return;
    circuit_add(&found, 0, 0, 0, schedule->makespan_ps);
    two_hops_search(&ports, &network.base, effort, bound_ps, &found);
    if (found.makespan_ps < schedule->makespan_ps) {
        path_ports_take(problem, &found, &candidate);
        path_keep_shorter(schedule, &candidate, "two hops");
    }
    path_schedule_free(&candidate);
    circuit_schedule_free(&found);
    circuit_problem_free(&ports);
}

enum status path_two_hops_make(const struct path_problem *problem, const struct path_algorithm *algorithm,
                               const struct circuit_effort *effort, struct path_schedule *schedule)
{
    struct path_problem direct = *problem;
    direct.hops = 1;
    enum status status = algorithm->run(&direct, effort, schedule);
    if (status != STATUS_OK || !problem->ways.routes || !schedule->count)
        return status;
    ps_t bound_ps = path_two_hops_bound(problem);
    if (schedule->makespan_ps > bound_ps)
        search(problem, algorithm, effort, bound_ps, schedule);
    if (algorithm->two_hops && schedule->makespan_ps > bound_ps)
        algorithm->two_hops(problem, effort, schedule);
    return STATUS_OK;
}
