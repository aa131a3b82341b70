/* Collective calls. */
#include <string.h>

#include "trace/dumpi/reader.h"

/* A collective call while it is read. */
struct collective {
    struct dumpi_reader *reader;
    const struct dumpi_bound *bound;
    struct call call;
    uint32_t size; /* of the communicator */
};

/* The elements of a reduction, which must not be cut, have at most 255 bytes in a struct call. */
static uint8_t element_of(uint64_t size)
{
    while (size > UINT8_MAX)
        size = size % 2 ? 1 : size / 2;
    return (uint8_t)size;
}

/* Sizes for all ranks. `types` NULL: all are of the one type. */
static bool read_sizes(struct collective *collective, const struct dumpi_list *counts,
                       const struct dumpi_list *types, uint16_t type, uint64_t *at)
{
    struct dumpi_reader *reader = collective->reader;
    if (counts->count != collective->size || (types && types->count != collective->size))
        return dumpi_fail(reader, "it has sizes for %u ranks, in a communicator of %u", counts->count,
                          collective->size);
    reader->vector =
        mem_grow(reader->vector, &reader->vector_capacity, collective->size, "sizes of a collective");
    for (uint32_t i = 0; i < collective->size; i++)
        if (!dumpi_bytes(reader, dumpi_list_at(counts, i), types ? dumpi_type_at(types, i) : type,
                         &reader->vector[i]))
            return false;
    *at = counts_intern(&reader->writer->counts, reader->vector, collective->size);
    return true;
}

/* What this rank gives to all, and gets from each. MPI_IN_PLACE is not in the trace: the side for which it
 * stands has no type or no elements then. */
static bool read_uniform(struct collective *collective)
{
    const int32_t *v = collective->reader->record.values;
    struct call *call = &collective->call;
    bool in_place = v[1] == DUMPI_TYPE_NULL;
    if ((!in_place && !dumpi_bytes(collective->reader, v[0], (uint16_t)v[1], &call->bytes)) ||
        !dumpi_bytes(collective->reader, v[2], (uint16_t)v[3], &call->recv_bytes))
        return false;
    if (!call->bytes)
        call->bytes = call->recv_bytes;
    return true;
}

/* MPI_Gather, MPI_Gatherv: values 0 the rank, then the size of the communicator if there are sizes. */
static bool read_gather(struct collective *collective, bool has_sizes)
{
    struct dumpi_reader *reader = collective->reader;
    const struct dumpi_record *record = &reader->record;
    const int32_t *v = record->values, *send = v + (has_sizes ? 2 : 1);
    struct call *call = &collective->call;
    bool at_root = v[0] == send[2], in_place = at_root && send[1] == DUMPI_TYPE_NULL;
    call->peer = send[2];
    if (!in_place && !dumpi_bytes(reader, send[0], (uint16_t)send[1], &call->bytes))
        return false;
    if (at_root && has_sizes)
        return read_sizes(collective, &record->lists[0], NULL, (uint16_t)send[4], &call->recv_counts);
    if (at_root && !dumpi_bytes(reader, send[4], (uint16_t)send[5], &call->recv_bytes))
        return false;
    if (at_root && !call->bytes)
        call->bytes = call->recv_bytes;
    return true;
}

/* MPI_Scatter, "iisis(is)"; MPI_Scatterv, "iisisis(aa)". */
static bool read_scatter(struct collective *collective, bool has_sizes)
{
    struct dumpi_reader *reader = collective->reader;
    const struct dumpi_record *record = &reader->record;
    const int32_t *v = record->values, *recv = v + (has_sizes ? 3 : 1);
    struct call *call = &collective->call;
    bool at_root = v[0] == recv[2], in_place = at_root && recv[1] == DUMPI_TYPE_NULL;
    call->peer = recv[2];
    if (!in_place && !dumpi_bytes(reader, recv[0], (uint16_t)recv[1], &call->recv_bytes))
        return false;
    call->bytes = call->recv_bytes;
    if (at_root && has_sizes)
        return read_sizes(collective, &record->lists[0], NULL, (uint16_t)v[2], &call->send_counts);
    if (at_root && !dumpi_bytes(reader, v[5], (uint16_t)v[6], &call->bytes))
        return false;
    if (at_root && !call->recv_bytes)
        call->recv_bytes = call->bytes;
    return true;
}

/* "iisaass" */
static bool read_allgatherv(struct collective *collective)
{
    struct dumpi_reader *reader = collective->reader;
    const int32_t *v = reader->record.values;
    struct call *call = &collective->call;
    if ((v[2] != DUMPI_TYPE_NULL && !dumpi_bytes(reader, v[1], (uint16_t)v[2], &call->bytes)) ||
        !read_sizes(collective, &reader->record.lists[0], NULL, (uint16_t)v[3], &call->recv_counts))
        return false;
    if (!call->bytes)
        call->bytes = reader->vector[dumpi_my_place(reader, collective->bound)];
    return true;
}

