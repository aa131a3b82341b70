#ifndef HELIO_COLL_COLL_H
#define HELIO_COLL_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Collective algorithms as schedules. An algorithm is written once, as a generator that emits the steps of
 * one rank into a sink. The simulator executes the steps in virtual time, the preloaded library on real
 * buffers, the prover symbolically. A generator knows ranks of the group, bytes and buffers; it knows no
 * clocks and no networks. It does not allocate, print or exit.
 *
 *     coll.h, coll.c        kinds, calls, sinks, algorithms; choice by size
 *     algorithms.def        the list of algorithms, one line each
 *     algorithms.h, list.c  the same as a table; coll_find, coll_add
 *     choice.h, choice.c    reads and prints choices such as "binomial<=64KiB,ring"
 *     tuning.h, tuning*.c   which algorithms Open MPI and MPICH choose by themselves
 *     barrier.c, bcast*.c, reduce*.c, allreduce*.c, allgather.c, gather.c, scatter.c, scan.c, alltoall.c,
 *     bruck.c               flat algorithms
 *     double_tree.c         bcast, reduce and allreduce with segments
 *     pat.c                 allgather and reduce_scatter with few messages and little memory
 *     circulant.h, circulant.c  reduce_scatter and allreduce without folding
 *     two_rings.c           allreduce, allgather and reduce_scatter with two ranks to send to
 *     hierarchical.c, full_lane.c, full_lane_alltoall.c  node-aware bcast, allreduce, allgather,
 *                           reduce_scatter and alltoall
 *     ordered.c             reductions in the order of ranks
 *     team.h, team.c        the ranks of a node, or of one local rank, as a group
 *     openmpi.c, mpich.c    collectives that these libraries make of others
 *     ohio.c, leaders.c, chochia.c, khorassani.c, traff.c    node-aware algorithms of alltoall
 *     leaders_bcast.c, leaders_gather.c, leaders_reduce.c, leaders_reduce_scatter.c    other collectives
 *                           through leaders and shared memory
 *     leaders_vector.h, leaders_vector.c    alltoallv, gatherv and scatterv through leaders, with all lengths
 *     meet.h, meet.c, node_sum.h, node_sum.c    how ranks and leaders meet there, and the sum of a node
 *     nodes.h, nodes.c      node maps
 *     steps.h, node_steps.h, blocks.h, fold.h, near.h, near.c, passing.h, tree.h, tree.c, shapes.h, shapes.c,
 *     rooted.h, rooted.c, compose.h, compose.c    what algorithms share
 *     prove.h, prover.h, prove*.c, rank_sets.h, rank_sets.c  the prover
 *     plan.h, plan.c        the schedule of a rank as a list of steps, for repeated execution
 *     footprint.h, footprint.c  what the preloaded library takes for a communicator
 *     count.h, count.c      messages, copies and memory of a schedule
 *     told.h                what the tap is told of a call
 *     measured.h, measured.c    times of alltoall that were measured, and choices from them */

enum coll_kind {
    COLL_BARRIER,
    COLL_BCAST,
    COLL_REDUCE,
    COLL_ALLREDUCE,
    COLL_ALLTOALL,
    COLL_ALLTOALLV,
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_GATHER,
    COLL_GATHERV,
    COLL_SCATTER,
    COLL_SCATTERV,
    COLL_REDUCE_SCATTER,
    COLL_SCAN,
    COLL_EXSCAN,
    COLL_KINDS
};

const char *coll_kind_name(enum coll_kind kind); /* "allreduce" */

/* The node of each rank of the group: ranks of one node share memory (coll/nodes.h makes node maps). Nodes
 * are numbered in the order of their lowest ranks. The ranks of a node have local ranks in ascending order,
 * unless coll_nodes_lead has moved one. */
struct coll_nodes {
    uint32_t count;
    uint32_t fewest, most;    /* ranks of the smallest and of the largest node */
    bool in_order;            /* a higher rank is on the same node or a later one, with a higher local rank */
    const uint32_t *node_of;  /* of each rank */
    const uint32_t *local_of; /* of each rank: its local rank */
    const uint32_t *first;    /* count + 1 entries: where the ranks of a node begin in `members` */
    const uint32_t *members;  /* ranks, node by node */
};

/* The lengths of all blocks of a call, more than MPI tells a rank. Of gatherv and scatterv counts[rank] is
 * the block of each rank; of alltoallv counts[source * stride + destination]. NULL: all have `bytes`. */
struct coll_sizes {
    const uint64_t *counts;
    uint64_t stride; /* `size`; or 0: each rank sends the same lengths */
};

