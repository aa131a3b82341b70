#ifndef HELIO_SCHEDULE_CIRCUIT_CIRCUIT_H
#define HELIO_SCHEDULE_CIRCUIT_CIRCUIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sum.h"
#include "base/time.h"

/* Circuit schedules with a price for switching (docs/models/circuits.md). The files of this room:
 *
 *   circuit.h              a problem, a schedule, the table of algorithms: this file
 *   demand.h, .c           the bytes from each port to each other one, read from a file or added up
 *   problem.c              demand and switches in whole picoseconds; a schedule and its pieces
 *   bound.c                lower bounds
 *   port_sides.h, .c       what each port has to carry over its links
 *   matcher.h, .c          matchings of most edges, kept up to date while edges come and go
 *   assignment.h, .c       matchings of most weight
 *   stuffing.h, .c         a demand whose ports all have the same sum
 *   birkhoff.h, .c         a matrix as a sum of matchings
 *   player.h, .c           slot after slot on a switch: times, and what each circuit carries
 *   bvn.c, solstice.h, .c, tms.c, edmonds.c, eclipse.c, round_robin.c   algorithms that make slots
 *   events.h, .c           the ends of circuits, and the entries that wait
 *   sunflow.c              the algorithm that makes no slots
 *   list_schedule.h, .c    circuits one after another, by the loads of their ports
 *   cover.h, .c            the fewest configurations
 *   peel.h, .c             few configurations, slot by slot
 *   slot_table.h, .c       slots of given durations, and the pieces of entries in them
 *   ranked.h, .c           slots whose durations are chosen first
 *   slot_set.h, .c         slots as sets of parts of entries, and changes of them
 *   anneal.h, .c           local search over such slots
 *   spread.h, .c           slots of one switch on several
 *   exact.h, .c            slots of small demands, with a proof
 *   best.c                 the shortest of all
 *   relay_plan.h, .c       which entries take two hops, and over which port
 *   two_hops.h, .c         schedules of such a plan; two_hops_bound.c: lower bounds of all of them
 *   algorithms.def, .c     the list of algorithms
 *   write.h, .c            schedules for others to read
 *   verify.h, .c           checks such a schedule, without any of the above but the demand
 *   verify_relays.h, .c    the same of bytes on two hops
 */

/* A demand is a matrix: sender i has bytes for receiver j. A port has a sender and a receiver. Only ports
 * with bytes are numbered here, senders and receivers each from 0, in the order of their ports. */
struct circuit_entry {
    uint32_t sender, receiver;
    uint64_t bytes; /* at least 1 */
    ps_t time_ps;   /* in which a circuit carries them */
};

struct circuit_problem {
    uint32_t senders, receivers;
    uint32_t *sender_port, *receiver_port; /* the numbers that users know */
    struct circuit_entry *entries;         /* sorted by (sender, receiver) */
    uint32_t count;
    uint32_t *at; /* [senders x receivers]: entry + 1; 0: no bytes */
    ps_t delta_ps;
    uint64_t rate_bytes_per_s;
    uint32_t switches; /* parallel crossbars: each port has a link to each of them */
    bool all_stop;     /* no circuit of a switch carries while one of its circuits changes */
    uint32_t hops;     /* 2: bytes may go through one port in between; else 1 */
    ps_t slot_ps;      /* the user's length of slots; 0: each algorithm has its own */
};

#define CIRCUIT_NONE UINT32_MAX

/* The most circuits that are up at a time. */
static inline size_t circuit_most_up(const struct circuit_problem *problem)
{
    return (size_t)(problem->senders < problem->receivers ? problem->senders : problem->receivers) *
           problem->switches;
}

/* The rows and columns of a square matrix that has room for all senders and receivers. */
static inline uint32_t circuit_size(const struct circuit_problem *problem)
{
    return problem->senders > problem->receivers ? problem->senders : problem->receivers;
}

static inline uint32_t circuit_at(const struct circuit_problem *problem, uint32_t sender, uint32_t receiver)
{
    return problem->at[(size_t)sender * problem->receivers + receiver] - 1; /* CIRCUIT_NONE: no bytes */
}

/* A circuit that carries the bytes of an entry, or a part of them, from start to end. The switch is set up
 * before start. With two hops the circuit may lead to a port in between, or from there. */
