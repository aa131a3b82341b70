/* What calls that make communicators make, once all ranks that take part have come to them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/dumpi/follow.h"

#define LOST_COLOUR INT64_MIN /* the group is not known, so the communicator is not either */

/* What a rank says: ranks of one colour become a communicator, in the order of their keys. */
struct member {
    uint32_t rank;
    int64_t colour, key;
    uint32_t place; /* in the old communicator */
    bool is_remote; /* of an intercommunicator: in its second group */
};

struct member_list {
    struct member *list;
    uint32_t count;
};

static int by_colour(const void *first, const void *second)
{
    const struct member *a = first, *b = second;
    if (a->colour != b->colour)
        return a->colour < b->colour ? -1 : 1;
    if (a->is_remote != b->is_remote)
        return a->is_remote ? 1 : -1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Those of the parts from `begin` on that have one colour and one side, as a list. */
static uint32_t list_side(struct dumpi_comms *comms, const struct member_list *parts, uint32_t begin,
                          uint32_t *end)
{
    uint32_t *ranks = mem_alloc(parts->count - begin, sizeof *ranks, "the ranks of a communicator");
    const struct member *first = &parts->list[begin];
    for (*end = begin; *end < parts->count && parts->list[*end].colour == first->colour &&
                       parts->list[*end].is_remote == first->is_remote;
         ++*end)
        ranks[*end - begin] = parts->list[*end].rank;
    uint32_t list = dumpi_lists_add(&comms->lists, ranks, *end - begin);
    free(ranks);
    return list;
}

/* Makes a communicator of each colour. */
static void make_by_colour(struct dumpi_follower *follower, struct member_list *parts, bool is_inter,
                           uint32_t shape)
{
    if (parts->count)
        qsort(parts->list, parts->count, sizeof *parts->list, by_colour);
    for (uint32_t begin = 0, end; begin < parts->count; begin = end) {
        uint32_t local = list_side(follower->comms, parts, begin, &end), remote = 0;
        if (is_inter && end < parts->count && parts->list[end].colour == parts->list[begin].colour)
            remote = list_side(follower->comms, parts, end, &end);
        bool is_lost = parts->list[begin].colour == LOST_COLOUR || (is_inter && !remote);
        uint32_t made = is_lost ? DUMPI_OUTSIDE : dumpi_new_comm(follower->comms, local, remote, shape);
        for (uint32_t i = begin; i < end; i++)
            dumpi_give(follower, parts->list[i].rank, made);
    }
}

/* ---------------------------------------------------------------- the ranks */

/* The ranks of a communicator one after another: those of its group, then those of the other. */
static uint32_t size_of(const struct dumpi_comms *comms, const struct dumpi_comm *comm)
{
    return dumpi_lists_count(&comms->lists, comm->local) + dumpi_lists_count(&comms->lists, comm->remote);
}

static uint32_t rank_at(const struct dumpi_comms *comms, const struct dumpi_comm *comm, uint32_t place)
{
    uint32_t local = dumpi_lists_count(&comms->lists, comm->local);
    return place < local ? dumpi_lists_items(&comms->lists, comm->local)[place]
                         : dumpi_lists_items(&comms->lists, comm->remote)[place - local];
}

static bool is_remote_place(const struct dumpi_comms *comms, const struct dumpi_comm *comm, uint32_t place)
{
    return place >= dumpi_lists_count(&comms->lists, comm->local);
}

/* ------------------------------------------------------------------ by call */

/* A call with a colour and a key for each rank. `say` returns false, reported, if they cannot be. Ranks that
 * get MPI_COMM_NULL are in no part. */
typedef bool say_part(struct dumpi_follower *follower, const struct dumpi_comm *comm, struct member *part);

static enum status make_parts(struct dumpi_follower *follower, uint32_t number, uint32_t shape, say_part *say)
{
    struct dumpi_comms *comms = follower->comms;
    const struct dumpi_comm comm = comms->comms[number];
    uint32_t size = size_of(comms, &comm);
    struct member_list parts = {mem_alloc(size, sizeof *parts.list, "the ranks of a communicator"), 0};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < size; i++) {
        struct member part = {
            .rank = rank_at(comms, &comm, i), .place = i, .is_remote = is_remote_place(comms, &comm, i)};
        if (dumpi_event_of(follower, part.rank)->c == DUMPI_COMM_NULL)
            continue;
        if (say(follower, &comm, &part))
            parts.list[parts.count++] = part;
        else
            status = STATUS_BAD_INPUT;
    }
    for (uint32_t i = 0; status == STATUS_OK && i < size; i++)
        if (dumpi_event_of(follower, rank_at(comms, &comm, i))->c == DUMPI_COMM_NULL)
            dumpi_give(follower, rank_at(comms, &comm, i), DUMPI_NO_COMM);
    if (status == STATUS_OK)
        make_by_colour(follower, &parts, comm.remote != 0, shape);
    free(parts.list);
    return status;
}