/* MPI_Alltoallv, "iaasaass"; MPI_Alltoallw, "iaataats". */
static bool read_alltoallv(struct collective *collective, bool has_types)
{
    struct dumpi_reader *reader = collective->reader;
    const struct dumpi_record *record = &reader->record;
    const struct dumpi_list *lists = record->lists;
    struct call *call = &collective->call;
    const struct dumpi_list *recv = &lists[has_types ? 3 : 2];
    uint16_t send_type = has_types ? 0 : (uint16_t)record->values[1];
    uint16_t recv_type = has_types ? 0 : (uint16_t)record->values[2];
    if (!read_sizes(collective, recv, has_types ? &lists[5] : NULL, recv_type, &call->recv_counts))
        return false;
    call->send_counts = call->recv_counts;
    bool in_place = lists[0].count == 0 || (!has_types && send_type == DUMPI_TYPE_NULL);
    return in_place ||
           read_sizes(collective, &lists[0], has_types ? &lists[2] : NULL, send_type, &call->send_counts);
}

/* Reductions: the place of the type among the values, and of the root; -1: none. */
static bool read_reduction(struct collective *collective, int root)
{
    struct dumpi_reader *reader = collective->reader;
    const int32_t *v = reader->record.values;
    if (root >= 0)
        collective->call.peer = v[root];
    collective->call.element_bytes = element_of(dumpi_types_size(&reader->types, (uint16_t)v[1]));
    return dumpi_bytes(reader, v[0], (uint16_t)v[1], &collective->call.bytes);
}

/* "iasbs" */
static bool read_reduce_scatter(struct collective *collective)
{
    const struct dumpi_record *record = &collective->reader->record;
    uint16_t type = (uint16_t)record->values[1];
    collective->call.element_bytes = element_of(dumpi_types_size(&collective->reader->types, type));
    return read_sizes(collective, &record->lists[0], NULL, type, &collective->call.recv_counts);
}

static bool read_call(struct collective *collective)
{
    struct dumpi_reader *reader = collective->reader;
    const int32_t *v = reader->record.values;
    switch (reader->record.function) {
    case DUMPI_BCAST:
        collective->call.peer = v[2];
        return dumpi_bytes(reader, v[0], (uint16_t)v[1], &collective->call.bytes);
    case DUMPI_GATHER:
    case DUMPI_GATHERV:
        return read_gather(collective, reader->record.function == DUMPI_GATHERV);
    case DUMPI_SCATTER:
    case DUMPI_SCATTERV:
        return read_scatter(collective, reader->record.function == DUMPI_SCATTERV);
    case DUMPI_ALLGATHER:
    case DUMPI_ALLTOALL:
        return read_uniform(collective);
    case DUMPI_ALLGATHERV:
        return read_allgatherv(collective);
    case DUMPI_ALLTOALLV:
    case DUMPI_ALLTOALLW:
        return read_alltoallv(collective, reader->record.function == DUMPI_ALLTOALLW);
    case DUMPI_REDUCE:
        return read_reduction(collective, 3);
    case DUMPI_ALLREDUCE:
    case DUMPI_SCAN:
    case DUMPI_EXSCAN:
        return read_reduction(collective, -1);
    case DUMPI_REDUCE_SCATTER:
        return read_reduce_scatter(collective);
    default: /* DUMPI_BARRIER */
        return true;
    }
}

/* What a collective is in the compiled trace, and which of its values is the communicator. */
static const struct collective_kind {
    uint8_t op, comm; /* op 0: it is none */
} kinds[DUMPI_FUNCTIONS] = {
    [DUMPI_BARRIER] = {CALL_BARRIER, 0},     [DUMPI_BCAST] = {CALL_BCAST, 3},
    [DUMPI_GATHER] = {CALL_GATHER, 4},       [DUMPI_GATHERV] = {CALL_GATHERV, 5},
    [DUMPI_SCATTER] = {CALL_SCATTER, 4},     [DUMPI_SCATTERV] = {CALL_SCATTERV, 6},
    [DUMPI_ALLGATHER] = {CALL_ALLGATHER, 4}, [DUMPI_ALLGATHERV] = {CALL_ALLGATHERV, 4},
    [DUMPI_ALLTOALL] = {CALL_ALLTOALL, 4},   [DUMPI_ALLTOALLV] = {CALL_ALLTOALLV, 3},
    [DUMPI_ALLTOALLW] = {CALL_ALLTOALLV, 1}, [DUMPI_REDUCE] = {CALL_REDUCE, 4},
    [DUMPI_ALLREDUCE] = {CALL_ALLREDUCE, 3}, [DUMPI_REDUCE_SCATTER] = {CALL_REDUCE_SCATTER, 3},
    [DUMPI_SCAN] = {CALL_SCAN, 3},           [DUMPI_EXSCAN] = {CALL_EXSCAN, 3},
};

bool dumpi_read_collective(struct dumpi_reader *reader)
{
    const struct collective_kind *kind = &kinds[reader->record.function];
    if (!kind->op)
        return false;
    struct collective collective = {.reader = reader, .call = {.op = kind->op}};
    collective.bound = dumpi_bound_used(reader, (uint16_t)reader->record.values[kind->comm]);
    if (!collective.bound)
        return true;
    const struct dumpi_comm *comm = dumpi_comm_at(reader, collective.bound);
    collective.size = dumpi_lists_count(&reader->comms->lists, collective.bound->mine);
    collective.call.group = collective.call.context = comm->image;
    if (comm->is_outside || comm->remote) /* between two groups: no call of a compiled trace says it */
        dumpi_emit_lost(reader);
    else if (read_call(&collective))
        dumpi_emit(reader, &collective.call, KEY_NONE, DOUBT_NONE);
    return true;
}
