#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/capture/capture.h"

/* What is known of a communicator hangs on it as an attribute, so that it goes when the communicator goes.
 * The MPI says so within locks of its own, where it must not wait for the one that callers hold here: what
 * goes is put aside, and released by the next who asks for a communicator. */
static int keyval = MPI_KEYVAL_INVALID;
static struct comm *_Atomic gone;
static MPI_Group world_group;
static int made_here; /* communicators of which this rank was the first */
static struct {
    MPI_Comm handle; /* the one asked for last */
    struct comm *comm;
} last;

/* What MPI_Comm_idup has promised: a name for a handle that becomes valid later. */
struct promise {
    MPI_Comm handle;
    char name[48];
    struct promise *next;
};
static struct promise *promises;

static int copy_nothing(MPI_Comm handle, int key, void *extra, void *value, void *copy, int *is_copied)
{
    (void)handle, (void)key, (void)extra, (void)value, (void)copy;
    *is_copied = 0;
    return MPI_SUCCESS;
}

void comm_hold(struct comm *comm)
{
    comm->uses++;
}

void comm_release(struct comm *comm)
{
    if (!comm || --comm->uses > 0)
        return;
    if (comm->members != comm->world)
        free(comm->members);
    neighbours_free(comm->neighbours);
    free(comm->world);
    free(comm);
}

static int put_aside(MPI_Comm handle, int key, void *value, void *extra)
{
    struct comm *comm = value;
    (void)handle, (void)key, (void)extra;
    comm->next = atomic_load(&gone);
    while (!atomic_compare_exchange_weak(&gone, &comm->next, comm))
        ;
    return MPI_SUCCESS;
}

static void release_gone(void)
{
    struct comm *next = atomic_exchange(&gone, NULL);
    last.comm = NULL; /* its handle may be another's by now */
    for (struct comm *comm; (comm = next);) {
        next = comm->next;
        comm_release(comm);
    }
}

void comms_open(void)
{
    REAL(Comm_create_keyval)(copy_nothing, put_aside, &keyval, NULL);
    REAL(Comm_group)(MPI_COMM_WORLD, &world_group);
}

/* The ranks in the world of a group's members; NULL: no memory. */
static int *in_world(MPI_Group group, int *size, bool *has_outsiders)
{
    REAL(Group_size)(group, size);
    int *ranks = malloc(((size_t)*size + 1) * sizeof *ranks),
        *world = malloc(((size_t)*size + 1) * sizeof *world);
    for (int i = 0; ranks && i < *size; i++)
        ranks[i] = i;
    if (ranks && world)
        REAL(Group_translate_ranks)(group, *size, ranks, world_group, world);
    for (int i = 0; ranks && world && i < *size; i++)
        *has_outsiders |= world[i] == MPI_UNDEFINED;
    free(ranks);
    return world;
}

/* Of an intercommunicator, both groups in an order on which both agree: that of their first ranks. */
static void join_groups(struct comm *comm, const int *own, int own_size)
{
    bool own_first = own && comm->world && own[0] < comm->world[0];
    comm->members = malloc((size_t)(own_size + comm->size) * sizeof *comm->members);
    if (!comm->members || !own || !comm->world)
        return;
    memcpy(comm->members + (own_first ? 0 : comm->size), own, (size_t)own_size * sizeof *own);
    memcpy(comm->members + (own_first ? own_size : 0), comm->world, (size_t)comm->size * sizeof *own);
    comm->member_count = own_size + comm->size;
}

static void find_members(struct comm *comm, MPI_Comm handle)
{
    MPI_Group group;
    int is_inter, own_size;
    REAL(Comm_test_inter)(handle, &is_inter);
    REAL(Comm_rank)(handle, &comm->rank);
    REAL(Comm_group)(handle, &group);
    comm->is_inter = is_inter;
    int *own = in_world(group, &own_size, &comm->has_outsiders);
    REAL(Group_free)(&group);
    if (!is_inter) {
        comm->world = comm->members = own;
        comm->size = comm->member_count = own_size;
        return;
    }
    REAL(Comm_remote_group)(handle, &group);
    comm->world = in_world(group, &comm->size, &comm->has_outsiders);
    REAL(Group_free)(&group);
    join_groups(comm, own, own_size);
    free(own);
}

static struct comm *attach(MPI_Comm handle)
{
    struct comm *comm = calloc(1, sizeof *comm);
    comm->uses = 1;
    find_members(comm, handle);
    REAL(Comm_set_attr)(handle, keyval, comm);
    return comm;
}

