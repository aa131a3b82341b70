#ifndef HELIO_SCHEDULE_PATH_PATH_H
#define HELIO_SCHEDULE_PATH_PATH_H

#include "schedule/circuit/demand.h"
#include "schedule/network.h"

/* Circuits through a network of optical switches, with a price for switching (docs/models/paths.md). The
 * files of this room:
 *
 *   path.h                 a problem, a schedule, the table of algorithms: this file
 *   problem.c              a demand on a topology; a schedule and its pieces
 *   bound.c                lower bounds
 *   network_state.h, .c    which circuit each link had last, and until when
 *   slots.c                algorithms of time-multiplexed networks: their configurations, one after another
 *   sunflow.c              entries in order, as soon as their links are free
 *   list_search.h, .c      list schedules by the loads of links
 *   slot_search.h, .c      few configurations, slot by slot
 *   slot_plan.h, .c        slots of switches that change each on its own
 *   slot_moves.h, .c       local search over such slots
 *   one_switch.h, .c       a topology of one switch, by the searches of schedule/circuit
 *   ports.h, .c            nodes as ports of crossbars
 *   best.c                 the shortest of all
 *   two_hops.h, .c         bytes over a node in between; two_hops_bound.c: lower bounds of that
 *   algorithms.def, .c     the list of algorithms
 *   write.h, .c            schedules for others to read
 *   verify.h, .c           checks such a schedule, without any of the above but the demand
 */

/* A circuit occupies all links of its route, the links of its two nodes included, and connects two of them in
 * each switch on the way. Entry i has the routes routes.first_route[i] ... [i + 1] - 1.
 *
 * There are one or several planes: copies of the topology side by side. A node has its links in each of them,
 * and a circuit is in one of them. */
struct path_entry {
    uint32_t source, destination;
    uint64_t bytes; /* at least 1 */
    ps_t time_ps;   /* in which a circuit carries them */
};

struct path_problem {
    struct topo topo;
    struct path_entry *entries; /* sorted by (source, destination) */
    uint32_t count;
    struct tdm_pattern pattern; /* the same pairs */
    struct tdm_problem routes;
    ps_t delta_ps; /* in which a switch connects two links */
    uint64_t rate_bytes_per_s;
    uint32_t planes; /* at least 1 */
    uint32_t hops;   /* 2: bytes may go over one node in between; else 1 */
    bool all_stop;   /* no circuit through a switch carries while one of its connections changes */
    /* With two hops: a route between each two nodes of the demand, in the order of pairs of different ones.
     * No routes: bytes go direct. */
    struct tdm_problem ways;
    uint32_t *way_index, way_nodes; /* [nodes]: its number among those of the demand */
};

/* The most links of several planes together. */
enum { PATH_MOST_LINKS = 1 << 26 };

/* All links and switches: those of plane p begin at p x topo.links and p x topo.switches. */
static inline size_t path_links(const struct path_problem *problem)
{
    return (size_t)problem->planes * problem->topo.links;
}

static inline size_t path_switches(const struct path_problem *problem)
{
    return (size_t)problem->planes * problem->topo.switches;
}

/* Routes are numbered: those of `routes`, then those of `ways`. */
static inline const uint32_t *path_route(const struct path_problem *problem, uint32_t route, uint32_t *count)
{
    uint32_t first = problem->routes.routes;
    return route < first ? tdm_route(&problem->routes, route, count)
                         : tdm_route(&problem->ways, route - first, count);
}

/* The number of the way between two nodes of the demand; there are ways. */
static inline uint32_t path_way(const struct path_problem *problem, uint32_t from_node, uint32_t to_node)
{
    uint32_t from = problem->way_index[from_node], to = problem->way_index[to_node];
    return problem->routes.routes + from * (problem->way_nodes - 1) + to - (to > from);
}

