#ifndef HELIO_TRACE_CHECK_COLL_CONSISTENCY_H
#define HELIO_TRACE_CHECK_COLL_CONSISTENCY_H

#include <stdint.h>

#include "trace/image/compiled.h"

enum { CHECK_MOST_REPORTS = 20, CHECK_MOST_PAIRED_RANKS = 4096 };

/* Whether each rank sends what its peer expects, in each alltoall(v), allgather(v), gather(v) and scatter(v)
 * of the world. All ranks call the same `collectives` collectives in the same order. Pairs of ranks are
 * compared up to CHECK_MOST_PAIRED_RANKS ranks, and beyond only what goes to and from a root. Reports up to
 * CHECK_MOST_REPORTS differences, and returns their number. */
uint64_t coll_consistency_check(const struct compiled_trace *compiled, uint64_t collectives);

#endif
