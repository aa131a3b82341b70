#ifndef HELIO_HOST_COPY_H
#define HELIO_HOST_COPY_H

#include <stdbool.h>

#include "host/caches.h"

/* Copies within a node. The time of a core depends on the bytes, on the number of pieces, and on the caches
 * that hold them; all cores of the node share its memory. docs/models/host.md */
struct host_copy {
    uint32_t rank;  /* whose core copies */
    bool continues; /* the piece lies behind the one before */
    uint64_t bytes;
    uint64_t working_set; /* bytes that are touched in all */
    struct host_place from, into;
};

/* Whether the system file says what copies cost. */
static inline bool host_copies(const struct host *host)
{
    return host->system.copy_dram_bytes_per_s > 0;
}

/* Whether what the caches hold decides. */
static inline bool host_has_caches(const struct host *host)
{
    return host_copies(host) && host->caches == HOST_CACHES_PARTS;
}

/* Where the bytes of a copy are, by its working set: what it reads, and what it writes. */
void host_copy_found(const struct host *host, const struct host_copy *copy, struct host_found *found);

/* The time of a core for a copy that finds and writes these bytes, 2 `bytes` in all. */
ps_t host_copy_time(const struct host *host, const struct host_copy *copy, const struct host_found *found);

/* How long the memory that all cores share is busy with it; 0: it has no limit, or has none of the bytes. */
ps_t host_copy_memory_time(const struct host *host, const struct host_found *found);

#endif
