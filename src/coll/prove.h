#ifndef HELIO_COLL_PROVE_H
#define HELIO_COLL_PROVE_H

#include "coll/coll.h"

/* The prover: executes a schedule symbolically on all ranks and shows, for this call, that it is right and
 * what it costs. Memory holds symbols instead of bytes, one per element: whose element it is, which one, and
 * after a reduction whose were summed. Shown are:
 *
 * - every send meets a receive of the same length, and nothing is left over;
 * - it needs no buffering: a send is taken to complete only when its receive has been posted;
 * - memory posted in a phase is not touched in it (see coll.h), memory nobody wrote is never read, send
 *   buffers are never written, buffers and scratch are never left;
 * - no element is cut, none is added to another position's, and no contribution is counted twice;
 * - what MPI promises is in every receive buffer at the end.
 *
 * With a node map also:
 *
 * - shared memory is free of races: of two steps that touch a byte of it, one of them writing, the first is
 *   over before the second begins in every execution, by barriers, flags and messages alone;
 * - every flag is raised exactly once a call, and nobody waits for ever;
 * - all this in several calls one after another, which use the same memory: no rank runs into its node's
 *   next call too early.
 *
 * Matching is first in, first out per pair of ranks, and what is free of races does not depend on who comes
 * first, so the order in which ranks run changes neither the data nor the counts: one execution stands for
 * all. */

/* A call of all ranks. `counts` are bytes, multiples of element_bytes: alltoallv size * size (those of source
 * 0 first), other vector kinds one per rank; NULL for equal blocks of `bytes`. */
struct coll_world {
    uint32_t size;
    uint32_t root;
    uint32_t window;
    uint32_t leaders;
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

/* Whether `algorithm` is right for this call; fills *proof, its counts as far as it came. Allocates. */
bool coll_prove(const struct coll_algorithm *algorithm, const struct coll_world *world,
                struct coll_proof *proof);

/* What rank `rank` knows of the call. `recv_counts` is room for `size` entries, used for alltoallv. */
struct coll_call coll_world_call(const struct coll_world *world, enum coll_kind kind, uint32_t rank,
                                 uint64_t *recv_counts);

#endif
