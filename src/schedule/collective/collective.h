#ifndef HELIO_SCHEDULE_COLLECTIVE_COLLECTIVE_H
#define HELIO_SCHEDULE_COLLECTIVE_COLLECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"
#include "coll/coll.h"

/* Collectives on optical circuit switches: which algorithm to take, and before which of its steps to change
 * the circuits (docs/models/circuit-collectives.md). The files of this room:
 *
 *   collective.h           a collective, the switches, an answer: this file
 *   matchings.h, .c        messages that are no matching as several matchings
 *   steps.h, .c            an algorithm as steps, one after another
 *   configuration.h, .c    the circuits that are up, and how long a step takes on them
 *   space.h, .c            the configurations of an algorithm, and the times of all steps on each of them
 *   choice.h, .c           when to change circuits: static, at every step, and the optimum
 *   bound.h, .c            lower bounds
 *   best.c                 the best algorithm, on circuits and on a packet network
 */

enum { COLLECTIVE_MOST_RANKS = 1024, COLLECTIVE_MOST_SWITCHES = 16 };
#define COLLECTIVE_MOST_BYTES (UINT64_C(1) << 40)

/* Ranks with a port each, on `switches` parallel circuit switches: a port has a sender and a receiver on each
 * of them. Before the first step each switch has the circuits of a ring, and the rings may have distances of
 * their own (space.c). */
struct collective_network {
    uint32_t switches;
    uint64_t rate_bytes_per_s; /* of a circuit */
    ps_t latency_ps;           /* of a step: for each circuit that a message goes through */
    uint64_t packet_rate_bytes_per_s;
    ps_t packet_latency_ps; /* of a round on the packet network */
};

/* A call: coll_call of equal blocks and root 0. */
struct collective_task {
    enum coll_kind kind;
    uint32_t ranks;
    uint64_t bytes;
};

/* Whether the ranks of the kind all know the same lengths, so that it can be asked for. */
bool collective_is_known(enum coll_kind kind);

/* Whether the algorithm is made for nodes of several ranks. Here a node is a port, with one rank. */
bool collective_is_for_nodes(const struct coll_algorithm *algorithm);

/* A way to take the steps of an algorithm. */
struct collective_way {
    ps_t time_ps; /* PS_NEVER: out of range */
    uint32_t changes;
};

/* Consecutive steps on the same circuits. */
struct collective_stretch {
    uint32_t first, last; /* steps, from 0 */
    bool is_changed;      /* the circuits are set up before the first one */
    uint32_t hops;        /* of the longest path */
    ps_t time_ps;         /* of the steps, without the change */
    char circuits[48];    /* "ring", "rotation by 4", ... */
};

/* An algorithm with a size and a switching time. */
struct collective_plan {
    const struct coll_algorithm *algorithm;
    uint32_t rounds, steps, configurations;  /* configurations: those that the choice is among */
    struct collective_way kept, every, best; /* circuits never change; before every step; the optimum */
    ps_t packet_ps;
    struct collective_stretch *stretches; /* of the optimum */
    uint32_t stretch_count;
};

/* The answers for one size: a plan for each algorithm and switching time. */
struct collective_answer {
    struct collective_plan *plans; /* [algorithms][times] */
    size_t algorithms, times, capacity;
    ps_t *bound_ps;     /* [times] */
    size_t *best;       /* [times]: the algorithm with the shortest time */
    size_t packet_best; /* the algorithm that is fastest on the packet network */
};

static inline const struct collective_plan *collective_plan_at(const struct collective_answer *answer,
                                                               size_t algorithm, size_t time)
{
    return &answer->plans[algorithm * answer->times + time];
}

/* Plans the collective for each of the switching times, with all algorithms, or with `only`. Those that are
 * made for nodes come last, and are left out where they take the same times and changes as another one. */
void collective_answer_init(struct collective_answer *answer, const struct collective_task *collective,
                            const struct collective_network *network, const ps_t *switching_ps, size_t times,
                            const struct coll_algorithm *only);
void collective_answer_free(struct collective_answer *answer);

#endif
