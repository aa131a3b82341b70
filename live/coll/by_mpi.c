#include "live/coll/internal.h"
#include "live/coll/next.h"

int live_by_mpi(const struct live_call *c)
{
    switch (c->kind) {
    case COLL_BARRIER:
        return NEXT(MPI_Barrier)(c->comm);
    case COLL_BCAST:
        return NEXT(MPI_Bcast)(c->recvbuf, c->recvcount, c->recvtype, c->root, c->comm);
    case COLL_REDUCE:
        return NEXT(MPI_Reduce)(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->root, c->comm);
    case COLL_ALLREDUCE:
        return NEXT(MPI_Allreduce)(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
    case COLL_ALLTOALL:
        return NEXT(MPI_Alltoall)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount,
                                  c->recvtype, c->comm);
    case COLL_ALLGATHER:
        if (c->counts)
            return NEXT(MPI_Allgatherv)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->counts,
                                        c->displs, c->recvtype, c->comm);
        return NEXT(MPI_Allgather)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount,
                                   c->recvtype, c->comm);
    case COLL_GATHER:
        return NEXT(MPI_Gather)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype,
                                c->root, c->comm);
    case COLL_SCATTER:
        return NEXT(MPI_Scatter)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype,
                                 c->root, c->comm);
    case COLL_REDUCE_SCATTER:
        if (c->counts)
            return NEXT(MPI_Reduce_scatter)(c->sendbuf, c->recvbuf, c->counts, c->recvtype, c->op, c->comm);
        return NEXT(MPI_Reduce_scatter_block)(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op,
                                              c->comm);
    default: /* no other kind is made here */
        return MPI_ERR_INTERN;
    }
}
