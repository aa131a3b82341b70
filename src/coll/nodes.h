#ifndef HELIO_COLL_NODES_H
#define HELIO_COLL_NODES_H

#include "coll/coll.h"

/* Node maps: made once for a group of ranks, in storage of the caller, and read by generators. */

/* How many numbers of 32 bits the map of a group of `size` ranks is stored in. */
static inline size_t coll_nodes_storage(uint32_t size)
{
    return 4 * (size_t)size + 1;
}

/* The map of `size` ranks. `place_of` gives each rank the number of its node, any number below `size`.
 * `storage` has coll_nodes_storage(size) entries and lives as long as the map; `place_of` may be its
 * beginning. */
void coll_nodes_init(struct coll_nodes *nodes, uint32_t size, const uint32_t *place_of, uint32_t *storage);

/* Makes local rank `from` of the node its local rank `into`, which is not above; those between move up by
 * one. `storage` is the map's. All ranks of the group must have the same map. */
void coll_nodes_lead(struct coll_nodes *nodes, uint32_t *storage, uint32_t node, uint32_t from,
                     uint32_t into);

/* The node map of a call, as generators use it. Without a map every rank is alone on its node. */
static inline uint32_t node_count(const struct coll_call *call)
{
    return call->nodes ? call->nodes->count : call->size;
}

/* The ranks of the smallest node. */
static inline uint32_t node_fewest(const struct coll_call *call)
{
    return call->nodes ? call->nodes->fewest : 1;
}

/* The ranks of the largest node. */
static inline uint32_t node_most(const struct coll_call *call)
{
    return call->nodes ? call->nodes->most : 1;
}

static inline uint32_t node_of(const struct coll_call *call, uint32_t rank)
{
    return call->nodes ? call->nodes->node_of[rank] : rank;
}

static inline uint32_t node_local_of(const struct coll_call *call, uint32_t rank)
{
    return call->nodes ? call->nodes->local_of[rank] : 0;
}

/* Ranks on all nodes before `node`. */
static inline uint32_t node_first(const struct coll_call *call, uint32_t node)
{
    return call->nodes ? call->nodes->first[node] : node;
}

static inline uint32_t node_ranks(const struct coll_call *call, uint32_t node)
{
    return node_first(call, node + 1) - node_first(call, node);
}

static inline uint32_t node_member(const struct coll_call *call, uint32_t node, uint32_t local)
{
    return call->nodes ? call->nodes->members[call->nodes->first[node] + local] : node;
}

/* The number of consecutive ranks of the node from `local` on. Their blocks lie together in a buffer that is
 * ordered by rank. */
static inline uint32_t node_run(const struct coll_call *call, uint32_t node, uint32_t local)
{
    uint32_t ranks = node_ranks(call, node), length = 1, first = node_member(call, node, local);
    while (local + length < ranks && node_member(call, node, local + length) == first + length)
        length++;
    return length;
}

#endif
