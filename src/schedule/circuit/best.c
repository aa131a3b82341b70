#include "base/diag.h"
#include "schedule/circuit/anneal.h"
#include "schedule/circuit/cover.h"
#include "schedule/circuit/exact.h"
#include "schedule/circuit/list_schedule.h"
#include "schedule/circuit/peel.h"
#include "schedule/circuit/ranked.h"
#include "schedule/circuit/solstice.h"
#include "schedule/circuit/spread.h"

/* The shortest schedule of all: that of the other algorithms which take few steps, and our own searches,
 * until one of them reaches the lower bound. The cheapest come first. */

#define CHEAP         4e9  /* steps of another algorithm that is run */
#define LIST_STEPS    2e10 /* of our list schedules: about 10 s */
#define PEEL_STEPS    1e10 /* of our slots: some seconds */
#define RANK_STEPS    2e9  /* of our slots by rank: about 20 s */
#define ANNEAL_STEPS  2e10 /* of single circuits that move: about 20 s */
#define MOST_ANNEALED 1e9  /* ports x entries of slots whose circuits move */
#define MOST_RANKED   8e10 /* ports x entries of our slots by rank: those of 4096 ports */

enum {
    MOST_TRIES = 20000,
    LEAST_TRIES = 2,
    MOST_PROGRAMMES = 10000000,
    PROGRAMMES_OF_MOVE = 50,
    MOVES_OF_PEEL = 16,
    MOVES_OF_RANKED = 64,
    MOVES_OF_TRY = 1000, /* of single circuits, in place of a whole schedule */
    MOVES_OF_CIRCUIT = 40000,
    MOST_SLOTTED = 1000000, /* ports x entries of several not-all-stop switches that try slots too */
    FEW_PORTS = 16          /* whose demands our other slots suit as well */
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

static uint64_t anneal_moves(const struct circuit_problem *problem, const struct circuit_effort *effort)
{
    double moves = ANNEAL_STEPS / anneal_cost(problem), most = MOVES_OF_CIRCUIT * (problem->count + 10.);
    return effort->moves ? effort->moves * MOVES_OF_TRY : (uint64_t)(moves < most ? moves : most);
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

/* Circuits of all-stop slots that move one by one. */
static void try_moves(const struct circuit_problem *problem, const struct circuit_effort *effort,
                      ps_t bound_ps, struct circuit_schedule *schedule)
{
    double size = circuit_size(problem);
    if (problem->count * size < MOST_ANNEALED && !is_over(schedule, bound_ps, effort))
        anneal_search(problem, effort, bound_ps, anneal_moves(problem, effort), schedule);
}

static void search_slots(const struct circuit_problem *problem, const struct circuit_effort *effort,
                         ps_t bound_ps, struct circuit_schedule *schedule)
{
    double size = circuit_size(problem);
    try_covers(problem, effort, bound_ps, schedule);
    if (size > FEW_PORTS && problem->count * size < MOST_RANKED && !is_over(schedule, bound_ps, effort))
        ranked_search(problem, effort, bound_ps, ranked_tries(problem, effort, size), schedule);
    if (size * size * size * size < CHEAP)
        peel_search(problem, effort, bound_ps, peel_tries(problem, effort, size), schedule);
    try_moves(problem, effort, bound_ps, schedule);
}

/* Slots of one switch, spread over several. */
static void search_several(const struct circuit_problem *problem, const struct circuit_effort *effort,
                           ps_t bound_ps, struct circuit_schedule *schedule)
{
    struct circuit_problem alone = *problem;
    struct circuit_schedule one = {.count = 0}, spread = {.count = 0};
    alone.switches = 1;
    try_covers(problem, effort, bound_ps, schedule);
    if (is_over(schedule, bound_ps, effort))
        return;
    search_slots(&alone, effort, circuit_bounds_of(&alone).best_ps, &one);
    if (one.count)
        slots_spread(problem, &one, &spread);
    circuit_schedule_free(&one);
    if (spread.count)
        circuit_keep_shorter(schedule, &spread, "best");
    try_moves(problem, effort, bound_ps, schedule);
}

/* List schedules; on several switches also slots, whose circuits then begin as soon as their ports are free.
 */
static void search_circuits(const struct circuit_problem *problem, const struct circuit_effort *effort,
                            ps_t bound_ps, struct circuit_schedule *schedule)
{
    struct circuit_problem stopping = *problem;
    struct circuit_schedule slots = {.count = 0};
    lister_search(problem, effort, bound_ps, list_tries(problem, effort), schedule);
    if (problem->switches == 1 || problem->count * circuit_size(problem) > MOST_SLOTTED ||
        is_over(schedule, bound_ps, effort))
        return;
    stopping.all_stop = true;
    search_several(&stopping, effort, bound_ps, &slots);
    slots_unstop(problem, &slots);
    if (slots.count)
        circuit_keep_shorter(schedule, &slots, "best");
}

static void search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   struct circuit_schedule *schedule)
{
    if (!problem->all_stop)
        search_circuits(problem, effort, bound_ps, schedule);
    else if (problem->switches > 1)
        search_several(problem, effort, bound_ps, schedule);
    else
        search_slots(problem, effort, bound_ps, schedule);
    schedule->made_by = "best";
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
