#include "live/capture/collectives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/capture/comms.h"
#include "live/capture/output.h"
#include "live/capture/record.h"
#include "live/capture/symbols.h"
#include "live/capture/traffic.h"
#include "live/capture/types.h"

struct collective_sides {
    struct capture_comm *comm;
    struct capture_type send, recv;
    int64_t send_count, recv_count;
    bool is_in_place;
};

_Static_assert(sizeof(MPI_Count) == sizeof(int64_t) && sizeof(MPI_Aint) == sizeof(int64_t),
               "large counts and displacements");

int64_t collective_number(const struct collective_call *call, const void *numbers, int i)
{
    int64_t large;
    if (!call->is_large)
        return ((const int *)numbers)[i];
    memcpy(&large, (const char *)numbers + (size_t)i * sizeof large, sizeof large);
    return large;
}

/* False: the trace cannot express the call; its line marks it as lost. */
static bool read_sides(const struct collective_call *call, struct collective_sides *sides)
{
    *sides = (struct collective_sides){.comm = comm_of(call->comm)};
    if (sides->comm->has_outsiders) {
        record_lost(call->mpi_name, sides->comm); /* without a request: its wait writes nothing */
        return false;
    }
    sides->is_in_place = call->send_buffer == MPI_IN_PLACE;
    sides->send = type_of(sides->is_in_place ? call->recv_type : call->send_type);
    sides->recv = type_of(call->recv_type);
    sides->send_count = (sides->is_in_place ? call->recv_count : call->send_count) * sides->send.elements;
    sides->recv_count = call->recv_count * sides->recv.elements;
    return true;
}

static void remember(const struct collective_call *call, enum request_kind kind, struct capture_comm *comm)
{
    if (call->request && *call->request != MPI_REQUEST_NULL)
        record_request(*call->request, kind, call->action, comm, false);
}

void record_collective_request(const struct collective_call *call, enum request_kind kind)
{
    remember(call, kind, comm_of(call->comm));
}

/* The line `begun`, which it frees, is written by each start. */
static void keep_persistent(const struct collective_call *call, struct capture_comm *comm, char *begun)
{
    struct capture_comm *alone = comm_alone(comm), *used = alone ? alone : comm;
    struct capture_request *request =
        record_request(*call->request, REQUEST_COLLECTIVE, call->action, used, true);
    free(request->text);
    request->text = NULL;
    if (begun && asprintf(&request->text, "%s %s", begun, used->name) < 0)
        request->text = NULL;
    free(begun);
}

void collective_end(const struct collective_call *call, struct capture_comm *comm)
{
    line_text(call->request ? "#i" : "");
    if (call->is_persistent) {
        keep_persistent(call, comm, line_take());
        return;
    }
    line_text(comm->name);
    line_end();
    if (!call->request && !*comm->name)
        traffic_collective();
    else
        traffic_other_collective();
    remember(call, REQUEST_COLLECTIVE, comm);
}

static void end_line(const struct collective_call *call, const struct collective_sides *sides)
{
    collective_end(call, sides->comm);
}

static void write_counts(const struct collective_call *call, const void *counts, int64_t elements, int size)
{
    for (int i = 0; i < size; i++)
        line_int(counts ? collective_number(call, counts, i) * elements : 0);
}

void record_barrier(const struct collective_call *call)
{
    struct collective_sides sides;
    if (!read_sides(call, &sides))
        return;
    line_begin(call->action, 0);
    end_line(call, &sides);
}

