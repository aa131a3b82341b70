#ifndef HELIO_ALLTOALL_VECTOR_H
#define HELIO_ALLTOALL_VECTOR_H

#include "live/alltoall/internal.h"

/* Alltoalls of vectors: MPI_Alltoallv and MPI_Alltoallw, of which no rank knows all counts.
 *
 *   vector.c        one call: may it be ours, ours or the MPI's
 *   vector_block.c  what the program gave, block by block
 *   vector_node.c   the exchange
 *
 * Sender and receiver of a block both know its size, and no third rank has to. So each block goes its own
 * way: one of at most `limit` bytes through the memory of the nodes, put together with the others of its node
 * for that node; a longer one straight from rank to rank, as the program has it. */

struct live_block {
    char *at;
    MPI_Datatype type;
    int count;
    bool plain; /* its data is its bytes in memory */
    uint64_t bytes;
};

/* One side of a call as the program gave it. */
struct live_side {
    const void *buffer;
    const int *counts, *displacements;
    MPI_Datatype type;         /* of MPI_Alltoallv; displacements in its extents */
    const MPI_Datatype *types; /* of MPI_Alltoallw, a type for each rank, displacements in bytes; else NULL */
};

struct live_vector_call {
    struct live_side send, recv; /* send.buffer: or MPI_IN_PLACE */
    MPI_Comm comm;
    bool is_w;
};

/* The whole call; true: *error is its result. False: it is the MPI's. */
bool live_alltoallv(const struct live_vector_call *call, int *error);

/* The call as the MPI does it. */
int live_vector_by_mpi(const struct live_vector_call *call);

/* ------------------------------------------------------------------------------------------------- blocks */

/* Reads a side into one block for each rank. Returns an MPI error code. */
int live_blocks_read(struct live_block *blocks, uint32_t size, const struct live_side *side);

/* The block's data as contiguous bytes from `into` on, and back from `bytes` of them, which must be as many
 * as the block takes. Return MPI error codes. */
int live_block_pack(const struct live_block *block, void *into, MPI_Comm comm);
int live_block_unpack(const struct live_block *block, const void *from, uint64_t bytes, MPI_Comm comm);

/* A copy of a block's data, packed, as a block that can be sent. */
struct live_copy {
    struct live_block block; /* empty, when it could not be made */
    MPI_Datatype type;       /* ours to free, as the memory is */
    void *memory;
};

/* Returns an MPI error code; live_copy_free() in any case. */
int live_copy_init(struct live_copy *copy, const struct live_block *block, const struct live_comm *comm);
void live_copy_free(struct live_copy *copy);

/* ----------------------------------------------------------------------------------------------- exchange */

/* What a communicator keeps for it. */
struct live_vector {
    uint64_t limit; /* bytes of the longest block that is staged */
    uint64_t region_bytes;
    uint64_t *outgoing_at, *incoming_at; /* of each node: where its message is, in a copy of the memory */
    uint32_t *leader_of;                 /* of each node: the local rank that exchanges with it */
    struct live_block *send, *recv;
    struct live_copy *copies; /* of blocks that are sent in place */
    uint32_t copy_count;
    struct autotune autotunes[2]; /* of Alltoallv, of Alltoallw */
};

/* Made at the first call. Collective; NULL: leave it to the MPI. */
struct live_vector *live_vector_of(struct live_comm *comm);
void live_vector_close(struct live_vector *vector);

/* The exchange of what is in vector->send and vector->recv. MPI error codes. */
int live_vector_exchange(struct live_comm *comm, bool in_place);

#endif
