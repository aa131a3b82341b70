#ifndef HELIO_COLL_FOOTPRINT_H
#define HELIO_COLL_FOOTPRINT_H

#include "coll/coll.h"

/* What the preloaded library (live/coll) takes for one communicator, without running it. The library's own
 * code checks that these sizes are its own. */
enum {
    COLL_FOOTPRINT_COMMS = 64,       /* the communicators of a process that the library serves at most */
    COLL_FOOTPRINT_COPY = 128 << 20, /* bytes of one copy of the shared data, of address space */
    COLL_FOOTPRINT_COPIES = 2,
    COLL_FOOTPRINT_COUNTER = 64,    /* bytes of a barrier or flag */
    COLL_FOOTPRINT_OPENMPI = 33032, /* bytes of heap for a communicator, by MPI */
    COLL_FOOTPRINT_MPICH = 33024,
    COLL_FOOTPRINT_REQUEST_OPENMPI = 36, /* bytes of heap for a message under way */
    COLL_FOOTPRINT_REQUEST_MPICH = 28,
    COLL_FOOTPRINT_TRIALS = 31 * 256, /* bytes of heap for the trials of a function */
    COLL_FOOTPRINT_SETTINGS = 14872,  /* bytes that rank 0 tells all others in set-up */
    COLL_FOOTPRINT_SET_UP_WORDS = 3,  /* numbers of 32 bits that each rank tells all others */
};

enum coll_footprint_mpi { COLL_FOOTPRINT_OF_OPENMPI, COLL_FOOTPRINT_OF_MPICH };

/* How many flags a node has for the algorithms of coll. */
static inline uint32_t coll_footprint_flags(uint32_t nodes, uint32_t ranks_here)
{
    return nodes + 2 * ranks_here;
}

/* Bytes of the barrier and the flags of a node, with a flag of each rank for vector calls: whole pages. */
static inline uint64_t coll_footprint_counters(uint32_t nodes, uint32_t ranks_here, uint64_t page)
{
    uint64_t flags = (uint64_t)coll_footprint_flags(nodes, ranks_here) + ranks_here;
    uint64_t bytes = (1 + flags) * COLL_FOOTPRINT_COUNTER;
    return (bytes + page - 1) / page * page;
}

/* The bytes of the longest call: MPI counts those of a message with an int. The longest message of any
 * algorithm is, of alltoalls, all that one node has for another, else all that there is. */
uint64_t coll_footprint_bytes_max(enum coll_kind kind, uint32_t size, uint32_t most_here);

/* Of a communicator with calls of one collective and size. Of nodes and of ranks, each number is that of the
 * one that has most. */
struct coll_footprint {
    bool is_executed;         /* the library executes such calls; else it leaves them to the MPI */
    uint64_t comm_bytes;      /* heap of a rank for a communicator, with the map of nodes */
    uint64_t set_up_bytes;    /* heap of a rank while it is set up, beside that */
    uint64_t plan_bytes;      /* heap of a rank for the calls: its steps, messages, trials, scratch */
    uint64_t node_heap_bytes; /* heap of all ranks of a node */
    uint64_t
        shared_bytes; /* memory of a node that its ranks share and use: flags and both copies of the data */
    uint64_t copy_bytes;    /* of one copy; above COLL_FOOTPRINT_COPY the call is left to the MPI */
    uint64_t address_bytes; /* address space of a rank, and the length of the file */
};

/* `call` is as rank 0 makes it, with a map of nodes; `algorithm` is node-aware. False: no memory. */
bool coll_footprint_of(struct coll_footprint *footprint, const struct coll_algorithm *algorithm,
                       const struct coll_call *call, enum coll_footprint_mpi mpi);

#endif