/* The caller sets delta_ps, rate_bytes_per_s, switches, hops and all_stop of `switching`; `switches` is the
 * number of planes. STATUS_BAD_INPUT, reported: a node that does not exist, or that sends to itself; a
 * topology whose links have rates of their own; too many planes for its links; a demand that takes too long
 * to be counted in picoseconds. STATUS_FAILED, reported: too many routes. */
enum status path_problem_init(struct path_problem *problem, const struct topo *topo, bool free_routes,
                              const struct circuit_demand *demand, const struct circuit_switching *switching);
void path_problem_free(struct path_problem *problem);

/* A circuit that carries the bytes of an entry, or a part of them, over a route: from node to node, or to a
 * node in between, or from there. */
struct path_piece {
    uint32_t entry, route, plane;
    ps_t start_ps, end_ps;
    uint32_t between; /* the node in between + 1; 0: none */
    bool is_second;   /* from there to the destination */
};

/* The nodes of a piece's circuit. */
static inline uint32_t path_piece_source(const struct path_problem *problem, const struct path_piece *piece)
{
    return piece->is_second ? piece->between - 1 : problem->entries[piece->entry].source;
}

static inline uint32_t path_piece_destination(const struct path_problem *problem,
                                              const struct path_piece *piece)
{
    return piece->between && !piece->is_second ? piece->between - 1
                                               : problem->entries[piece->entry].destination;
}

struct path_schedule {
    struct path_piece *pieces; /* sorted by (start, plane, entry) once finished */
    size_t count, capacity;
    ps_t makespan_ps;
    uint64_t
        configurations;  /* instants at which circuits begin to carry after a set-up, added up over planes */
    const char *made_by; /* which algorithm made the shortest one, of best */
};

void path_schedule_free(struct path_schedule *schedule);
void path_schedule_clear(struct path_schedule *schedule); /* keeps its memory */
void path_add(struct path_schedule *schedule, const struct path_piece *piece);
/* Gives `other` away to *schedule if that is empty or longer; other is then what *schedule was. */
void path_keep_shorter(struct path_schedule *schedule, struct path_schedule *other, const char *made_by);
/* How many entries take two hops. */
uint32_t path_relayed(const struct path_problem *problem, const struct path_schedule *schedule);
/* Sorts the pieces, and counts makespan and configurations. */
void path_finish(const struct path_problem *problem, struct path_schedule *schedule);

/* Lower bounds of the makespan; `best` is the largest that holds. */
struct path_bounds {
    ps_t rho_ps;     /* the largest sum of the times of a link */
    uint32_t degree; /* the most entries of a link */
    ps_t link_ps; /* the largest sum of times and set-ups of a link, or of weighted links, over its planes */
    ps_t all_stop_ps; /* of a switch: its largest sum, and a set-up for each connection of one of its links,
                         over its planes; 0 with free routes */
    ps_t two_hop_ps;  /* with two hops; else 0 */
    ps_t best_ps;
};
struct path_bounds path_bounds_of(const struct path_problem *problem);

/* An algorithm. `run` fills an empty schedule. */
struct path_algorithm {
    const char *name;
    enum status (*run)(const struct path_problem *problem, const struct circuit_effort *effort,
                       struct path_schedule *schedule);
    /* How many basic steps it takes, about; `best` runs those that are cheap. NULL: best does not run it. */
    double (*cost)(const struct path_problem *problem);
    /* Looks for a shorter schedule with two hops than those that plans of `run` give. NULL: there is none. */
    void (*two_hops)(const struct path_problem *problem, const struct circuit_effort *effort,
                     struct path_schedule *schedule);
};

/* The algorithms of algorithms.def, in their order; NULL behind the last. */
const struct path_algorithm *path_algorithm_at(size_t index);

/* Schedules the problem: runs the algorithm and finishes the schedule. */
enum status path_schedule_make(const struct path_problem *problem, const struct path_algorithm *algorithm,
                               const struct circuit_effort *effort, struct path_schedule *schedule);

#endif
