#include "trace/dumpi/communicators.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/dumpi/follow.h"

/* ------------------------------------------------------------------- tables */

uint32_t dumpi_new_comm(struct dumpi_comms *comms, uint32_t local, uint32_t remote, uint32_t shape)
{
    comms->comms = mem_grow(comms->comms, &comms->capacity, comms->count + 1, "communicators");
    comms->comms[comms->count] = (struct dumpi_comm){.local = local, .remote = remote, .shape = shape};
    return (uint32_t)comms->count++;
}

void dumpi_comms_init(struct dumpi_comms *comms, uint32_t ranks)
{
    *comms = (struct dumpi_comms){.ranks = ranks};
    dumpi_lists_init(&comms->lists);
    comms->makers = mem_alloc(ranks, sizeof *comms->makers, "the ranks of a trace");
    uint32_t *all = mem_alloc(ranks, sizeof *all, "the ranks of a trace");
    for (uint32_t rank = 0; rank < ranks; rank++)
        all[rank] = rank;
    dumpi_new_comm(comms, dumpi_lists_add(&comms->lists, all, ranks), 0, 0); /* DUMPI_WORLD */
    free(all);
    dumpi_new_comm(comms, 0, 0, 0); /* DUMPI_OUTSIDE */
    comms->comms[DUMPI_OUTSIDE].is_outside = true;
}

void dumpi_comms_free(struct dumpi_comms *comms)
{
    for (uint32_t rank = 0; comms->makers && rank < comms->ranks; rank++) {
        free(comms->makers[rank].events);
        free(comms->makers[rank].made);
    }
    free(comms->makers);
    free(comms->comms);
    dumpi_lists_free(&comms->lists);
    *comms = (struct dumpi_comms){.ranks = 0};
}

/* ------------------------------------------------------------------ handles */

enum handle_kind { KIND_COMM, KIND_GROUP };
#define FREED UINT32_MAX

static uint64_t handle_key(uint32_t rank, enum handle_kind kind, uint16_t handle)
{
    return (uint64_t)rank << 32 | (uint64_t)kind << 16 | handle;
}

uint32_t dumpi_comm_of(struct dumpi_follower *follower, uint32_t rank, uint16_t handle)
{
    if (handle == DUMPI_COMM_WORLD)
        return DUMPI_WORLD;
    if (handle == DUMPI_COMM_NULL)
        return DUMPI_NO_COMM;
    uint32_t known = hashmap_get(&follower->handles, handle_key(rank, KIND_COMM, handle));
    if (known || handle != DUMPI_COMM_SELF)
        return known && known != FREED ? known - 1 : DUMPI_OUTSIDE;
    uint32_t self = dumpi_new_comm(follower->comms, dumpi_lists_add(&follower->comms->lists, &rank, 1), 0, 0);
    *hashmap_slot(&follower->handles, handle_key(rank, KIND_COMM, handle)) = self + 1;
    return self;
}

uint32_t dumpi_group_of(const struct dumpi_follower *follower, uint32_t rank, uint16_t handle)
{
    if (handle == DUMPI_GROUP_EMPTY || handle == DUMPI_GROUP_NULL)
        return 0;
    uint32_t known = hashmap_get(&follower->handles, handle_key(rank, KIND_GROUP, handle));
    return known ? known - 2 : DUMPI_UNKNOWN_GROUP;
}

void dumpi_bind_group(struct dumpi_follower *follower, uint32_t rank, uint16_t handle, uint32_t list)
{
    if (handle != DUMPI_GROUP_EMPTY && handle != DUMPI_GROUP_NULL) /* the unknown group becomes 1 */
        *hashmap_slot(&follower->handles, handle_key(rank, KIND_GROUP, handle)) = list + 2;
}

uint32_t dumpi_place_in(struct dumpi_follower *follower, uint32_t list, uint32_t rank)
{
    const uint32_t *ranks = dumpi_lists_items(&follower->comms->lists, list);
    uint32_t count = dumpi_lists_count(&follower->comms->lists, list);
    if (follower->placed != list)
        for (uint32_t i = 0; i < count; i++)
            follower->places[ranks[i]] = i;
    follower->placed = list;
    uint32_t place = follower->places[rank];
    return place < count && ranks[place] == rank ? place : count;
}

void dumpi_give(struct dumpi_follower *follower, uint32_t rank, uint32_t comm)
{
    struct dumpi_maker *maker = &follower->comms->makers[rank];
    const struct dumpi_event *event = &maker->events[maker->next++];
    if (event->c > DUMPI_COMM_SELF && comm != DUMPI_NO_COMM)
        *hashmap_slot(&follower->handles, handle_key(rank, KIND_COMM, event->c)) = comm + 1;
    maker->made = mem_grow(maker->made, &maker->made_capacity, maker->made_count + 1, "communicators");
    maker->made[maker->made_count++] = comm;
    follower->ready =
        mem_grow(follower->ready, &follower->ready_capacity, follower->ready_count + 1, "ranks");
    follower->ready[follower->ready_count++] = rank;
}

/* ---------------------------------------------------------------- following */

enum status dumpi_event_fail(const struct dumpi_follower *follower, uint32_t rank, const char *format, ...)
{
    char text[512];
    const struct dumpi_event *event = dumpi_event_of(follower, rank);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_report(
        DIAG_ERROR,
        &(struct diag_place){.file = follower->comms->makers[rank].file, .line = event->at | DIAG_BYTE},
        "this %s cannot be: %s", dumpi_name(event->function), text);
    return STATUS_BAD_INPUT;
}

