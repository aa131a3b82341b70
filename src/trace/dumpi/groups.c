/* Groups: lists of ranks of the world, in the order of their ranks in the group. */
#include <string.h>

#include "base/mem.h"
#include "trace/dumpi/follow.h"

/* Marks the ranks of the list; they then have the mark follower->mark. */
static void mark(struct dumpi_follower *follower, uint32_t list)
{
    const uint32_t *ranks = dumpi_lists_items(&follower->comms->lists, list);
    follower->mark++;
    for (uint32_t i = 0; i < dumpi_lists_count(&follower->comms->lists, list); i++)
        follower->marks[ranks[i]] = follower->mark;
}

/* Ranks of a new group. There are as many as the program has, so that a rank named twice shows itself. */
struct chosen {
    uint32_t *ranks;
    uint32_t count;
};

/* Adds those of the list that are marked, or those that are not. */
static void choose(const struct dumpi_follower *follower, uint32_t list, bool marked, struct chosen *chosen)
{
    const uint32_t *ranks = dumpi_lists_items(&follower->comms->lists, list);
    for (uint32_t i = 0; i < dumpi_lists_count(&follower->comms->lists, list); i++)
        if ((follower->marks[ranks[i]] == follower->mark) == marked)
            chosen->ranks[chosen->count++] = ranks[i];
}

/* Appends the ranks that are picked from a group by their ranks in it. False, reported: there is no such
 * rank, or it is named twice. */
static bool pick(struct dumpi_follower *follower, uint32_t rank, uint32_t group, int64_t index,
                 struct chosen *chosen)
{
    uint32_t size = dumpi_lists_count(&follower->comms->lists, group);
    if (index < 0 || index >= size) {
        dumpi_event_fail(follower, rank, "it names rank %lld of a group of %u", (long long)index, size);
        return false;
    }
    uint32_t picked = dumpi_lists_items(&follower->comms->lists, group)[index];
    if (follower->marks[picked] == follower->mark) {
        dumpi_event_fail(follower, rank, "it names rank %lld of a group twice", (long long)index);
        return false;
    }
    follower->marks[picked] = follower->mark;
    chosen->ranks[chosen->count++] = picked;
    return true;
}

/* Ranges of first rank, last rank and step. */
static bool pick_ranges(struct dumpi_follower *follower, uint32_t rank, uint32_t group, uint32_t ranges,
                        struct chosen *chosen)
{
    uint32_t count = dumpi_lists_count(&follower->comms->lists, ranges);
    for (uint32_t i = 0; i < count; i += 3) {
        const uint32_t *range = dumpi_lists_items(&follower->comms->lists, ranges) + i;
        int64_t first = (int32_t)range[0], last = (int32_t)range[1], step = (int32_t)range[2];
        if (step == 0) {
            dumpi_event_fail(follower, rank, "a range of ranks has no step");
            return false;
        }
        for (int64_t at = first; step > 0 ? at <= last : at >= last; at += step)
            if (!pick(follower, rank, group, at, chosen))
                return false;
    }
    return true;
}

static bool pick_list(struct dumpi_follower *follower, uint32_t rank, uint32_t group, uint32_t list,
                      struct chosen *chosen)
{
    for (uint32_t i = 0; i < dumpi_lists_count(&follower->comms->lists, list); i++) {
        int32_t index = (int32_t)dumpi_lists_items(&follower->comms->lists, list)[i];
        if (!pick(follower, rank, group, index, chosen))
            return false;
    }
    return true;
}

/* MPI_Group_incl and its like. */
static bool make_by_ranks(struct dumpi_follower *follower, uint32_t rank, uint32_t group,
                          struct chosen *chosen)
{
    const struct dumpi_event *event = dumpi_event_of(follower, rank);
    bool by_ranges = event->function == DUMPI_GROUP_RANGE_INCL || event->function == DUMPI_GROUP_RANGE_EXCL;
    follower->mark++;
    if (by_ranges ? !pick_ranges(follower, rank, group, event->list, chosen)
                  : !pick_list(follower, rank, group, event->list, chosen))
        return false;
    if (event->function == DUMPI_GROUP_EXCL || event->function == DUMPI_GROUP_RANGE_EXCL) {
        chosen->count = 0;
        choose(follower, group, false, chosen);
    }
    return true;
}