struct circuit_piece {
    uint32_t entry, crossbar;
    ps_t start_ps, end_ps;
    uint32_t via;   /* the port in between, as users know it; CIRCUIT_NONE: none */
    bool is_second; /* from there to the receiver */
};

/* The ports of a piece's circuit, as users know them. */
static inline uint32_t circuit_piece_source(const struct circuit_problem *problem,
                                            const struct circuit_piece *piece)
{
    return piece->is_second ? piece->via : problem->sender_port[problem->entries[piece->entry].sender];
}

static inline uint32_t circuit_piece_destination(const struct circuit_problem *problem,
                                                 const struct circuit_piece *piece)
{
    return piece->via == CIRCUIT_NONE || piece->is_second
               ? problem->receiver_port[problem->entries[piece->entry].receiver]
               : piece->via;
}

struct circuit_schedule {
    struct circuit_piece *pieces; /* sorted by (start, crossbar, entry) once finished */
    size_t count, capacity;
    ps_t makespan_ps;
    uint64_t configurations; /* instants at which circuits begin to be set up, added up over switches */
    bool proven;             /* an exact search has shown that no schedule is shorter */
    const char *made_by;     /* which algorithm made the shortest one, of best */
};

void circuit_schedule_free(struct circuit_schedule *schedule);
void circuit_schedule_clear(struct circuit_schedule *schedule); /* keeps its memory */
void circuit_add(struct circuit_schedule *schedule, uint32_t entry, uint32_t crossbar, ps_t start_ps,
                 ps_t end_ps);
/* Gives `other` away to *schedule if that is empty or longer, and frees it otherwise. */
void circuit_keep_shorter(struct circuit_schedule *schedule, struct circuit_schedule *other,
                          const char *made_by);
/* How many entries take two hops. */
uint64_t circuit_relayed(const struct circuit_problem *problem, const struct circuit_schedule *schedule);
/* Sorts the pieces, and counts makespan and configurations. */
void circuit_finish(const struct circuit_problem *problem, struct circuit_schedule *schedule);

/* What limits an algorithm that searches. Without until_s the same input gives the same schedule. */
struct circuit_effort {
    uint64_t moves; /* schedules that best tries; 0: as many as the size of the demand suggests */
    uint64_t seed;
    double until_s;                 /* of clock_seconds_now; 0 = no limit */
    bool (*stopped)(void *context); /* NULL = never */
    void *context;
};

/* Whether the time is up, or somebody has stopped the search. */
bool circuit_effort_is_spent(const struct circuit_effort *effort);

/* Lower bounds of the makespan; `best` is the largest that holds for the problem's switches. */
struct circuit_bounds {
    ps_t rho_ps;      /* the largest sum of a sender's or receiver's times */
    uint32_t degree;  /* the most circuits of a sender or receiver */
    ps_t port_ps;     /* the largest sum of times and set-ups of a port, over its links */
    ps_t all_stop_ps; /* rho and a set-up for each circuit of the largest degree, over the links of a port */
    ps_t two_hop_ps;  /* with two hops; else 0 */
    ps_t best_ps;
};
struct circuit_bounds circuit_bounds_of(const struct circuit_problem *problem);

/* An algorithm. `run` fills an empty schedule. STATUS_FAILED is reported: the schedule would have too many
 * slots. */
struct circuit_algorithm {
    const char *name;
    enum status (*run)(const struct circuit_problem *problem, const struct circuit_effort *effort,
                       struct circuit_schedule *schedule);
    /* How many basic steps it takes, about; `best` runs those that are cheap. NULL: best does not run it. */
    double (*cost)(const struct circuit_problem *problem);
};

/* The algorithms of algorithms.def, in their order; NULL behind the last. */
const struct circuit_algorithm *circuit_algorithm_at(size_t index);
const struct circuit_algorithm *circuit_algorithm_find(const char *name);

/* Schedules the problem: runs the algorithm and finishes the schedule. */
enum status circuit_schedule_make(const struct circuit_problem *problem,
                                  const struct circuit_algorithm *algorithm,
                                  const struct circuit_effort *effort, struct circuit_schedule *schedule);

#endif
