#ifndef HELIO_SIM_MEMORY_H
#define HELIO_SIM_MEMORY_H

#include "base/estimate.h"
#include "sim/experiment.h"

/* The memory that a run needs, and the memory that there is, both known before the run. */

/* What this process may still take. */
struct memory_room {
    double bytes;       /* INFINITY: unknown */
    const char *limit;  /* what sets it, as "the available memory of the machine" */
    unsigned shared_by; /* this many runs at the same time, each of which may take `bytes`; 0 = one */
};

/* For runs that are never refused. */
extern const struct memory_room memory_room_unlimited;

/* The least of: the available memory of the machine, the limits of the process's control groups (v1 and v2),
 * and of its resource limits for address space and data. */
struct memory_room memory_room_find(void);
/* The same from files below `root`, as root/proc/meminfo, without resource limits; for tests. */
struct memory_room memory_room_read(const char *root);

/* The equal share of each of so many runs at the same time. */
struct memory_room memory_room_share(struct memory_room room, unsigned runs);

/* What the run on fabrics[index] will need at its peak, within a factor of two where it is large. Nothing of
 * it is allocated. STATUS_BAD_INPUT, reported: the run would not begin. */
enum status memory_estimate(const struct experiment *experiment, size_t index, struct estimate *estimate);

/* Whether each fabric's run finds room. STATUS_FAILED, reported with the figures and what to change: one
 * needs more than `room`. */
enum status memory_admit(const struct experiment *experiment, const struct memory_room *room);

#endif
