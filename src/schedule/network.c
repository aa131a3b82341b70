#include "schedule/network.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "schedule/aapc.h"
#include "schedule/schedule.h"
#include "topo/faults.h"

enum status tdm_topology(const char *what, const char *text, struct topo *topo)
{
    enum status status = topo_parse(what, text, topo);
    if (status == STATUS_OK && !strstr(text, "order="))
        topo->order = TOPO_ORDER_LAST;
    return status;
}

/* ------------------------------------------------------------------- routes */

/* The routes of one request are counted like an odometer: it has a digit for each switch at which there is a
 * choice, and the last digit turns fastest. */
struct odometer {
    uint32_t digit[TOPO_NUMBERS + TOPO_LEVELS], base[TOPO_NUMBERS + TOPO_LEVELS];
    uint32_t digits; /* that are set already; the others are 0 */
};

/* The route that the odometer names into `links`; completes its digits and bases. Returns the count. */
static uint32_t follow(const struct topo *topo, const struct tdm_request *request, struct odometer *odometer,
                       uint32_t *links)
{
    uint32_t count = 0, choices = 0, from = topo_switch_of(topo, request->source);
    links[count++] = topo_injection(topo, request->source);
    for (;;) {
        struct topo_choice choice = topo_choose(topo, from, request->destination);
        uint32_t index = choice.preferred;
        if (choice.count > 1 && choices < sizeof odometer->digit / sizeof *odometer->digit) {
            if (choices == odometer->digits)
                odometer->digit[odometer->digits++] = 0;
            odometer->base[choices] = choice.count;
            index = (choice.preferred + odometer->digit[choices++]) % choice.count;
        }
        links[count++] = topo_candidate(choice, index);
        if (topo_is_ejection(topo, links[count - 1]))
            return count;
        from = topo_link_to(topo, links[count - 1]);
    }
}

static bool turn(struct odometer *odometer)
{
    while (odometer->digits &&
           odometer->digit[odometer->digits - 1] + 1 == odometer->base[odometer->digits - 1])
        odometer->digits--;
    if (!odometer->digits)
        return false;
    odometer->digit[odometer->digits - 1]++;
    return true;
}

/* Whether the request that is being added has this route already. */
static bool has_route(const struct tdm_problem *problem, const uint32_t *links, uint32_t count)
{
    for (uint32_t route = problem->first_route[problem->requests - 1]; route < problem->routes; route++) {
        uint32_t known_count;
        const uint32_t *known = tdm_route(problem, route, &known_count);
        if (known_count == count && memcmp(known, links, count * sizeof *links) == 0)
            return true;
    }
    return false;
}

/* The links of the route that serve one connection in a slot: those of both nodes, since a node sends and
 * receives one message at a time, and between switches all that do not give each message their whole rate. */
static uint32_t held_route(const struct topo *topo, const struct tdm_request *request, uint32_t *links)
{
    uint32_t all = topo_route(topo, request->source, request->destination, links), count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (topo_is_held(topo, links[i]) || !topo_is_network(topo, links[i]))
            links[count++] = links[i];
    return count;
}

/* STATUS_FAILED, reported: failed links have cut the two nodes. */
static enum status check_way(const struct topo *topo, const struct tdm_request *request)
{
    if (!topo->faults || topo_reaches(topo, request->source, request->destination))
        return STATUS_OK;
    char text[TOPO_TEXT], *cut = faults_describe_pair(topo, request->source, request->destination);
    diag_error("the faults cut %s: %s", topo_print(topo, text, sizeof text), cut);
    free(cut);
    return STATUS_FAILED;
}

static void add_free_routes(const struct topo *topo, const struct tdm_request *request, uint32_t *links,
                            struct tdm_problem *problem)
{
    static const enum topo_order orders[] = {TOPO_ORDER_FIRST, TOPO_ORDER_LAST};
    struct topo ways = *topo;
    ways.tie = TOPO_TIE_EITHER;
    uint32_t first = problem->first_route[problem->requests - 1];
    for (size_t i = 0; i < (topo_grid(topo) ? 2 : 1); i++) {
        struct odometer odometer = {.digits = 0};
        ways.order = orders[i];
        do {
            uint32_t count = follow(&ways, request, &odometer, links);
            if (!has_route(problem, links, count))
                tdm_problem_add_route(problem, links, count);
        } while (problem->routes - first < TDM_MOST_ROUTES && turn(&odometer));
    }
}