/* One call, as one rank knows it.
 *
 * Uniform kinds: `bytes` is what MPI's count means there: the whole vector of a bcast, reduction or scan; the
 * block for each rank of an alltoall; the rank's own block of a gather, scatter or allgather.
 *
 * Vector kinds: send_bytes and recv_bytes have `size` entries, and are NULL where MPI gives this rank no such
 * array. gatherv: the root has recv_bytes, and every rank has its own length in `bytes`. scatterv: the root
 * has send_bytes, and every rank has its own length in `bytes`. allgatherv and reduce_scatter: every rank has
 * recv_bytes. An array that is NULL where a rank should have one stands for equal blocks of `bytes`:
 * reduce_scatter_block is reduce_scatter without counts.
 *
 * Operations of reductions are associative and commutative. */
struct coll_call {
    enum coll_kind kind;
    uint32_t size;
    uint32_t rank;
    uint32_t root;
    uint32_t window;        /* outstanding requests of algorithms with a window; 0 = their default */
    uint32_t leaders;       /* leaders of each node, for algorithms that take several (alltoall); 0 = 1 */
    uint64_t segment_bytes; /* the most bytes of one message of algorithms with segments; 0 = their default */
    uint64_t element;       /* bytes of one element: a vector is never cut inside one; at least 1 */
    uint64_t bytes;
    const uint64_t *send_bytes;
    const uint64_t *recv_bytes;
    const struct coll_nodes *nodes; /* NULL: every rank is a node of its own */
    struct coll_sizes all; /* of vector kinds, where all lengths are known beforehand (leaders_vector.h) */
};

/* The memory that steps name. A send buffer is only read. A rank that MPI gives no receive buffer (reduce,
 * gather: all but the root) has one of 0 bytes. So has the root of a bcast: its data are in its send buffer,
 * and the data of all others go to their receive buffers. A buffer with a block for each rank has the blocks
 * in rank order without gaps: displacements are the sums of the counts.
 *
 * Scratch belongs to one rank and has the size that the algorithm's scratch() returns. Shared memory belongs
 * to all ranks of a node and has the size that shared() returns. There are shared_copies of it; the k-th call
 * of a communicator uses copy k modulo shared_copies.
 *
 * A token is bytes without data: a message of them tells that it has come, and nothing else. It has no
 * memory, so no local step names it, and any number of messages may be posted. */
enum coll_buffer { COLL_SEND_BUFFER, COLL_RECV_BUFFER, COLL_SCRATCH, COLL_SHARED, COLL_TOKEN };

struct coll_span {
    enum coll_buffer buffer;
    uint64_t offset;
    uint64_t bytes;
};

/* Where steps go. Messages from one rank to another match in the order in which both emit them. A message of
 * no bytes is a message; a local step of no bytes is left out.
 *
 * `local` is true if the sink wants local steps (copy, reduce). The simulator without a host model does not.
 * Generators then skip the loops that emit them, and the offsets in the buffers of vector kinds may be 0,
 * which saves the sums over the counts.
 *
 * Ranks of a node synchronise with barriers and flags. A rank arrives at a barrier when it emits the barrier:
 * its earlier phases and the local steps that it emitted before are complete, messages of the same phase need
 * not be. Each flag is raised once in each call, by one rank: when the rank emits the raise, or when the
 * message of a recv_raise has arrived. A phase in which a rank arrives at a barrier or awaits a flag ends
 * when all ranks have arrived and the flag is up. */
struct coll_sink {
    void (*send)(struct coll_sink *sink, uint32_t peer, struct coll_span from);
    void (*recv)(struct coll_sink *sink, uint32_t peer, struct coll_span into);
    void (*recv_raise)(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag);
    void (*barrier)(struct coll_sink *sink); /* of all ranks of the node */
    void (*raise)(struct coll_sink *sink, uint32_t flag);
    void (*await)(struct coll_sink *sink, uint32_t flag);
    void (*copy)(struct coll_sink *sink, struct coll_span from, struct coll_span into);
    void (*reduce)(struct coll_sink *sink, struct coll_span from,
                   struct coll_span into); /* into = into op from */
    bool local;
};

/* A rank goes through its phases 0, 1, 2 ... emit() posts the sends and receives of a phase in order with its
 * local steps. The phase ends when all of them are complete. So local steps see what earlier phases have
 * received, and not what their own phase receives. Within a phase, memory that a posted receive fills is
 * neither read nor written, and memory that a posted send reads is not written. */
