#ifndef HELIO_LIVE_COLL_INTERNAL_H
#define HELIO_LIVE_COLL_INTERNAL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "coll/plan.h"
#include "live/coll/autotune.h"
#include "live/coll/entry.h"
#include "live/coll/limits.h"
#include "live/coll/settings.h"
#include "live/coll/shm_counter.h"
#include "live/coll/types.h"

/* The preloaded collectives. This header has what its files share; each file uses only those above it in this
 * map.
 *
 *   next.c          the functions of the next library, which calls are left to
 *   digits.h        decimal numbers
 *   settings.c      environment variables
 *   limits.c        what control groups allow
 *   types.c         datatypes: which are plain bytes; pack and unpack
 *   operations.c    operations of reductions: which of them are executed here
 *   backoff.c       how a rank waits: spin, yield, sleep
 *   shm_counter.c   counters in shared memory that ranks wait for
 *   cores.c         processors that the ranks of a host may use
 *   buffers.c       requests and buffers that a communicator keeps
 *   devices.c       whether the program uses GPUs
 *   forked.c        whether this process is a rank, or its child
 *   break.c         gives up a communicator whose ranks fail
 *   memory.c        memory that the ranks of a node share
 *   sockets.c       which ranks are leaders
 *   autotune.c      the library's way or the MPI's, by measuring both
 *   known.c         what trials have found on communicators of one shape
 *   model.c         the times of both ways of an alltoall, by equations
 *   choose.c        the algorithm for a call
 *   predict.c       the times of both ways of other calls, by measured costs
 *   execute.c       executes a plan on real buffers
 *   costs.c         measures what rounds of messages, meetings of a node and copies cost
 *   plan_cache.c    the plan for a call
 *   vector_block.c  the blocks of a call of which no rank knows all counts
 *   vector_node.c   the exchange of such blocks
 *   comm.c          what is kept for each communicator: opened, closed
 *   by_mpi.c        a call, executed by the MPI
 *   shape.c         which blocks a call sends and receives
 *   call.c          one call of a collective
 *   vector.c        one MPI_Alltoallv, MPI_Alltoallw, MPI_Gatherv or MPI_Scatterv
 *   entry.c         checks that the program's MPI is the one that this library is built for
 *   mpi_c.c         the functions that C programs call
 *   mpi_fortran.c   the functions that Fortran programs of Open MPI call; MPICH's Fortran functions call C's
 *
 * bench.c is a program of its own.
 *
 * Nothing here ends the process. What the library cannot do is left to the MPI, on all ranks of the
 * communicator. Ranks agree on that at two times only: when the communicator is set up, and when a block size
 * is new. During a call an error of one rank stays its own: the rank does the rest of its part, since others
 * wait for it. */

enum { LIVE_TAG, LIVE_TAG_BLOCK, LIVE_TAG_COPY, LIVE_TAG_NEVER_SENT };

enum {
    LIVE_PLANS = 128,
    LIVE_CLASSES = 31, /* of sizes: class c is from 2^c bytes to 2^(c+1) - 1 */
};

/* What decides about the plan of a call. The same on all ranks. */
struct live_key {
    enum coll_kind kind;
    uint32_t root;    /* 0 where there is none */
    uint64_t bytes;   /* as coll_call means it: the vector of a bcast or reduction, else a block */
    uint64_t element; /* bytes; 1 where nothing is reduced */
    bool in_order;    /* the operation does not commute */
    bool is_vector;   /* a call whose blocks may differ: all are executed as long as the longest */
};

/* Trials differ by the function of the MPI that the library replaces. */
enum { LIVE_FUNCTIONS = 2 * COLL_KINDS };

static inline uint32_t live_function(const struct live_key *key)
{
    return (uint32_t)key->kind + (key->is_vector ? COLL_KINDS : 0);
}

struct plan_entry {
    struct live_key key;
    uint64_t last_call; /* the value of live_comm.calls when it was last used */
    bool is_filled;
    struct autotune *autotune; /* that of its class, which finds the faster way; NULL: ours is taken */
    struct coll_plan plan;     /* no algorithm: the MPI's own */
};

/* The shared memory of a node has the counters first, then SHARED_COPIES copies of the data. */
enum { SHARED_COPIES = 2 };

/* A time in ps, between two bounds. */
struct live_range {
    uint64_t least_ps, most_ps;
};

/* What things cost on a communicator, as costs.c has measured it: rounds in which each rank sends a short
 * message and receives one, within nodes, between nodes, and between leaders alone; a meeting of all ranks of
 * a node; and what one message more costs in a round, and one byte more. */
struct live_costs {
    struct live_range near, far, lead, meet, message, near_byte, far_byte, lead_byte, copy_byte;
    bool is_measured;
};

