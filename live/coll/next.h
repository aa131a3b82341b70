#ifndef HELIO_LIVE_COLL_NEXT_H
#define HELIO_LIVE_COLL_NEXT_H

/* Calls that are left to the MPI go to the next library that defines the function: a tool that is preloaded
 * behind this one or linked with the program, or else the MPI. So such a tool sees these calls, as it would
 * without this library. Messages of the library itself go to the MPI's PMPI functions: they are no calls of
 * the program. */

#define NEXT_FUNCTIONS(F)                                                                                    \
    F(MPI_Barrier)                                                                                           \
    F(MPI_Bcast)                                                                                             \
    F(MPI_Reduce)                                                                                            \
    F(MPI_Allreduce)                                                                                         \
    F(MPI_Reduce_scatter)                                                                                    \
    F(MPI_Reduce_scatter_block)                                                                              \
    F(MPI_Alltoall)                                                                                          \
    F(MPI_Alltoallv)                                                                                         \
    F(MPI_Alltoallw)                                                                                         \
    F(MPI_Allgather)                                                                                         \
    F(MPI_Allgatherv)                                                                                        \
    F(MPI_Gather)                                                                                            \
    F(MPI_Gatherv)                                                                                           \
    F(MPI_Scatter)                                                                                           \
    F(MPI_Scatterv)                                                                                          \
    F(MPI_Bcast_c)                                                                                           \
    F(MPI_Reduce_c)                                                                                          \
    F(MPI_Allreduce_c)                                                                                       \
    F(MPI_Reduce_scatter_block_c)                                                                            \
    F(MPI_Alltoall_c)                                                                                        \
    F(MPI_Allgather_c)                                                                                       \
    F(MPI_Gather_c)                                                                                          \
    F(MPI_Scatter_c)                                                                                         \
    F(MPI_Allgatherv_c)                                                                                      \
    F(MPI_Reduce_scatter_c)                                                                                  \
    F(MPI_Alltoallv_c)                                                                                       \
    F(MPI_Alltoallw_c)                                                                                       \
    F(MPI_Gatherv_c)                                                                                         \
    F(MPI_Scatterv_c)                                                                                        \
    F(MPI_Session_init)                                                                                      \
    F(MPI_Session_finalize)                                                                                  \
    F(MPIX_Comm_revoke)

#define NEXT_NUMBER(name) NEXT_##name,
enum { NEXT_FUNCTIONS(NEXT_NUMBER) NEXT_COUNT };

/* Any function. */
typedef void next_function(void);

/* The function with this number in the next library, or `own` if no library is found that has it. */
next_function *next_find(int number, next_function *own);

/* The next function MPI_NAME, to be called like PMPI_NAME. */
#define NEXT(name) ((__typeof__(&P##name))next_find(NEXT_##name, (next_function *)P##name))

#endif
