#ifndef HELIO_SCHEDULE_SCHEDULE_H
#define HELIO_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"
#include "base/status.h"
#include "schedule/problem.h"

/* Connection scheduling on time-multiplexed networks. The files of this room:
 *
 *   schedule.h         a schedule, and all schedulers: this file
 *   method.h, .c       a scheduler by its name, and a scheduled pattern
 *   pattern.h, .c      patterns of requests, read from files; pattern_names.c: patterns by name;
 *                      redistribution.c: those of arrays that are redistributed
 *   network.h, .c      the routes of a pattern's requests on a topology
 *   problem.h, .c      requests and the links of their routes: what schedulers see
 *   slots.h, .c        which slots of each link are taken
 *   greedy.c           first fit, in a given order or by descending load
 *   coloring.c         the coloring algorithm of the paper
 *   aapc.h, .c         phases of all-to-all communication on tori
 *   slot_by_slot.c     fills one slot after another, heaviest requests first
 *   swap_search.c      fills one slot after another; requests may leave again for heavier ones
 *   partialcol.c       ejection search: makes a schedule shorter, slot by slot
 *   best.c             the best of several
 *   bound.c, odd_sets.c   lower bounds
 *   write.h, .c        schedules and switch programs for others to read
 *   verify.h, .c       checks such a schedule, without any of the above
 *   hops.h, .c         the links between switches by their two ends, for verifiers
 *   schedule_lines.h, .c   the lines of any schedule, and what is wrong with it, for verifiers
 *   hop_lines.h, .c    the links of such a line
 *   load.h, .c         a file's text
 */

/* A set of configurations: each request has one slot, and requests of one slot share no link. The number of
 * slots is the multiplexing degree K ("Compiled Communication for All-optical TDM Networks", section 2).
 * Every scheduler here returns a *minimal configuration set* in the sense of section 3: some requests of
 * each two slots conflict, so that no two slots can be merged. */
struct tdm_schedule {
    uint32_t requests, degree;
    uint32_t *slot;  /* [requests]: 0 ... degree - 1 */
    uint32_t *route; /* [requests]: into the problem's routes */
};

void tdm_schedule_init(struct tdm_schedule *schedule, uint32_t requests);
void tdm_schedule_free(struct tdm_schedule *schedule);

/* The greedy algorithm (Figure 2), which takes the requests in the given order; `order` is NULL for the order
 * of the problem. The paper fills one configuration with every request that fits before the next begins. Here
 * each request takes the first slot that it fits, which gives the same slots. Of several routes a request
 * takes the one with the earliest slot. */
void tdm_greedy(const struct tdm_problem *problem, const uint32_t *order, struct tdm_schedule *schedule);

/* A random order of all requests, to be freed. */
uint32_t *tdm_random_order(uint32_t requests, uint64_t seed, const char *component);

/* First fit by descending sum of the loads of a request's links: requests that are hard to place come first.
 * It needs no conflict graph, so it has no limit of size. */
void tdm_descending_load(const struct tdm_problem *problem, struct tdm_schedule *schedule);

/* When a search ends: at the first of these. */
struct tdm_limit {
    double seconds;                 /* 0 = none */
    uint64_t moves;                 /* 0 = none; the only one under which results repeat */
    bool (*stopped)(void *context); /* NULL = never */
    void *context;
};

/* The progress of a search up to its limit: by moves, or else by time. */
static inline void tdm_limit_begin(const struct tdm_limit *limit)
{
    progress_begin("searching", limit->moves ? limit->moves : (uint64_t)(limit->seconds * 1000));
}

static inline void tdm_limit_tell(const struct tdm_limit *limit, uint64_t moves, double elapsed_s)
{
    progress_tell(limit->moves ? moves : (uint64_t)(elapsed_s * 1000));
}

/* Slot after slot, each filled by descending weight of the requests; a link weighs more the more load it has
 * left. This is better than an order fixed beforehand where patterns are large and dense: 262,144 random
 * requests on 32 x 32 nodes take 1200 slots, and 1234 by descending load. False: the limit's seconds or stop
 * came first, and there is no schedule. Routes are the first ones. */
