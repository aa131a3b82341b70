#ifndef HELIO_ALLTOALL_INTERNAL_H
#define HELIO_ALLTOALL_INTERNAL_H

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/alltoall/plan.h"
#include "live/alltoall/shm_counter.h"

/* What the files of the preloaded alltoall share.
 *
 *   entry.c     MPI_Alltoall as C programs call it; the wrong MPI is refused there
 *   mpi_fortran.c  as Fortran programs of Open MPI call it; MPICH's Fortran calls C
 *   call.c      one call: may it be ours, what is to be done, data into and out of contiguous buffers
 *   types.c     what elements of a type are in memory
 *   settings.c  the environment, read by one rank
 *   choose.c    which algorithm
 *   model.c     what it would take, by equations
 *   autotune.c     ours or the MPI's, by measuring both
 *   sockets.c   which ranks lead
 *   comm.c      what a communicator keeps: nodes, plans
 *   memory.c    and the memory that a node shares
 *   cores.c     how many processors there are for how many ranks
 *   execute.c   a plan, on real buffers
 *   plan.c      a schedule written down
 *   words.c     waiting in shared memory
 *
 * Nothing here ends the process. What cannot be done is left to the MPI, on all ranks of the communicator,
 * and whatever ranks must agree in is agreed when the communicator is first seen, or a size of blocks; in a
 * call a rank's errors are its own. */

enum { LIVE_TAG, LIVE_TAG_BLOCK, LIVE_TAG_COPY, LIVE_TAG_NEVER_SENT };

/* ----------------------------------------------------------------------------------------------- settings */

enum { SETTINGS_NAME = 32, SETTINGS_CHOICES = 64 };

/* A line of the table that `helio alltoall tune` writes: from that size on, that algorithm. */
struct live_settings_choice {
    uint32_t nodes, most_here;
    uint64_t bytes;
    char algorithm[SETTINGS_NAME];
};

/* As one rank read them; broadcast as bytes. */
struct live_settings {
    char algorithm[SETTINGS_NAME]; /* of coll, "auto" or "mpi" */
    char vectors[SETTINGS_NAME];   /* of MPI_Alltoallv and w: "leaders", "auto" or "mpi" */
    uint32_t ranks_per_node;       /* 0: as the machine is */
    uint32_t ranks_per_socket;     /* the same */
    uint32_t leaders;              /* 0: one a socket */
    uint32_t verbose;
    uint32_t valid; /* 0: something was wrong, and has been said */
    uint32_t choice_count;
    struct live_settings_choice choices[SETTINGS_CHOICES];
};

void live_settings_read(struct live_settings *settings);

/* ------------------------------------------------------------------------------------------------- trials */

enum { AUTOTUNE_CALLS = 16 };

struct live_comm;

/* Two ways to the same result, the library's and the MPI's: both are measured over a few calls, the faster
 * one is taken for many, and then again. All ranks of the communicator decide alike. */
struct autotune {
    uint32_t calls;      /* of this trial so far */
    uint64_t calls_left; /* calls left until the next one */
    uint64_t period;     /* how many the last one stood for */
    bool ours;           /* what it found */
    uint32_t votes[2];   /* for each way, of this trial's repetitions so far */
    uint32_t taken[2];
    int64_t ns[2][AUTOTUNE_CALLS / 2];
};

/* Whether the next call is to be ours; *measured: whether its time is to be told. */
bool autotune_next(struct autotune *autotune, bool *measured);

/* The time of the call. Collective, as it may end the trial. `what` is for people: "MPI_Alltoallv". */
void autotune_add_time(struct autotune *autotune, const struct live_comm *comm, bool ours, int64_t ns,
                       const char *what);

/* ---------------------------------------------------------------------------------------- communicators */

enum {
    LIVE_PLANS = 32,
    LIVE_CLASSES = 31, /* of sizes: from 2^class bytes to less than twice as many */
};

struct plan_entry {
    uint64_t block_bytes;
    uint64_t last_call; /* the how many-th call of the communicator used it last */
    bool is_filled;
    struct autotune *autotune; /* of its class: finds the faster way; NULL: ours is taken */
    struct live_plan plan;     /* no algorithm: the MPI's own */
};

/* The shared memory of a node: words first, then SHARED_COPIES of data. */
enum { SHARED_COPIES = 2 };

struct live_comm {
    struct live_settings settings;
    uint32_t calls_before; /* calls that are left to the MPI before the rest is made */
    MPI_Comm mine;         /* same ranks, for our messages alone; MPI_COMM_NULL until then */
    uint32_t size, rank;
    struct coll_nodes nodes;
    uint32_t *node_words; /* coll's; behind them two of each rank for who finds nodes and leaders */
    uint32_t node, local, here;
    uint32_t most_here; /* ranks of the largest node */
    uint32_t leaders;   /* of a node, at most */
    uint32_t cores;     /* that the ranks of rank 0's host may use */
    struct backoff backoff;