/* The way that trials have found for each function and class of sizes, and the costs. */
enum { LIVE_NOT_KNOWN, LIVE_KNOWN_THEIRS, LIVE_KNOWN_OURS };
struct live_known {
    uint8_t choice[LIVE_FUNCTIONS][LIVE_CLASSES];
    struct live_costs costs;
};

/* What ranks tell each other when a communicator is set up: node, cores, memory. */
enum { SET_UP_WORDS = 3 };

/* What the library keeps for a communicator. */
struct live_comm {
    struct live_settings settings;
    uint32_t calls_before; /* calls that are left to the MPI before this is set up */
    MPI_Comm mine;         /* the same ranks, for our messages only; MPI_COMM_NULL until it is set up */
    bool calls_differ;     /* its ranks have made different calls: the MPI executes all that follow */
    int broken;            /* the error with which the MPI has given up `mine`; MPI_SUCCESS: it has not */
    uint32_t size, rank;
    struct coll_nodes nodes;
    uint32_t *node_words;   /* memory of `nodes` */
    uint32_t *set_up_words; /* SET_UP_WORDS numbers per rank; NULL when it is set up */
    uint32_t node, local, here;
    uint32_t most_here; /* ranks of the largest node */
    uint32_t leaders;   /* per node, at most */
    uint32_t cores;     /* that the ranks of rank 0's host may use */
    uint64_t memory;    /* bytes that the control group of any rank allows at least; UINT64_MAX: no limit */
    struct backoff backoff;

    unsigned char *shared; /* NULL: none */
    size_t shared_bytes;
    uint64_t copy_bytes; /* of one copy of the data */
    struct shm_counter *barrier, *flags;
    uint64_t barriers;     /* that this rank has entered so far */
    uint64_t shared_calls; /* calls that used shared memory */

    uint64_t calls; /* calls that asked for a plan */
    struct plan_entry plans[LIVE_PLANS];
    struct plan_entry *latest[COLL_KINDS];      /* that of the last call of a kind; NULL: there was none */
    struct autotune *autotunes[LIVE_FUNCTIONS]; /* of each, one for each class; NULL: no call so far */
    struct live_known known; /* by communicators of this shape, when this one was set up; and its own costs */
    bool costs_asked;        /* costs.c has measured, or cannot */
    MPI_Request *requests;
    MPI_Status *statuses;
    int *completed;
    uint32_t request_room;
    unsigned char *scratch, *packed_send, *packed_recv;
    size_t scratch_room, packed_send_room, packed_recv_room;
    struct live_vector *vector; /* vector.h; NULL: not opened yet, or refused */
    bool vector_refused;        /* the calls of vector.h are left to the MPI */
    uint32_t vectors_told;      /* a bit for each function of vector.h: it is said who executes its calls */
};

/* ----------------------------------------------------------------- cores.c */

/* The processors that all ranks of `host` may use together, no more than their control groups give them time
 * on. Collective. `words` is work space: two numbers for each rank. */
uint32_t live_cores_of(MPI_Comm host, const struct limits *mine, uint32_t *words);

/* True: there are more ranks here than `cores`, or the job has more ranks here than processors are online. */
bool live_is_oversubscribed(uint32_t ranks_here, uint32_t cores);

/* --------------------------------------------------------------- buffers.c */

/* Enlarges a buffer to at least `bytes`. False: no memory. */
bool live_buffer_reserve(unsigned char **buffer, size_t *room, size_t bytes);

/* Enlarges comm->requests, statuses and completed. False: no memory. */
bool live_requests_reserve(struct live_comm *comm, uint32_t count);

/* True on all ranks if `here` is true on all of them, else false on all. Collective. */
bool live_all_agree(MPI_Comm comm, bool here);

/* --------------------------------------------------------------- devices.c */

/* True: this process may pass buffers in the memory of a GPU, which the library must not touch. */
bool live_uses_devices(void);

/* True: this process has begun to use GPUs since the communicator was set up. No other rank knows of that. So
 * the rank still does its part of each call, and leaves its buffers to MPI_Pack and MPI_Unpack. */
bool live_may_be_of_device(const struct live_comm *comm);

/* ---------------------------------------------------------------- forked.c */

/* True: this process is a child that a rank has made by fork. It has no shared memory, and MPI allows it no
 * calls; if it makes one nevertheless, it goes to the MPI. */
bool live_is_forked(void);

/* ----------------------------------------------------------------- break.c */

