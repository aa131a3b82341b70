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

/* How many calls the library has taken from the MPI. The bench asks for it, to see who executes an algorithm.
 * Threads may lose a count, and programs pay no locked instruction. */
static _Atomic unsigned long calls_taken;

__attribute__((visibility("default"))) unsigned long helio_coll_taken(void)
{
    return atomic_load_explicit(&calls_taken, memory_order_relaxed);
}

static bool note_taken(bool is_taken)
{
    if (is_taken)
        atomic_store_explicit(&calls_taken, helio_coll_taken() + 1, memory_order_relaxed);
    return is_taken;
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
    return entry_is_ours() && note_taken(live_collective(&theirs, error));
}

static struct live_side side_of(const struct entry_side *side)
{
    return (struct live_side){.buffer = side->buffer,
                              .counts = side->counts,
                              .displacements = side->displs,
                              .type = side->types ? MPI_DATATYPE_NULL : (MPI_Datatype)side->type,
                              .types = side->types};
}

bool entry_vector(const struct entry_vector *call, int *error)
{
    const struct live_vector_call theirs = {
        .send = side_of(&call->send),
        .recv = side_of(&call->recv),
        .comm = (MPI_Comm)call->comm,
        .function = call->function,
        .root = call->root,
        .is_large = call->is_large,
    };
    return entry_is_ours() && note_taken(live_vector(&theirs, error));
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