bool tdm_slot_by_slot(const struct tdm_problem *problem, const struct tdm_limit *limit,
                      struct tdm_schedule *schedule);

/* Swap search, for patterns that are too large for the ejection search: fills one slot after another, the
 * fuller the more time or moves it has. It takes all of the limit's moves; without those, all of its seconds;
 * without either, a number of moves for each request. When it is stopped, it fills the remaining slots
 * without a search. Returns how many moves it took. Routes are the first ones. */
uint64_t tdm_swap_search(const struct tdm_problem *problem, uint64_t seed, const struct tdm_limit *limit,
                         struct tdm_schedule *schedule);

/* The coloring algorithm (Figure 4): the priority of a request is the number of its links over its degree in
 * the conflict graph. In the fitted reading the degree counts neighbours that could still join the present
 * configuration (WORK); it reproduces Table 1. In the literal reading it counts all that have no slot yet
 * (NCSET), as section 3.2 is worded; it is worse than greedy at 400 to 1600 connections. In the initial
 * reading it counts all requests and is never updated, and links are those between switches; it gives the
 * dense rows of Table 1. In the longest reading the links decide, and of equally long requests the degree of
 * the initial reading. Ties are broken at random. STATUS_FAILED, reported, if the conflict graph is too
 * large. Routes are the first ones. */
enum tdm_coloring { TDM_READING_FITTED, TDM_READING_LITERAL, TDM_READING_INITIAL, TDM_READING_LONGEST };
enum status tdm_coloring(const struct tdm_problem *problem, enum tdm_coloring reading, uint64_t seed,
                         struct tdm_schedule *schedule);

/* The configurations of the all-to-all pattern (schedule/aapc.h). */
struct tdm_phases {
    uint32_t *of;   /* [request]: in which it is, below `count` */
    uint32_t *ties; /* [count]: which of two phases of equal rank comes first; NULL = the smaller number */
    uint32_t count;
};

/* The ordered AAPC algorithm (Figure 5). Its routes are the first ones. */
void tdm_ordered_aapc(const struct tdm_problem *problem, const struct tdm_phases *phases,
                      struct tdm_schedule *schedule);

/* A lower bound: no schedule of the problem has fewer slots. With one route for each request it is the
 * largest load of a link. With several, weights w of links give the bound sum over requests of (min over
 * routes of w(route)) / sum of w; this is the one of the best weights found. In exact integers, rounded up.
 */
uint32_t tdm_lower_bound(const struct tdm_problem *problem);

/* A lower bound for schedules in which each request has its first route; it may be above the largest load.
 * Requests of one slot share no link, so together they pass at most F links of a set of F. A request that
 * passes n links of the set counts n / 2, rounded down; the requests of one slot count at most F / 2, rounded
 * down, together. The sum over all requests, divided by F / 2 rounded down, is a bound for any set. For
 * example, five requests around a ring of five, each two links long, load no link more than twice, and need
 * three slots by this bound. The search finds good sets, but not always the best one. */
uint32_t tdm_odd_set_bound(const struct tdm_problem *problem);

/* The ejection search PartialCol: begins with *schedule, empties its smallest slot and seeks places for the
 * requests that were in it, again and again, down to `bound` or the limit. *schedule is complete at any time
 * and never gets worse. Returns how many moves it took. */
uint64_t tdm_partialcol(const struct tdm_problem *problem, uint32_t bound, uint64_t seed,
                        const struct tdm_limit *limit, struct tdm_schedule *schedule);

/* The combined algorithm of section 3.4: the better of coloring and ordered AAPC. */
enum status tdm_combined(const struct tdm_problem *problem, const struct tdm_phases *phases, uint64_t seed,
                         struct tdm_schedule *schedule);

/* The best of first fit by descending load, ordered AAPC (`phases` NULL: is not tried) and slot by slot,
 * improved by the ejection search; for large patterns, swap search. The limit's seconds are for all of it.
 * Returns the moves of the search. The schedule is optimal if it comes down to `bound`, a lower bound. */
uint64_t tdm_best(const struct tdm_problem *problem, const struct tdm_phases *phases, uint32_t bound,
                  uint64_t seed, const struct tdm_limit *limit, struct tdm_schedule *schedule);

#endif