/* The class of errors of a revoked communicator. MPI has it as an extension. */
#if defined(MPIX_ERR_REVOKED)
enum { LIVE_REVOKED = MPIX_ERR_REVOKED, LIVE_PROC_FAILED = MPIX_ERR_PROC_FAILED };
#elif defined(MPI_ERR_REVOKED)
enum { LIVE_REVOKED = MPI_ERR_REVOKED, LIVE_PROC_FAILED = MPI_ERR_PROC_FAILED };
#else
enum { LIVE_REVOKED = MPI_ERR_COMM, LIVE_PROC_FAILED = MPI_ERR_COMM };
#endif

/* Gives up a communicator because of an error of the MPI: this rank waits no more for ranks that may have
 * failed. If the MPI can, it also revokes comm->mine, so that all other ranks leave as well. Later calls go
 * to the MPI. */
void live_break(struct live_comm *comm, int error);

/* ---------------------------------------------------------------- memory.c */

/* Makes the memory that the ranks of `node` share: comm->shared is set on all ranks of the communicator, or
 * on none. Collective; every rank returns from it, whatever fails on its side. */
void live_memory_open(struct live_comm *comm, MPI_Comm node);
void live_memory_close(struct live_comm *comm);

/* How many flags a node with so many ranks has for the algorithms of coll. Behind them each rank has a flag
 * for the calls of vector.h. */
uint32_t live_memory_flags(const struct live_comm *comm, uint32_t ranks_here);

/* Begins a call that uses shared memory: the copy of the data that is this call's. */
unsigned char *live_memory_next_copy(struct live_comm *comm);

/* --------------------------------------------------------------- sockets.c */

/* Sets comm->leaders. Orders the ranks of each node so that its leaders come first, on as many sockets as
 * possible. Collective. `sockets` is work space: a number for each rank. */
void live_leaders_find(struct live_comm *comm, uint32_t *sockets);

/* ------------------------------------------------------------ operations.c */

/* Whether calls with this operation and type may be executed here. Elements lie without gaps in their own
 * order, so that they may be copied as bytes. The same on all ranks, since all ranks have the same type and
 * operation. */
enum live_reduces {
    LIVE_REDUCES_NOT,
    LIVE_REDUCES,
    LIVE_REDUCES_IN_ORDER /* the operation does not commute */
};
enum live_reduces live_reduces(MPI_Op op, MPI_Datatype type);

/* True: the MPI defines the operation. */
bool live_op_is_predefined(MPI_Op op);

/* ----------------------------------------------------------------- model.c */

/* `leaders` against the MPI's own alltoall: faster on every machine, slower on every machine, or neither. */
enum live_verdict { LIVE_FASTER, LIVE_SLOWER, LIVE_UNKNOWN };
enum live_verdict live_model_alltoall(const struct live_comm *comm, uint64_t block_bytes);

/* ----------------------------------------------------------------- known.c */

/* Notes what a trial has found, for later communicators of the same shape. */
void live_known_note(const struct live_comm *comm, uint32_t function, uint32_t class, bool ours);

/* Notes comm->known.costs. */
void live_known_note_costs(const struct live_comm *comm);

/* Sets comm->known to what rank 0 knows. Collective. */
void live_known_share(struct live_comm *comm);

/* ---------------------------------------------------------------- choose.c */

/* The call that decides, as rank `rank` makes it. */
struct coll_call live_coll_call(const struct live_comm *comm, const struct live_key *key, uint32_t rank);

/* The algorithm that the table of settings has for such calls (settings.h) on a cluster of this shape; NULL:
 * it has none. The same on all ranks if `bytes` are. */
const char *live_algorithm_of_table(const struct live_comm *comm, uint32_t call, uint64_t bytes);

/* The algorithm for the call; NULL: the MPI's own. *tried: autotune decides between the algorithm and the
 * MPI's own. `why` gets the reason for messages, at most `size` bytes. */
const struct coll_algorithm *live_choose(const struct live_comm *comm, const struct live_key *key,
                                         bool *tried, char *why, size_t size);

/* --------------------------------------------------------------- predict.c */

struct live_prediction {
    struct live_range ours, theirs; /* 0: there is none */
    enum live_verdict verdict;
};

/* True: live_predict may know the times of such calls, if costs are measured. */
bool live_predicts(const struct live_key *key);

/* The time of a call by `algorithm`, and by the MPI. The same on all ranks. */
struct live_prediction live_predict(const struct live_comm *comm, const struct live_key *key,
                                    const struct coll_algorithm *algorithm);

/* --------------------------------------------------------------- execute.c */

/* What the elements of a reduction are, and what is done with them. */
struct live_reduction {
    MPI_Op op;
    MPI_Datatype type;
    uint64_t element; /* bytes */
};

