#include "live/capture/comms.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/capture/diagnostics.h"
#include "live/capture/output.h"
#include "live/capture/process.h"
#include "live/capture/symbols.h"
#include "live/capture/topology.h"

/* A struct capture_comm is an attribute of its communicator, so that the MPI tells when the communicator is
 * deleted. The MPI calls delete_attribute while it holds locks of its own. There the library must not wait
 * for the lock of process.c, since the thread that holds it may wait for the MPI's locks. So delete_attribute
 * only puts the struct into the lock-free list `deleted`; the next call of comm_of, which holds the lock,
 * releases the list. */
static int keyval = MPI_KEYVAL_INVALID;
static struct capture_comm *_Atomic deleted;
static MPI_Group world_group;
static int created_here; /* communicators in which this rank is rank 0; part of their names */
static struct {
    MPI_Comm handle; /* of the last call of comm_of */
    struct capture_comm *comm;
} cached;

/* The name for a handle of MPI_Comm_idup, which becomes valid later. */
struct pending_comm {
    MPI_Comm handle;
    char name[48];
    struct pending_comm *next;
};
static struct pending_comm *pending_comms;

static int copy_nothing(MPI_Comm handle, int key, void *extra, void *value, void *copy, int *is_copied)
{
    (void)handle, (void)key, (void)extra, (void)value, (void)copy;
    *is_copied = 0;
    return MPI_SUCCESS;
}

void comm_hold(struct capture_comm *comm)
{
    comm->uses++;
}

void comm_release(struct capture_comm *comm)
{
    if (!comm || --comm->uses > 0)
        return;
    if (comm->members != comm->world)
        free(comm->members);
    neighbours_close(comm->neighbours);
    for (struct capture_comm *part, *next = comm->parts; (part = next);) {
        next = part->next;
        comm_release(part);
    }
    free(comm->world);
    free(comm);
}

static int delete_attribute(MPI_Comm handle, int key, void *value, void *extra)
{
    struct capture_comm *comm = value;
    (void)handle, (void)key, (void)extra;
    comm->next = atomic_load(&deleted);
    while (!atomic_compare_exchange_weak(&deleted, &comm->next, comm))
        ;
    return MPI_SUCCESS;
}

static void release_deleted(void)
{
    struct capture_comm *next = atomic_exchange(&deleted, NULL);
    cached.comm = NULL; /* the MPI may have reused its handle for another communicator */
    for (struct capture_comm *comm; (comm = next);) {
        next = comm->next;
        comm_release(comm);
    }
}

void comms_open(void)
{
    REAL(Comm_create_keyval)(copy_nothing, delete_attribute, &keyval, NULL);
    REAL(Comm_group)(MPI_COMM_WORLD, &world_group);
}

/* The ranks in the world of a group's members. NULL: no memory. */
static int *world_ranks_of(MPI_Group group, int *size, bool *has_outsiders)
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

/* The members of an intercommunicator: both groups, the one with the lower first rank first, so that both
 * have the same order. */
static void join_groups(struct capture_comm *comm, const int *own, int own_size)
{
    bool own_first = own && comm->world && own[0] < comm->world[0];
    comm->members = malloc((size_t)(own_size + comm->size) * sizeof *comm->members);
    if (!comm->members || !own || !comm->world)
        return;
    memcpy(comm->members + (own_first ? 0 : comm->size), own, (size_t)own_size * sizeof *own);
    memcpy(comm->members + (own_first ? own_size : 0), comm->world, (size_t)comm->size * sizeof *own);
    comm->member_count = own_size + comm->size;
}

static void find_members(struct capture_comm *comm, MPI_Comm handle)
{
    MPI_Group group;
    int is_inter, own_size;
    REAL(Comm_test_inter)(handle, &is_inter);
    REAL(Comm_rank)(handle, &comm->rank);
    REAL(Comm_group)(handle, &group);
    comm->is_inter = is_inter;
    int *own = world_ranks_of(group, &own_size, &comm->has_outsiders);
    REAL(Group_free)(&group);
    if (!is_inter) {
        comm->world = comm->members = own;
        comm->size = comm->member_count = own_size;
        return;
    }
    REAL(Comm_remote_group)(handle, &group);
    comm->world = world_ranks_of(group, &comm->size, &comm->has_outsiders);
    REAL(Group_free)(&group);
    join_groups(comm, own, own_size);
    free(own);
}

