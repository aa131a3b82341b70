#ifndef HELIO_COLL_TOLD_H
#define HELIO_COLL_TOLD_H

#include "base/tap.h"
#include "coll/coll.h"

/* What the tap is told of a call that has this algorithm. Where ranks know different sizes, none of them is
 * the size of the call. */
static inline struct tap_collective coll_told(const struct coll_call *call,
                                              const struct coll_algorithm *algorithm)
{
    const struct coll_algorithm *whole = algorithm->leaves_to ? algorithm->leaves_to(call) : NULL;
    const bool has_size = coll_sizes_agree(call->kind);
    return (struct tap_collective){.kind = call->kind,
                                   .ranks = call->size,
                                   .has_size = has_size,
                                   .bytes = has_size ? coll_compared_bytes(call) : 0,
                                   .operation = coll_kind_name(call->kind),
                                   .algorithm = (whole ? whole : algorithm)->name};
}

#endif