static bool say_split(struct dumpi_follower *follower, const struct dumpi_comm *comm, struct member *part)
{
    const struct dumpi_event *event = dumpi_event_of(follower, part->rank);
    (void)comm;
    part->colour = event->x;
    part->key = event->y;
    return true;
}

static bool say_dup(struct dumpi_follower *follower, const struct dumpi_comm *comm, struct member *part)
{
    (void)follower;
    (void)comm;
    part->key = part->place;
    return true;
}

/* The first ranks of the old communicator, as many as the grid or graph has; others have MPI_COMM_NULL. */
static enum status make_first(struct dumpi_follower *follower, uint32_t number, uint64_t wanted,
                              uint32_t shape)
{
    struct dumpi_comms *comms = follower->comms;
    const struct dumpi_comm comm = comms->comms[number];
    uint32_t size = size_of(comms, &comm);
    for (uint32_t i = 0; i < size; i++) {
        uint32_t rank = rank_at(comms, &comm, i);
        if (wanted > size || comm.remote)
            return dumpi_event_fail(follower, rank, "it wants %llu ranks of a communicator that has %u",
                                    (unsigned long long)wanted, size);
        if ((dumpi_event_of(follower, rank)->c == DUMPI_COMM_NULL) != (i >= wanted))
            return dumpi_event_fail(follower, rank,
                                    "rank %u of the old communicator %s a grid or graph of %llu ranks", i,
                                    i < wanted ? "is not in" : "is in", (unsigned long long)wanted);
    }
    return make_parts(follower, number, shape, say_dup);
}

/* 2^32 or more: too many, or not positive. */
static uint64_t grid_size(const struct dumpi_comms *comms, uint32_t dims)
{
    uint64_t size = 1;
    for (uint32_t i = 0; i < dumpi_lists_count(&comms->lists, dims) && size <= UINT32_MAX; i++) {
        int32_t dim = (int32_t)dumpi_lists_items(&comms->lists, dims)[i];
        size = dim > 0 ? size * (uint32_t)dim : UINT64_C(1) << 32;
    }
    return size;
}

/* MPI_Cart_sub: ranks whose coordinates agree in the dimensions that are dropped. */
static bool say_sub(struct dumpi_follower *follower, const struct dumpi_comm *comm, struct member *part)
{
    const struct dumpi_lists *lists = &follower->comms->lists;
    const struct dumpi_event *event = dumpi_event_of(follower, part->rank);
    uint32_t dims = dumpi_lists_count(lists, comm->shape), place = part->place;
    uint64_t dropped = 1, kept = 1;
    for (uint32_t i = dims; i-- > 0;) { /* the last dimension counts fastest */
        uint32_t dim = dumpi_lists_items(lists, comm->shape)[i], coordinate = place % dim;
        bool remains = dumpi_lists_items(lists, event->list)[i] != 0;
        uint64_t *scale = remains ? &kept : &dropped;
        *(remains ? &part->key : &part->colour) += (int64_t)(coordinate * *scale);
        *scale *= dim;
        place /= dim;
    }
    return true;
}

static enum status make_sub(struct dumpi_follower *follower, uint32_t number)
{
    struct dumpi_comms *comms = follower->comms;
    const struct dumpi_comm comm = comms->comms[number];
    uint32_t dims = dumpi_lists_count(&comms->lists, comm.shape), left = 0;
    uint32_t remain = dumpi_event_of(follower, rank_at(comms, &comm, 0))->list;
    for (uint32_t i = 0; i < size_of(comms, &comm); i++) {
        const struct dumpi_event *event = dumpi_event_of(follower, rank_at(comms, &comm, i));
        if (!dims || dumpi_lists_count(&comms->lists, event->list) != dims || event->list != remain)
            return dumpi_event_fail(
                follower, rank_at(comms, &comm, i),
                "it names %u dimensions of a grid that has %u, or others than other ranks",
                dumpi_lists_count(&comms->lists, event->list), dims);
    }
    uint32_t *shape = mem_alloc(dims, sizeof *shape, "the dimensions of a grid");
    for (uint32_t i = 0; i < dims; i++)
        if (dumpi_lists_items(&comms->lists, remain)[i])
            shape[left++] = dumpi_lists_items(&comms->lists, comm.shape)[i];
    uint32_t kept = dumpi_lists_add(&comms->lists, shape, left);
    free(shape);
    return make_parts(follower, number, kept, say_sub);
}