    unsigned char *shared; /* NULL: none */
    size_t shared_bytes;
    uint64_t copy_bytes; /* of one copy of the data */
    struct shm_counter *barrier, *flags;
    uint64_t barriers;     /* this rank has met so far */
    uint64_t shared_calls; /* calls that used shared memory */

    uint64_t calls; /* that asked for a plan */
    struct plan_entry plans[LIVE_PLANS];
    struct autotune autotunes[LIVE_CLASSES];
    MPI_Request *requests;
    MPI_Status *statuses;
    int *completed;
    uint32_t request_room;
    unsigned char *scratch, *packed_send, *packed_recv;
    size_t scratch_room, packed_send_room, packed_recv_room;
    struct live_vector *vector; /* vector.h; NULL: none yet, or */
    bool vector_refused;        /* none at all */
};

/* What the library keeps for `comm`, made at its first calls; NULL: leave it to the MPI. Collective. */
struct live_comm *live_comm_of(MPI_Comm comm);

/* How many processors one or the other of the ranks of `host` may use. Collective. */
uint32_t live_cores_of(MPI_Comm host);

/* Whether `ranks_here` are more than `cores`, or the job has more ranks here than there are processors at
 * all. */
bool live_is_oversubscribed(uint32_t ranks_here, uint32_t cores);

/* The memory that the ranks of `node` share: comm->shared, on all ranks of the communicator or on none.
 * Collective, and every rank comes out of it, whatever goes wrong on its side. */
void live_memory_open(struct live_comm *comm, MPI_Comm node);
void live_memory_close(struct live_comm *comm);

/* The plan for blocks of that many bytes, or NULL: the MPI's own. The same answer on all ranks. Collective.
 */
const struct plan_entry *live_plan_find(struct live_comm *comm, uint64_t block_bytes);

/* ------------------------------------------------------------------------------------------------- choose */

/* The algorithm for blocks of that size; NULL: the MPI's own. *tried: it is to be tried beside the MPI's own.
 * `why` gets a text for people. */
const struct coll_algorithm *live_choose(const struct live_comm *comm, uint64_t block_bytes, bool *tried,
                                         char *why, size_t size);

/* Whether `leaders` is faster than the MPI's own on any machine, slower on any, or one or the other. */
enum live_verdict { LIVE_FASTER, LIVE_SLOWER, LIVE_UNKNOWN };
enum live_verdict live_model_compare(const struct live_comm *comm, uint64_t block_bytes);

/* Sets comm->leaders, and makes them the first ranks of their nodes, on as many sockets as can be.
 * Collective; `sockets` has room for a number of each rank. */
void live_leaders_find(struct live_comm *comm, uint32_t *sockets);

/* -------------------------------------------------------------------------------------------------- types */

/* Whether elements of the type are their bytes in memory, one after another. Types made of others may have
 * holes or another order, though their sizes do not show it, so they are looked into. */
bool live_type_is_plain(MPI_Datatype type);

/* Whether there can be nothing of the type at `buffer`: where that is MPI_BOTTOM the type says where. */
bool live_is_nowhere(const void *buffer, MPI_Datatype type);

/* Elements of any type, at any place, to contiguous bytes and back. Return MPI error codes. */
int live_pack(const void *from, int count, MPI_Datatype type, void *into, int bytes, MPI_Comm comm);
int live_unpack(const void *from, int bytes, void *into, int count, MPI_Datatype type, MPI_Comm comm);

/* ------------------------------------------------------------------------------------------ execute, call */

/* The shared memory of the next call that uses any: its copy's turn. */
unsigned char *live_memory_next_copy(struct live_comm *comm);

/* Keeps the first error. Whoever has one goes on all the same: others wait for what it has still to do. */
static inline void note_error(int *first, int error)
{
    if (*first == MPI_SUCCESS)
        *first = error;
}

/* Requests first ... first + count - 1 of comm->requests. Returns an MPI error code. */
int live_wait_for_all(struct live_comm *comm, int first, int count);

/* Room in comm->requests, statuses and completed; false: no memory. */
bool live_requests_reserve(struct live_comm *comm, uint32_t count);

/* Whether it is true on all ranks. Collective. */
bool live_all_agree(MPI_Comm comm, bool here);

/* Returns an MPI error code. The other ranks come through whatever it is. `send` or `recv` is NULL where this
 * rank has no memory for it: its messages are empty then. */
int live_execute(struct live_comm *comm, const struct live_plan *plan, const void *send, void *recv);

/* Room of at least `bytes` in a buffer that is kept; false: no memory. */
bool live_buffer_reserve(unsigned char **buffer, size_t *room, size_t bytes);

/* The whole call; true: *error is its result. False: it is the MPI's. */
bool live_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, int *error);

#endif
