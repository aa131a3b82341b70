#include <stdio.h>
#include <string.h>

#include "live/coll/next.h"
#include "live/coll/vector.h"

#ifdef OPEN_MPI
enum { IS_MPICH = false };
#else
enum { IS_MPICH = true };
#endif

static const struct {
    const char *name;
    enum coll_kind kind; /* whose variable holds */
    uint32_t call;       /* of which the lines of a table hold */
} functions[LIVE_VECTOR_FUNCTIONS] = {
    [LIVE_ALLTOALLV] = {"MPI_Alltoallv", COLL_ALLTOALLV, COLL_ALLTOALLV},
    [LIVE_ALLTOALLW] = {"MPI_Alltoallw", COLL_ALLTOALLV, SETTINGS_ALLTOALLW},
    [LIVE_GATHERV] = {"MPI_Gatherv", COLL_GATHERV, COLL_GATHERV},
    [LIVE_SCATTERV] = {"MPI_Scatterv", COLL_SCATTERV, COLL_SCATTERV},
};

/* ------------------------------------------------------------------- blocks */

/* Which blocks a side has on a rank. */
enum side_blocks { NO_BLOCKS, BLOCK_OF_ROOT, BLOCK_OF_EACH };

struct call_sides {
    enum side_blocks send, recv;
    bool keeps_own;   /* the root's own block stays where it is */
    bool is_in_place; /* what is sent is where it is received */
};

static struct call_sides sides_of(const struct live_vector_call *call, uint32_t rank)
{
    bool is_root = (uint32_t)call->root == rank;
    bool send_in_place = call->send.buffer == MPI_IN_PLACE, recv_in_place = call->recv.buffer == MPI_IN_PLACE;
    if (call->function == LIVE_GATHERV)
        return (struct call_sides){.send = is_root && send_in_place ? NO_BLOCKS : BLOCK_OF_ROOT,
                                   .recv = is_root ? BLOCK_OF_EACH : NO_BLOCKS,
                                   .keeps_own = is_root && send_in_place};
    if (call->function == LIVE_SCATTERV)
        return (struct call_sides){.send = is_root ? BLOCK_OF_EACH : NO_BLOCKS,
                                   .recv = is_root && recv_in_place ? NO_BLOCKS : BLOCK_OF_ROOT,
                                   .keeps_own = is_root && recv_in_place};
    return (struct call_sides){.send = BLOCK_OF_EACH, .recv = BLOCK_OF_EACH, .is_in_place = send_in_place};
}

/* The blocks of a side, one for each rank. Returns an MPI error code. */
static int read_blocks(struct live_block *blocks, const struct live_comm *comm, const struct live_side *side,
                       enum side_blocks which, uint32_t root)
{
    bool is_hidden = live_may_be_of_device(comm);
    if (which == BLOCK_OF_EACH)
        return live_blocks_read(blocks, comm->size, side, is_hidden);
    static const int nowhere_else = 0;
    struct live_side one = *side;
    one.displacements = (struct entry_numbers){.ints = &nowhere_else};
    memset(blocks, 0, comm->size * sizeof *blocks);
    return which == BLOCK_OF_ROOT ? live_blocks_read(&blocks[root], 1, &one, is_hidden) : MPI_SUCCESS;
}

static int read_sides(const struct live_comm *comm, const struct live_vector_call *call,
                      const struct call_sides *sides)
{
    struct live_vector *vector = comm->vector;
    uint32_t root = (uint32_t)call->root;
    const struct live_side *send = sides->is_in_place ? &call->recv : &call->send;
    int error = read_blocks(vector->recv, comm, &call->recv, sides->recv, root);
    if (error == MPI_SUCCESS)
        error = read_blocks(vector->send, comm, send, sides->send, root);
    if (sides->keeps_own)
        vector->send[root] = vector->recv[root] = (struct live_block){0};
    return error;
}

/* ---------------------------------------------------------------- arguments */

