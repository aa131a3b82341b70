#ifndef HELIO_COLLFILE_MSCCL_WRITE_H
#define HELIO_COLLFILE_MSCCL_WRITE_H

#include <stdio.h>

#include "coll/coll.h"

/* One of our algorithms as MSCCL XML, out of place. Each rank has a threadblock for each rank to which it
 * sends, one for each from which it receives, and one for copies and sums; a step depends on those before it
 * that touch the same chunks. */
struct msccl_wish {
    const struct coll_algorithm *algorithm;
    uint32_t ranks;
    uint32_t chunks;  /* of a block: of one rank's part of a vector of allreduce and reduce_scatter */
    bool keep_phases; /* a step also depends on all steps of earlier phases of its rank */
};
enum { MSCCL_WRITE_RANKS_MAX = 1024, MSCCL_WRITE_CHUNKS_MAX = 1024 };

/* The text, which the caller frees. NULL: *problem says why there is none. */
char *msccl_write(const struct msccl_wish *wish, size_t *size, const char **problem);

/* Whether MSCCL has such a collective. */
bool msccl_has_kind(enum coll_kind kind);

#endif