static uint32_t ranks_of(const struct dumpi_comms *comms, const struct dumpi_comm *comm)
{
    return dumpi_lists_count(&comms->lists, comm->local) + dumpi_lists_count(&comms->lists, comm->remote);
}

/* A rank comes to a call of all ranks of a communicator. *waits: not all are there. */
static enum status arrive(struct dumpi_follower *follower, uint32_t rank, bool *waits)
{
    const struct dumpi_event *event = dumpi_event_of(follower, rank);
    uint32_t number = dumpi_comm_of(follower, rank, event->a);
    if (number == DUMPI_NO_COMM)
        return dumpi_event_fail(follower, rank, "its communicator is MPI_COMM_NULL");
    struct dumpi_comm *comm = &follower->comms->comms[number];
    if (comm->is_outside) {
        dumpi_give(follower, rank, event->c == DUMPI_COMM_NULL ? DUMPI_NO_COMM : DUMPI_OUTSIDE);
        *waits = true; /* it is ready again */
        return STATUS_OK;
    }
    if (comm->arrived && comm->function != event->function)
        return dumpi_event_fail(follower, rank, "other ranks call %s on this communicator instead",
                                dumpi_name(comm->function));
    comm->function = event->function;
    *waits = ++comm->arrived < ranks_of(follower->comms, comm);
    if (*waits)
        return STATUS_OK;
    comm->arrived = 0;
    *waits = true; /* dumpi_give lets it go on */
    return dumpi_make_comm(follower, number);
}

/* Follows a rank until it waits for others. */
static enum status follow_rank(struct dumpi_follower *follower, uint32_t rank)
{
    struct dumpi_maker *maker = &follower->comms->makers[rank];
    enum status status = STATUS_OK;
    for (bool waits = false; status == STATUS_OK && !waits && maker->next < maker->count;) {
        const struct dumpi_event *event = &maker->events[maker->next];
        switch (event->function) {
        case DUMPI_COMM_DUP:
        case DUMPI_COMM_CREATE:
        case DUMPI_COMM_SPLIT:
        case DUMPI_CART_CREATE:
        case DUMPI_GRAPH_CREATE:
        case DUMPI_CART_SUB:
        case DUMPI_INTERCOMM_CREATE:
        case DUMPI_INTERCOMM_MERGE:
            status = arrive(follower, rank, &waits);
            break;
        default:
            if (dumpi_use_of(event->function) == DUMPI_USE_GROUP) {
                status = dumpi_make_group(follower, rank);
                maker->next++;
            } else if (dumpi_use_of(event->function) == DUMPI_USE_FREE) {
                if (event->a > DUMPI_COMM_SELF)
                    *hashmap_slot(&follower->handles, handle_key(rank, KIND_COMM, event->a)) = FREED;
                maker->next++;
            } else { /* with processes outside the trace */
                dumpi_give(follower, rank, event->c == DUMPI_COMM_NULL ? DUMPI_NO_COMM : DUMPI_OUTSIDE);
                waits = true; /* it is ready again */
            }
        }
    }
    return status;
}

/* All ranks wait or have ended. NULL message: all have ended. */
static enum status report_waiting(const struct dumpi_follower *follower)
{
    for (uint32_t rank = 0; rank < follower->comms->ranks; rank++) {
        const struct dumpi_maker *maker = &follower->comms->makers[rank];
        if (maker->next < maker->count)
            return dumpi_event_fail(follower, rank,
                                    "not all ranks of its communicator call it; their traces end before, or "
                                    "they call something else");
    }
    return STATUS_OK;
}

static void start(struct dumpi_follower *follower, struct dumpi_comms *comms)
{
    *follower = (struct dumpi_follower){.comms = comms, .placed = UINT32_MAX};
    follower->marks = mem_alloc(comms->ranks, sizeof *follower->marks, "the ranks of a trace");
    follower->places = mem_alloc(comms->ranks, sizeof *follower->places, "the ranks of a trace");
    follower->ready = mem_grow(follower->ready, &follower->ready_capacity, comms->ranks, "ranks");
    for (uint32_t rank = comms->ranks; rank-- > 0;)
        if (comms->makers[rank].count)
            follower->ready[follower->ready_count++] = rank;
}

enum status dumpi_comms_follow(struct dumpi_comms *comms)
{
    struct dumpi_follower follower;
    enum status status = STATUS_OK;
    start(&follower, comms);
    while (status == STATUS_OK && follower.ready_count)
        status = follow_rank(&follower, follower.ready[--follower.ready_count]);
    if (status == STATUS_OK)
        status = report_waiting(&follower);
    hashmap_free(&follower.handles);
    free(follower.marks);
    free(follower.places);
    free(follower.halves);
    free(follower.ready);
    return status;
}

/* ------------------------------------------------------- the compiled trace */

static void define(struct dumpi_comms *comms, struct comms *image, uint32_t number)
{
    struct dumpi_comm *comm = &comms->comms[number];
    uint32_t local = dumpi_lists_count(&comms->lists, comm->local), size = ranks_of(comms, comm);
    uint32_t *members = mem_alloc(size, sizeof *members, "the ranks of a communicator");
    char *name = mem_format("%u", number);
    for (uint32_t i = 0; i < size; i++)
        members[i] = i < local ? dumpi_lists_items(&comms->lists, comm->local)[i]
                               : dumpi_lists_items(&comms->lists, comm->remote)[i - local];
    comm->image = comms_add(image, name, strlen(name), members, size);
    free(members);
    free(name);
}

void dumpi_comms_define(struct dumpi_comms *comms, struct comms *image)
{
    for (uint32_t number = DUMPI_OUTSIDE + 1; number < comms->count; number++)
        define(comms, image, number);
}