/* MPI_Group_union and its like. */
static void make_by_sets(struct dumpi_follower *follower, uint16_t function, uint32_t first, uint32_t second,
                         struct chosen *chosen)
{
    if (function == DUMPI_GROUP_UNION) {
        mark(follower, first);
        choose(follower, first, true, chosen);
        choose(follower, second, false, chosen);
    } else {
        mark(follower, second);
        choose(follower, first, function == DUMPI_GROUP_INTERSECTION, chosen);
    }
}

static enum status make_from_groups(struct dumpi_follower *follower, uint32_t rank)
{
    const struct dumpi_event *event = dumpi_event_of(follower, rank);
    bool by_sets = event->function == DUMPI_GROUP_UNION || event->function == DUMPI_GROUP_INTERSECTION ||
                   event->function == DUMPI_GROUP_DIFFERENCE;
    uint32_t first = dumpi_group_of(follower, rank, event->a);
    uint32_t second = by_sets ? dumpi_group_of(follower, rank, event->b) : 0;
    if (first == DUMPI_UNKNOWN_GROUP || second == DUMPI_UNKNOWN_GROUP) {
        dumpi_bind_group(follower, rank, event->c, DUMPI_UNKNOWN_GROUP);
        return STATUS_OK;
    }
    struct chosen chosen = {mem_alloc(follower->comms->ranks, sizeof *chosen.ranks, "the ranks of a group"),
                            0};
    bool is_good = true;
    if (by_sets)
        make_by_sets(follower, event->function, first, second, &chosen);
    else
        is_good = make_by_ranks(follower, rank, first, &chosen);
    if (is_good)
        dumpi_bind_group(follower, rank, event->c,
                         dumpi_lists_add(&follower->comms->lists, chosen.ranks, chosen.count));
    free(chosen.ranks);
    return is_good ? STATUS_OK : STATUS_BAD_INPUT;
}

/* MPI_Comm_group: the rank's own group, of an intercommunicator too. MPI_Comm_remote_group: the other. */
static enum status make_from_comm(struct dumpi_follower *follower, uint32_t rank)
{
    const struct dumpi_event *event = dumpi_event_of(follower, rank);
    uint32_t number = dumpi_comm_of(follower, rank, event->a);
    if (number == DUMPI_NO_COMM)
        return dumpi_event_fail(follower, rank, "its communicator is MPI_COMM_NULL");
    const struct dumpi_comm *comm = &follower->comms->comms[number];
    uint32_t list = comm->local;
    bool is_local = dumpi_place_in(follower, list, rank) < dumpi_lists_count(&follower->comms->lists, list);
    if (comm->remote && (event->function == DUMPI_COMM_REMOTE_GROUP) == is_local)
        list = comm->remote;
    dumpi_bind_group(follower, rank, event->c, comm->is_outside ? DUMPI_UNKNOWN_GROUP : list);
    return STATUS_OK;
}

enum status dumpi_make_group(struct dumpi_follower *follower, uint32_t rank)
{
    const struct dumpi_event *event = dumpi_event_of(follower, rank);
    switch (event->function) {
    case DUMPI_COMM_GROUP:
    case DUMPI_COMM_REMOTE_GROUP:
        return make_from_comm(follower, rank);
    case DUMPI_WIN_GET_GROUP:
    case DUMPI_FILE_GET_GROUP:
        dumpi_bind_group(follower, rank, event->c, DUMPI_UNKNOWN_GROUP);
        return STATUS_OK;
    default:
        return make_from_groups(follower, rank);
    }
}
