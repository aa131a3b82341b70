#include "base/mem.h"
#include "schedule/method.h"
#include "schedule/path/network_state.h"

/* The algorithms of time-multiplexed networks (docs/models/tdm.md) with a price: each of their configurations
 * is up once, until its longest entry is carried.
 *
 * all-stop: set up, carry, and so on: the sum of delta and the longest entry over all configurations. Of
 * several planes, each configuration takes the one that is done first.
 * not-all-stop: a circuit begins as soon as its links are done with the configurations before, in the plane
 * where that is earliest. */

enum { COLORING_STEPS = 64 };

static const uint64_t fewest_moves = 20000;

/* A request of a configuration. */
struct slot_use {
    uint32_t slot, entry;
    ps_t time_ps;
};

static int compare_uses(const void *a, const void *b)
{
    const struct slot_use *left = a, *right = b;
    if (left->slot != right->slot)
        return left->slot < right->slot ? -1 : 1;
    if (left->time_ps != right->time_ps)
        return left->time_ps > right->time_ps ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

/* The requests, slot after slot, the longest first. */
static struct slot_use *uses_of(const struct path_problem *problem, const struct tdm_schedule *slots)
{
    struct slot_use *uses = mem_alloc((size_t)problem->count + 1, sizeof *uses, "configurations");
    for (uint32_t i = 0; i < problem->count; i++)
        uses[i] = (struct slot_use){slots->slot[i], i, problem->entries[i].time_ps};
    if (problem->count)
        qsort(uses, problem->count, sizeof *uses, compare_uses);
    return uses;
}

static uint32_t plane_done_first(const struct path_problem *problem, const ps_t *done_ps)
{
    uint32_t first = 0;
    for (uint32_t plane = 1; plane < problem->planes; plane++)
        first = done_ps[plane] < done_ps[first] ? plane : first;
    return first;
}

static void play(const struct path_problem *problem, const struct tdm_schedule *slots,
                 struct path_schedule *schedule)
{
    struct network_state state;
    struct slot_use *uses = uses_of(problem, slots);
    ps_t *done_ps = mem_alloc(problem->planes, sizeof *done_ps, "planes"); /* with its present slot */
    struct path_piece piece = {.plane = 0};
    network_state_init(&state, problem);
    for (uint32_t i = 0; i < problem->count; i++) {
        piece.entry = uses[i].entry;
        piece.route = slots->route[piece.entry];
        if (problem->all_stop && (i == 0 || uses[i].slot != uses[i - 1].slot)) { /* its longest entry */
            piece.plane = plane_done_first(problem, done_ps);
            piece.start_ps = done_ps[piece.plane] + problem->delta_ps;
            done_ps[piece.plane] = piece.start_ps + uses[i].time_ps;
        } else if (!problem->all_stop) {
            piece.plane = network_state_plane(&state, piece.route);
            piece.start_ps = network_state_earliest(&state, piece.plane, piece.route);
        }
        piece.end_ps = piece.start_ps + uses[i].time_ps;
        network_state_carry(&state, &piece, schedule);
    }
    network_state_free(&state);
    free(done_ps);
    free(uses);
}

static enum status run(const struct path_problem *problem, enum tdm_algorithm algorithm,
                       const struct circuit_effort *effort, struct path_schedule *schedule)
{
    struct tdm_plan plan;
    const struct tdm_method method = {
        .algorithm = algorithm,
        .free_routes = problem->routes.routes > problem->routes.requests,
        .seed = effort->seed,
        .limit = {.moves = fewest_moves, .stopped = effort->stopped, .context = effort->context}};
    enum status status = tdm_plan_init(&plan, &problem->topo, &problem->pattern, &method);
    if (status != STATUS_OK)
        return status;
    play(problem, &plan.schedule, schedule);
    tdm_plan_free(&plan);
    return STATUS_OK;
}

/* Each request looks at the slots of its links. */
static double greedy_cost(const struct path_problem *problem)
{
    return problem->routes.first_link[problem->routes.routes] * 100.;
}

/* The conflict graph has an edge for each two requests. */
static double coloring_cost(const struct path_problem *problem)
{
    return problem->count * (double)problem->count * COLORING_STEPS;
}

/* All pairs of nodes are scheduled first, unless there is a closed form. */
static double aapc_cost(const struct path_problem *problem)
{
    double pairs = (double)problem->topo.nodes * problem->topo.nodes;
    return tdm_has_closed_aapc(&problem->topo) ? greedy_cost(problem) : pairs * 20000 + pairs * pairs;
}

static double combined_cost(const struct path_problem *problem)
{
    return coloring_cost(problem) + aapc_cost(problem);
}

#define SLOTS(word, which, its_cost)                                                                         \
    static enum status run_##word(const struct path_problem *problem, const struct circuit_effort *effort,   \
                                  struct path_schedule *schedule)                                            \
    {                                                                                                        \
        return run(problem, which, effort, schedule);                                                        \
    }                                                                                                        \
    const struct path_algorithm word##_paths = {.name = #word, .run = run_##word, .cost = its_cost}

SLOTS(greedy, TDM_GREEDY, greedy_cost);
SLOTS(coloring, TDM_COLORING, coloring_cost);
SLOTS(aapc, TDM_AAPC, aapc_cost);
SLOTS(fewest, TDM_BEST, aapc_cost);

/* The better of coloring and aapc: with a price it is the shorter one, and not the one of fewer
 * configurations.
 */
static enum status run_combined(const struct path_problem *problem, const struct circuit_effort *effort,
                                struct path_schedule *schedule)
{
    struct path_schedule other = {.count = 0};
    enum status status = run(problem, TDM_COLORING, effort, schedule);
    if (status == STATUS_OK)
        status = run(problem, TDM_AAPC, effort, &other);
    if (status == STATUS_OK)
        path_keep_shorter(schedule, &other, schedule->made_by);
    path_schedule_free(&other);
    return status;
}

const struct path_algorithm combined_paths = {.name = "combined", .run = run_combined, .cost = combined_cost};
