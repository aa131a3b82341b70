#include <string.h>

#include "live/bench/bench.h"

static void call_vector(const struct bench *bench, MPI_Datatype type, MPI_Comm comm)
{
    const int *sent = bench->send_counts, *received = bench->recv_counts, *places = bench->places;
    const char *name = bench->operation->name;
    if (strcmp(name, "alltoallv") == 0)
        MPI_Alltoallv(bench->send, sent, places, MPI_BYTE, bench->recv, received, places, MPI_BYTE, comm);
    else if (strcmp(name, "alltoallw") == 0)
        MPI_Alltoallw(bench->send, sent, places, bench->types, bench->recv, received, places, bench->types,
                      comm);
    else if (strcmp(name, "allgatherv") == 0)
        MPI_Allgatherv(bench->send, *sent, MPI_BYTE, bench->recv, received, places, MPI_BYTE, comm);
    else if (strcmp(name, "reduce_scatterv") == 0)
        MPI_Reduce_scatter(bench->send, bench->recv, sent, type, MPI_SUM, comm);
    else if (strcmp(name, "gatherv") == 0)
        MPI_Gatherv(bench->send, *sent, MPI_BYTE, bench->recv, received, places, MPI_BYTE, 0, comm);
    else
        MPI_Scatterv(bench->send, sent, places, MPI_BYTE, bench->recv, *received, MPI_BYTE, 0, comm);
}

void call_once(struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    long element = data_element(bench, bytes);
    MPI_Datatype type = element > 1 ? MPI_DOUBLE : bench->operation->reduces ? MPI_UNSIGNED_CHAR : MPI_BYTE;
    int count = (int)(bytes / element);
    const char *name = bench->operation->name;
    void *send = bench->send, *recv = bench->recv;
    if (bench->operation->is_vector)
        call_vector(bench, type, candidate->comm);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(send, count, type, recv, count, type, candidate->comm);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(send, recv, count, type, MPI_SUM, candidate->comm);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(send, count, type, recv, count, type, candidate->comm);
    else if (strcmp(name, "bcast") == 0)
        MPI_Bcast(bench->rank == 0 ? send : recv, count, type, 0, candidate->comm);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(send, recv, count, type, MPI_SUM, 0, candidate->comm);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter_block(send, recv, count, type, MPI_SUM, candidate->comm);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(send, count, type, recv, count, type, 0, candidate->comm);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(send, count, type, recv, count, type, 0, candidate->comm);
    else
        MPI_Barrier(candidate->comm);
}
