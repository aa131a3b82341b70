#ifndef HELIO_HOST_COPY_H
#define HELIO_HOST_COPY_H

#include <stdbool.h>

#include "host/host.h"

/* Copies within a node. The time of a core depends on the bytes, on the number of pieces, and on the cache
 * that holds them; all cores of the node share its memory. docs/models/host.md */

/* Whether the system file says what copies cost. */
static inline bool host_copies(const struct host *host)
{
    return host->system.copy_dram_bytes_per_s > 0;
}

/* The time of a core for one piece of `bytes`, where `working_set` bytes are touched in all; `continues`: the
 * piece lies behind the one before. */
ps_t host_copy_time(const struct host *host, uint64_t bytes, uint64_t working_set, bool continues);

/* Whether a copy with this working set goes to the memory that all cores share. */
bool host_copy_is_shared(const struct host *host, uint64_t working_set);

#endif
