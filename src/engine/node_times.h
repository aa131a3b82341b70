#ifndef HELIO_ENGINE_NODE_TIMES_H
#define HELIO_ENGINE_NODE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/param.h"
#include "base/time.h"

/* Times of messages within a node by size: points, with straight lines between them. Below the first point a
 * message takes the time of the first one, which is the least; behind the last one the last line goes on. */
enum { NODE_TIMES = 16 };
struct node_times {
    uint32_t count; /* 0: there are none */
    uint64_t bytes[NODE_TIMES];
    ps_t time_ps[NODE_TIMES];
};

/* Reads "0B:270ns,4KiB:2139ns" into a struct node_times: sizes that rise. For parse()
 * of a PARAM_CUSTOM. */
bool node_times_parse(const struct param *self, const char *text, void *field, struct param_problem *problem);

/* To the nearest picosecond. There is at least one point. */
ps_t node_times_of(const struct node_times *times, uint64_t bytes);

#endif
