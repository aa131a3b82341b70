#ifndef HELIO_LIVE_COLL_ENTRY_H
#define HELIO_LIVE_COLL_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "coll/coll.h"

/* Between the functions that programs call and the library. A handle of MPI is a pointer in Open MPI and an
 * int in MPICH. Here it is an integer that can hold either, so that a program of the wrong MPI gets its own
 * handle back unchanged. */

/* True: the program's MPI is the one that this library is built for. If not, it says so once. */
bool entry_is_ours(void);

/* Numbers of a call, one for each rank, as the program has them: ints, or numbers of 64 bits in the large
 * forms of MPI 4. Both NULL: there are none. */
struct entry_numbers {
    const int *ints;
    const int64_t *longs;
};

static inline bool entry_has(const struct entry_numbers *numbers)
{
    return numbers->ints || numbers->longs;
}

static inline int64_t entry_number(const struct entry_numbers *numbers, uint32_t rank)
{
    return numbers->longs ? numbers->longs[rank] : numbers->ints[rank];
}

/* A call of a collective, as struct live_call (internal.h) has it. */
struct entry_call {
    enum coll_kind kind;
    const void *sendbuf;
    int64_t sendcount;
    uintptr_t sendtype;
    void *recvbuf;
    int64_t recvcount;
    uintptr_t recvtype;
    uintptr_t op;
    int root;
    struct entry_numbers counts; /* of MPI_Reduce_scatter and MPI_Allgatherv */
    struct entry_numbers displs; /* of MPI_Allgatherv */
    bool is_large;               /* a form of MPI 4 with counts of 64 bits */
    uintptr_t comm;
};

/* True: *error is the result of the call. False: nothing is done; the call is left to the MPI. */
bool entry_collective(const struct entry_call *call, int *error);

/* The functions of which no rank but the root, if there is one, knows all counts. */
enum live_vector_function {
    LIVE_ALLTOALLV,
    LIVE_ALLTOALLW,
    LIVE_GATHERV,
    LIVE_SCATTERV,
    LIVE_VECTOR_FUNCTIONS
};

/* One side of such a call, as struct live_side (vector.h) has it. `types` is an array of handles. */
struct entry_side {
    const void *buffer;
    struct entry_numbers counts, displs;
    uintptr_t type;
    const void *types;
};

struct entry_vector {
    enum live_vector_function function;
    struct entry_side send, recv;
    int root; /* of MPI_Gatherv and MPI_Scatterv */
    bool is_large;
    uintptr_t comm;
};

/* As entry_collective. At ranks other than the root, what only the root has is not read. */
bool entry_vector(const struct entry_vector *call, int *error);

/* Programs that use sessions of MPI 4 may never call MPI_Init. A session has begun; a session is about to
 * end. */
void entry_session_began(void);
void entry_session_ends(void);

/* How many calls the library has taken from the MPI. Exported, for live/bench. */
unsigned long helio_coll_taken(void);

/* The program revokes its communicator: the ranks that wait in the library leave. */
void entry_revoke(uintptr_t comm);

/* The error of a function that the program's MPI does not have. */
int entry_missing(void);

#endif
