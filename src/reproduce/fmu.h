#ifndef HELIO_REPRODUCE_FMU_H
#define HELIO_REPRODUCE_FMU_H

#include "reproduce/paper.h"

/* The parts of the FMU paper, M. G. Palma et al., Inter-Node Message Passing Through Optical Reconfigurable
 * Memory Channel. Everything is computed in two ways: by the correct model, and as the paper's own simulator
 * computes it. */
struct fmu_way {
    const char *name;     /* the items' variant */
    const char *settings; /* what makes the difference */
    bool finalize_counts; /* the barrier at finalize is among the messages of a run, as it is in Table 5 */
};

enum { FMU_CORRECT, FMU_SIMPLECOMM, FMU_WAYS };
extern const struct fmu_way fmu_ways[FMU_WAYS];

/* NULL where the way can be gone, else why not. */
const char *fmu_way_is_closed(const struct fmu_way *way);

/* Gives the item, or why not. */
void fmu_item(struct reproduction *reproduction, const struct fmu_way *way, double ours, const char *format,
              ...) __attribute__((format(printf, 4, 5)));

/* A run in one of the ways, with further settings ("" = none); nothing but NaN where the way is closed. */
const struct run_facts *fmu_run(struct reproduction *reproduction, const struct fmu_way *way,
                                const char *fabric, const char *workload, const char *settings);

void fmu_tables(struct reproduction *reproduction); /* 3, 4 and 5 */

#endif
