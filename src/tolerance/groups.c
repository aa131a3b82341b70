#include "tolerance/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/vectors.h"

enum { STRETCHES = LANES - 1 }; /* between the points of a pass */

typedef int8_t lane_bytes __attribute__((vector_size(LANES)));

struct groups {
    struct lanes *lanes;
    const struct coarse_take *take;
    lane_times *behind;         /* of each node: the longest times from it to the end */
    struct piece_place *places; /* left out, but for nodes of the present part, which have the stamp */
    uint32_t stamp;
    uint32_t *nodes[STRETCHES]; /* that matter in each stretch, from the last one to the first */
    size_t node_count[STRETCHES], node_capacity[STRETCHES];
    uint8_t *matters; /* of each edge: a bit for each stretch */
    size_t *first;    /* of the present part */
    uint32_t *source;
    struct tolerance_line *cost;
    double *times[4];
    size_t first_capacity, source_capacity, cost_capacity, times_capacity[4];
};

/* Open stretches, between some of eight points: a path matters if its chord is above `enough` at the middle.
 */
struct stretches {
    struct lanes_point *points[LANES];
    size_t count;
    lane_times x, enough, share[2]; /* of the time at the point itself, and at the next one */
};

/* Takes the points of open stretches from a point on, and returns the one behind them. */
static struct lanes_point *gather(struct lanes_point *point, const struct lanes_point *last,
                                  struct stretches *group)
{
    group->count = 0;
    for (; point < last; point++) {
        bool is_new = group->count == 0 || group->points[group->count - 1] != point;
        if (!lanes_is_open(point))
            continue;
        if (group->count + is_new >= LANES)
            break;
        if (is_new)
            group->points[group->count++] = point;
        group->points[group->count++] = point + 1;
    }
    return point;
}

static struct piece_stretch stretch_behind(const struct lanes_point *point)
{
    return (struct piece_stretch){{point[0].at, point[1].at}, {point[0].line, point[1].line}};
}

static void begin_group(struct groups *groups, struct stretches *group)
{
    lanes_pass(groups->lanes, group->points, group->count);
    for (size_t i = 0; i < LANES; i++) {
        const struct lanes_point *low = group->points[i < group->count ? i : group->count - 1];
        group->x[i] = low->x;
        group->enough[i] = INFINITY;
        if (i + 1 >= group->count || group->points[i + 1] != low + 1 || !lanes_is_open(low))
            continue;
        const struct piece_stretch stretch = stretch_behind(low);
        struct tolerance_at middle = stretch_middle(&stretch);
        group->enough[i] = stretch_enough(&stretch, middle, groups->lanes->edges->nodes);
        group->share[1][i] = (tolerance_value(middle) - low->x) / (low[1].x - low->x);
        group->share[0][i] = 1 - group->share[1][i];
    }
}

/* The stretches in which paths by way of an edge matter, a bit for each; `times` at the points, the longest
 * of them. */
static inline uint8_t find_matters(const struct stretches *group, const lane_times *times)
{
    const lane_times next = __builtin_shufflevector(*times, *times, 1, 2, 3, 4, 5, 6, 7, 7);
    const lane_mask is_above = *times * group->share[0] + next * group->share[1] > group->enough;
    const lane_bytes bytes = __builtin_convertvector(is_above, lane_bytes);
    const lane_bytes bits = bytes & (lane_bytes){1, 2, 4, 8, 16, 32, 64};
    uint64_t word;
    memcpy(&word, &bits, sizeof word);
    return (uint8_t)(word * UINT64_C(0x0101010101010101) >> 56); /* their sum */
}

static inline void fetch_ahead(const struct groups *groups, const uint32_t *source, size_t edge)
{
    for (size_t i = AHEAD; edge > AHEAD && i > AHEAD - 2; i--) {
        __builtin_prefetch(&groups->lanes->before[source[edge - i]]);
        __builtin_prefetch(&groups->behind[source[edge - i]], 1);
    }
}

static void begin_behind(struct groups *groups)
{
    const uint32_t last = groups->lanes->edges->nodes - 1;
    for (uint32_t node = 0; node < last; node++)
        groups->behind[node] = (lane_times){0} - 1e300;
    groups->behind[last] = (lane_times){0};
    memset(groups->node_count, 0, sizeof groups->node_count);
}

static void add_node(struct groups *groups, uint32_t node, unsigned stretches)
{
    for (; stretches; stretches &= stretches - 1) {
        size_t i = (size_t)__builtin_ctz(stretches);
        groups->nodes[i] =
            mem_grow(groups->nodes[i], &groups->node_capacity[i], groups->node_count[i] + 1, "pieces");
        groups->nodes[i][groups->node_count[i]++] = node;
    }
}

/* From the end to the beginning: the longest times from each node to the end, and with these which edges
 * matter. */
WIDE_VECTORS static void find_behind(struct groups *groups, const struct stretches *group)
{
    const uint32_t *const source = groups->lanes->edges->source;
    const size_t *const first = groups->lanes->edges->first;
    const struct tolerance_line *const cost = groups->lanes->edges->cost;
    const lane_times *const before = groups->lanes->before;
    lane_times *const all_behind = groups->behind;
    uint8_t *const matters = groups->matters;
    begin_behind(groups);
    for (uint32_t node = groups->lanes->edges->nodes; node-- > 1;) {
        const lane_times behind = all_behind[node];
        const size_t end = first[node + 1];
        unsigned all = 0;
        fetch_ahead(groups, source, first[node]);
        for (size_t edge = first[node]; edge < end; edge++) {
            lane_times times;
            line_times(cost[edge], &group->x, &times);
            times += behind;
            take_later(&all_behind[source[edge]], &times);
            times += before[source[edge]];
            matters[edge] = find_matters(group, &times);
            all |= matters[edge];
        }
        add_node(groups, node, all);
    }
}

