#include <string.h>

#include "base/diag.h"
#include "schedule/circuit/cover.h"
#include "schedule/circuit/exact.h"
#include "schedule/circuit/list_schedule.h"
#include "schedule/circuit/peel.h"
#include "schedule/circuit/ranked.h"
#include "schedule/circuit/solstice.h"

/* The shortest schedule of all: that of the other algorithms which take few steps, and our own searches,
 * until one of them reaches the lower bound. The cheapest come first. */

#define CHEAP       4e9  /* steps of another algorithm that is run */
#define LIST_STEPS  2e10 /* of our list schedules: about 10 s */
#define PEEL_STEPS  1e10 /* of our slots: some seconds */
#define RANK_STEPS  2e9  /* of our slots by rank: about 20 s */
#define MOST_RANKED 8e10 /* ports x entries of our slots by rank: those of 4096 ports */

enum {
    MOST_TRIES = 20000,
    LEAST_TRIES = 2,
    MOST_PROGRAMMES = 10000000,
    PROGRAMMES_OF_MOVE = 50,
    MOVES_OF_PEEL = 16,
    MOVES_OF_RANKED = 64,
    FEW_PORTS = 16 /* whose demands our other slots suit as well */
};

static bool is_over(const struct circuit_schedule *schedule, ps_t bound_ps,
                    const struct circuit_effort *effort)
{
    return schedule->count && (schedule->makespan_ps <= bound_ps || circuit_effort_is_spent(effort));
}

/* An algorithm that needs too many slots is left out. */
static void try_others(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       ps_t bound_ps, struct circuit_schedule *schedule)
{
    const struct circuit_algorithm *algorithm;
    for (size_t i = 0; (algorithm = circuit_algorithm_at(i)) && !is_over(schedule, bound_ps, effort); i++) {
        struct circuit_schedule other = {.count = 0};
        if (!algorithm->cost || algorithm->cost(problem) > CHEAP)
            continue;
        struct diag_silence silence = diag_begin_silence();
        enum status status = algorithm->run(problem, effort, &other);
        diag_end_silence(&silence);
        if (status == STATUS_OK)
            circuit_keep_shorter(schedule, &other, algorithm->name);
        else
            circuit_schedule_free(&other);
    }
}

/* As many tries of so many steps as the budget allows. */
static uint64_t tries_of(double budget, double steps)
{
    double tries = budget / steps;
    return tries > MOST_TRIES ? MOST_TRIES : tries < LEAST_TRIES ? LEAST_TRIES : (uint64_t)tries;
}

static uint64_t list_tries(const struct circuit_problem *problem, const struct circuit_effort *effort)
{
    double ports = (problem->senders + problem->receivers) / 2.;
    return effort->moves ? effort->moves
                         : tries_of(LIST_STEPS, (problem->count + 10.) * (200 + ports) * problem->switches);
}

/* The slots of a try are about as many as the entries of two ports, and some more. */
static uint64_t peel_tries(const struct circuit_problem *problem, const struct circuit_effort *effort,
                           double size)
{
    double slots = 2 * size + problem->count / 8.;
    return effort->moves ? effort->moves / MOVES_OF_PEEL + 1
                         : tries_of(PEEL_STEPS, slots * size * (size + 10) * 1000);
}

/* A piece of an entry looks for a slot among some more than the ports. */
static uint64_t ranked_tries(const struct circuit_problem *problem, const struct circuit_effort *effort,
                             double size)
{
    return effort->moves ? effort->moves / MOVES_OF_RANKED + 1
                         : tries_of(RANK_STEPS, (problem->count + 10.) * (64 + size / 32));
}

/* Slots of Solstice down to some threshold, and the rest with the fewest configurations. */
static void try_covers(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       ps_t bound_ps, struct circuit_schedule *schedule)
{
    double size = circuit_size(problem);
    double left = CHEAP * 8, each = solstice_cost(problem) + size * size * size * 4;
    for (int bits = 62; bits >= 0 && left > 0 && !is_over(schedule, bound_ps, effort); bits--) {
        struct player player;
        struct circuit_schedule other = {.count = 0};
        player_init(&player, problem, &other);
        solstice_slots(&player, UINT64_C(1) << bits);
        bool has_slots = player.slots > 0 || bits == 62;
        if (has_slots)
            cover_rest(&player);
        bool is_done = !player.unfinished;
        uint64_t slots = player.slots;
        player_free(&player);
        left -= has_slots ? each : size * size;
        if (is_done)
            circuit_keep_shorter(schedule, &other, "best");
        else
            circuit_schedule_free(&other);
        if (has_slots && schedule->count &&
            (sum_t)slots * problem->delta_ps / problem->switches > schedule->makespan_ps)
            break;
    }
}

static void search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   struct circuit_schedule *schedule)
{
    const char *before = schedule->made_by;
    double size = circuit_size(problem);
    if (problem->all_stop)
        try_covers(problem, effort, bound_ps, schedule);
    ps_t makespan_ps = schedule->count ? schedule->makespan_ps : PS_NEVER;
    if (problem->all_stop && size > FEW_PORTS && problem->count * size < MOST_RANKED &&
        !is_over(schedule, bound_ps, effort))
        ranked_search(problem, effort, bound_ps, ranked_tries(problem, effort, size), schedule);
    if (!problem->all_stop)
        lister_search(problem, effort, bound_ps, list_tries(problem, effort), schedule);
    else if (size * size * size * size < CHEAP)
        peel_search(problem, effort, bound_ps, peel_tries(problem, effort, size), schedule);
    schedule->made_by = schedule->count && schedule->makespan_ps < makespan_ps ? "best" : before;
}

static enum status run(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule)
{
    ps_t bound_ps = circuit_bounds_of(problem).best_ps;
    search(problem, effort, bound_ps, schedule);
    if (!is_over(schedule, bound_ps, effort))
        try_others(problem, effort, bound_ps, schedule);
    ps_t makespan_ps = schedule->makespan_ps;
    if (schedule->count && !is_over(schedule, bound_ps, effort))
        schedule->proven = exact_search(
            problem, effort, effort->moves ? effort->moves * PROGRAMMES_OF_MOVE : MOST_PROGRAMMES, schedule);
    if (schedule->makespan_ps < makespan_ps)
        schedule->made_by = "best";
    if (schedule->count)
        return STATUS_OK;
    diag_error("no algorithm makes a schedule of this demand with few enough slots");
    return STATUS_FAILED;
}

const struct circuit_algorithm best_circuits = {.name = "best", .run = run};
