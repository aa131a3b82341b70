#ifndef HELIO_COLL_COMPOSE_H
#define HELIO_COLL_COMPOSE_H

#include "coll/coll.h"

/* A collective made of two others, one after the other. Each part has its own call, and places for its
 * buffers in those of the whole. */
struct compose_place {
    enum coll_buffer buffer;
    uint64_t offset;
};

struct compose_part {
    const struct coll_algorithm *algorithm;
    struct coll_call call;
    struct compose_place send, recv, scratch; /* where the buffers of this part are */
};

bool compose_emit(const struct compose_part *first, const struct compose_part *second, uint32_t phase,
                  struct coll_sink *sink);

#endif
