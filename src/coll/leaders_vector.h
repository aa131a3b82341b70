#ifndef HELIO_COLL_LEADERS_VECTOR_H
#define HELIO_COLL_LEADERS_VECTOR_H

#include "coll/coll.h"

/* Alltoallv, gatherv and scatterv through leaders and shared memory, as the preloaded library executes them
 * (live/coll/vector_node.c). A leader's messages have lengths of which MPI tells no rank. So these are no
 * algorithms for a simulated rank, and not in the list: they need `all` of the call.
 *
 * The schedule is that of the library, with three differences. It leaves out the headers by which the library
 * finds blocks whose lengths it does not know. Messages of long blocks belong to the phase in which leaders
 * exchange; the library posts them before it stages, and waits for them after it has waited for the leaders'
 * messages. A rank copies its long block for itself; the library sends it. */

/* NULL: the kind has none. */
const struct coll_algorithm *coll_leaders_vector(enum coll_kind kind);

/* ------------------------------------------------------------------ layout */

enum {
    LEADERS_VECTOR_STAGED_MAX = 16384
}; /* bytes of a block; for longer ones copies cost more than messages */

/* What the library keeps of the piece of one rank for one node. */
struct leaders_vector_piece {
    uint32_t at;       /* the offset of the piece in the region; 0: there is none */
    uint32_t bytes;    /* of the piece */
    uint32_t received; /* staged bytes that this rank receives from that node */
};

static inline uint64_t leaders_vector_round_up(uint64_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/* Bytes of the ends of the blocks for so many ranks. */
static inline uint64_t leaders_vector_ends(uint32_t ranks)
{
    return leaders_vector_round_up(ranks * sizeof(uint32_t));
}

/* The most bytes of the piece for a node of so many ranks, and of a message, with their headers. */
uint64_t leaders_vector_piece_most(uint32_t ranks, uint64_t limit);
uint64_t leaders_vector_message_most(uint32_t senders, uint32_t receivers, uint64_t limit);

/* Bytes of the longest block that is staged, if the ranks of a node share `copy_bytes` for a call. It must be
 * the same on all ranks, since sender and receiver of a block decide by it. 0: there is no room for any. */
uint64_t leaders_vector_limit(uint32_t nodes, uint32_t most_here, uint64_t copy_bytes);

#endif
