#ifndef HELIO_CAPTURE_COLLECTIVES_H
#define HELIO_CAPTURE_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "live/capture/requests.h"

/* The arguments of a collective, as its MPI function has them. Those that its line does not need may be
 * absent (0 or NULL). */
struct collective_call {
    const char *mpi_name, *action; /* the names in MPI and in the trace */
    MPI_Comm comm;
    const MPI_Request *request; /* NULL: a blocking call */
    const void *send_buffer;    /* MPI_IN_PLACE: the arguments of the receive side count for both sides */
    int root;
    int64_t send_count, recv_count;
    bool is_persistent; /* `request` is started later */
    bool is_large;      /* the arrays below are of MPI_Count and MPI_Aint, and not of int */
    const void *send_counts, *recv_counts, *send_starts, *recv_starts;
    MPI_Datatype send_type, recv_type;
    const MPI_Datatype *send_types, *recv_types; /* MPI_Alltoallw and MPI_Neighbor_alltoallw */
};

/* The i-th number of such an array. */
int64_t collective_number(const struct collective_call *call, const void *numbers, int i);

/* In place of line_end: with the communicator of the line, which may be another one than the call's. The
 * request of a non-blocking call is remembered. */
void collective_end(const struct collective_call *call, struct capture_comm *comm);

/* Remembers the request of a non-blocking collective. */
void record_collective_request(const struct collective_call *call, enum request_kind kind);

void record_barrier(const struct collective_call *call);
void record_rooted(const struct collective_call *call);  /* bcast */
void record_reduce(const struct collective_call *call);  /* reduce; allreduce, scan, exscan: root is -1 */
void record_uniform(const struct collective_call *call); /* alltoall, allgather */
void record_gather(const struct collective_call *call);
void record_scatter(const struct collective_call *call); /* send_buffer: the receive buffer (MPI_IN_PLACE) */
void record_vectors(const struct collective_call *call); /* alltoallv, alltoallw */
void record_allgatherv(const struct collective_call *call);
void record_gatherv(const struct collective_call *call);
void record_scatterv(const struct collective_call *call); /* send_buffer: as for record_scatter */
void record_reduce_scatter(const struct collective_call *call);

#endif