/* False: the MPI refuses these arguments, and the call is left to it, so that the user gets its message. */
static bool side_is_sound(const struct live_side *side, enum side_blocks which, uint32_t size)
{
    if (which == NO_BLOCKS)
        return true;
    bool is_one = which == BLOCK_OF_ROOT;
    if (side->buffer == MPI_IN_PLACE || !entry_has(&side->counts) ||
        (!is_one && !entry_has(&side->displacements)))
        return false;
    for (uint32_t rank = 0; rank < (is_one ? 1 : size); rank++) {
        MPI_Datatype type = side->types ? side->types[rank] : side->type;
        int64_t count = entry_number(&side->counts, rank);
        if (IS_MPICH && !is_one && count == 0) /* then MPICH does not check its type */
            continue;
        if (count < 0 || type == MPI_DATATYPE_NULL)
            return false;
        if (IS_MPICH && count > 0 && live_has_no_data(side->buffer, type)) /* at any place */
            return false;
    }
    return true;
}

/* True: MPICH refuses the alltoall, since it takes the two buffers for the same one. */
static bool is_aliased(const struct live_side *send, const struct live_side *recv)
{
    return send->buffer == recv->buffer && send->buffer != MPI_BOTTOM &&
           send->counts.ints == recv->counts.ints && send->counts.longs == recv->counts.longs &&
           send->types == recv->types && send->type == recv->type;
}

/* The same, where the root has blocks of all ranks on one side, and its own on the other. */
static bool root_is_aliased(const struct live_side *all, const struct live_side *own, uint32_t root)
{
    MPI_Aint lower, extent;
    if (all->type != own->type || entry_number(&all->counts, root) == 0 ||
        entry_number(&own->counts, 0) == 0 || PMPI_Type_get_extent(all->type, &lower, &extent) != MPI_SUCCESS)
        return false;
    return (uintptr_t)all->buffer + (uintptr_t)(extent * entry_number(&all->displacements, root)) ==
           (uintptr_t)own->buffer;
}

static bool mpich_refuses_buffers(const struct live_vector_call *call, const struct call_sides *sides)
{
    const struct live_side *send = &call->send, *recv = &call->recv;
    uint32_t root = (uint32_t)call->root;
    if (sides->is_in_place || sides->send == NO_BLOCKS || sides->recv == NO_BLOCKS)
        return false;
    if (sides->send == sides->recv)
        return is_aliased(send, recv);
    return sides->send == BLOCK_OF_EACH ? root_is_aliased(send, recv, root)
                                        : root_is_aliased(recv, send, root);
}

static bool is_sound(const struct live_vector_call *call, const struct call_sides *sides, uint32_t size)
{
    return side_is_sound(&call->recv, sides->recv, size) &&
           (sides->is_in_place || side_is_sound(&call->send, sides->send, size)) &&
           !(IS_MPICH && mpich_refuses_buffers(call, sides));
}

/* ----------------------------------------------------------------- the call */

static int small_by_mpi(const struct live_vector_call *call)
{
    const struct live_side *send = &call->send, *recv = &call->recv;
    const int *sent = send->counts.ints, *received = recv->counts.ints;
    const int *sent_at = send->displacements.ints, *received_at = recv->displacements.ints;
    void *into = (void *)(uintptr_t)recv->buffer;
    switch (call->function) {
    case LIVE_GATHERV:
        return NEXT(MPI_Gatherv)(send->buffer, *sent, send->type, into, received, received_at, recv->type,
                                 call->root, call->comm);
    case LIVE_SCATTERV:
        return NEXT(MPI_Scatterv)(send->buffer, sent, sent_at, send->type, into, *received, recv->type,
                                  call->root, call->comm);
    case LIVE_ALLTOALLW:
        return NEXT(MPI_Alltoallw)(send->buffer, sent, sent_at, send->types, into, received, received_at,
                                   recv->types, call->comm);
    default:
        return NEXT(MPI_Alltoallv)(send->buffer, sent, sent_at, send->type, into, received, received_at,
                                   recv->type, call->comm);
    }
}

#if MPI_VERSION >= 4

static int large_by_mpi(const struct live_vector_call *call)
{
    const struct live_side *send = &call->send, *recv = &call->recv;
    const MPI_Count *sent = (const MPI_Count *)send->counts.longs;
    const MPI_Count *received = (const MPI_Count *)recv->counts.longs;
    const MPI_Aint *sent_at = (const MPI_Aint *)send->displacements.longs;
    const MPI_Aint *received_at = (const MPI_Aint *)recv->displacements.longs;
    void *into = (void *)(uintptr_t)recv->buffer;
    switch (call->function) {
    case LIVE_GATHERV:
        return NEXT(MPI_Gatherv_c)(send->buffer, *sent, send->type, into, received, received_at, recv->type,
                                   call->root, call->comm);
    case LIVE_SCATTERV:
        return NEXT(MPI_Scatterv_c)(send->buffer, sent, sent_at, send->type, into, *received, recv->type,
                                    call->root, call->comm);
    case LIVE_ALLTOALLW:
        return NEXT(MPI_Alltoallw_c)(send->buffer, sent, sent_at, send->types, into, received, received_at,
                                     recv->types, call->comm);
    default:
        return NEXT(MPI_Alltoallv_c)(send->buffer, sent, sent_at, send->type, into, received, received_at,
                                     recv->type, call->comm);
    }
}

