#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"

/* What is known of a communicator hangs on it as an attribute, so that it goes when the communicator goes. */
static int keyval = MPI_KEYVAL_INVALID;
static MPI_Group world_group;
static int made_here; /* communicators of which this rank was the first */
static struct {
    MPI_Comm handle; /* the one asked for last */
    const struct comm *comm;
} last;

static int copy_nothing(MPI_Comm handle, int key, void *extra, void *value, void *copy, int *is_copied)
{
    (void)handle, (void)key, (void)extra, (void)value, (void)copy;
    *is_copied = 0;
    return MPI_SUCCESS;
}

static int forget(MPI_Comm handle, int key, void *value, void *extra)
{
    struct comm *comm = value;
    (void)handle, (void)key, (void)extra;
    last.comm = NULL;
    free(comm->world);
    free(comm);
    return MPI_SUCCESS;
}

void comms_open(void)
{
    REAL(Comm_create_keyval)(copy_nothing, forget, &keyval, NULL);
    REAL(Comm_group)(MPI_COMM_WORLD, &world_group);
}

/* The ranks in the world of those whom a message can go to. */
static void find_members(struct comm *comm, MPI_Comm handle)
{
    MPI_Group group;
    int is_inter;
    REAL(Comm_test_inter)(handle, &is_inter);
    (is_inter ? REAL(Comm_remote_group) : REAL(Comm_group))(handle, &group);
    comm->is_inter = is_inter;
    REAL(Comm_rank)(handle, &comm->rank);
    REAL(Group_size)(group, &comm->size);
    int *ranks = malloc((size_t)comm->size * sizeof *ranks);
    comm->world = malloc((size_t)comm->size * sizeof *ranks);
    for (int i = 0; ranks && i < comm->size; i++)
        ranks[i] = i;
    if (ranks && comm->world)
        REAL(Group_translate_ranks)(group, comm->size, ranks, world_group, comm->world);
    free(ranks);
    REAL(Group_free)(&group);
}

static struct comm *attach(MPI_Comm handle)
{
    struct comm *comm = calloc(1, sizeof *comm);
    find_members(comm, handle);
    REAL(Comm_set_attr)(handle, keyval, comm);
    return comm;
}

/* "0-3,5": who is in it, by rank in it. */
static void write_members(const struct comm *comm)
{
    size_t room = (size_t)comm->size * 12 + 1, used = 0;
    char *members = malloc(room);
    if (!members)
        return;
    for (int i = 0, end; i < comm->size; i = end) {
        for (end = i + 1; end < comm->size && comm->world[end] == comm->world[end - 1] + 1; end++)
            ;
        int first = comm->world[i], final = comm->world[end - 1];
        const char *comma = i ? "," : "";
        used +=
            (size_t)(first == final ? snprintf(members + used, room - used, "%s%d", comma, first)
                                    : snprintf(members + used, room - used, "%s%d-%d", comma, first, final));
    }
    line_begin("comm_split", (unsigned)(used / 16 + 2));
    line_text(comm->name);
    line_long_text(members, used);
    line_end();
    free(members);
}

void comm_made(MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL)
        return;
    struct comm *comm = attach(handle);
    if (comm->is_inter)
        return;
    int name[2] = {0, 0};
    if (comm->rank == 0) {
        name[0] = comm->world[0];
        name[1] = ++made_here;
    }
    REAL(Bcast)(name, 2, MPI_INT, 0, handle);
    snprintf(comm->name, sizeof comm->name, "#c%d.%d", name[0], name[1]);
    write_members(comm);
}

/* One that came into being in a way that is not watched: all members find the same name for it. Two of the
 * same members share it, so that messages between them could meet the wrong receive, were their tags equal.
 */
static void name_by_members(struct comm *comm, MPI_Comm handle)
{
    uint64_t hash = 1469598103934665603u;
    if (handle == MPI_COMM_WORLD)
        return;
    for (int i = 0; i < comm->size; i++)
        hash = (hash ^ (uint64_t)comm->world[i]) * 1099511628211u;
    snprintf(comm->name, sizeof comm->name, "#c-%016llx", (unsigned long long)hash);
    if (!comm->is_inter)
        write_members(comm);
    else
        comm->name[0] = '\0';
}

const struct comm *comm_of(MPI_Comm handle)
{
    void *value;
    int is_there;
    if (last.comm && last.handle == handle)
        return last.comm;
    REAL(Comm_get_attr)(handle, keyval, &value, &is_there);
    if (!is_there) {
        struct comm *comm = attach(handle);
        name_by_members(comm, handle);
        value = comm;
    }
    last.handle = handle;
    last.comm = value;
    return value;
}