struct coll_algorithm {
    enum coll_kind kind;
    const char *name; /* as the parameter takes it: "scatter-allgather" */
    const char *doc;  /* one line: how, cost, source */
    /* Emits phase `phase` of call->rank. Returns false if there is no such phase: the rank is done. It keeps
     * no state: any phase of any rank may be asked for at any time. It costs what it emits plus O(log size),
     * and the counts that it sums up. */
    bool (*emit)(const struct coll_call *call, uint32_t phase, struct coll_sink *sink);
    uint64_t (*scratch)(const struct coll_call *call); /* bytes of scratch this rank needs; NULL = none */
    uint64_t (*shared)(const struct coll_call *call);  /* bytes shared by this rank's node; NULL = none */
    uint32_t (*flags)(const struct coll_call *call);   /* flags of this rank's node; NULL = none */
    /* In place of emit and scratch, for an algorithm that comes from outside the program. */
    const struct coll_external *external;
    /* For an algorithm that leaves some calls to another one: that one, which then has the whole call, or
     * NULL. NULL: it leaves none. */
    const struct coll_algorithm *(*leaves_to)(const struct coll_call *call);
    bool node_aware;   /* it needs `nodes` of the call */
    bool has_segments; /* `segment_bytes` of the call changes it; one from outside may have them or not */
    bool has_windows;  /* so does `window` */
    /* Copies of shared memory, used in turn: 2 saves the barrier at the end; 0 = 1. With 2, every rank knows
     * at the end of a call that all ranks of its node have entered it and that its flags are up. So calls of
     * all such algorithms may use the same copies in turn, and the same flags, also those that have only
     * flags. */
    uint32_t shared_copies;
    /* Its flags are raised by no other algorithm, and each by the same rank in all calls. So a rank may leave
     * a call before flags are up that it does not await. */
    bool own_flags;
};

/* Whether the nodes of a call have to be ranks that share memory. Other algorithms that know nodes serve for
 * servers too, whose nodes have fast links to each other. */
static inline bool coll_needs_memory(const struct coll_algorithm *algorithm)
{
    return algorithm->shared || algorithm->flags;
}

struct coll_external {
    bool (*emit)(const struct coll_external *self, const struct coll_call *call, uint32_t phase,
                 struct coll_sink *sink);
    uint64_t (*scratch)(const struct coll_external *self, const struct coll_call *call);
};

/* Emits a phase; false when there is no such phase. */
static inline bool coll_emit(const struct coll_algorithm *algorithm, const struct coll_call *call,
                             uint32_t phase, struct coll_sink *sink)
{
    if (algorithm->emit)
        return algorithm->emit(call, phase, sink);
    return algorithm->external->emit(algorithm->external, call, phase, sink);
}

/* Bytes of scratch that the rank needs. */
static inline uint64_t coll_scratch(const struct coll_algorithm *algorithm, const struct coll_call *call)
{
    if (algorithm->external)
        return algorithm->external->scratch(algorithm->external, call);
    return algorithm->scratch ? algorithm->scratch(call) : 0;
}

/* All algorithms, those that coll_add() has added last; ends with NULL. The first of a kind is its default.
 */
enum { COLL_ALGORITHMS_LIMIT = 256 };
extern const struct coll_algorithm *coll_algorithms[];

/* The algorithm of that kind and name, or NULL. */
const struct coll_algorithm *coll_find(enum coll_kind kind, const char *name);

/* The kind's default, or NULL where the kind has no algorithm. */
const struct coll_algorithm *coll_default(enum coll_kind kind);

/* Adds an algorithm, which has to live as long as the program. STATUS_BAD_INPUT, reported: its kind has one
 * of this name, or the table is full. */
enum status coll_add(const struct coll_algorithm *algorithm);

/* ----------------------------------------------------------- choice by size */

/* The algorithm of a kind: "binomial", or with thresholds "binomial<=64KiB,scatter-allgather": the first one
 * whose limit is not below the size; the last one has no limit. The size is `bytes` of the call, and for
 * allgatherv and reduce_scatter the mean block. All ranks of a call must choose alike. So kinds whose ranks
 * know only their own lengths (alltoallv, gatherv, scatterv), and barriers, take no thresholds. coll/choice.h
 * reads and prints choices. */
enum { COLL_CHOICES = 4 };
struct coll_tuning;
struct coll_choice {
    const struct coll_tuning *tuning; /* NULL, or a table that chooses instead (coll/tuning.h) */
    bool is_tuned;                    /* the text "tuned": the table of mpi.tuning chooses, if there is one */
    uint32_t count;
    const struct coll_algorithm *algorithm[COLL_CHOICES];
    uint64_t limit[COLL_CHOICES]; /* bytes, inclusive; UINT64_MAX in the last */
};

bool coll_sizes_agree(enum coll_kind kind); /* whether the kind may be chosen by size */

/* Whether the blocks of this rank's call have so few bytes together that algorithms can count offsets and
 * lengths of two such buffers in 64 bits. */
#define COLL_BYTES_AT_MOST (UINT64_C(1) << 61)
bool coll_bytes_fit(const struct coll_algorithm *algorithm, const struct coll_call *call);

/* A call can be made in equal parts, one after another, each by the algorithm. How many of `splits` (0: 1)
 * the call can have: parts have whole elements, and calls with counts for each rank and algorithms that know
 * nodes have one. */
uint32_t coll_parts(const struct coll_algorithm *algorithm, const struct coll_call *call, uint64_t splits);
/* The bytes of one of these parts of the call; the last one has what is left. */
uint64_t coll_part_bytes(const struct coll_call *call, uint32_t parts, uint32_t part);

const struct coll_algorithm *coll_choose(const struct coll_choice *choice, const struct coll_call *call);

/* The size that limits are compared with. */
uint64_t coll_compared_bytes(const struct coll_call *call);

#endif