/* "0-3,5": who is in it, by rank in it. */
void comm_write_members(const struct comm *comm, const char *name)
{
    const int *ranks = comm->members;
    size_t room = (size_t)comm->member_count * 12 + 1, used = 0;
    char *members = malloc(room);
    if (!members)
        return;
    for (int i = 0, end; i < comm->member_count; i = end) {
        for (end = i + 1; end < comm->member_count && ranks[end] == ranks[end - 1] + 1; end++)
            ;
        int first = ranks[i], final = ranks[end - 1];
        const char *comma = i ? "," : "";
        used +=
            (size_t)(first == final ? snprintf(members + used, room - used, "%s%d", comma, first)
                                    : snprintf(members + used, room - used, "%s%d-%d", comma, first, final));
    }
    line_begin("comm_split", (unsigned)(used / 16 + 2));
    line_text(name);
    line_long_text(members, used);
    line_end();
    free(members);
}

/* Across an intercommunicator a group hears what the other one says; so what it said itself comes back the
 * second time. The name is that of the group with the lower first rank, as if it had made the communicator
 * alone. */
static void agree_across(MPI_Comm handle, const int mine[2], int name[2])
{
    int theirs[2] = {0, 0}, ours[2] = {0, 0};
    REAL(Allreduce)(mine, theirs, 2, MPI_INT, MPI_MAX, handle);
    REAL(Allreduce)(theirs, ours, 2, MPI_INT, MPI_MAX, handle);
    memcpy(name, ours[0] < theirs[0] ? ours : theirs, 2 * sizeof *name);
}

void comm_made(MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL)
        return;
    struct comm *comm = attach(handle);
    if (comm->has_outsiders) /* who would not take part in what follows */
        return;
    int name[2] = {0, 0};
    if (comm->rank == 0) {
        name[0] = capture_rank();
        name[1] = ++made_here;
    }
    capture_pause(); /* elsewhere, another thread may have to pass here before this one's partners come */
    if (comm->is_inter)
        agree_across(handle, name, name);
    else
        REAL(Bcast)(name, 2, MPI_INT, 0, handle);
    capture_resume();
    snprintf(comm->name, sizeof comm->name, "#c%d.%d", name[0], name[1]);
    comm_write_members(comm, comm->name);
}

void comm_promised(MPI_Comm of, MPI_Comm handle)
{
    struct promise *promise = malloc(sizeof *promise);
    struct comm *comm = comm_of(of);
    if (!promise)
        return;
    promise->handle = handle;
    promise->next = promises;
    promises = promise;
    snprintf(promise->name, sizeof promise->name, "%.32s+%d", *comm->name ? comm->name : "#c",
             ++comm->promised);
}

/* The last one of that handle, if there is any; older ones are of communicators that are gone. */
static bool take_promise(MPI_Comm handle, char *name, size_t size)
{
    bool found = false;
    for (struct promise **at = &promises, *promise; (promise = *at);) {
        if (promise->handle != handle) {
            at = &promise->next;
            continue;
        }
        if (!found)
            snprintf(name, size, "%s", promise->name);
        found = true;
        *at = promise->next;
        free(promise);
    }
    return found;
}

/* One that came into being in a way that is not watched, as MPI_COMM_SELF: all members find the same name for
 * it. Two of the same members share it, so that messages between them could meet the wrong receive, were
 * their tags equal. */
static void name_by_members(struct comm *comm)
{
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < comm->member_count; i++)
        hash = (hash ^ (uint64_t)comm->members[i]) * 1099511628211u;
    snprintf(comm->name, sizeof comm->name, "#c-%016llx", (unsigned long long)hash);
}

static struct comm *meet(MPI_Comm handle)
{
    struct comm *comm = attach(handle);
    if (handle == MPI_COMM_WORLD || comm->has_outsiders)
        return comm;
    if (!take_promise(handle, comm->name, sizeof comm->name))
        name_by_members(comm);
    comm_write_members(comm, comm->name);
    return comm;
}

struct comm *comm_of(MPI_Comm handle)
{
    void *value;
    int is_there;
    if (atomic_load_explicit(&gone, memory_order_relaxed))
        release_gone();
    if (last.comm && last.handle == handle)
        return last.comm;
    REAL(Comm_get_attr)(handle, keyval, &value, &is_there);
    last.handle = handle;
    last.comm = is_there ? value : meet(handle);
    return last.comm;
}
