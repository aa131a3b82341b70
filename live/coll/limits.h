#ifndef HELIO_LIVE_COLL_LIMITS_H
#define HELIO_LIVE_COLL_LIMITS_H

#include <stdint.h>

/* What the control groups of this process allow, version 1 or 2. A container or a batch system limits a job
 * with them; the processors that are online and their masks do not show it. */
struct limits {
    uint32_t millicores; /* processor time per time, in thousandths of a core; 0: no limit */
    uint32_t group;      /* of the group with this limit: equal in processes that share it */
    uint64_t memory;     /* bytes; UINT64_MAX: no limit */
};

/* Reads the files of /proc and /sys below the folder `root`, "" for those of the system. What cannot be read
 * counts as no limit. */
struct limits limits_read(const char *root);

#endif
