#include <string.h>

#include "live/coll/next.h"
#include "live/coll/vector.h"

#ifdef OPEN_MPI
enum { IS_MPICH = false };
#else
enum { IS_MPICH = true };
#endif

/* False: the MPI refuses these arguments, and the call is left to it, so that the user gets its message. */
static bool side_is_sound(const struct live_side *side, bool is_w, uint32_t size)
{
    if (side->buffer == MPI_IN_PLACE || !side->counts || !side->displacements || (is_w && !side->types))
        return false;
    for (uint32_t rank = 0; rank < size; rank++) {
        MPI_Datatype type = side->types ? side->types[rank] : side->type;
        if (IS_MPICH && side->counts[rank] == 0) /* MPICH does not check the type of an empty block */
            continue;
        if (side->counts[rank] < 0 || type == MPI_DATATYPE_NULL)
            return false;
        if (IS_MPICH && live_has_no_data(side->buffer, type)) /* whatever the displacement is */
            return false;
    }
    return true;
}

/* True: MPICH refuses the call, since it takes the two buffers for the same one. */
static bool is_aliased(const struct live_side *send, const struct live_side *recv)
{
    return send->buffer == recv->buffer && send->buffer != MPI_BOTTOM && send->counts == recv->counts &&
           send->types == recv->types && send->type == recv->type;
}

int live_vector_by_mpi(const struct live_vector_call *call)
{
    const struct live_side *send = &call->send, *recv = &call->recv;
    void *into = (void *)(uintptr_t)recv->buffer;
    if (call->is_w)
        return NEXT(MPI_Alltoallw)(send->buffer, send->counts, send->displacements, send->types, into,
                                   recv->counts, recv->displacements, recv->types, call->comm);
    return NEXT(MPI_Alltoallv)(send->buffer, send->counts, send->displacements, send->type, into,
                               recv->counts, recv->displacements, recv->type, call->comm);
}

static int by_nodes(struct live_comm *comm, const struct live_vector_call *call)
{
    struct live_vector *vector = comm->vector;
    bool in_place = call->send.buffer == MPI_IN_PLACE;
    int error = live_blocks_read(vector->recv, comm->size, &call->recv);
    if (error == MPI_SUCCESS)
        error = live_blocks_read(vector->send, comm->size, in_place ? &call->recv : &call->send);
    if (error == MPI_SUCCESS)
        error = live_vector_exchange(comm, in_place);
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, error);
    return error;
}

/* Does the call the way that autotune says, and measures it if autotune needs its time. */
static int by_autotune(struct live_comm *comm, const struct live_vector_call *call)
{
    struct autotune *autotune = &comm->vector->autotunes[call->is_w];
    bool measured, ours = autotune_next(autotune, &measured);
    int64_t began = measured ? backoff_now_ns() : 0;
    int error = ours ? by_nodes(comm, call) : live_vector_by_mpi(call);
    if (!measured)
        return error;
    autotune_add_time(autotune, comm, ours, backoff_now_ns() - began,
                      call->is_w ? "MPI_Alltoallw" : "MPI_Alltoallv");
    return error;
}

bool live_alltoallv(const struct live_vector_call *call, int *error)
{
    bool in_place = call->send.buffer == MPI_IN_PLACE;
    struct live_comm *comm = call->comm == MPI_COMM_NULL ? NULL : live_comm_of(call->comm);
    if (!comm || !side_is_sound(&call->recv, call->is_w, comm->size) ||
        (!in_place && !side_is_sound(&call->send, call->is_w, comm->size)))
        return false;
    if (IS_MPICH && !in_place && is_aliased(&call->send, &call->recv))
        return false;
    if (!live_vector_of(comm))
        return false;
    if (strcmp(comm->settings.algorithms[COLL_ALLTOALLV], "auto") == 0)
        *error = by_autotune(comm, call);
    else
        *error = by_nodes(comm, call);
    return true;
}
