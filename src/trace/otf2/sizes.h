#ifndef HELIO_TRACE_OTF2_SIZES_H
#define HELIO_TRACE_OTF2_SIZES_H

#include <stdbool.h>

#include "call/call.h"

/* The sizes of a collective call from the two numbers that OTF2 has: all bytes that the rank sends, and all
 * that it receives, also to and from itself. With MPI_IN_PLACE its own block does not count. */

enum { OTF2_REDUCE_SCATTER_BLOCK = 16 }; /* a kind of collective */

struct otf2_sums {
    uint64_t sent, received;
};

/* Whether the sums of so many ranks are less than 2^63 bytes. */
static inline bool otf2_sums_fit(const struct otf2_sums *sums, uint32_t ranks)
{
    return sums->sent <= INT64_MAX / ranks && sums->received <= INT64_MAX / ranks;
}

struct otf2_sizes {
    uint32_t ranks, rank; /* of the communicator, and the rank's number in it */
    uint64_t sent, received;
    const struct otf2_sums *all;  /* of all ranks, where sizes differ (otf2_is_vector) */
    uint64_t *sends, *receives;   /* room for a size per rank */
    bool has_sends, has_receives; /* they are set */
    bool is_shared; /* who sends how much to whom is not known: shares in proportion to what each receives */
};

/* Sets the sizes of a call of this kind (`op`, `peer`) whose kind in OTF2 is `kind`. */
void otf2_sizes_set(struct otf2_sizes *sizes, struct call *call, uint8_t kind);

/* The operation of a kind of collective; CALL_NOTHING: it moves nothing; CALL_OPS: there is no such kind. */
enum call_op otf2_collective_op(uint8_t kind);

#endif
