#include "live/coll/internal.h"

int live_by_mpi(const struct live_call *c)
{
    switch (c->kind) {
    case COLL_BARRIER:
        return PMPI_Barrier(c->comm);
    case COLL_BCAST:
        return PMPI_Bcast(c->recvbuf, c->recvcount, c->recvtype, c->root, c->comm);
    case COLL_REDUCE:
        return PMPI_Reduce(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->root, c->comm);
    case COLL_ALLREDUCE:
        return PMPI_Allreduce(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
    case COLL_ALLTOALL:
        return PMPI_Alltoall(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype,
                             c->comm);
    case COLL_ALLGATHER:
        if (c->counts)
            return PMPI_Allgatherv(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->counts, c->displs,
                                   c->recvtype, c->comm);
        return PMPI_Allgather(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype,
                              c->comm);
    case COLL_GATHER:
        return PMPI_Gather(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype,
                           c->root, c->comm);
    case COLL_SCATTER:
        return PMPI_Scatter(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype,
                            c->root, c->comm);
    case COLL_REDUCE_SCATTER:
        if (c->counts)
            return PMPI_Reduce_scatter(c->sendbuf, c->recvbuf, c->counts, c->recvtype, c->op, c->comm);
        return PMPI_Reduce_scatter_block(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
    default: /* no other kind is made here */
        return MPI_ERR_INTERN;
    }
}
