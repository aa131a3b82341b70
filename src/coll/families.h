#ifndef HELIO_COLL_FAMILIES_H
#define HELIO_COLL_FAMILIES_H

#include "coll/coll.h"

/* The algorithms, each defined in its family's file and listed in list.c. */
extern const struct coll_algorithm coll_barrier_linear, coll_barrier_dissemination;
extern const struct coll_algorithm coll_bcast_binomial, coll_bcast_linear, coll_bcast_scatter_allgather;
extern const struct coll_algorithm coll_reduce_binomial, coll_reduce_linear;
extern const struct coll_algorithm coll_allreduce_reduce_bcast, coll_allreduce_recursive_doubling,
    coll_allreduce_ring, coll_allreduce_rabenseifner;
extern const struct coll_algorithm coll_alltoall_linear, coll_alltoall_pairwise, coll_alltoall_ring,
    coll_alltoall_bruck, coll_alltoall_scatter_destination;
extern const struct coll_algorithm coll_alltoall_v1, coll_alltoall_v2, coll_alltoall_transpose,
    coll_alltoall_v3, coll_alltoall_khorassani, coll_alltoall_traff, coll_alltoall_chochia,
    coll_alltoall_leaders;
extern const struct coll_algorithm coll_alltoallv_linear, coll_alltoallv_pairwise;
extern const struct coll_algorithm coll_allgather_ring, coll_allgather_bruck,
    coll_allgather_recursive_doubling;
extern const struct coll_algorithm coll_allgatherv_ring, coll_allgatherv_bruck,
    coll_allgatherv_recursive_doubling;
extern const struct coll_algorithm coll_gather_binomial, coll_gather_linear, coll_gather_windowed;
extern const struct coll_algorithm coll_gatherv_linear, coll_gatherv_windowed;
extern const struct coll_algorithm coll_scatter_binomial, coll_scatter_linear, coll_scatter_windowed;
extern const struct coll_algorithm coll_scatterv_linear, coll_scatterv_windowed;
extern const struct coll_algorithm coll_reduce_scatter_recursive_halving, coll_reduce_scatter_pairwise,
    coll_reduce_scatter_reduce_scatterv;
extern const struct coll_algorithm coll_scan_linear, coll_scan_recursive_doubling;
extern const struct coll_algorithm coll_exscan_linear, coll_exscan_recursive_doubling;

#endif
