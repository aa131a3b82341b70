#include "tolerance/lanes.h"

#include <stdlib.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/vectors.h"

/* The longest times to all nodes, at all values at once. */
WIDE_VECTORS static void find_before(struct lanes *lanes, const lane_times *x)
{
    const uint32_t nodes = lanes->edges->nodes, *const source = lanes->edges->source;
    const size_t *const first = lanes->edges->first, all_edges = first[nodes];
    const struct tolerance_line *const cost = lanes->edges->cost;
    lane_times *const before = lanes->before;
    const lane_times at = *x;
    size_t edge = 0;
    before[0] = (lane_times){0};
    for (uint32_t node = 1; node < nodes; node++) {
        const size_t end = first[node + 1];
        lane_times latest = {0}, times;
        if (edge + AHEAD < all_edges)
            __builtin_prefetch(&before[source[edge + AHEAD]]);
        for (; edge < end; edge++) {
            line_times(cost[edge], &at, &times);
            times += before[source[edge]];
            take_later(&latest, &times);
        }
        before[node] = latest;
    }
}

/* The edge by which the longest paths come to a node, for the `wanted` lanes, which have not found theirs.
 * The times are exact. */
static unsigned take_edge(const struct lanes *lanes, uint32_t node, size_t edge, unsigned wanted,
                          struct lanes_point *const *points)
{
    const struct paths_edges *edges = lanes->edges;
    const double *from = (const double *)&lanes->before[edges->source[edge]];
    const double *to = (const double *)&lanes->before[node];
    unsigned taken = 0;
    for (unsigned left = wanted; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (from[i] + time_of(edges->cost[edge], points[i]->x) != to[i])
            continue;
        points[i]->line.a += edges->cost[edge].a;
        points[i]->line.k += edges->cost[edge].k;
        taken |= 1U << i;
    }
    lanes->is_on[edges->source[edge]] |= (uint8_t)taken;
    return wanted & ~taken;
}

/* The lines of longest paths at the points of the last pass that have none yet: from the end to the
 * beginning, all at once. */
static void follow_back(struct lanes *lanes, struct lanes_point *const *points, size_t count)
{
    const struct paths_edges *edges = lanes->edges;
    unsigned all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= (unsigned)!points[i]->has_line << i;
        points[i]->has_line = true;
    }
    memset(lanes->is_on, 0, edges->nodes);
    lanes->is_on[edges->nodes - 1] = (uint8_t)all;
    for (uint32_t node = edges->nodes; node-- > 1;) {
        unsigned wanted = lanes->is_on[node];
        for (size_t edge = edges->first[node]; wanted; edge++)
            wanted = take_edge(lanes, node, edge, wanted, points);
    }
}

void lanes_pass(struct lanes *lanes, struct lanes_point *const *points, size_t count)
{
    lane_times x;
    for (size_t i = 0; i < LANES; i++)
        x[i] = points[i < count ? i : count - 1]->x;
    find_before(lanes, &x);
    follow_back(lanes, points, count);
}

void lanes_init(struct lanes *lanes, const struct paths_edges *edges)
{
    lanes->edges = edges;
    lanes->before = lines_alloc(edges->nodes, sizeof *lanes->before, "pieces");
    lanes->is_on = mem_alloc(edges->nodes, sizeof *lanes->is_on, "pieces");
}

void lanes_free(struct lanes *lanes)
{
    free(lanes->before);
    free(lanes->is_on);
}
