#ifndef HELIO_COLL_COUNT_H
#define HELIO_COLL_COUNT_H

#include "coll/coll.h"

/* What a schedule costs the nodes that execute it, counted step by step over all ranks: the columns of Tables
 * I and III of the OHIO paper. It executes nothing, so thousands of ranks take about a second. */
struct coll_counts {
    /* Of the node with the largest number of each. */
    uint64_t queue_pairs;  /* pairs of a rank of the node and a rank of another node that exchange messages */
    uint64_t posted_sends; /* to other nodes */
    uint64_t node_messages; /* sent by the ranks of the node, also within the node */
    uint64_t shared_bytes;  /* memory of the node beside the buffers of the call, all shared_copies */
    uint64_t scratch_bytes; /* memory of its ranks alone */
    /* Of all ranks together. */
    uint64_t messages, bytes;             /* between nodes */
    uint64_t local_messages, local_bytes; /* within nodes */
    uint64_t copies, copied_bytes;        /* 0 unless asked for */
    uint64_t barriers, flags_raised;      /* a barrier once for the whole node */
    /* Of one rank. */
    uint64_t messages_rank_max; /* sent between and within nodes */
    uint32_t phases_max;
};

/* Memory beside the buffers of the call. */
static inline uint64_t coll_extra_bytes(const struct coll_counts *counts)
{
    return counts->shared_bytes + counts->scratch_bytes;
}

/* Gives the call of rank call->rank what MPI gives this rank of call->all, in which each rank sends the same
 * lengths (stride 0). */
void coll_take_lengths(struct coll_call *call);

/* Counts a call of all ranks; `call->rank` does not matter. If blocks differ, the call has all lengths, as
 * coll_take_lengths() takes them. `local` asks for copies too, of which there are more than messages. */
struct coll_counts coll_count(const struct coll_algorithm *algorithm, const struct coll_call *call,
                              bool local);

#endif