static enum status make_cart(struct dumpi_follower *follower, uint32_t number)
{
    const struct dumpi_comms *comms = follower->comms;
    const struct dumpi_comm *comm = &comms->comms[number];
    uint32_t shape = dumpi_event_of(follower, rank_at(comms, comm, 0))->list;
    for (uint32_t i = 0; i < size_of(comms, comm); i++)
        if (dumpi_event_of(follower, rank_at(comms, comm, i))->list != shape)
            return dumpi_event_fail(follower, rank_at(comms, comm, i),
                                    "its grid has other dimensions than that of rank %u",
                                    rank_at(comms, comm, 0));
    return make_first(follower, number, grid_size(comms, shape), shape);
}

static enum status make_graph(struct dumpi_follower *follower, uint32_t number)
{
    const struct dumpi_comms *comms = follower->comms;
    uint32_t first = rank_at(comms, &comms->comms[number], 0);
    int32_t nodes = dumpi_event_of(follower, first)->x;
    return make_first(follower, number, nodes < 0 ? UINT64_C(1) << 32 : (uint64_t)nodes, 0);
}

/* ---------------------------------------------------------- MPI_Comm_create */

/* The colour is the group's list; the key, the place in it. */
static bool say_create(struct dumpi_follower *follower, const struct dumpi_comm *comm, struct member *part)
{
    const struct dumpi_lists *lists = &follower->comms->lists;
    uint32_t group = dumpi_group_of(follower, part->rank, dumpi_event_of(follower, part->rank)->b);
    part->colour = group == DUMPI_UNKNOWN_GROUP ? LOST_COLOUR : comm->remote ? 0 : group;
    if (group == DUMPI_UNKNOWN_GROUP)
        return true;
    part->key = dumpi_place_in(follower, group, part->rank);
    if (part->key < dumpi_lists_count(lists, group))
        return true;
    dumpi_event_fail(follower, part->rank, "rank %u gets a communicator whose group does not have it",
                     part->rank);
    return false;
}

/* Each rank of a group must get the communicator, since each has been found to be in its group. */
static enum status check_create(struct dumpi_follower *follower, uint32_t number)
{
    struct dumpi_comms *comms = follower->comms;
    const struct dumpi_comm comm = comms->comms[number];
    struct hashmap makers = {.entries = NULL}; /* by group: how many have made it */
    enum status status = STATUS_OK;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; status == STATUS_OK && i < size_of(comms, &comm); i++) {
            uint32_t rank = rank_at(comms, &comm, i), group;
            const struct dumpi_event *event = dumpi_event_of(follower, rank);
            if (event->c == DUMPI_COMM_NULL)
                continue;
            group = dumpi_group_of(follower, rank, event->b);
            if (group == DUMPI_UNKNOWN_GROUP)
                continue;
            if (pass == 0)
                ++*hashmap_slot(&makers, group);
            else if (hashmap_get(&makers, group) != dumpi_lists_count(&comms->lists, group))
                status =
                    dumpi_event_fail(follower, rank, "its group has %u ranks, of which %u call it",
                                     dumpi_lists_count(&comms->lists, group), hashmap_get(&makers, group));
        }
    hashmap_free(&makers);
    return status;
}

/* ------------------------------------------------------- intercommunicators */

static void give_all(struct dumpi_follower *follower, const struct dumpi_comm *old, uint32_t made)
{
    for (uint32_t i = 0; i < size_of(follower->comms, old); i++)
        dumpi_give(follower, rank_at(follower->comms, old, i), made);
}

/* Whether no rank is in both lists. */
static bool are_apart(struct dumpi_follower *follower, uint32_t first, uint32_t second)
{
    const struct dumpi_lists *lists = &follower->comms->lists;
    bool apart = true;
    follower->mark++;
    for (uint32_t i = 0; i < dumpi_lists_count(lists, first); i++)
        follower->marks[dumpi_lists_items(lists, first)[i]] = follower->mark;
    for (uint32_t i = 0; i < dumpi_lists_count(lists, second); i++)
        apart &= follower->marks[dumpi_lists_items(lists, second)[i]] != follower->mark;
    return apart;
}

/* The leaders of both groups, by what the leader of one says. */
static enum status find_leaders(struct dumpi_follower *follower, uint32_t number, struct dumpi_half *half)
{
    struct dumpi_comms *comms = follower->comms;
    const struct dumpi_comm *comm = &comms->comms[number];
    uint32_t first = rank_at(comms, comm, 0);
    int32_t leader = dumpi_event_of(follower, first)->x;
    if (leader < 0 || (uint32_t)leader >= size_of(comms, comm))
        return dumpi_event_fail(follower, first, "there is no rank %d in its group, to be the leader",
                                leader);
    uint32_t rank = rank_at(comms, comm, (uint32_t)leader);
    const struct dumpi_event *event = dumpi_event_of(follower, rank);
    uint32_t peers = dumpi_comm_of(follower, rank, event->b);
    if (peers == DUMPI_NO_COMM)
        return dumpi_event_fail(follower, rank, "the communicator of the leaders is MPI_COMM_NULL");
    *half = (struct dumpi_half){.comm = number, .leader = rank, .remote = UINT32_MAX, .tag = event->z};
    const struct dumpi_comm *peer = &comms->comms[peers];
    if (peer->is_outside)
        return STATUS_OK;
    uint32_t list = peer->local;
    if (peer->remote && dumpi_place_in(follower, list, rank) < dumpi_lists_count(&comms->lists, list))
        list = peer->remote; /* the other leader is in the group that this one is not in */
    if (event->y < 0 || (uint32_t)event->y >= dumpi_lists_count(&comms->lists, list))
        return dumpi_event_fail(follower, rank, "there is no rank %d in the communicator of the leaders",
                                event->y);
    half->remote = dumpi_lists_items(&comms->lists, list)[event->y];
    return STATUS_OK;
}