static struct capture_comm *attach(MPI_Comm handle)
{
    struct capture_comm *comm = calloc(1, sizeof *comm);
    comm->uses = 1;
    find_members(comm, handle);
    REAL(Comm_set_attr)(handle, keyval, comm);
    return comm;
}

/* `is_made_here`: by the call that is recorded, and not by one before it. */
static void write_members(const struct capture_comm *comm, const char *name, bool is_made_here)
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
    if (is_made_here)
        line_put_site();
    line_end_definition();
    free(members);
}

/* Writes the ranks in the world, in the order of the ranks in the communicator: "0-3,5". */
void comm_write_members(const struct capture_comm *comm, const char *name)
{
    write_members(comm, name, false);
}

/* In an allreduce of an intercommunicator each group gets the values of the other one. So a second allreduce
 * returns a group's own values to all its members. The name is that of the group whose rank 0 has the lower
 * rank in the world. */
static void agree_across(MPI_Comm handle, const int mine[2], int name[2])
{
    int theirs[2] = {0, 0}, ours[2] = {0, 0};
    REAL(Allreduce)(mine, theirs, 2, MPI_INT, MPI_MAX, handle);
    REAL(Allreduce)(theirs, ours, 2, MPI_INT, MPI_MAX, handle);
    memcpy(name, ours[0] < theirs[0] ? ours : theirs, 2 * sizeof *name);
}

void comm_created(MPI_Comm handle)
{
    if (handle == MPI_COMM_NULL)
        return;
    struct capture_comm *comm = attach(handle);
    if (comm->has_outsiders) /* they would not take part in the collective below */
        return;
    int name[2] = {0, 0};
    if (comm->rank == 0) {
        name[0] = capture_rank();
        name[1] = ++created_here;
    }
    /* Without the lock. The collective waits for other ranks, and one of them may come only after another
     * thread of this process has made a call, which needs the lock. */
    capture_pause();
    if (comm->is_inter)
        agree_across(handle, name, name);
    else
        REAL(Bcast)(name, 2, MPI_INT, 0, handle);
    capture_resume();
    snprintf(comm->name, sizeof comm->name, "#c%d.%d", name[0], name[1]);
    write_members(comm, comm->name, true);
}

void comm_pending(MPI_Comm of, MPI_Comm handle)
{
    struct pending_comm *pending = malloc(sizeof *pending);
    struct capture_comm *comm = comm_of(of);
    if (!pending)
        return;
    pending->handle = handle;
    pending->next = pending_comms;
    pending_comms = pending;
    snprintf(pending->name, sizeof pending->name, "%.32s+%d", *comm->name ? comm->name : "#c",
             ++comm->idup_count);
}

/* Takes the newest name for that handle, if there is any. Older ones are of deleted communicators. */
static bool take_pending_name(MPI_Comm handle, char *name, size_t size)
{
    bool found = false;
    for (struct pending_comm **at = &pending_comms, *pending; (pending = *at);) {
        if (pending->handle != handle) {
            at = &pending->next;
            continue;
        }
        if (!found)
            snprintf(name, size, "%s", pending->name);
        found = true;
        *at = pending->next;
        free(pending);
    }
    return found;
}

/* The name of a communicator whose creation was not recorded, such as MPI_COMM_SELF: a hash of its members,
 * which all members compute alike. Two such communicators with the same members share their name; messages
 * with equal tags in them may match the wrong receive. */
static void name_by_members(struct capture_comm *comm)
{
    uint64_t hash = 1469598103934665603u;
    for (int i = 0; i < comm->member_count; i++)
        hash = (hash ^ (uint64_t)comm->members[i]) * 1099511628211u;
    snprintf(comm->name, sizeof comm->name, "#c-%016llx", (unsigned long long)hash);
}

