#ifndef HELIO_COLL_COLL_H
#define HELIO_COLL_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Collective algorithms as schedules. An algorithm is written once, as a generator that emits one rank's
 * steps into a sink; the simulator executes them in virtual time, the live library on real buffers, the
 * prover symbolically. Nothing here knows of ranks' clocks or of networks: it speaks ranks of the group,
 * bytes and buffers. Nothing here allocates, prints or exits. */

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

/* Which ranks of the group share a node, and with it memory (coll/nodes.h makes one). Nodes are numbered by
 * their lowest rank, the ranks of a node, its local ranks, by rank, unless coll_nodes_lead has moved some. */
struct coll_nodes {
    uint32_t count;
    const uint32_t *node_of;  /* of each rank */
    const uint32_t *local_of; /* of each rank: its local rank */
    const uint32_t *first;    /* count + 1 entries: where the ranks of a node begin in `members` */
    const uint32_t *members;  /* ranks, node by node */
};

/* What one rank knows of one call. Uniform kinds: `bytes` is what MPI's count means there: the whole vector
 * of a bcast, reduction or scan; the block per pair of an alltoall; a rank's own block of gather, scatter,
 * allgather. Vector kinds: send_bytes and recv_bytes have `size` entries, NULL where MPI gives this rank no
 * such array (gatherv: the root has recv_bytes, every rank its own length in `bytes`; scatterv: the root has
 * send_bytes, every rank its own length in `bytes`; allgatherv and reduce_scatter: recv_bytes everywhere). An
 * array that is NULL where a rank should have one stands for equal blocks of `bytes`: reduce_scatter_block is
 * reduce_scatter without counts. Operations of reductions are associative and commutative. */
struct coll_call {
    enum coll_kind kind;
    uint32_t size;
    uint32_t rank;
    uint32_t root;
    uint32_t window; /* requests in flight of algorithms that work in windows; 0 = their default */
    uint32_t
        leaders; /* ranks of a node that exchange with other nodes, where an algorithm lets choose; 0 = 1 */
    uint64_t element; /* bytes of one element: a vector is never cut inside one; at least 1 */
    uint64_t bytes;
    const uint64_t *send_bytes;
    const uint64_t *recv_bytes;
    const struct coll_nodes *nodes; /* NULL: every rank is a node of its own */
};

/* The memory that steps name. The receive buffer of a rank that MPI gives none (reduce, gather: not the root)
 * has no bytes; neither has the root's of a bcast, whose data is in its send buffer while the others' goes to
 * their receive buffer. Send buffers are only read. Scratch has what the algorithm's scratch() says. Where a
 * buffer has a block per rank they lie one after another in rank order, displacements being the sums of the
 * counts. Shared memory is one for all ranks of a node, who read and write it as the schedule says; it has
 * what the algorithm's shared() says, and in the k-th call of a communicator it is number k modulo
 * shared_copies. */
enum coll_buffer { COLL_SEND_BUFFER, COLL_RECV_BUFFER, COLL_SCRATCH, COLL_SHARED };

struct coll_span {
    enum coll_buffer buffer;
    uint64_t offset;
    uint64_t bytes;
};

/* Where steps go. Messages between one pair of ranks match in the order in which both emit them. Zero-size
 * messages are messages; zero-size local steps are left out. `local` tells whether the memory matters: the
 * simulator without a host model does not want copy and reduce at all, which skips the loops that emit them,
 * and then the offsets in buffers of vector kinds may be 0, which saves the sums over the counts.
 *
 * Ranks of a node keep each other in order by barriers and flags. A barrier is arrived at when it is emitted:
 * earlier phases and the local steps emitted before it are done, messages of its own phase need not be. A
 * flag is raised once in each call, by one rank, when it is emitted in the same sense, or when the message of
 * a recv_raise has arrived. A phase in which a rank arrives at a barrier or awaits a flag ends no sooner than
 * all have arrived and the flag is up. */
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

/* A rank goes through its phases 0, 1, 2 ...: emit() posts what the phase sends and receives, in order with
 * its local steps, and the phase ends when all of them are complete. Local steps emitted in a phase therefore
 * see what earlier phases received, never what this one does. Once posted, memory is not touched in the
 * phase: what a receive fills is neither read nor written, what a send reads is not written. */
struct coll_algorithm {
    enum coll_kind kind;
    const char *name; /* as the parameter takes it: "scatter-allgather" */
    const char *doc;  /* one line: how, cost, source */
    /* Emits phase `phase` of call->rank. False when there is no such phase: the rank is done. Stateless: any
     * phase of any rank can be asked for at any time, at a cost of what it emits plus O(log size), and of the
     * counts it sums up. */
    bool (*emit)(const struct coll_call *call, uint32_t phase, struct coll_sink *sink);
    uint64_t (*scratch)(const struct coll_call *call); /* bytes of scratch this rank needs; NULL = none */
    uint64_t (*shared)(const struct coll_call *call);  /* bytes shared by this rank's node; NULL = none */
    uint32_t (*flags)(const struct coll_call *call);   /* flags of this rank's node; NULL = none */
    bool node_aware;        /* asks who shares a node: `nodes` of the call matters */
    uint32_t shared_copies; /* that calls take in turns: 2 saves the barrier at the end; 0 = 1 */
};

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

/* Which algorithm runs a kind: "binomial", or with thresholds "binomial<=64KiB,scatter-allgather" (the first
 * whose limit the size does not pass; the last has no limit). The size compared is `bytes` of the call, for
 * allgatherv and reduce_scatter the mean block. All ranks of a call must choose alike, so kinds whose ranks
 * know only their own lengths (alltoallv, gatherv, scatterv) and barriers take no thresholds; coll/choice.h
 * reads and prints choices. */
enum { COLL_CHOICES = 4 };
struct coll_choice {
    uint32_t count;
    const struct coll_algorithm *algorithm[COLL_CHOICES];
    uint64_t limit[COLL_CHOICES]; /* bytes, inclusive; UINT64_MAX in the last */
};

bool coll_sizes_agree(enum coll_kind kind); /* whether the kind may be chosen by size */

const struct coll_algorithm *coll_choose(const struct coll_choice *choice, const struct coll_call *call);

#endif
