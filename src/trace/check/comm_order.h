#ifndef HELIO_TRACE_CHECK_COMM_ORDER_H
#define HELIO_TRACE_CHECK_COMM_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/image/compiled.h"

/* Two members of a communicator, not the world, whose collectives on it differ in kind, order, root or size.
 */
struct comm_difference {
    uint32_t group, first, other;
};

/* Collectives in which all ranks have a vector of one size. */
bool comm_order_has_common_size(const struct call *call);

/* One difference for each communicator that has some. The caller frees the list. *communicators is how many
 * have collectives. */
size_t comm_order_find(const struct compiled_trace *compiled, struct comm_difference **list,
                       uint64_t *communicators);

#endif
