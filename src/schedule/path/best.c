#include "base/diag.h"
#include "schedule/path/list_search.h"
#include "schedule/path/one_switch.h"
#include "schedule/path/slot_moves.h"
#include "schedule/path/slot_search.h"

/* The shortest schedule of all: that of the other algorithms which take few steps, and our own searches,
 * until one of them reaches the lower bound. */

#define CHEAP        4e9 /* steps of another algorithm that is run */
#define SEARCH_STEPS 2e10

enum { MOST_TRIES = 20000, LEAST_TRIES = 2, MOST_MOVES = 2000000 };

static bool is_over(const struct path_schedule *schedule, ps_t bound_ps, const struct circuit_effort *effort)
{
    return schedule->count && (schedule->makespan_ps <= bound_ps || circuit_effort_is_spent(effort));
}

static void try_others(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                       struct path_schedule *schedule)
{
    const struct path_algorithm *algorithm;
    for (size_t i = 0; (algorithm = path_algorithm_at(i)) && !is_over(schedule, bound_ps, effort); i++) {
        struct path_schedule other = {.count = 0};
        if (!algorithm->cost || algorithm->cost(problem) > CHEAP)
            continue;
        struct diag_silence silence = diag_begin_silence();
        if (algorithm->run(problem, effort, &other) == STATUS_OK)
            path_keep_shorter(schedule, &other, algorithm->name);
        diag_end_silence(&silence);
        path_schedule_free(&other);
    }
}

static uint64_t tries_of(const struct circuit_effort *effort, double steps)
{
    double tries = SEARCH_STEPS / steps;
    return effort->moves        ? effort->moves
           : tries > MOST_TRIES ? MOST_TRIES
                                : (uint64_t)(tries < LEAST_TRIES ? LEAST_TRIES : tries);
}

/* All switches change together first, and then each on its own, which takes two thirds of the steps. */
static void search_slots(const struct path_problem *problem, const struct circuit_effort *effort,
                         ps_t bound_ps, struct path_schedule *schedule)
{
    double steps = slot_cost(problem);
    uint64_t tries = tries_of(effort, 3 * steps);
    double moves = effort->moves ? 2 * (double)tries * steps : 2 * SEARCH_STEPS / 3;
    moves /= slot_move_cost(problem);
    slot_search(problem, effort, bound_ps, tries, schedule);
    slot_moves(problem, effort, bound_ps, (uint64_t)(moves < MOST_MOVES ? moves : MOST_MOVES), schedule);
}

/* A crossbar has searches of its own. */
static void search(const struct path_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   struct path_schedule *schedule)
{
    if (path_is_crossbar(problem))
        one_switch_search(problem, effort, schedule);
    else if (problem->all_stop)
        search_slots(problem, effort, bound_ps, schedule);
    else
        list_search(problem, effort, bound_ps, tries_of(effort, list_cost(problem)), schedule);
}

static enum status run(const struct path_problem *problem, const struct circuit_effort *effort,
                       struct path_schedule *schedule)
{
    ps_t bound_ps = path_bounds_of(problem).best_ps;
    try_others(problem, effort, bound_ps, schedule);
    if (!is_over(schedule, bound_ps, effort))
        search(problem, effort, bound_ps, schedule);
    return STATUS_OK;
}

const struct path_algorithm best_paths = {.name = "best", .run = run, .two_hops = one_switch_search};
