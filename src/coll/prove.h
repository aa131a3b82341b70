#ifndef HELIO_COLL_PROVE_H
#define HELIO_COLL_PROVE_H

#include "coll/coll.h"

/* The prover. It executes a schedule symbolically on all ranks, and shows for this call that it is right and
 * what it costs. Memory holds symbols instead of bytes, one for each element: whose element it is, which one,
 * and after a reduction which ranks are in the sum. It shows:
 *
 * - Every send meets a receive of the same length, and nothing is left over.
 * - No message needs buffering: a send completes only when its receive is posted.
 * - No step touches memory that is posted in the same phase (coll.h). No step reads memory that nobody has
 *   written, writes a send buffer, or leaves a buffer.
 * - No element is cut, none is added to another position, and no contribution is counted twice.
 * - Every receive buffer holds what MPI promises at the end. No rank leaves a barrier before all have entered
 *   it.
 *
 * With a node map it also shows:
 *
 * - Shared memory has no races: if two steps touch a byte of it and one of them writes, barriers, flags and
 *   messages put one before the other in every execution.
 * - Every flag is raised exactly once in each call, and no rank waits for ever.
 * - All this holds for several calls one after another, which use the same memory: no rank begins the next
 *   call of its node too early.
 * - With several copies of shared memory: no rank leaves a call before all ranks of its node have entered it
 *   and all flags of its node are up. So calls of different algorithms may share the copies and the flags.
 *
 * Messages match first in, first out for each pair of ranks, and a schedule without races does not depend on
 * which rank is first. So the order in which ranks run changes neither the data nor the counts, and one
 * execution stands for all. */

/* A call of all ranks. `counts` are bytes, multiples of element_bytes: size * size for alltoallv, source 0
 * first; one for each rank for other vector kinds. NULL stands for equal blocks of `bytes`. */
struct coll_world {
    uint32_t size;
    uint32_t root;
    uint32_t window;
    uint32_t leaders;
    uint64_t segment_bytes;
    uint32_t repeats; /* calls one after another; 0 = 1, at most COLL_PROOF_REPEATS_MAX */
    uint64_t element_bytes;
    uint64_t bytes;
    const uint64_t *counts;
    const struct coll_nodes *nodes; /* NULL: every rank is a node of its own */
};

enum { COLL_PROOF_REPEATS_MAX = 8 };
enum { COLL_PROOF_RANKS_MAX = 4096, COLL_PROOF_ELEMENTS_MAX = 1 << 26 };

/* Counts are those of all calls. */
struct coll_proof {
    uint64_t messages, bytes;                   /* sent by all ranks */
    uint64_t messages_rank_max, bytes_rank_max; /* sent by one rank */
    uint64_t copied_bytes, reduced_bytes;       /* local steps of all ranks */
    uint64_t scratch_max;                       /* bytes of one rank */
    uint64_t shared_max;                        /* bytes of one node, once for each of shared_copies */
    uint32_t peers_max;                         /* ranks that one rank exchanges messages with: queue pairs */
    uint32_t phases_max;                        /* of one rank, local ones included */
    uint32_t rounds;   /* length of the longest chain of messages that wait for each other */
    char problem[512]; /* "" or rank, phase, step and what is wrong */
};

/* Returns true if `algorithm` is right for this call. Fills *proof; after a problem the counts are those up
 * to it. Allocates memory. */
bool coll_prove(const struct coll_algorithm *algorithm, const struct coll_world *world,
                struct coll_proof *proof);

/* The call as rank `rank` knows it. `recv_counts` has room for `size` entries, for alltoallv. */
struct coll_call coll_world_call(const struct coll_world *world, enum coll_kind kind, uint32_t rank,
                                 uint64_t *recv_counts);

#endif
