#ifndef HELIO_HOST_CACHES_H
#define HELIO_HOST_CACHES_H

#include "base/time.h"
#include "host/host.h"

/* What the caches of a node hold, if host.caches is "parts". Memory is known by pages. A page is in a cache
 * while the cache has room for it and for all bytes that its cores have touched since they touched the page.
 * docs/models/host.md */

/* The memory of a rank that its steps name; the buffers are the same in all calls of the rank. */
enum host_buffer {
    HOST_BUFFER_NONE, /* not known */
    HOST_BUFFER_SEND,
    HOST_BUFFER_RECEIVE,
    HOST_BUFFER_SCRATCH,
    HOST_BUFFER_SHARED, /* of all ranks of the node */
};

struct host_place {
    enum host_buffer buffer;
    uint64_t offset;
};

enum host_level { HOST_L2, HOST_LLC, HOST_DRAM, HOST_LEVELS };

/* Bytes of a piece, by where they were. */
struct host_found {
    uint64_t bytes[HOST_LEVELS];
};

struct host_caches;

struct host_caches *host_caches_open(const struct host *host, uint32_t nodes, uint32_t ranks);
void host_caches_close(struct host_caches *caches); /* NULL: does nothing */
size_t host_caches_bytes(const struct host_caches *caches);

/* The rank's core reads or writes `bytes` at a place: adds to `found` where they were. The place is known. */
void host_caches_touch(struct host_caches *caches, uint32_t node, uint32_t rank, struct host_place place,
                       uint64_t bytes, struct host_found *found);

/* The rank's core touches bytes of which no place is known. */
void host_caches_pass(struct host_caches *caches, uint32_t node, uint32_t rank, uint64_t bytes);

/* The rank's core has just touched bytes that host_caches_pass has counted; they are at this place. */
void host_caches_place(struct host_caches *caches, uint32_t node, uint32_t rank, struct host_place place,
                       uint64_t bytes);

/* The NIC of the rank's node writes there. Pages in the cache of all cores stay there. Others enter the part
 * of it that the NIC may use, from which later ones displace them. */
void host_caches_arrive(struct host_caches *caches, uint32_t node, uint32_t rank, struct host_place place,
                        uint64_t bytes);

#endif
