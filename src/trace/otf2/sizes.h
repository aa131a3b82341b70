#ifndef HELIO_TRACE_OTF2_SIZES_H
#define HELIO_TRACE_OTF2_SIZES_H

#include <stdbool.h>

#include "call/call.h"

/* The sizes of a collective call from the two numbers that OTF2 has: all bytes that the rank sends, and all
 * that it receives, also to and from itself. With MPI_IN_PLACE its own block does not count. */
struct otf2_sizes {
    uint32_t ranks, rank; /* of the communicator, and the rank's number in it */
    uint64_t sent, received;
    uint64_t *sends, *receives;   /* room for a size per rank */
    bool has_sends, has_receives; /* they are set */
    bool is_shared; /* the trace has the sum of different sizes: each rank gets an equal share */
};

/* Sets the sizes of a call of this kind (`op`, `peer`) whose kind in OTF2 is `kind`. */
void otf2_sizes_set(struct otf2_sizes *sizes, struct call *call, uint8_t kind);

/* The operation of a kind of collective; CALL_NOTHING: it moves nothing; CALL_OPS: there is no such kind. */
enum call_op otf2_collective_op(uint8_t kind);

#endif