static size_t count_edges(const struct groups *groups, size_t stretch)
{
    size_t count = 0;
    for (size_t i = 0; i < groups->node_count[stretch]; i++) {
        const size_t *first = &groups->lanes->edges->first[groups->nodes[stretch][i]];
        count += first[1] - first[0];
    }
    return count;
}

/* The part of a stretch takes the times of a node at both ends of it. */
static inline void keep_times(const struct groups *groups, size_t stretch, uint32_t node, uint32_t of_part)
{
    for (size_t k = 0; k < 2; k++) {
        groups->times[k][of_part] = groups->lanes->before[node][stretch + k];
        groups->times[k + 2][of_part] = groups->behind[node][stretch + k];
    }
}

static void reserve_part(struct groups *groups, size_t nodes, size_t edges)
{
    groups->first = mem_grow(groups->first, &groups->first_capacity, nodes + 1, "pieces");
    groups->source = mem_grow(groups->source, &groups->source_capacity, edges, "pieces");
    groups->cost = mem_grow(groups->cost, &groups->cost_capacity, edges, "pieces");
    for (size_t i = 0; i < 4; i++)
        groups->times[i] = mem_grow(groups->times[i], &groups->times_capacity[i], nodes, "pieces");
}

static inline void fetch_node(const struct groups *groups, uint32_t node)
{
    __builtin_prefetch(&groups->lanes->edges->cost[groups->lanes->edges->first[node]]);
    __builtin_prefetch(&groups->lanes->before[node]);
    __builtin_prefetch(&groups->behind[node]);
}

/* The part of a stretch. False: nothing is left. */
static bool make_part(struct groups *groups, size_t stretch, struct paths_part *part)
{
    const struct paths_edges *from = groups->lanes->edges;
    const uint32_t *const nodes = groups->nodes[stretch];
    const size_t count = groups->node_count[stretch];
    reserve_part(groups, count + 1, count_edges(groups, stretch));
    struct piece_sieve sieve = {
        .places = groups->places,
        .stamp = ++groups->stamp,
        .to = {.first = groups->first, .source = groups->source, .cost = groups->cost}};
    sieve_begin(&sieve);
    keep_times(groups, stretch, 0, 0);
    for (size_t i = count; i-- > 0;) {
        const uint32_t node = nodes[i];
        const size_t before = sieve.edge_count, end = from->first[node + 1];
        if (i > AHEAD)
            fetch_node(groups, nodes[i - AHEAD]);
        for (size_t edge = from->first[node]; edge < end; edge++)
            if (groups->matters[edge] >> stretch & 1)
                sieve_keep(&sieve, before, from->source[edge], from->cost[edge]);
        if (sieve_node(&sieve, before, node, node + 1 == from->nodes))
            keep_times(groups, stretch, node, sieve.to.nodes - 1);
    }
    *part = (struct paths_part){.edges = sieve.to,
                                .before = {groups->times[0], groups->times[1]},
                                .behind = {groups->times[2], groups->times[3]}};
    return count && groups->places[from->nodes - 1].stamp == sieve.stamp;
}

/* Takes the stretches from `point` to `end`, of which those in the group are open. */
static void take_stretches(struct groups *groups, const struct stretches *group,
                           const struct lanes_point *point, const struct lanes_point *end)
{
    for (size_t lane = 0; point < end; point++) {
        const struct piece_stretch stretch = stretch_behind(point);
        struct paths_part part;
        while (lane < group->count && group->points[lane] < point)
            lane++;
        if (lanes_is_open(point) && make_part(groups, lane, &part))
            groups->take->part(groups->take->self, &part, &stretch);
        else if (stretch.line[0].k < stretch.line[1].k)
            groups->take->lines(groups->take->self, &stretch);
    }
}

/* ---------------------------------------------------------------- interface */

static void groups_init(struct groups *groups)
{
    const struct paths_edges *edges = groups->lanes->edges;
    groups->behind = lines_alloc(edges->nodes, sizeof *groups->behind, "pieces");
    groups->places = mem_alloc(edges->nodes, sizeof *groups->places, "pieces");
    groups->matters = mem_alloc(edges->first[edges->nodes], sizeof *groups->matters, "pieces");
}

static void groups_free(struct groups *groups)
{
    free(groups->behind);
    free(groups->places);
    free(groups->matters);
    for (size_t i = 0; i < STRETCHES; i++)
        free(groups->nodes[i]);
    free(groups->first);
    free(groups->source);
    free(groups->cost);
    for (size_t i = 0; i < 4; i++)
        free(groups->times[i]);
}

void groups_take(struct lanes *lanes, struct lanes_point *points, size_t count,
                 const struct coarse_take *take)
{
    struct groups groups = {.lanes = lanes, .take = take};
    struct lanes_point *const last = &points[count - 1];
    groups_init(&groups);
    for (struct lanes_point *point = points, *end; point < last; point = end) {
        struct stretches group = {.count = 0};
        end = gather(point, last, &group);
        if (group.count) {
            begin_group(&groups, &group);
            find_behind(&groups, &group);
        }
        take_stretches(&groups, &group, point, end);
    }
    groups_free(&groups);
}
