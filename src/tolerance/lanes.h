#ifndef HELIO_TOLERANCE_LANES_H
#define HELIO_TOLERANCE_LANES_H

#include <string.h>

#include "tolerance/pieces.h"

/* Passes over all edges, each of which serves several values of x at once. */

enum {
    LANES = 8,  /* points of a pass */
    AHEAD = 24, /* edges whose nodes are fetched before they are needed */
};

/* Times of a node at the points of a pass: a cache line, which instructions on vectors compute as a whole. */
typedef double lane_times __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t lane_mask __attribute__((vector_size(LANES * sizeof(int64_t)))); /* -1: true */

/* A value of x. All times there are exact as doubles, but for the ends of the interval, which have their
 * lines.
 */
struct lanes_point {
    double x;
    struct tolerance_at at;
    struct tolerance_line line; /* of T there */
    bool has_line;
    bool is_done; /* in the stretch from here to the next point T is on the lines of both */
};

struct lanes {
    const struct paths_edges *edges;
    lane_times *before; /* of each node: the longest times to it, in the last pass */
    uint8_t *is_on;     /* of each node: a bit for each lane whose longest path it is on */
};

void lanes_init(struct lanes *lanes, const struct paths_edges *edges);
void lanes_free(struct lanes *lanes);

/* One pass for 1 to LANES points: the times to all nodes, and the lines of points that have none. */
void lanes_pass(struct lanes *lanes, struct lanes_point *const *points, size_t count);

/* There may be more than the two lines in the stretch from the point to the next one. */
static inline bool lanes_is_open(const struct lanes_point *point)
{
    return !point->is_done &&
           (!point[0].has_line || !point[1].has_line || lies_between(point[0].line, point[1].line));
}

/* Through pointers, since functions that are compiled for other vectors would pass them in other ways. */
static inline void line_times(struct tolerance_line line, const lane_times *x, lane_times *times)
{
    *times = (double)line.k * *x + (double)line.a;
}

static inline void take_later(lane_times *latest, const lane_times *times)
{
    const lane_mask is_later = *times > *latest;
    *latest = (lane_times)((is_later & (lane_mask)*times) | (~is_later & (lane_mask)*latest));
}

#endif
