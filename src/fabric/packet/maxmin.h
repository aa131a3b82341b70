#ifndef HELIO_FABRIC_PACKET_MAXMIN_H
#define HELIO_FABRIC_PACKET_MAXMIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* Max-min fair rates of flows over links, solved incrementally and in integers: the same bits everywhere.
 *
 * The allocation is max-min fair when every flow has a bottleneck: a link that is full and on which no flow
 * is faster (Bertsekas and Gallager, Data Networks, 6.5.2). After a change only those links are solved anew
 * on which a rate changes; docs/models/packet.md describes the algorithm and its cost.
 *
 * Rates are in units of 2^-16 bytes per second. No link ever carries more than its capacity. The remainder of
 * the division among n flows, less than n units, stays unused. A link counts as full, and two rates count as
 * equal, to within 2^-34, so that rounding does not spread through the network: the bottleneck of every flow
 * is one to within 10^-10. */
enum { MAXMIN_SHIFT = 16 };
#define MAXMIN_CAPACITY_LIMIT (UINT64_C(1) << 46) /* bytes per second, 70 TB/s */
enum { MAXMIN_LINKS_PER_FLOW = 255 };

/* A flow that is spread puts a part of its rate on each link, the same part at all times; parts are in units
 * of 1 / MAXMIN_WHOLE. The rates r are max-min fair: on link l the sum of f_l r is at most its capacity, and
 * every flow has a full link on which no flow is faster. */
enum { MAXMIN_WHOLE_SHIFT = 31 };
#define MAXMIN_WHOLE (UINT32_C(1) << MAXMIN_WHOLE_SHIFT)

struct maxmin;

/* How the rates are found: by a sweep over the links on which rates change, or by a filling that is taken
 * back as far as a change reaches. Where most rates change, the filling takes a fraction of the time. Both
 * find the same rates, to within 2^-36. */
enum maxmin_method {
    MAXMIN_AUTO, /* the one that suits, which depends on the changes so far */
    MAXMIN_SWEEP,
    MAXMIN_FILL /* flows that are spread: the sweep */
};

/* `capacities` in bytes per second, 1 to MAXMIN_CAPACITY_LIMIT; a flow uses at most `links_per_flow` links, 1
 * to MAXMIN_LINKS_PER_FLOW. */
struct maxmin *maxmin_open(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow);
/* The same for flows that are spread. */
struct maxmin *maxmin_open_spread(const uint64_t *capacities, uint32_t links, uint32_t links_per_flow);
/* Before there are flows; MAXMIN_AUTO if it is not called. */
void maxmin_use(struct maxmin *solver, enum maxmin_method method);
/* Flows are told in the order of the filling, where a repair of it would tell them in another one. For flows
 * that choose paths, one after another, when their rates change: with another order they choose others, which
 * are neither better nor worse. It takes longer. */
void maxmin_keep_order(struct maxmin *solver);
void maxmin_close(struct maxmin *solver);         /* NULL: does nothing */
size_t maxmin_bytes(const struct maxmin *solver); /* memory held */
/* The same with so many flows at once, of `links_per_flow` links each on average; `limit` is what maxmin_open
 * is given. */
double maxmin_estimate(double links, double flows, double links_per_flow, uint32_t limit);

/* A flow over `count` links, at least one; a link named twice counts once. It has no rate before the next
 * maxmin_solve. Ids are small and are used again after maxmin_remove. */
uint32_t maxmin_add(struct maxmin *solver, const uint32_t *links, uint32_t count);
/* The same of a solver for flows that are spread: the part on each link, from 1 to MAXMIN_WHOLE. The links
 * are different. */
uint32_t maxmin_add_spread(struct maxmin *solver, const uint32_t *links, const uint32_t *parts,
                           uint32_t count);
void maxmin_remove(struct maxmin *solver, uint32_t flow);

/* One more link; returns its number. */
uint32_t maxmin_add_link(struct maxmin *solver, uint64_t capacity);

/* A link gets another capacity. Where flows use it and it falls, all of them are solved anew. */
void maxmin_set_capacity(struct maxmin *solver, uint32_t link, uint64_t capacity);

/* Solves for all changes since the last call. Returns the flows whose rates have changed, new flows included,
 * in an order that is the same in every run; valid until the next call. */
const uint32_t *maxmin_solve(struct maxmin *solver, size_t *count);

/* How many flows all solutions together have found a rate for, changed or not. */
uint64_t maxmin_looked_at(const struct maxmin *solver);

/* At least 1: where a link has more flows than units (65536 flows at 1 B/s), they get more than its capacity.
 */
uint64_t maxmin_rate(const struct maxmin *solver, uint32_t flow);

/* Work that is exact under any sequence of rates: 2^16 x 10^12 units a byte. */
typedef unsigned __int128 maxmin_work_t;

static inline maxmin_work_t maxmin_work(uint64_t bytes)
{
    return ((maxmin_work_t)bytes << MAXMIN_SHIFT) * (uint64_t)PS_PER_S;
}

/* The work that is done at `rate` in `time`; never more than `left`. */
static inline maxmin_work_t maxmin_done(maxmin_work_t left, uint64_t rate, ps_t time)
{
    maxmin_work_t done = (maxmin_work_t)rate * (uint64_t)time;
    return done < left ? done : left;
}

/* ceil(left / rate); PS_NEVER at no rate, or where it does not fit. */
static inline ps_t maxmin_time(maxmin_work_t left, uint64_t rate)
{
    if (rate == 0)
        return PS_NEVER;
    maxmin_work_t time = (left + (rate - 1)) / rate;
    return time >= (maxmin_work_t)PS_NEVER ? PS_NEVER : (ps_t)time;
}

#endif
