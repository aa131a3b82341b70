#ifndef HELIO_PLACE_PLACE_H
#define HELIO_PLACE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/sum.h"
#include "sim/experiment.h"

/* Assignments of ranks to nodes that lower the bytes x hops of a program, or its simulated time
 * (docs/models/place.md).
 *
 *     traffic.c      who sends how much to whom, in a run
 *     distance.c     places of ranks and hops between nodes; the cost of an assignment, and bounds
 *     descent.c      swaps of two places, and the search by them
 *     scotch.c       the library Scotch, or no_scotch.c if it is not installed
 *     by_time.c      the search that runs the simulator
 *     compare.c      the assignments of an experiment, and which is the best
 */

/* -------------------------------------------------------------- the problem */

/* Another rank, with the bytes of all messages to it and from it. */
struct place_peer {
    uint32_t rank;
    uint64_t to, from;
};

/* The messages of ranks to others. */
struct place_traffic {
    uint32_t ranks;
    size_t *first;            /* of rank r: peers[first[r]] up to first[r + 1], by their numbers */
    struct place_peer *peers; /* each pair stands with both of its ranks */
    sum_t bytes;
};

struct place_pair {
    uint32_t source, destination;
    uint64_t bytes;
};

/* Pairs of different ranks; one pair may stand several times. */
void place_traffic_make(struct place_traffic *traffic, uint32_t ranks, const struct place_pair *pairs,
                        size_t count);
void place_traffic_free(struct place_traffic *traffic);

/* Collects the messages of a run: a listener of struct experiment_watch. */
struct place_collector;
struct place_collector *place_collector_open(void);
void place_collector_listen(void *collector, uint32_t ranks, struct tap *tap);
void place_collector_take(struct place_collector *collector, uint32_t ranks, struct place_traffic *traffic);
void place_collector_close(struct place_collector *collector);

/* Places that ranks can have. Nodes with room for several ranks have several places. */
struct place_machine {
    uint32_t nodes, places;
    uint32_t *node_at; /* of each place: its node, ascending */
    uint16_t *hops;    /* from node i to node k: hops[i * nodes + k] */
};

enum { PLACE_MOST_NODES = 8192, PLACE_MOST_PLACES = 1 << 20 };

/* The hops are those of the topology's minimal routes; each node has `each` places. */
struct topo;
void place_machine_make(struct place_machine *machine, const struct topo *topo, uint32_t each);
/* The machine keeps only the places that these ranks have. */
void place_machine_keep(struct place_machine *machine, const uint32_t *node_of, uint32_t ranks);
void place_machine_free(struct place_machine *machine);

static inline uint32_t place_hops(const struct place_machine *machine, uint32_t from, uint32_t to)
{
    return machine->hops[(size_t)from * machine->nodes + to];
}

/* The sum over all messages of bytes x hops. */
sum_t place_cost(const struct place_traffic *traffic, const struct place_machine *machine,
                 const uint32_t *node_of);

/* No assignment costs less. */
sum_t place_bound(const struct place_traffic *traffic, const struct place_machine *machine);

/* ------------------------------------------------------------------- search */

/* An assignment that changes by swaps. */
struct place_state {
    const struct place_traffic *traffic;
    const struct place_machine *machine;
    uint32_t *place_of; /* of each rank */
    uint32_t *rank_at;  /* of each place; PLACE_EMPTY: none */
    sum_t cost;
};

#define PLACE_EMPTY UINT32_MAX

void place_state_open(struct place_state *state, const struct place_traffic *traffic,
                      const struct place_machine *machine);
void place_state_close(struct place_state *state);
/* Takes an assignment, for which the machine has the places. */
void place_state_set(struct place_state *state, const uint32_t *node_of);
void place_state_get(const struct place_state *state, uint32_t *node_of);
/* By how much the cost grows if two places swap what they have. `visited` counts the peers looked at. */
sum_t place_delta(const struct place_state *state, uint32_t left, uint32_t right, uint64_t *visited);
void place_swap(struct place_state *state, uint32_t left, uint32_t right, sum_t delta);

struct place_effort {
    uint64_t seed, restarts;
    uint64_t visits; /* of peers, at most about so many */
};

/* Improves the assignment: never to a higher cost. Ends early at `bound`. */
void place_search(const struct place_traffic *traffic, const struct place_machine *machine,
                  const struct place_effort *effort, sum_t bound, uint32_t *node_of);

/* ------------------------------------------------------------------ library */

enum { PLACE_SCOTCH_PLACES = 4096 };

extern const bool place_has_scotch;

/* Assigns the ranks to the places that `node_of` has given them. False: the library has failed, or there are
 * more places than PLACE_SCOTCH_PLACES. */
bool place_by_scotch(const struct place_traffic *traffic, const struct topo *topo, uint64_t seed,
                     uint32_t *node_of);

/* --------------------------------------------------------------- experiment */

enum place_objective { PLACE_HOPS, PLACE_TIME };

struct place_options {
    enum place_objective objective;
    uint64_t tries; /* runs of the search by time */
    struct place_effort effort;
    bool same_nodes; /* ranks only change places with each other */
};

enum { PLACE_ROWS = 5 };

struct place_row {
    const char *name;
    uint32_t *node_of;
    sum_t cost;
    ps_t time;
};

struct place_comparison {
    uint32_t ranks, nodes;
    sum_t bytes, bound;
    struct place_row rows[PLACE_ROWS]; /* the first is the start */
    size_t count, best;
    uint64_t runs, gains; /* of the search by time; those of its runs that were faster */
};

/* The time of the experiment's one fabric with this assignment. */
enum status place_run(struct experiment *experiment, const uint32_t *node_of,
                      const struct experiment_watch *watch, ps_t *time);

/* Swaps places as long as that is faster, at most `tries` runs. *time is that of node_of, and both change. */
enum status place_search_by_time(struct experiment *experiment, const struct place_machine *machine,
                                 const struct place_options *options, uint32_t *node_of, ps_t *time,
                                 struct place_comparison *comparison);

/* The experiment has one fabric and a topology. `comparison` is to be freed also after an error. */
enum status place_compare(struct experiment *experiment, const struct place_options *options,
                          struct place_comparison *comparison);
void place_comparison_free(struct place_comparison *comparison);

/* Writes an assignment as a file that the parameter `placement` takes. */
void place_write(const struct place_row *row, uint32_t ranks, const char *program, FILE *out);

#endif
