#ifndef HELIO_SIM_MEMORY_H
#define HELIO_SIM_MEMORY_H

#include "base/estimate.h"
#include "base/memory_room.h"
#include "sim/experiment.h"

/* The memory that a run needs, and the memory that there is, both known before the run. */

/* What the run on fabrics[index] will need at its peak, within a factor of two where it is large. Nothing of
 * it is allocated. STATUS_BAD_INPUT, reported: the run would not begin. */
enum status memory_estimate(const struct experiment *experiment, size_t index, struct estimate *estimate);

/* Whether each fabric's run finds room. STATUS_FAILED, reported with the figures and what to change: one
 * needs more than `room`. */
enum status memory_admit(const struct experiment *experiment, const struct memory_room *room);

#endif
