#ifndef HELIO_LIVE_COLL_VECTOR_H
#define HELIO_LIVE_COLL_VECTOR_H

#include "live/coll/internal.h"

/* Calls of which no rank but the root, if there is one, knows all counts: MPI_Alltoallv, MPI_Alltoallw,
 * MPI_Gatherv and MPI_Scatterv. The last two are alltoalls in which most blocks are empty. The forms of MPI 4
 * with counts of 64 bits are the same calls: a block of any length travels by itself if it is not staged.
 *
 *   vector_block.c  the blocks of a call
 *   vector_node.c   the exchange
 *   vector.c        one call: whether it is ours, and which way it goes
 *
 * The sender and the receiver of a block know its size; no other rank needs to. So each block takes a way
 * that depends on its size alone. Blocks of at most `limit` bytes are staged in the memory of the node, and
 * all staged blocks from one node to another travel in one message. Longer blocks travel directly from rank
 * to rank. */

struct live_block {
    char *at;
    MPI_Datatype type;
    bool plain;    /* its type is plain (types.h), and its data are in memory that the library can touch */
    int64_t count; /* above INT_MAX: of a form of MPI 4; such a block has no data, or is not staged */
    uint64_t bytes;
};

/* The arguments of one side of a call, sending or receiving. What sends in MPI_Gatherv and receives in
 * MPI_Scatterv has one count and no displacements. */
struct live_side {
    const void *buffer;
    struct entry_numbers counts, displacements;
    MPI_Datatype type; /* one type; displacements are in its extents */
    const MPI_Datatype
        *types; /* MPI_Alltoallw: a type for each rank; displacements are in bytes. Else NULL */
};

/* A buffer may be MPI_IN_PLACE where MPI allows it. */
struct live_vector_call {
    struct live_side send, recv;
    MPI_Comm comm;
    enum live_vector_function function;
    int root;      /* of MPI_Gatherv and MPI_Scatterv */
    bool is_large; /* a form of MPI 4 with counts of 64 bits */
};

/* ---------------------------------------------------------------- vector.c */

/* A whole call. True: *error is its result. False: nothing is done; the call is left to the MPI. */
bool live_vector(const struct live_vector_call *call, int *error);

/* Leaves the call to the MPI. */
int live_vector_by_mpi(const struct live_vector_call *call);

/* ---------------------------------------------------------- vector_block.c */

/* Reads a side into one block for each rank. Only the MPI can copy the data of a hidden one. Returns an MPI
 * error code. */
int live_blocks_read(struct live_block *blocks, uint32_t size, const struct live_side *side, bool is_hidden);

/* Pack a block's data into contiguous bytes at `into`, and unpack `bytes` contiguous bytes into it; it is an
 * error if the block has another size. Return MPI error codes. */
int live_block_pack(const struct live_block *block, void *into, MPI_Comm comm);
int live_block_unpack(const struct live_block *block, const void *from, uint64_t bytes, MPI_Comm comm);

/* Begin to send a block to a rank, or to receive one. Return MPI error codes. */
int live_block_send(const struct live_block *block, int to, MPI_Comm comm, MPI_Request *request);
int live_block_recv(const struct live_block *block, int from, MPI_Comm comm, MPI_Request *request);

/* A packed copy of a block's data. It can be sent like a block. */
struct live_copy {
    struct live_block block; /* empty if the copy could not be made */
    MPI_Datatype type;       /* type and memory belong to the copy */
    void *memory;
};

/* Returns an MPI error code; live_copy_free() is needed in either case. */
int live_copy_init(struct live_copy *copy, const struct live_block *block, const struct live_comm *comm);
void live_copy_free(struct live_copy *copy);

/* ----------------------------------------------------------- vector_node.c */

/* What a communicator keeps for these calls. */
struct live_vector {
    uint64_t limit; /* bytes of the longest block that is staged */
    uint64_t region_bytes;
    uint64_t *outgoing_at,
        *incoming_at;               /* for each node: the offset of its message in a copy of the memory */
    uint32_t *leader_of;            /* for each node: the local rank that exchanges messages with it */
    struct live_block *send, *recv; /* the blocks of the present call */
    struct live_copy *copies;       /* of blocks that are sent in place */
    uint32_t copy_count;
    struct autotune autotunes[LIVE_VECTOR_FUNCTIONS];
};

/* Opened at the first call. Collective. NULL: leave the call to the MPI. */
struct live_vector *live_vector_of(struct live_comm *comm);
void live_vector_close(struct live_vector *vector);

/* Exchanges the blocks of vector->send and vector->recv. Returns an MPI error code. */
int live_vector_exchange(struct live_comm *comm, bool in_place);

#endif
