#ifndef HELIO_CALL_NODES_H
#define HELIO_CALL_NODES_H

#include <stdint.h>

/* How many nodes so many ranks need, at least one, with at most `each` on a node. */
static inline uint32_t nodes_for_ranks(uint32_t ranks, uint32_t each)
{
    return (ranks - 1) / each + 1;
}

#endif
