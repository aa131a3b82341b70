#ifndef HELIO_TRACE_DUMPI_FOLLOW_H
#define HELIO_TRACE_DUMPI_FOLLOW_H

#include "trace/dumpi/communicators.h"

/* What groups.c, makers.c and communicators.c share while they follow the ranks. */
struct dumpi_follower {
    struct dumpi_comms *comms;
    struct hashmap handles; /* by rank, kind and handle: a communicator, or a list of ranks */
    uint32_t *marks;        /* by rank, for questions about sets of ranks: the number of the question */
    uint32_t mark;
    uint32_t *places; /* by rank: in the list `placed` */
    uint32_t placed;
    struct dumpi_half {
        uint32_t comm, leader, remote; /* leaders as ranks of the world */
        int32_t tag;
        bool is_done;
    } * halves; /* of MPI_Intercomm_create, each from one of the two groups */
    size_t half_count, half_capacity;
    uint32_t *ready; /* ranks that can go on */
    size_t ready_count, ready_capacity;
};

#define DUMPI_UNKNOWN_GROUP UINT32_MAX

/* The event at which a rank stands. */
static inline const struct dumpi_event *dumpi_event_of(const struct dumpi_follower *follower, uint32_t rank)
{
    const struct dumpi_maker *maker = &follower->comms->makers[rank];
    return &maker->events[maker->next];
}

/* Reports an error about the event at which a rank stands. Returns STATUS_BAD_INPUT. */
enum status dumpi_event_fail(const struct dumpi_follower *follower, uint32_t rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A communicator's number by its handle. DUMPI_NO_COMM: MPI_COMM_NULL. DUMPI_OUTSIDE: also one that no call
 * of the trace has made, as those of MPI 3. */
uint32_t dumpi_comm_of(struct dumpi_follower *follower, uint32_t rank, uint16_t handle);
/* A group's list by its handle; DUMPI_UNKNOWN_GROUP: no call of the trace has made it. */
uint32_t dumpi_group_of(const struct dumpi_follower *follower, uint32_t rank, uint16_t handle);
void dumpi_bind_group(struct dumpi_follower *follower, uint32_t rank, uint16_t handle, uint32_t list);

/* The rank's place in the list; the length of the list: it is not there. */
uint32_t dumpi_place_in(struct dumpi_follower *follower, uint32_t list, uint32_t rank);

/* What a rank's call has made, DUMPI_NO_COMM for none; the rank can go on. */
void dumpi_give(struct dumpi_follower *follower, uint32_t rank, uint32_t comm);

/* Follows a call of MPI_Group_..., MPI_Comm_group and their like. */
enum status dumpi_make_group(struct dumpi_follower *follower, uint32_t rank);

/* All ranks of the communicator have come to the same call: makes what it makes, and gives it to them. */
enum status dumpi_make_comm(struct dumpi_follower *follower, uint32_t comm);

#endif
