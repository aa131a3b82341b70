#ifndef HELIO_EXTRAPOLATE_COMPUTATION_H
#define HELIO_EXTRAPOLATE_COMPUTATION_H

#include "extrapolate/model.h"

/* The computation between calls. A burst belongs to its place in the program, which is before a call of the
 * pattern. A rank that leaves the call out computes there too. */

/* The class of a rank: a hash of the calls that it leaves out, since it has no partner there or is not in the
 * communicator, and of the gathers and scatters whose root it is. */
uint64_t rank_class(const struct call_pattern *pattern, const struct grid *grid, uint32_t rank);

/* UINT32_MAX: no rank of the traces is of that class. */
uint32_t rank_class_index(const struct rank_classes *classes, uint64_t key);

void rank_classes_free(struct rank_classes *classes);

/* What the rank has of a burst, relative to the mean. */
double burst_share(const struct role_model *part, const struct burst *burst, const struct grid *grid,
                   uint32_t rank);

/* The ranks of a role: first to end - 1. */
static inline uint32_t role_first(uint32_t role, bool apart)
{
    return role == 0 && apart;
}

static inline uint32_t role_end(uint32_t role, uint32_t ranks)
{
    return role ? 1 : ranks;
}

/* Fits the bursts of a role to the evidence of all samples but `skip`. */
void computation_fit(struct role_model *part, uint32_t role, bool apart, size_t samples, size_t skip);

#endif
