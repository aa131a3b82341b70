#ifndef HELIO_SCHEDULE_CIRCUIT_BIRKHOFF_H
#define HELIO_SCHEDULE_CIRCUIT_BIRKHOFF_H

#include "schedule/circuit/matcher.h"
#include "schedule/circuit/stuffing.h"

/* Takes matchings of most edges out of the matrix, each with its smallest entry as its weight, until the
 * matrix is empty or `take` returns false (Birkhoff 1946, von Neumann 1953). The matrix is changed. */
void birkhoff_slots(struct stuffed *matrix,
                    bool (*take)(void *self, const struct edge_matcher *matcher, uint64_t bytes), void *self);

/* The entries of a matching, for player_slot: [senders]. */
void stuffed_circuits(const struct circuit_problem *problem, const struct edge_matcher *matcher,
                      uint32_t *entries);

#endif
