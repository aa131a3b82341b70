#include "live/coll/internal.h"
#include "live/coll/next.h"

static int small_by_mpi(const struct live_call *c)
{
    switch (c->kind) {
    case COLL_BARRIER:
        return NEXT(MPI_Barrier)(c->comm);
    case COLL_BCAST:
        return NEXT(MPI_Bcast)(c->recvbuf, (int)c->recvcount, c->recvtype, c->root, c->comm);
    case COLL_REDUCE:
        return NEXT(MPI_Reduce)(c->sendbuf, c->recvbuf, (int)c->recvcount, c->recvtype, c->op, c->root,
                                c->comm);
    case COLL_ALLREDUCE:
        return NEXT(MPI_Allreduce)(c->sendbuf, c->recvbuf, (int)c->recvcount, c->recvtype, c->op, c->comm);
    case COLL_ALLTOALL:
        return NEXT(MPI_Alltoall)(c->sendbuf, (int)c->sendcount, c->sendtype, c->recvbuf, (int)c->recvcount,
                                  c->recvtype, c->comm);
    case COLL_ALLGATHER:
        if (entry_has(&c->counts))
            return NEXT(MPI_Allgatherv)(c->sendbuf, (int)c->sendcount, c->sendtype, c->recvbuf,
                                        c->counts.ints, c->displs.ints, c->recvtype, c->comm);
        return NEXT(MPI_Allgather)(c->sendbuf, (int)c->sendcount, c->sendtype, c->recvbuf, (int)c->recvcount,
                                   c->recvtype, c->comm);
    case COLL_GATHER:
        return NEXT(MPI_Gather)(c->sendbuf, (int)c->sendcount, c->sendtype, c->recvbuf, (int)c->recvcount,
                                c->recvtype, c->root, c->comm);
    case COLL_SCATTER:
        return NEXT(MPI_Scatter)(c->sendbuf, (int)c->sendcount, c->sendtype, c->recvbuf, (int)c->recvcount,
                                 c->recvtype, c->root, c->comm);
    case COLL_REDUCE_SCATTER:
        if (entry_has(&c->counts))
            return NEXT(MPI_Reduce_scatter)(c->sendbuf, c->recvbuf, c->counts.ints, c->recvtype, c->op,
                                            c->comm);
        return NEXT(MPI_Reduce_scatter_block)(c->sendbuf, c->recvbuf, (int)c->recvcount, c->recvtype, c->op,
                                              c->comm);
    default: /* no other kind is made here */
        return MPI_ERR_INTERN;
    }
}

#if MPI_VERSION >= 4

_Static_assert(sizeof(MPI_Count) == sizeof(int64_t) && sizeof(MPI_Aint) == sizeof(int64_t),
               "arrays of the program are passed on unchanged");

static int large_by_mpi(const struct live_call *c)
{
    switch (c->kind) {
    case COLL_BARRIER:
        return NEXT(MPI_Barrier)(c->comm);
    case COLL_BCAST:
        return NEXT(MPI_Bcast_c)(c->recvbuf, c->recvcount, c->recvtype, c->root, c->comm);
    case COLL_REDUCE:
        return NEXT(MPI_Reduce_c)(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->root, c->comm);
    case COLL_ALLREDUCE:
        return NEXT(MPI_Allreduce_c)(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
    case COLL_ALLTOALL:
        return NEXT(MPI_Alltoall_c)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount,
                                    c->recvtype, c->comm);
    case COLL_ALLGATHER:
        if (entry_has(&c->counts))
            return NEXT(MPI_Allgatherv_c)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf,
                                          (const MPI_Count *)c->counts.longs,
                                          (const MPI_Aint *)c->displs.longs, c->recvtype, c->comm);
        return NEXT(MPI_Allgather_c)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount,
                                     c->recvtype, c->comm);
    case COLL_GATHER:
        return NEXT(MPI_Gather_c)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount,
                                  c->recvtype, c->root, c->comm);
    case COLL_SCATTER:
        return NEXT(MPI_Scatter_c)(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount,
                                   c->recvtype, c->root, c->comm);
    case COLL_REDUCE_SCATTER:
        if (entry_has(&c->counts))
            return NEXT(MPI_Reduce_scatter_c)(c->sendbuf, c->recvbuf, (const MPI_Count *)c->counts.longs,
                                              c->recvtype, c->op, c->comm);
        return NEXT(MPI_Reduce_scatter_block_c)(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op,
                                                c->comm);
    default: /* no other kind is made here */
        return MPI_ERR_INTERN;
    }
}

#endif

int live_by_mpi(const struct live_call *call)
{
#if MPI_VERSION >= 4
    if (call->is_large)
        return large_by_mpi(call);
#endif
    return small_by_mpi(call);
}
