#ifndef HELIO_CALL_CALL_H
#define HELIO_CALL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* One MPI call of one rank, and the program that yields calls one after another. Traces and generated
 * workloads produce calls, the rank engine executes them, and neither knows the other.
 *
 *     call.h, call.c          calls, groups, programs
 *     jobs.h                  the jobs that a program consists of
 *     dimensions.h            what the messages of a program are for
 *     sites.h                 where in its source a program calls MPI
 *     bursts.h, bursts.c      what was recorded of the computation between calls
 *     lost.h                  the names of calls that a trace lacks
 *     recorded.h              what timelines say beside OTF2's records of calls
 *     datatype.h, datatype.c  MPI's predefined datatypes */

enum call_op {
    CALL_INIT,
    CALL_FINALIZE,
    CALL_COMPUTE, /* amount = operations, turned into time by compute.rate and compute.scale */
    CALL_SLEEP,   /* amount = seconds of computation, which compute.scale multiplies */
    CALL_SEND,
    CALL_RECV,
    CALL_SENDRECV,
    CALL_WAIT,
    CALL_WAITALL, /* for all outstanding requests of this rank */
    CALL_TEST,
    CALL_NOTHING, /* takes no time and moves nothing: comm_size, a send to MPI_PROC_NULL ... */
    CALL_BARRIER, /* the first collective: all operations from here on involve the whole group */
    CALL_BCAST,
    CALL_REDUCE,
    CALL_ALLREDUCE,
    CALL_ALLTOALL,
    CALL_ALLTOALLV,
    CALL_ALLGATHER,
    CALL_ALLGATHERV,
    CALL_GATHER,
    CALL_GATHERV,
    CALL_SCATTER,
    CALL_SCATTERV,
    CALL_REDUCE_SCATTER,
    CALL_SCAN,
    CALL_EXSCAN,
    CALL_OPS
};

enum call_flag {
    CALL_IMMEDIATE = 1,   /* returns at once and leaves a request in `slot`: isend, irecv, ibcast ... */
    CALL_SYNCHRONOUS = 2, /* Ssend, Issend: done when the receive is posted, whatever the size */
    CALL_BUFFERED = 4,    /* Bsend, Ibsend: done when posted, whatever the size */
    CALL_EAGER = 8,       /* goes before its receive is posted, whatever the size; done when it has left */
    CALL_PHASE = 16,      /* of CALL_NOTHING: the phase begins whose number is in `tag` */
    CALL_LOST = 32,       /* of CALL_NOTHING: a call whose data the trace lacks (call/lost.h) */
    CALL_START = 64,      /* of CALL_SLEEP: the rank has not begun, as its job starts later */
};

/* Peers that are not ranks, and the wildcard tag. */
#define CALL_PROC_NULL  (-1)
#define CALL_ANY_SOURCE (-2)
#define CALL_ANY_TAG    INT32_MIN

/* How a send finds its receive. A channel stands for one (source, destination, context, tag) whose matches
 * the program fixes: its k-th send meets its k-th receive, so no tag is compared during the run. */
#define CHANNEL_KEYED   UINT32_MAX       /* look up (source, destination, context, tag) */
#define CHANNEL_MAILBOX (UINT32_MAX - 1) /* the destination uses wildcards: match in its mailbox */

/* Slots number the requests of a rank. The first two belong to its blocking calls, programs use the others.
 */
enum { SLOT_SEND = 0, SLOT_RECV = 1, SLOT_FIRST = 2 };

/* Fields that an operation does not use are 0. Calls are stored in mapped files: the layout is fixed and has
 * no pointers. */
struct call {
    uint8_t op;              /* enum call_op */
    uint8_t flags;           /* enum call_flag, or-ed */
    uint8_t element_bytes;   /* size of an element, which a reduction must not cut; 0 = 1 */
    uint8_t datatype;        /* of the sizes when the call is written as text, plus 1; 0 = bytes */
    uint32_t slot;           /* the request that this call starts, waits for or tests */
    int32_t peer;            /* destination of a send, source of a receive, root of a rooted collective */
    int32_t source;          /* sendrecv: where its receive comes from */
    int32_t tag;             /* of the send, or of the receive */
    uint32_t channel;        /* of the send, or of the receive */
    uint32_t source_channel; /* sendrecv: of its receive */
    uint32_t group;          /* index into the program's groups; 0 = all ranks */
    uint32_t context;        /* of the communicator; 0 = MPI_COMM_WORLD */
    uint32_t expected;   /* waitall: number of requests that the program waits for, 0 = unknown; sendrecv: tag
                            of its receive minus tag of its send, modulo 2^32 */
    uint64_t bytes;      /* sent by this rank: to its peer, to each peer, or its block */
    uint64_t recv_bytes; /* posted to receive, likewise */
    uint64_t send_counts; /* vector collectives: index in the counts of the program where the */
    uint64_t recv_counts; /* bytes for each peer begin; 0 = uniform (`bytes`, `recv_bytes`) */
    double amount;        /* compute, sleep; reductions: operations of the reduction itself */
};

static inline int call_is_collective(const struct call *call)
{
    return call->op >= CALL_BARRIER;
}

/* The tag of a sendrecv's receive. */
static inline int32_t call_source_tag(const struct call *call)
{
    return (int32_t)((uint32_t)call->tag + call->expected);
}

const char *call_op_name(enum call_op op); /* "send", "alltoallv": as traces write it */

/* "recv of 720 bytes from rank 3, tag 7" into buffer, for messages about blocked ranks. Returns buffer. */
const char *call_describe(const struct call *call, char *buffer, size_t size);

/* The members of a communicator, by rank in it. `world` NULL: the identity on `size` ranks. */
struct group {
    uint32_t size;
    const uint32_t *world;
};

