#ifndef HELIO_TRACE_IMAGE_COMMS_H
#define HELIO_TRACE_IMAGE_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/image/image.h"

/* The communicators of a trace, by name. Each has its members in the order of their ranks in it. The world is
 * communicator 0 and has no name. */
struct comms {
    struct image_group *groups; /* groups[0] is the world, whose members are not listed */
    char **names;
    size_t count, capacity, name_capacity;
    uint32_t *members;
    size_t member_count, member_capacity;
};

void comms_init(struct comms *comms, uint32_t ranks);
void comms_free(struct comms *comms);

/* 0: there is none of that name. */
uint32_t comms_find(const struct comms *comms, const char *name, size_t length);

/* Adds a communicator. False: there is one of that name with other members. */
bool comms_define(struct comms *comms, const char *name, size_t length, const uint32_t *members,
                  size_t count);

/* Adds a communicator of a name that no other one has, without a search. Returns its number. */
uint32_t comms_add(struct comms *comms, const char *name, size_t length, const uint32_t *members,
                   size_t count);

/* The rank in the communicator of rank `world`; the size of the communicator: it is no member. */
uint32_t comms_rank(const struct comms *comms, uint32_t comm, uint32_t world);

#endif
