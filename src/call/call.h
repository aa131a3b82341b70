#ifndef HELIO_CALL_CALL_H
#define HELIO_CALL_CALL_H

#include <stddef.h>
#include <stdint.h>

/* The shared vocabulary: one MPI call of one rank, and the program that yields them one after another. Traces
 * and generated workloads produce calls, the rank machine executes them; neither knows of the other. */

enum call_op {
    CALL_INIT,
    CALL_FINALIZE,
    CALL_COMPUTE, /* amount = operations, turned into time by compute.rate and compute.scale */
    CALL_SLEEP,   /* amount = seconds */
    CALL_SEND,
    CALL_RECV,
    CALL_SENDRECV,
    CALL_WAIT,
    CALL_WAITALL, /* everything this rank has outstanding */
    CALL_TEST,
    CALL_NOTHING, /* takes no time and moves nothing: comm_size, a send to MPI_PROC_NULL ... */
    CALL_BARRIER, /* the first collective: everything from here on involves the whole group */
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
    CALL_SYNCHRONOUS = 2, /* Ssend, Issend: done only when the receiver is there, whatever the size */
    CALL_BUFFERED = 4,    /* Bsend, Ibsend: done when posted, whatever the size */
};

/* Peers that are no rank, and the wildcard tag. */
#define CALL_PROC_NULL  (-1)
#define CALL_ANY_SOURCE (-2)
#define CALL_ANY_TAG    INT32_MIN

/* How a send finds its receive. A channel is one (source, destination, context, tag) whose matches the
 * program fixes: its k-th send meets its k-th receive, so no tag is looked at while running. */
#define CHANNEL_KEYED   UINT32_MAX       /* look up (source, destination, context, tag) */
#define CHANNEL_MAILBOX (UINT32_MAX - 1) /* the destination uses wildcards: match in its mailbox */

/* Slots name the requests of a rank. The first two serve its blocking calls, programs hand out the others. */
enum { SLOT_SEND = 0, SLOT_RECV = 1, SLOT_FIRST = 2 };

/* Fields that an operation does not use are 0. Kept in mapped files: fixed layout, no pointers. */
struct call {
    uint8_t op;              /* enum call_op */
    uint8_t flags;           /* enum call_flag, or-ed */
    uint8_t element_bytes;   /* size of the element a reduction must not cut; 0 = 1 */
    uint8_t datatype;        /* in which sizes are counted when the call is written out, plus 1; 0 = bytes */
    uint32_t slot;           /* the request that this call starts, waits for or tests */
    int32_t peer;            /* destination of a send, source of a receive, root of a rooted collective */
    int32_t source;          /* sendrecv: where its receive comes from */
    int32_t tag;             /* of the send, or of the receive */
    uint32_t channel;        /* of the send, or of the receive */
    uint32_t source_channel; /* sendrecv: of its receive */
    uint32_t group;          /* index into the program's groups; 0 = all ranks */
    uint32_t context;        /* of the communicator; 0 = MPI_COMM_WORLD */
    uint32_t expected;    /* waitall: requests the program said it waits for, 0 = unknown; sendrecv: what the
                             tag of its receive is more than that of its send, modulo 2^32 */
    uint64_t bytes;       /* sent by this rank: to its peer, to each peer, or its block */
    uint64_t recv_bytes;  /* posted to receive, likewise */
    uint64_t send_counts; /* vector collectives: where in the program's `counts` its size entries start, */
    uint64_t recv_counts; /* bytes per peer; 0 = uniform (`bytes`, `recv_bytes`) */
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

/* "recv of 720 bytes from rank 3, tag 7" into buffer, for messages about blocked ranks; returns buffer. */
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

/* The rank in `group` of rank `world`, which is a member. Linear in the group's size unless it is all ranks:
 * far below what the schedule of its call costs. */
static inline uint32_t group_rank(const struct group *group, uint32_t world)
{
    uint32_t rank = world;
    for (uint32_t i = 0; group->world && i < group->size; i++)
        if (group->world[i] == world)
            rank = i;
    return rank;
}

/* The nodes of the group's ranks, where every node has `ranks_per_node` ranks of the world one after another:
 * place_of[r] for each rank r of the group, numbered from 0 in the order in which its ranks are on them. */
void group_places(const struct group *group, uint32_t ranks_per_node, uint32_t *place_of);

/* Where a call is: a line of a trace, or a step of a generated workload (line 0). `line` may be an offset in
 * bytes, as in a struct diag_place (DIAG_BYTE). `file` lives as long as the program. */
struct call_place {
    const char *file;
    uint64_t line;
};

struct program;
struct openloop;

struct program_ops {
    /* The rank's next call, NULL behind the last. Either points into the program or into *scratch, which is
     * the caller's; valid until the next call of next() for any rank with that scratch. Allocates nothing. */
    const struct call *(*next)(struct program *program, uint32_t rank, struct call *scratch);
    /* Slots this rank uses, SLOT_FIRST included. */
    uint32_t (*slots)(const struct program *program, uint32_t rank);
    /* Where the call last returned for this rank stands. */
    struct call_place (*place)(const struct program *program, uint32_t rank);
    void (*rewind)(struct program *program); /* every rank back to its first call */
    void (*close)(struct program *program);
};

/* What runs: one stream of calls per rank. Implementations embed this as their first member. */
struct program {
    const struct program_ops *ops;
    const char *name; /* "cg.S.4", "alltoall:ranks=64,bytes=8KiB" */
    const char *file; /* that a generated program has been made from; NULL = none */
    uint32_t ranks;
    uint32_t channels;          /* 0: all sends are keyed or go to mailboxes */
    const struct group *groups; /* groups[0] = all ranks */
    uint32_t group_count;
    const uint64_t *counts; /* vector collectives' bytes per peer; index 0 is unused */
    uint64_t total_calls;   /* of all ranks; 0 = unknown */
    uint64_t bytes_mapped;  /* of the input, for the memory account */
    /* Instead of calls: messages that nodes send by themselves (workload/openloop.h); NULL = none. Ranks are
     * nodes then, and 0 where they are all of the topology's. */
    const struct openloop *openloop;
};

static inline const struct call *program_next(struct program *program, uint32_t rank, struct call *scratch)
{
    return program->ops->next(program, rank, scratch);
}

#endif