static inline uint32_t group_world(const struct group *group, uint32_t rank)
{
    return group->world ? group->world[rank] : rank;
}

/* The rank in `group` of rank `world`, which is a member. Takes time linear in the size of the group unless
 * it is all ranks, which is little beside the schedule of a collective. */
static inline uint32_t group_rank(const struct group *group, uint32_t world)
{
    uint32_t rank = world;
    for (uint32_t i = 0; group->world && i < group->size; i++)
        if (group->world[i] == world)
            rank = i;
    return rank;
}

/* Where a call is: a line of a trace, or a step of a generated workload (line 0). `line` may be an offset in
 * bytes, as in a struct diag_place (DIAG_BYTE). `file` lives as long as the program. */
struct call_place {
    const char *file;
    uint64_t line;
};

struct program;
struct graph;
struct openloop;
struct program_jobs;
struct program_dimensions;
struct program_sites;
struct program_bursts;
struct program_lost;

/* Where in the calls of a rank somebody reads. All zero: before the first call. */
struct program_cursor {
    uint64_t number; /* of the next call; in programs with phases, of the present phase */
    uint32_t call;   /* of the next call in the phase */
};

struct program_ops {
    /* The next call of the rank, NULL after the last. It points into the program or into *scratch, which
     * belongs to the caller. It is valid until the next call of next() with the same scratch. Allocates
     * nothing. */
    const struct call *(*next)(struct program *program, uint32_t rank, struct call *scratch);
    /* The number of slots of this rank, SLOT_FIRST included. */
    uint32_t (*slots)(const struct program *program, uint32_t rank);
    /* The place of the last call of this rank. */
    struct call_place (*place)(const struct program *program, uint32_t rank);
    /* Every rank back to its first call. Comes before the first next() of a generated program, since it makes
     * the memory for the progress of ranks. */
    void (*rewind)(struct program *program);
    /* As next(), of a reader who keeps the place himself: reads calls before a run, and changes nothing.
     * NULL: the program can only be run. */
    const struct call *(*read)(const struct program *program, uint32_t rank, struct program_cursor *cursor,
                               struct call *scratch);
    void (*close)(struct program *program);
};

/* A parameter that a program sets, and its value: "mpi.allreduce", "ring". NULL: none. */
struct program_setting {
    const char *parameter, *value;
};

/* A program: one stream of calls for each rank. Implementations embed it as their first member. */
struct program {
    const struct program_ops *ops;
    const char *name; /* "cg.S.4", "alltoall:ranks=64,bytes=8KiB" */
    const char *file; /* from which a generated program was made; NULL = none */
    uint32_t ranks;
    uint32_t channels;          /* 0: all sends are keyed or go to mailboxes */
    const struct group *groups; /* groups[0] = all ranks */
    uint32_t group_count;
    const uint64_t *counts; /* vector collectives' bytes per peer; index 0 is unused */
    uint64_t total_calls;   /* of all ranks; 0 = unknown */
    uint64_t bytes_mapped;  /* of the input, for the memory account */
    /* Instead of calls: open-loop traffic (workload/openloop.h); NULL = none. `ranks` is then the number of
     * nodes, or 0 for all nodes of the topology. */
    const struct openloop *openloop;
    /* Instead of calls: operations with dependences (call/graph.h); NULL = none. Then next() has no calls,
     * unless the graph says that it has. */
    const struct graph *graph;
    struct program_jobs *jobs; /* that the ranks belong to (call/jobs.h); NULL: all ranks are one program */
    const struct program_dimensions *dimensions; /* of its messages (call/dimensions.h); NULL: none */
    const struct program_sites *sites;           /* of its calls (call/sites.h); NULL: they are not known */
    const struct program_bursts *bursts;         /* recorded with it (call/bursts.h); NULL: none */
    const struct program_lost *lost;             /* names of its lost calls (call/lost.h); NULL: not known */
    uint64_t key[2];                             /* of a trace: the hash of its contents */
    /* Of each rank: its node, as the placement of the run says. NULL: they are on nodes in order. The nodes
     * are numbered from 0, and some of the `nodes` may have no rank. */
    const uint32_t *node_of;
    uint32_t nodes; /* if node_of is given */
    /* Nodes in a row that are GPUs of one server: hierarchical algorithms take them for one node. 0: 1 */
    uint32_t nodes_per_server;
    /* What the program says about the configuration of its run; it wins over the user's. */
    struct program_setting setting;
    /* What a benchmark of rates counts: its messages and their bytes, without answers. 0: it is none. */
    double rate_messages, rate_bytes;
    /* What went wrong while a call was made, reported; that rank has no further call, and the run ends with
     * it. */
    enum status status;
};

static inline const struct call *program_next(struct program *program, uint32_t rank, struct call *scratch)
{
    return program->ops->next(program, rank, scratch);
}

/* The node of a rank. Without a placement, consecutive ranks share a node, `ranks_per_node` each. */
static inline uint32_t program_node(const struct program *program, uint32_t rank, uint32_t ranks_per_node)
{
    return program->node_of ? program->node_of[rank] : rank / ranks_per_node;
}

/* How many nodes a run of the program has. */
static inline uint32_t program_nodes(const struct program *program, uint32_t ranks_per_node)
{
    return program->node_of ? program->nodes
                            : program->ranks / ranks_per_node + (program->ranks % ranks_per_node != 0);
}

/* The nodes of the ranks of a group of the program. place_of[r] is the node of rank r of the group. Nodes are
 * numbered from 0 in the order of their lowest ranks in the group. The same of servers, with `by_server`. */
void group_places(const struct program *program, const struct group *group, uint32_t ranks_per_node,
                  bool by_server, uint32_t *place_of);

#endif
