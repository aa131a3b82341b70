#ifndef HELIO_CALL_DIMENSIONS_H
#define HELIO_CALL_DIMENSIONS_H

#include <stddef.h>
#include <stdint.h>

/* What the messages of a program are for: the dimensions of a training step. A message is of one dimension,
 * which follows from its two ends and from the call that caused it. */
struct program_dimensions {
    const char *const *names; /* that live as long as the process */
    size_t count;
    /* Less than count. `op`: enum call_op. */
    size_t (*of)(const struct program_dimensions *dimensions, uint32_t source, uint32_t destination,
                 uint8_t op);
};

#endif
