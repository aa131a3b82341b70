#include "live/coll/entry.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "live/coll/internal.h"
#include "live/coll/vector.h"

enum { VERSION_ROOM = 8192 }; /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING; Open MPI's is smaller */

static bool is_our_mpi(void)
{
    static char version[VERSION_ROOM];
    int length = 0;
    if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return false;
    bool open_mpi = strncmp(version, "Open MPI", 8) == 0, mpich = strncmp(version, "MPICH", 5) == 0;
    if (strcmp(HELIO_MPI, "openmpi") == 0 ? open_mpi : mpich)
        return true;
    fprintf(stderr,
            "helio coll: this is the library for " HELIO_MPI
            ", and the program's MPI is %.*s; it does nothing\n",
            (int)strcspn(version, "\n,"), version);
    return false;
}

bool entry_is_ours(void)
{
    enum { NOT_ASKED, NO, YES };
    static _Atomic int answer = NOT_ASKED;
    if (answer == NOT_ASKED)
        answer = is_our_mpi() ? YES : NO;
    return answer == YES;
}

bool entry_collective(const struct entry_call *call, int *error)
{
    const struct live_call theirs = {.kind = call->kind,
                                     .sendbuf = call->sendbuf,
                                     .sendcount = call->sendcount,
                                     .sendtype = (MPI_Datatype)call->sendtype,
                                     .recvbuf = call->recvbuf,
                                     .recvcount = call->recvcount,
                                     .recvtype = (MPI_Datatype)call->recvtype,
                                     .op = (MPI_Op)call->op,
                                     .root = call->root,
                                     .counts = call->counts,
                                     .displs = call->displs,
                                     .is_large = call->is_large,
                                     .comm = (MPI_Comm)call->comm};
    return entry_is_ours() && live_collective(&theirs, error);
}

bool entry_alltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, uintptr_t sendtype,
                     void *recvbuf, const int *recvcounts, const int *rdispls, uintptr_t recvtype,
                     uintptr_t comm, int *error)
{
    const struct live_vector_call call = {
        .send = {sendbuf, sendcounts, sdispls, (MPI_Datatype)sendtype, NULL},
        .recv = {recvbuf, recvcounts, rdispls, (MPI_Datatype)recvtype, NULL},
        .comm = (MPI_Comm)comm,
        .function = LIVE_ALLTOALLV,
    };
    return entry_is_ours() && live_vector(&call, error);
}

bool entry_alltoallw(const void *sendbuf, const int *sendcounts, const int *sdispls, const void *sendtypes,
                     void *recvbuf, const int *recvcounts, const int *rdispls, const void *recvtypes,
                     uintptr_t comm, int *error)
{
    const struct live_vector_call call = {
        .send = {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes},
        .recv = {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes},
        .comm = (MPI_Comm)comm,
        .function = LIVE_ALLTOALLW,
    };
    return entry_is_ours() && live_vector(&call, error);
}

bool entry_gatherv(const void *sendbuf, int sendcount, uintptr_t sendtype, void *recvbuf,
                   const int *recvcounts, const int *displs, uintptr_t recvtype, int root, uintptr_t comm,
                   int *error)
{
    const struct live_vector_call call = {
        .send = {sendbuf, &sendcount, NULL, (MPI_Datatype)sendtype, NULL},
        .recv = {recvbuf, recvcounts, displs, (MPI_Datatype)recvtype, NULL},
        .comm = (MPI_Comm)comm,
        .function = LIVE_GATHERV,
        .root = root,
    };
    return entry_is_ours() && live_vector(&call, error);
}

bool entry_scatterv(const void *sendbuf, const int *sendcounts, const int *displs, uintptr_t sendtype,
                    void *recvbuf, int recvcount, uintptr_t recvtype, int root, uintptr_t comm, int *error)
{
    const struct live_vector_call call = {
        .send = {sendbuf, sendcounts, displs, (MPI_Datatype)sendtype, NULL},
        .recv = {recvbuf, &recvcount, NULL, (MPI_Datatype)recvtype, NULL},
        .comm = (MPI_Comm)comm,
        .function = LIVE_SCATTERV,
        .root = root,
    };
    return entry_is_ours() && live_vector(&call, error);
}

void entry_session_began(void)
{
    if (entry_is_ours())
        live_session_began();
}

void entry_session_ends(void)
{
    if (entry_is_ours())
        live_session_ends();
}

void entry_revoke(uintptr_t comm)
{
    if (entry_is_ours() && (MPI_Comm)comm != MPI_COMM_NULL)
        live_revoke((MPI_Comm)comm);
}

int entry_missing(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
