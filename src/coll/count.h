#ifndef HELIO_COLL_COUNT_H
#define HELIO_COLL_COUNT_H

#include "coll/coll.h"

/* What a schedule asks of the nodes that execute it, counted step by step over all ranks: the columns of
 * Tables I and III of the OHIO paper, derived. Nothing is executed, so thousands of ranks are counted in a
 * second or so. */
struct coll_counts {
    /* Of the node that has most of each. */
    uint64_t queue_pairs;   /* pairs of a rank of the node and a rank of another one that exchange messages */
    uint64_t posted_sends;  /* to other nodes */
    uint64_t node_messages; /* sent by the node's ranks, those that stay within it too */
    uint64_t shared_bytes;  /* memory of the node beside the buffers of the call, all shared_copies */
    uint64_t scratch_bytes; /* memory of its ranks alone */
    /* Of all ranks together. */
    uint64_t messages, bytes;             /* between nodes */
    uint64_t local_messages, local_bytes; /* within nodes */
    uint64_t copies, copied_bytes;        /* 0 if not asked for */
    uint64_t barriers, flags_raised;      /* a barrier once for the whole node */
    /* Of one rank. */
    uint64_t messages_rank_max; /* sent, of either sort */
    uint32_t phases_max;
};

/* Memory beside the buffers of the call. */
static inline uint64_t coll_extra_bytes(const struct coll_counts *counts)
{
    return counts->shared_bytes + counts->scratch_bytes;
}

/* The call as any rank makes it (`call->rank` does not matter), of a kind whose ranks all know the same.
 * `local` asks for copies too, which are more than messages. */
struct coll_counts coll_count(const struct coll_algorithm *algorithm, const struct coll_call *call,
                              bool local);

#endif
