#ifndef HELIO_HOST_COPY_H
#define HELIO_HOST_COPY_H

#include <stdbool.h>

#include "host/host.h"

/* Copies within a node: a core's time by bytes, by how many pieces they are in, and by the cache that holds
 * what is copied; the memory that the node's cores share. docs/models/host.md */

/* Whether the system file says what copies cost. */
static inline bool host_copies(const struct host *host)
{
    return host->system.copy_dram_bytes_per_s > 0;
}

/* What a core needs for `bytes` in one piece, of which `working_set` bytes are touched in all. */
ps_t host_copy_time(const struct host *host, uint64_t bytes, uint64_t working_set, bool continues);

/* Whether such a copy goes to memory, which all cores share. */
bool host_copy_is_shared(const struct host *host, uint64_t working_set);

#endif