void record_rooted(const struct collective_call *call)
{
    struct collective_sides sides;
    if (!read_sides(call, &sides))
        return;
    line_begin(call->action, 3);
    line_int(sides.recv_count);
    line_int(call->root);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

void record_reduce(const struct collective_call *call)
{
    struct collective_sides sides;
    if (!read_sides(call, &sides))
        return;
    line_begin(call->action, 4);
    line_int(sides.recv_count);
    line_int(0); /* operations: those of the reduction are part of the next burst */
    if (call->root >= 0)
        line_int(call->root);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

void record_uniform(const struct collective_call *call)
{
    struct collective_sides sides;
    if (!read_sides(call, &sides))
        return;
    line_begin(call->action, 4);
    line_int(sides.send_count);
    line_int(sides.recv_count);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

/* gather and scatter. Only the root has both sides; on other ranks the arguments of the other side mean
 * nothing, and its type may be invalid. Like SimGrid, the trace has its count nevertheless, with the type of
 * the rank's own side. `is_gather`: all ranks send. */
static void write_rooted_pair(const struct collective_call *call, bool is_gather)
{
    struct collective_sides sides;
    struct collective_call own = *call;
    const struct capture_comm *comm = comm_of(call->comm);
    if (comm->rank != call->root && is_gather) {
        own.recv_count = own.recv_count > 0 ? own.recv_count : 0;
        own.recv_type = own.send_type;
    } else if (comm->rank != call->root) {
        own.send_count = own.send_count > 0 ? own.send_count : 0;
        own.send_type = own.recv_type;
    }
    /* The root of a scatter may pass MPI_IN_PLACE as its receive buffer. Then its receive count has no
     * meaning, and its own block is the one that it would send. */
    if (!is_gather && call->send_buffer == MPI_IN_PLACE) {
        own.recv_count = own.send_count;
        own.recv_type = own.send_type;
        own.send_buffer = NULL;
    }
    if (!read_sides(&own, &sides))
        return;
    line_begin(own.action, 5);
    line_int(sides.send_count);
    line_int(sides.recv_count);
    line_int(own.root);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

void record_gather(const struct collective_call *call)
{
    write_rooted_pair(call, true);
}

void record_scatter(const struct collective_call *call)
{
    write_rooted_pair(call, false);
}

/* Elements from the beginning of the buffer to the end of the last block in it. */
static int64_t extent(const struct collective_call *call, const void *counts, const void *starts, int size)
{
    int64_t most = 0;
    for (int i = 0; i < size; i++) {
        int64_t end = collective_number(call, counts, i) + (starts ? collective_number(call, starts, i) : 0);
        most = end > most ? end : most;
    }
    return most;
}

static void write_exchange(const struct collective_call *call, const void *counts, const void *starts,
                           struct capture_type type, int size)
{
    line_int(extent(call, counts, starts, size) * type.elements);
    write_counts(call, counts, type.elements, size);
}

/* MPI_Alltoallw has a type for each peer, so counts are in bytes. */
static void write_typed_exchange(const struct collective_call *call, const void *counts,
                                 const MPI_Datatype *types, int size)
{
    int64_t sum = 0;
    for (int i = 0; i < size; i++) {
        MPI_Count bytes = 0;
        REAL(Type_size_x)(types[i], &bytes);
        sum += collective_number(call, counts, i) * (int64_t)bytes;
    }
    line_int(sum);
    for (int i = 0; i < size; i++) {
        MPI_Count bytes = 0;
        REAL(Type_size_x)(types[i], &bytes);
        line_int(collective_number(call, counts, i) * (int64_t)bytes);
    }
}

void record_vectors(const struct collective_call *call)
{
    struct collective_sides sides;
    if (!read_sides(call, &sides))
        return;
    bool in_place = sides.is_in_place;
    const void *counts = in_place ? call->recv_counts : call->send_counts;
    int size = sides.comm->size;
    line_begin(call->action, 2 * (unsigned)size + 4);
    if (call->recv_types) {
        write_typed_exchange(call, counts, in_place ? call->recv_types : call->send_types, size);
        write_typed_exchange(call, call->recv_counts, call->recv_types, size);
        sides.send.id = sides.recv.id = 6;
    } else {
        write_exchange(call, counts, in_place ? call->recv_starts : call->send_starts, sides.send, size);
        write_exchange(call, call->recv_counts, call->recv_starts, sides.recv, size);
    }
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

void record_allgatherv(const struct collective_call *call)
{
    struct collective_sides sides;
    if (!read_sides(call, &sides))
        return;
    if (sides.is_in_place)
        sides.send_count = collective_number(call, call->recv_counts, sides.comm->rank) * sides.recv.elements;
    line_begin(call->action, (unsigned)sides.comm->size + 3);
    line_int(sides.send_count);
    write_counts(call, call->recv_counts, sides.recv.elements, sides.comm->size);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

void record_gatherv(const struct collective_call *call)
{
    struct collective_sides sides;
    struct collective_call own = *call;
    const struct capture_comm *comm = comm_of(call->comm);
    bool is_root = comm->rank == call->root;
    if (!is_root)
        own.recv_type = own.send_type;
    if (!read_sides(&own, &sides))
        return;
    if (sides.is_in_place && is_root)
        sides.send_count = collective_number(call, call->recv_counts, comm->rank) * sides.recv.elements;
    line_begin(call->action, (unsigned)comm->size + 4);
    line_int(sides.send_count);
    write_counts(call, is_root ? call->recv_counts : NULL, sides.recv.elements, comm->size);
    line_int(call->root);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

/* Here MPI_IN_PLACE may be the receive buffer of the root; wrap_collectives.c passes it as send_buffer. */
void record_scatterv(const struct collective_call *call)
{
    struct collective_sides sides;
    struct collective_call own = *call;
    const struct capture_comm *comm = comm_of(call->comm);
    bool is_root = comm->rank == call->root, is_in_place = call->send_buffer == MPI_IN_PLACE;
    own.send_buffer = NULL;
    if (!is_root)
        own.send_type = own.recv_type;
    if (is_root && is_in_place) {
        own.recv_type = own.send_type;
        own.recv_count = collective_number(call, call->send_counts, comm->rank);
    }
    if (!read_sides(&own, &sides))
        return;
    line_begin(call->action, (unsigned)comm->size + 4);
    write_counts(call, is_root ? call->send_counts : NULL, sides.send.elements, comm->size);
    line_int(sides.recv_count);
    line_int(call->root);
    line_int(sides.send.id);
    line_int(sides.recv.id);
    end_line(call, &sides);
}

/* MPI_Reduce_scatter has a count for each rank; MPI_Reduce_scatter_block has one count for all. */
void record_reduce_scatter(const struct collective_call *call)
{
    struct collective_sides sides;
    if (!read_sides(call, &sides))
        return;
    line_begin(call->action, (unsigned)sides.comm->size + 2);
    for (int i = 0; i < sides.comm->size; i++)
        line_int(call->recv_counts ? collective_number(call, call->recv_counts, i) * sides.recv.elements
                                   : sides.recv_count);
    line_int(0);
    line_int(sides.recv.id);
    end_line(call, &sides);
}