/* The first use of a communicator that has no attribute. */
static struct capture_comm *first_use(MPI_Comm handle)
{
    struct capture_comm *comm = attach(handle);
    if (handle == MPI_COMM_WORLD || comm->has_outsiders)
        return comm;
    if (!take_pending_name(handle, comm->name, sizeof comm->name))
        name_by_members(comm);
    comm_write_members(comm, comm->name);
    return comm;
}

struct capture_comm *comm_of(MPI_Comm handle)
{
    void *value;
    int is_there;
    if (atomic_load_explicit(&deleted, memory_order_relaxed))
        release_deleted();
    if (cached.comm && cached.handle == handle)
        return cached.comm;
    REAL(Comm_get_attr)(handle, keyval, &value, &is_there);
    cached.handle = handle;
    cached.comm = is_there ? value : first_use(handle);
    return cached.comm;
}

/* ------------------------------------ collectives of intercommunicators */

/* A new communicator. `members` is its list then. NULL: no memory. */
static struct capture_comm *part_of(struct capture_comm *between, const char *name, int *members, int size)
{
    struct capture_comm *part = calloc(1, sizeof *part);
    if (!part) {
        free(members);
        return NULL;
    }
    *part = (struct capture_comm){
        .size = size, .world = members, .members = members, .member_count = size, .uses = 1};
    snprintf(part->name, sizeof part->name, "%s", name);
    part->next = between->parts;
    between->parts = part;
    comm_write_members(part, part->name);
    return part;
}

static struct capture_comm *find_part(const struct capture_comm *between, const char *name)
{
    struct capture_comm *part = between->parts;
    while (part && strcmp(part->name, name) != 0)
        part = part->next;
    return part;
}

/* `members` has one group behind the other. */
static const int *own_group(const struct capture_comm *between, int *size)
{
    const bool other_first = between->members[0] == between->world[0];
    *size = between->member_count - between->size;
    return between->members + (other_first ? between->size : 0);
}

struct capture_comm *comm_own_group(struct capture_comm *between)
{
    int size;
    const int *own = own_group(between, &size);
    char name[sizeof between->name];
    snprintf(name, sizeof name, "%.32sg%d", between->name, own[0]);
    struct capture_comm *part = find_part(between, name);
    if (part)
        return part;
    int *members = malloc((size_t)size * sizeof *members);
    if (!members)
        return NULL;
    memcpy(members, own, (size_t)size * sizeof *members);
    return part_of(between, name, members, size);
}

struct capture_comm *comm_with_root(struct capture_comm *between, int root)
{
    const bool is_root = root == MPI_ROOT;
    /* The root is of the one group, and the other group takes part. */
    int own_size;
    const int *own = own_group(between, &own_size);
    const int *group = is_root ? between->world : own;
    const int group_size = is_root ? between->size : own_size,
              root_rank = is_root ? capture_rank() : between->world[root];
    char name[sizeof between->name];
    snprintf(name, sizeof name, "%.32sr%d", between->name, root_rank);
    struct capture_comm *part = find_part(between, name);
    if (part)
        return part;
    int *members = malloc(((size_t)group_size + 1) * sizeof *members);
    if (!members)
        return NULL;
    members[0] = root_rank;
    memcpy(members + 1, group, (size_t)group_size * sizeof *members);
    return part_of(between, name, members, group_size + 1);
}

/* ------------------------------------------------- persistent collectives */

struct capture_comm *comm_alone(struct capture_comm *comm)
{
    struct capture_comm *alone = calloc(1, sizeof *alone);
    int *members = malloc((size_t)comm->member_count * sizeof *members);
    if (!alone || !members) {
        free(alone);
        free(members);
        return NULL;
    }
    memcpy(members, comm->members, (size_t)comm->member_count * sizeof *members);
    *alone = (struct capture_comm){.size = comm->member_count,
                                   .rank = comm->rank,
                                   .world = members,
                                   .members = members,
                                   .member_count = comm->member_count};
    snprintf(alone->name, sizeof alone->name, "%.32sp%d", *comm->name ? comm->name : "#c",
             ++comm->alone_count);
    comm_write_members(alone, alone->name);
    return alone;
}