/* Executes the plan and returns an MPI error code. The other ranks complete whatever happens on this one.
 * `send` or `recv` is NULL if this rank has no memory for it; its messages are then empty. `reduction` is for
 * plans that reduce. */
int live_execute(struct live_comm *comm, const struct coll_plan *plan, const void *send, void *recv,
                 const struct live_reduction *reduction);

/* Waits for requests first ... first + count - 1 of comm->requests. Returns an MPI error code. */
int live_wait_for_all(struct live_comm *comm, int first, int count);

/* Keeps the first error. A rank with an error goes on: other ranks wait for what it still has to do. */
static inline void note_error(int *first, int error)
{
    if (*first == MPI_SUCCESS)
        *first = error;
}

/* ----------------------------------------------------------------- costs.c */

/* Measures comm->known.costs, if there is shared memory. Collective. */
void live_costs_measure(struct live_comm *comm);

/* ------------------------------------------------------------ plan_cache.c */

/* The plan for such calls; NULL: the MPI's own. The same answer on all ranks. Collective. */
const struct plan_entry *live_plan_find(struct live_comm *comm, const struct live_key *key);

/* "MPI_Allreduce" */
const char *live_call_name(const struct live_key *key);

/* ------------------------------------------------------------------ comm.c */

/* The place of this rank in a communicator. */
struct live_place {
    uint32_t rank, size;
};

/* What the library keeps for `theirs`; NULL: nothing yet. False: leave all its calls to the MPI; unless there
 * is an *error, which the MPI has already told the program: `theirs` is no communicator. Not collective. */
bool live_comm_find(MPI_Comm theirs, struct live_comm **comm, struct live_place *place, int *error);

/* Counts a call of `theirs`, which is set up during its first calls. `comm` is what live_comm_find() has
 * found. NULL: leave this call to the MPI. Collective: a call that the MPI refuses on one rank alone must not
 * be counted, since that rank may then make one more. */
struct live_comm *live_comm_enter(MPI_Comm theirs, struct live_comm *comm);

/* True: the MPI has given up comm->mine, since a rank has failed or has revoked it; comm->broken is the
 * error. */
bool live_is_broken(struct live_comm *comm);

/* The program revokes its communicator. */
void live_revoke(MPI_Comm comm);

/* A session of MPI 4 has begun; a session is about to end. */
void live_session_began(void);
void live_session_ends(void);

/* --------------------------------------------------------------- by_mpi.c */

/* A call of a collective as the program makes it. Of counts and types that the call does not have, 0 and
 * MPI_DATATYPE_NULL; a bcast has its buffer on both sides; a reduction has its count and type on both. */
struct live_call {
    enum coll_kind kind;
    const void *sendbuf;
    int64_t sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    int64_t recvcount;
    MPI_Datatype recvtype;
    MPI_Op op;
    int root;                    /* 0 where there is none */
    struct entry_numbers counts; /* of MPI_Reduce_scatter and MPI_Allgatherv, in place of recvcount */
    struct entry_numbers displs; /* of MPI_Allgatherv */
    bool is_large;               /* a form of MPI 4 with counts of 64 bits */
    MPI_Comm comm;
};

int live_by_mpi(const struct live_call *call);

/* ----------------------------------------------------------------- shape.c */

/* A buffer of a call. */
struct live_buffer {
    const void *at;
    int64_t count;               /* of elements of a block */
    struct entry_numbers counts; /* of each block, if they differ */
    struct entry_numbers displs; /* where each block begins, in elements; none: they follow one another */
    MPI_Datatype type;
    uint32_t blocks; /* 0: the call does not use this buffer on this rank */
    bool is_bytes;   /* its elements are copied as bytes */
    bool is_hidden;  /* only the MPI can copy them: they may be in the memory of a GPU */
    bool is_direct;  /* its blocks are those of the plan: they are sent and received in their own place */
};

struct live_shape {
    struct live_key key;
    struct live_buffer send, recv;
    bool in_place; /* the data to send are in memory that the call may write */
};

/* False: the MPI refuses these arguments, or has nothing to do, and the call is left to it. Whatever all
 * ranks share decides so on all ranks. What live_shape_find_copies() finds is still missing. */
bool live_shape_of(struct live_shape *shape, struct live_place place, const struct live_call *call);

/* False: the call reduces a type that the program has not committed, which the MPI refuses. All ranks have
 * the same one. */
bool live_shape_is_committed(const struct live_call *call, const struct live_comm *comm);

/* Which buffers have to be copied. */
void live_shape_find_copies(struct live_shape *shape, const struct live_comm *comm);

/* ------------------------------------------------------------------ call.c */

/* A whole call. True: *error is its result. False: nothing is done; the call is left to the MPI. */
bool live_collective(const struct live_call *call, int *error);

#endif