enum status tdm_problem_from_pattern(const struct topo *topo, const struct tdm_pattern *pattern,
                                     bool free_routes, struct tdm_problem *problem)
{
    if (free_routes && !topo->ops->choose) {
        diag_error("%s gives each pair of nodes one route, so that none is free to choose: take fixed routes",
                   topo->path);
        return STATUS_BAD_INPUT;
    }
    enum status status = STATUS_OK;
    uint32_t *links = mem_alloc(topo_route_limit(topo), sizeof *links, "a route");
    tdm_problem_init(problem, topo->links);
    progress_begin("the routes", pattern->count);
    for (size_t i = 0; i < pattern->count && problem->first_link[problem->routes] <= TDM_MOST_LINKS; i++) {
        const struct tdm_request *request = &pattern->requests[i];
        progress_tell(i);
        if ((status = check_way(topo, request)) != STATUS_OK)
            break;
        tdm_problem_add_request(problem);
        tdm_problem_add_route(problem, links, held_route(topo, request, links));
        if (free_routes)
            add_free_routes(topo, request, links, problem);
    }
    progress_end();
    free(links);
    if (status == STATUS_OK && problem->first_link[problem->routes] <= TDM_MOST_LINKS)
        return STATUS_OK;
    if (status == STATUS_OK)
        diag_error(
            "the routes of %zu requests have more than %d links in all, which is more than can be scheduled",
            pattern->count, TDM_MOST_LINKS);
    tdm_problem_free(problem);
    return STATUS_FAILED;
}

/* ------------------------------------------------------------------- phases */

enum { MOST_PAIRS = 1 << 22 };
static const uint64_t decomposition_moves = 20000;

bool tdm_has_closed_aapc(const struct topo *topo)
{
    const struct topo_grid *grid = topo_grid(topo);
    return grid && grid->is_torus && grid->dimensions == 2 && !topo->faults &&
           (topo->tie == TOPO_TIE_PARITY || topo->tie == TOPO_TIE_REVERSE) &&
           grid->dimension[0].size == grid->dimension[1].size &&
           tdm_ring_phases_exist(grid->dimension[0].size);
}

/* The node of the closed form that a node stands for. The closed form routes the high digit of a number
 * first, and odd coordinates go up at half of a ring. Where they go down, coordinate c stands for -c: this
 * swaps the directions, and odd coordinates stay odd. */
static uint32_t node_of_closed_form(const struct topo *topo, uint32_t node)
{
    uint32_t size = topo_grid(topo)->dimension[0].size, high = node / size, low = node % size;
    if (topo->tie == TOPO_TIE_REVERSE) {
        high = (size - high) % size;
        low = (size - low) % size;
    }
    return topo->order == TOPO_ORDER_LAST ? high * size + low : low * size + high;
}

static void closed_phases(const struct topo *topo, const struct tdm_pattern *pattern, uint32_t *phase,
                          uint32_t *phases)
{
    uint32_t size = topo_grid(topo)->dimension[0].size;
    struct tdm_ring_phases ring;
    tdm_ring_phases_init(&ring, size);
    for (size_t i = 0; i < pattern->count; i++)
        phase[i] = tdm_torus_phase(&ring, node_of_closed_form(topo, pattern->requests[i].source),
                                   node_of_closed_form(topo, pattern->requests[i].destination));
    tdm_ring_phases_free(&ring);
    *phases = size * size * (size / 8);
}

enum status tdm_aapc_phases(const struct topo *topo, const struct tdm_pattern *pattern, uint32_t *phase,
                            uint32_t *phases)
{
    if (tdm_has_closed_aapc(topo)) {
        closed_phases(topo, pattern, phase, phases);
        return STATUS_OK;
    }
    if ((uint64_t)topo->nodes * (topo->nodes - 1) > MOST_PAIRS) {
        diag_error("all-to-all communication of %" PRIu32 " nodes is too large for a decomposition into "
                   "phases; use greedy or best",
                   topo->nodes);
        return STATUS_FAILED;
    }
    struct tdm_pattern all;
    enum status status = tdm_pattern_named("all-to-all", topo->nodes, &all);
    if (status != STATUS_OK)
        return status;
    struct tdm_problem problem;
    struct tdm_schedule schedule;
    status = tdm_problem_from_pattern(topo, &all, false, &problem);
    if (status != STATUS_OK) {
        tdm_pattern_free(&all);
        return status;
    }
    tdm_schedule_init(&schedule, problem.requests);
    tdm_descending_load(&problem, &schedule);
    tdm_partialcol(&problem, tdm_lower_bound(&problem), 1, &(struct tdm_limit){.moves = decomposition_moves},
                   &schedule);
    for (size_t i = 0; i < pattern->count; i++) {
        uint32_t source = pattern->requests[i].source, destination = pattern->requests[i].destination;
        phase[i] = schedule.slot[source * (topo->nodes - 1) + destination - (destination > source)];
    }
    *phases = schedule.degree;
    tdm_schedule_free(&schedule);
    tdm_problem_free(&problem);
    tdm_pattern_free(&all);
    return STATUS_OK;
}
