#ifndef HELIO_COLL_COMPOSE_H
#define HELIO_COLL_COMPOSE_H

#include "coll/team.h"

/* A collective made of others, one after the other: for all ranks, or for a team. Each part has its own call,
 * and its buffers have their places in those of the whole. */
struct compose_part {
    const struct coll_algorithm *algorithm; /* NULL: a message, a sum, or nothing */
    struct coll_call call;
    const struct team *team;              /* NULL: all ranks */
    struct coll_span send, recv, scratch; /* offset 0 of the part's buffers */
    /* A message of call.bytes, from `send` into `recv`. */
    bool is_message;
    uint32_t from, to;
    bool is_sum; /* adds call.bytes of `send` to `recv`, without a message */
};

/* A part of the whole call for a kind, with all buffers in their places, no lengths and root 0. A NULL team
 * stands for all ranks. The caller sets the algorithm. */
struct compose_part compose_part_of(const struct coll_call *whole, const struct team *team,
                                    enum coll_kind kind, uint64_t bytes);

/* Emits phase `phase` of the parts together. */
bool compose_emit(const struct compose_part *parts, uint32_t count, uint32_t phase, struct coll_sink *sink);
/* The scratch that they need: that of the part that needs most, from its place on. */
uint64_t compose_scratch(const struct compose_part *parts, uint32_t count);

#endif
