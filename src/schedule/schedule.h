#ifndef HELIO_SCHEDULE_SCHEDULE_H
#define HELIO_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "schedule/problem.h"

/* A set of configurations: each request has one slot, and requests of one slot share no link. The number of
 * slots is the multiplexing degree K ("Compiled Communication for All-optical TDM Networks", section 2).
 * Every scheduler here returns a *minimal configuration set* in the sense of section 3: of each two slots
 * some requests conflict, so that no two can be merged. */
struct tdm_schedule {
    uint32_t requests, degree;
    uint32_t *slot;  /* [requests]: 0 ... degree - 1 */
    uint32_t *route; /* [requests]: into the problem's routes */
};

void tdm_schedule_open(struct tdm_schedule *schedule, uint32_t requests);
void tdm_schedule_close(struct tdm_schedule *schedule);

/* The greedy algorithm (Figure 2), which takes the requests in the given order. A configuration of it takes
 * every request that fits, in that order, before the next begins; first fit, which is what runs here, comes
 * to the same slots. Where a request has several routes, that with the earliest slot is taken. `order` is
 * NULL for the order of the problem. */
void tdm_greedy(const struct tdm_problem *problem, const uint32_t *order, struct tdm_schedule *schedule);

double tdm_seconds_now(void); /* of a clock that only goes forward */

/* A random order of all requests, to be freed. */
uint32_t *tdm_random_order(uint32_t requests, uint64_t seed, const char *component);

/* First fit by descending sum of the loads of a request's links: requests that are hard to place come first.
 * No conflict graph, so it works where the coloring cannot. */
void tdm_descending_load(const struct tdm_problem *problem, struct tdm_schedule *schedule);

/* When a search ends: the first of these that comes true. */
struct tdm_limit {
    double seconds;                 /* 0 = none */
    uint64_t moves;                 /* 0 = none; the only limit under which results repeat */
    bool (*stopped)(void *context); /* NULL = never */
    void *context;
};

/* Slot after slot, each filled by descending weight of the requests, where links weigh the more the more load
 * they have left. Better than any order fixed beforehand where patterns are large and dense: 32 x 32 nodes
 * with 262,144 random requests take 1200 slots, 1234 by descending load. False: the limit's seconds or stop
 * came first, and there is no schedule. Routes are the first ones. */
bool tdm_slot_by_slot(const struct tdm_problem *problem, const struct tdm_limit *limit,
                      struct tdm_schedule *schedule);

/* Slot after slot by exchanges (tdm/exchange.c): the more time or moves, the fuller the slots. For patterns
 * that are too large for the ejection search. Takes all of the limit's moves, else all of its seconds, else
 * as long as it gains something; once stopped it fills the rest in a hurry. Returns how many moves it took.
 * Routes are the first ones. */
uint64_t tdm_exchange(const struct tdm_problem *problem, uint64_t seed, const struct tdm_limit *limit,
                      struct tdm_schedule *schedule);

/* The coloring algorithm (Figure 4): the priority of a request is the number of its links over its degree in
 * the conflict graph. In the fitted reading the degree counts neighbours that could still join the present
 * configuration (WORK), which reproduces Table 1; in the literal one all that have no slot yet (NCSET), as
 * section 3.2 is worded, which is worse than greedy at 400 to 1600 connections. Ties are broken at random.
 * STATUS_FAILED, reported, if the conflict graph is too large to be held. Routes are the first ones. */
enum tdm_coloring { TDM_READING_FITTED, TDM_READING_LITERAL };
enum status tdm_coloring(const struct tdm_problem *problem, enum tdm_coloring reading, uint64_t seed,
                         struct tdm_schedule *schedule);

/* The configurations of the all-to-all pattern (tdm/aapc.h). */
struct tdm_phases {
    uint32_t *of;   /* [request]: in which it is, below `count` */
    uint32_t *ties; /* [count]: which of two phases of equal rank comes first; NULL = the smaller number */
    uint32_t count;
};

/* The ordered AAPC algorithm (Figure 5). Its routes are the first ones. */
void tdm_ordered_aapc(const struct tdm_problem *problem, const struct tdm_phases *phases,
                      struct tdm_schedule *schedule);

/* No schedule of the problem has fewer slots. With one route for each request it is the largest load of a
 * link; with several, weights w of links give sum over requests of min over routes w(route) / sum of w, for
 * the best weights found. Exact integers, rounded up. */
uint32_t tdm_lower_bound(const struct tdm_problem *problem);

/* No schedule in which each request has its first route has fewer slots, and this may be more than the
 * largest load. Requests of one slot share no link, so that of a set of F links they pass at most F in all;
 * those that pass two or more, counted once for each two, are at most F / 2, rounded down. The sum of that
 * count over all requests, divided by F / 2 rounded down, is a bound for any set. Five requests around a ring
 * of five, each two links long, take three slots by it, and load no link more than twice. Sets are searched
 * for, the best one found is not the best there is. */
uint32_t tdm_odd_set_bound(const struct tdm_problem *problem);

/* Ejection search: begins with *schedule, empties its smallest slot and seeks places for what was in it, and
 * so on down to `bound` or the limit. *schedule is complete at any time and never gets worse. Returns how
 * many moves it took. */
uint64_t tdm_eject(const struct tdm_problem *problem, uint32_t bound, uint64_t seed,
                   const struct tdm_limit *limit, struct tdm_schedule *schedule);

/* The combined algorithm of section 3.4: the better of coloring and ordered AAPC. */
enum status tdm_combined(const struct tdm_problem *problem, const struct tdm_phases *phases, uint64_t seed,
                         struct tdm_schedule *schedule);

/* The best of first fit by descending load, ordered AAPC (`phases` NULL: is not tried) and slot by slot,
 * improved by ejection search. The limit's seconds are for all of it. Returns the moves of the search.
 * Optimal if it comes down to `bound`, a lower bound. */
uint64_t tdm_best(const struct tdm_problem *problem, const struct tdm_phases *phases, uint32_t bound,
                  uint64_t seed, const struct tdm_limit *limit, struct tdm_schedule *schedule);

#endif
