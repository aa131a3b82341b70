#ifndef HELIO_COLL_NEAR_H
#define HELIO_COLL_NEAR_H

#include "coll/fold.h"

/* The reduce-scatter of MPI libraries in allreduce and reduce: recursive halving whose first partners are the
 * nearest ones (Rabenseifner 2004, as Open MPI and MPICH do it). After k halvings the rank with id i sums up
 * its window k of the vector; both ranks of a pair at distance 2^k have the same window k.
 *
 * If there are more ranks than a power of two, the first ones form pairs, and one rank of each pair takes
 * part. `split`: both ranks of a pair add up half of their vectors before one leaves, and windows are halves
 * of the vector (Open MPI). Otherwise one hands over its whole vector, and windows are runs of equal parts.
 */
struct near_plan {
    const struct coll_call *call;
    bool split;
    bool odd_stay;            /* of a pair, the odd rank takes part, otherwise the even one */
    struct fold fold;         /* its role is that of this rank here */
    struct coll_span own;     /* the vector of this rank */
    struct coll_span sum;     /* what it sums up */
    struct coll_span arrival; /* what it receives, at its place in the vector */
};

/* `sum` and `arrival` are whole vectors. */
struct near_plan near_plan_of(const struct coll_call *call, bool split, bool odd_stay, struct coll_span sum,
                              struct coll_span arrival);
uint32_t near_rank(const struct near_plan *plan, uint32_t id);
/* Window `halvings` of a rank that takes part, in the vector `of`. */
struct coll_span near_window(const struct near_plan *plan, uint32_t id, uint32_t halvings,
                             struct coll_span of);

/* The phases before the first halving, of ranks that leave too. */
uint32_t near_fold_phases(const struct near_plan *plan);
void near_fold(const struct near_plan *plan, uint32_t phase, struct coll_sink *sink);

/* Adds what the phase before has brought: the own window after `halvings`. Before the first halving of a rank
 * without a pair, it copies the own vector. */
void near_add(const struct near_plan *plan, uint32_t halvings, struct coll_sink *sink);
/* The exchange that follows `halvings` halvings. */
void near_halve(const struct near_plan *plan, uint32_t halvings, struct coll_sink *sink);

#endif
