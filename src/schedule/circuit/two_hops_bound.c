#include "schedule/circuit/port_sides.h"
#include "schedule/circuit/relay_plan.h"
#include "schedule/circuit/two_hops.h"

/* The bounds of docs/models/circuits.md for two hops: what a port has to carry, how many ports its circuits
 * reach in two hops, and what all ports together carry and set up. */

/* Whether a port can serve as many others within T. Its circuits, c at most, take sum + c delta of K T. On
 * each link the a-th circuit carries behind a set-ups; then each link of the port at its other end has at
 * most M - a + 1 circuits that carry later, with M = T / delta rounded down. */
static bool reaches(const struct circuit_problem *problem, const struct port_side *side, ps_t time_ps)
{
    uint64_t links = problem->switches, delta_ps = (uint64_t)problem->delta_ps;
    sum_t left_ps = (sum_t)time_ps * links - side->sum_ps;
    if (left_ps < problem->delta_ps)
        return false;
    uint64_t most = (uint64_t)time_ps / delta_ps;
    sum_t circuits = left_ps / problem->delta_ps, reached = 0;
    for (uint64_t nth = 1; nth <= most && circuits > 0 && reached < side->count; nth++) {
        sum_t here = circuits < (sum_t)links ? circuits : (sum_t)links;
        reached += here * (1 + (sum_t)links * (most - nth + 1));
        circuits -= here;
    }
    return reached >= side->count;
}

static ps_t reach_bound(const struct port_sides *sides, ps_t low_ps, ps_t high_ps)
{
    while (low_ps < high_ps) {
        ps_t middle_ps = low_ps + (high_ps - low_ps) / 2;
        bool is_enough = true;
        for (uint32_t side = 0; side < sides->count && is_enough; side++)
            is_enough = reaches(sides->problem, &sides->list[side], middle_ps);
        if (is_enough)
            high_ps = middle_ps;
        else
            low_ps = middle_ps + 1;
    }
    return low_ps;
}

/* All ports together: an entry that goes direct is on a circuit of its own pair, and one that does not takes
 * its time twice. Each sender (receiver) with bytes has at least one circuit. */
static ps_t volume_bound(const struct port_sides *sides, uint32_t first, uint32_t count, uint32_t ports)
{
    sum_t work_ps = 0, places = (sum_t)ports * sides->problem->switches;
    ps_t delta_ps = sides->problem->delta_ps;
    for (uint32_t side = first; side < first + count; side++) {
        const struct port_side *port = &sides->list[side];
        work_ps += port->sum_ps + delta_ps;
        for (uint32_t i = 1; i < port->count; i++)
            work_ps += port->times_ps[i] < delta_ps ? port->times_ps[i] : delta_ps;
    }
    return (ps_t)((work_ps + places - 1) / places);
}

/* How many configurations, of all switches together, reach so many ports in two hops: with one switch, the
 * second hop is not in an earlier configuration. */
static uint64_t fewest_configurations(const struct circuit_problem *problem, uint32_t degree)
{
    uint64_t least = problem->switches;
    for (;; least++) {
        uint64_t two = problem->switches == 1 ? least * (least + 1) / 2 : least * least;
        if (least + two >= degree)
            return least;
    }
}

ps_t two_hops_bound(const struct circuit_problem *problem)
{
    struct port_sides sides;
    struct relay_ports ports;
    sum_t rho_ps = 0, links = problem->switches;
    uint32_t degree = 0;
    port_sides_init(&sides, problem);
    relay_ports_init(&ports, problem);
    for (uint32_t side = 0; side < sides.count; side++) {
        rho_ps = sides.list[side].sum_ps > rho_ps ? sides.list[side].sum_ps : rho_ps;
        degree = sides.list[side].count > degree ? sides.list[side].count : degree;
    }
    uint64_t setups = problem->all_stop ? fewest_configurations(problem, degree) : problem->switches;
    ps_t bound_ps = (ps_t)((rho_ps + (sum_t)setups * problem->delta_ps + links - 1) / links);
    bound_ps = ps_max(bound_ps, volume_bound(&sides, 0, problem->senders, ports.count));
    bound_ps = ps_max(bound_ps, volume_bound(&sides, problem->senders, problem->receivers, ports.count));
    if (problem->delta_ps)
        bound_ps = reach_bound(&sides, bound_ps, bound_ps + ps_times(problem->delta_ps, degree));
    relay_ports_free(&ports);
    port_sides_free(&sides);
    return bound_ps;
}