/* The two halves of an intercommunicator meet by their leaders and the tag. */
static enum status make_inter(struct dumpi_follower *follower, uint32_t number)
{
    struct dumpi_half half;
    struct dumpi_comms *comms = follower->comms;
    if (find_leaders(follower, number, &half) != STATUS_OK)
        return STATUS_BAD_INPUT;
    if (half.remote == UINT32_MAX) {
        give_all(follower, &(struct dumpi_comm){.local = comms->comms[number].local}, DUMPI_OUTSIDE);
        return STATUS_OK;
    }
    for (size_t i = 0; i < follower->half_count; i++) {
        struct dumpi_half *other = &follower->halves[i];
        if (other->is_done || other->leader != half.remote || other->remote != half.leader ||
            other->tag != half.tag)
            continue;
        const struct dumpi_comm first = comms->comms[other->comm], second = comms->comms[number];
        other->is_done = true;
        if (!are_apart(follower, first.local, second.local))
            return dumpi_event_fail(follower, half.leader, "its two groups have a rank in common");
        bool is_first = rank_at(comms, &first, 0) < rank_at(comms, &second, 0);
        uint32_t made = dumpi_new_comm(comms, is_first ? first.local : second.local,
                                       is_first ? second.local : first.local, 0);
        give_all(follower, &first, made);
        give_all(follower, &second, made);
        return STATUS_OK;
    }
    follower->halves =
        mem_grow(follower->halves, &follower->half_capacity, follower->half_count + 1, "intercommunicators");
    follower->halves[follower->half_count++] = half;
    return STATUS_OK;
}

/* MPI_Intercomm_merge: the group that says `high` comes last. If both say the same, MPI leaves the order
 * open: the group of the lower first rank of the world comes first. */
static enum status make_merge(struct dumpi_follower *follower, uint32_t number)
{
    struct dumpi_comms *comms = follower->comms;
    const struct dumpi_comm comm = comms->comms[number];
    if (!comm.remote)
        return dumpi_event_fail(follower, rank_at(comms, &comm, 0),
                                "its communicator is no intercommunicator");
    uint32_t locals = dumpi_lists_count(&comms->lists, comm.local), size = size_of(comms, &comm);
    uint32_t first = rank_at(comms, &comm, 0), second = rank_at(comms, &comm, locals);
    bool high = dumpi_event_of(follower, first)->x != 0, other = dumpi_event_of(follower, second)->x != 0;
    bool is_swapped = high == other ? first > second : high;
    uint32_t *ranks = mem_alloc(size, sizeof *ranks, "the ranks of a communicator");
    for (uint32_t i = 0; i < size; i++) {
        uint32_t place = is_swapped ? (i + locals) % size : i;
        ranks[i] = rank_at(comms, &comm, place);
    }
    uint32_t made = dumpi_new_comm(comms, dumpi_lists_add(&comms->lists, ranks, size), 0, 0);
    free(ranks);
    give_all(follower, &comm, made);
    return STATUS_OK;
}

enum status dumpi_make_comm(struct dumpi_follower *follower, uint32_t number)
{
    follower->comms->comms[number].is_used = true;
    switch (follower->comms->comms[number].function) {
    case DUMPI_COMM_DUP:
        return make_parts(follower, number, follower->comms->comms[number].shape, say_dup);
    case DUMPI_COMM_SPLIT:
        return make_parts(follower, number, 0, say_split);
    case DUMPI_COMM_CREATE: {
        enum status status = check_create(follower, number);
        return status == STATUS_OK ? make_parts(follower, number, 0, say_create) : status;
    }
    case DUMPI_CART_CREATE:
        return make_cart(follower, number);
    case DUMPI_GRAPH_CREATE:
        return make_graph(follower, number);
    case DUMPI_CART_SUB:
        return make_sub(follower, number);
    case DUMPI_INTERCOMM_CREATE:
        return make_inter(follower, number);
    default: /* DUMPI_INTERCOMM_MERGE */
        return make_merge(follower, number);
    }
}
