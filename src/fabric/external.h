#ifndef HELIO_FABRIC_EXTERNAL_H
#define HELIO_FABRIC_EXTERNAL_H

#include "fabric/fabric.h"

/* A fabric that a program brings along: a function that says at once what becomes of a message. */
struct fabric_external {
    const char *name, *doc;
    void *self;
    /* The state of a run; NULL where there can be none. Without the function it is self. */
    void *(*begin)(void *self, uint32_t nodes);
    void (*transfer)(void *state, const struct message *message, ps_t now, ps_t *visible, ps_t *sender_done,
                     ps_t *delivered);
    void (*end)(void *state); /* NULL: nothing is to be done */
};

/* Adds it to `fabrics` for the rest of the process. The struct and its texts are copied. STATUS_BAD_INPUT,
 * reported: its name is taken or no name, or there are too many. */
enum status fabric_add_external(const struct fabric_external *outside);

#endif
