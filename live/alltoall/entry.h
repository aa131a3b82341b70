#ifndef HELIO_ALLTOALL_ENTRY_H
#define HELIO_ALLTOALL_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

/* Between the functions that programs call and the library. A handle is a pointer in one MPI and an int in
 * the other; here it is a number that holds either, so that a program of the wrong MPI gets its own back. */

/* Whether the program's MPI is the one this library is built for; says so once if not. */
bool entry_is_ours(void);

/* True: *error is the result of the call. False: it is the MPI's. */
bool entry_alltoall(const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf, int recvcount,
                    uintptr_t recvtype, uintptr_t comm, int *error);
bool entry_alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, uintptr_t sendtype,
                     void *recvbuf, const int *recvcounts, const int *rdispls, uintptr_t recvtype,
                     uintptr_t comm, int *error);
/* The types are arrays of handles. */
bool entry_alltoallw(const void *sendbuf, const int *sendcounts, const int *sdispls, const void *sendtypes,
                     void *recvbuf, const int *recvcounts, const int *rdispls, const void *recvtypes,
                     uintptr_t comm, int *error);

#endif