#endif

int live_vector_by_mpi(const struct live_vector_call *call)
{
#if MPI_VERSION >= 4
    if (call->is_large)
        return large_by_mpi(call);
#endif
    return small_by_mpi(call);
}

static int by_nodes(struct live_comm *comm, const struct live_vector_call *call,
                    const struct call_sides *sides)
{
    int error = read_sides(comm, call, sides);
    if (error == MPI_SUCCESS)
        error = live_vector_exchange(comm, sides->is_in_place);
    if (error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(call->comm, error);
    return error;
}

/* Does the call the way that autotune says, and measures it if autotune needs its time. */
static int by_autotune(struct live_comm *comm, const struct live_vector_call *call,
                       const struct call_sides *sides)
{
    struct autotune *autotune = &comm->vector->autotunes[call->function];
    bool measured, ours = autotune_next(autotune, &measured);
    int64_t began = measured ? backoff_now_ns() : 0;
    int error = ours ? by_nodes(comm, call, sides) : live_vector_by_mpi(call);
    if (measured)
        autotune_add_time(autotune, comm, ours, began, backoff_now_ns(), functions[call->function].name);
    return error;
}

/* Who executes the calls of a function. */
struct choice {
    const char *algorithm; /* "auto", "leaders" or "mpi" */
    bool is_measured;      /* a table says so */
};

static struct choice choose(const struct live_comm *comm, enum live_vector_function function)
{
    const char *name = comm->settings.algorithms[functions[function].kind];
    const char *measured =
        strcmp(name, "auto") == 0 ? live_algorithm_of_table(comm, functions[function].call, 0) : NULL;
    return measured ? (struct choice){measured, true} : (struct choice){name, false};
}

/* Says once who executes these calls. */
static void tell(struct live_comm *comm, enum live_vector_function function, const struct choice *choice)
{
    char why[SETTINGS_VARIABLE + 16];
    if (comm->vectors_told >> function & 1 || !comm->settings.verbose || comm->rank != 0)
        return;
    comm->vectors_told |= 1u << function;
    snprintf(why, sizeof why, "%s%s", choice->is_measured ? "measured, " : "",
             choice->is_measured ? comm->settings.table_variable : choice->algorithm);
    if (comm->vector && strcmp(choice->algorithm, "mpi") != 0)
        fprintf(stderr, "helio coll: %s: blocks of up to %llu B by way of nodes, others directly (%s)\n",
                functions[function].name, (unsigned long long)comm->vector->limit, why);
    else if (strcmp(choice->algorithm, "mpi") == 0)
        fprintf(stderr, "helio coll: %s: the MPI's own (%s)\n", functions[function].name, why);
    else
        fprintf(stderr, "helio coll: %s: the MPI's own (%s)\n", functions[function].name,
                comm->most_here == 1 ? "no node has two ranks" : "no room in shared memory, or none at all");
}

bool live_vector(const struct live_vector_call *call, int *error)
{
    struct live_comm *comm;
    struct live_place place;
    if (!live_comm_find(call->comm, &comm, &place, error))
        return *error != MPI_SUCCESS;
    if (call->root < 0 || (uint32_t)call->root >= place.size)
        return false;
    const struct call_sides sides = sides_of(call, place.rank);
    if (!is_sound(call, &sides, place.size))
        return false;
    comm = live_comm_enter(call->comm, comm);
    if (!comm)
        return false;
    const struct choice choice = choose(comm, call->function);
    bool is_ours = strcmp(choice.algorithm, "mpi") != 0 && live_vector_of(comm);
    tell(comm, call->function, &choice);
    if (!is_ours)
        return false;
    if (strcmp(choice.algorithm, "auto") == 0)
        *error = by_autotune(comm, call, &sides);
    else
        *error = by_nodes(comm, call, &sides);
    return true;
}
