#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "base/vectors.h"
#include "tolerance/pieces.h"

/* In a long interval nearly all edges matter, so that a division costs passes over the whole graph. Here one
 * pass serves several values of x at once. Rounds of passes find the points that divide the interval: where
 * the lines of two neighbours meet, rounded to a multiple of a power of two, so that all times at the points
 * are exact as doubles. Then a pass to and one fro find which edges matter in each of the stretches between
 * eight points. */

enum {
    LANES = 8, /* points of a pass */
    ROUNDS = 5,
    MOST_POINTS = (1 << ROUNDS) + 1,
    STRETCHES = LANES - 1, /* between the points of a pass */
    AHEAD = 24,            /* edges whose nodes are fetched before they are needed */
};

/* Times of a node at the points of a pass: a cache line, which instructions on vectors compute as a whole. */
typedef double lane_times __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t lane_mask __attribute__((vector_size(LANES * sizeof(int64_t)))); /* -1: true */
typedef int8_t lane_bytes __attribute__((vector_size(LANES)));

struct coarse_point {
    double x;
    struct tolerance_at at;
    struct tolerance_line line; /* of T there */
    bool has_line;
};

struct coarse {
    const struct paths_edges *edges;
    const struct coarse_take *take;
    struct coarse_point points[MOST_POINTS];
    size_t count;
    int bits;                    /* x is a multiple of 2^-bits, but for the ends */
    lane_times *before, *behind; /* of each node */
    struct piece_place *places;  /* left out, but for nodes of the present part, which have the stamp */
    uint32_t stamp;
    uint32_t *nodes[STRETCHES]; /* that matter in each stretch, from the last one to the first */
    size_t node_count[STRETCHES], node_capacity[STRETCHES];
    uint8_t *matters; /* of each edge: a bit for each stretch */
    uint8_t *is_on;   /* of each node: a bit for each lane whose longest path it is on */
    size_t *first;    /* of the present part */
    uint32_t *source;
    struct tolerance_line *cost;
    double *times[4];
    size_t first_capacity, source_capacity, cost_capacity, times_capacity[4];
};

/* ------------------------------------------------------------------- points */

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

WIDE_VECTORS static void find_before(struct coarse *coarse, const lane_times *x)
{
    const uint32_t nodes = coarse->edges->nodes, *const source = coarse->edges->source;
    const size_t *const first = coarse->edges->first, all_edges = first[nodes];
    const struct tolerance_line *const cost = coarse->edges->cost;
    lane_times *const before = coarse->before;
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
static unsigned take_edge(const struct coarse *coarse, uint32_t node, size_t edge, unsigned wanted,
                          struct coarse_point *points)
{
    const struct paths_edges *edges = coarse->edges;
    const double *from = (const double *)&coarse->before[edges->source[edge]];
    const double *to = (const double *)&coarse->before[node];
    unsigned taken = 0;
    for (unsigned left = wanted; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (from[i] + time_of(edges->cost[edge], points[i].x) != to[i])
            continue;
        points[i].line.a += edges->cost[edge].a;
        points[i].line.k += edges->cost[edge].k;
        taken |= 1U << i;
    }
    coarse->is_on[edges->source[edge]] |= (uint8_t)taken;
    return wanted & ~taken;
}

/* The lines of longest paths at the points of the last pass that have none yet: from the end to the
 * beginning, all at once. */
static void follow_back(struct coarse *coarse, struct coarse_point *points, size_t count)
{
    const struct paths_edges *edges = coarse->edges;
    unsigned all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= (unsigned)!points[i].has_line << i;
        points[i].has_line = true;
    }
    memset(coarse->is_on, 0, edges->nodes);
    coarse->is_on[edges->nodes - 1] = (uint8_t)all;
    for (uint32_t node = edges->nodes; node-- > 1;) {
        unsigned wanted = coarse->is_on[node];
        for (size_t edge = edges->first[node]; wanted; edge++)
            wanted = take_edge(coarse, node, edge, wanted, points);
    }
}

/* One pass for at most LANES points: the times to all nodes, and the lines. */
static void pass(struct coarse *coarse, struct coarse_point *points, size_t count)
{
    lane_times x;
    for (size_t i = 0; i < LANES; i++)
        x[i] = points[i < count ? i : count - 1].x;
    find_before(coarse, &x);
    follow_back(coarse, points, count);
}

/* A point between two neighbours, close to where their lines meet. False: there is none. */
static bool point_between(const struct coarse *coarse, const struct coarse_point *low,
                          const struct coarse_point *high, struct coarse_point *point)
{
    if (!lies_between(low->line, high->line))
        return false;
    double meet = (double)(low->line.a - high->line.a) / (double)(high->line.k - low->line.k);
    double x = ldexp(floor(ldexp(meet, coarse->bits)), -coarse->bits);
    if (x <= low->x)
        x += ldexp(1, -coarse->bits);
    *point = (struct coarse_point){.x = x};
    point->at = tolerance_ratio((__int128)ldexp(x, coarse->bits), (__int128)1 << coarse->bits);
    return x > low->x && x < high->x;
}

/* Doubles the number of stretches, except where there is nothing to find. The last points get their lines in
 * the passes of their groups. */
static void add_round(struct coarse *coarse, bool is_last)
{
    struct coarse_point added[MOST_POINTS], all[MOST_POINTS];
    bool is_divided[MOST_POINTS];
    size_t count = 0, next = 0, total = 0;
    for (size_t i = 0; i + 1 < coarse->count; i++) {
        is_divided[i] = point_between(coarse, &coarse->points[i], &coarse->points[i + 1], &added[count]);
        count += is_divided[i];
    }
    for (size_t i = 0; !is_last && i < count; i += LANES)
        pass(coarse, &added[i], count - i < LANES ? count - i : LANES);
    for (size_t i = 0; i < coarse->count; i++) {
        all[total++] = coarse->points[i];
        if (i + 1 < coarse->count && is_divided[i])
            all[total++] = added[next++];
    }
    memcpy(coarse->points, all, total * sizeof *all);
    coarse->count = total;
}

/* -------------------------------------------------------------------- parts */

/* Of the stretches behind eight points: a path matters if its chord is above `enough` at the middle. */
struct coarse_group {
    const struct coarse_point *points;
    size_t stretches;
    lane_times x, enough, share[2]; /* of the time at the point itself, and at the next one */
    struct piece_stretch stretch[STRETCHES];
};

static void begin_group(struct coarse *coarse, size_t begin, struct coarse_group *group)
{
    size_t left = coarse->count - 1 - begin;
    *group = (struct coarse_group){.points = &coarse->points[begin],
                                   .stretches = left < STRETCHES ? left : STRETCHES};
    pass(coarse, &coarse->points[begin], group->stretches + 1);
    for (size_t i = 0; i < LANES; i++) {
        group->x[i] = group->points[i <= group->stretches ? i : group->stretches].x;
        group->enough[i] = INFINITY;
    }
    for (size_t i = 0; i < group->stretches; i++) {
        const struct coarse_point *low = &group->points[i], *high = &group->points[i + 1];
        group->stretch[i] = (struct piece_stretch){{low->at, high->at}, {low->line, high->line}};
        if (!lies_between(low->line, high->line))
            continue;
        struct tolerance_at middle = stretch_middle(&group->stretch[i]);
        group->enough[i] = stretch_enough(&group->stretch[i], middle, coarse->edges->nodes);
        group->share[1][i] = (tolerance_value(middle) - low->x) / (high->x - low->x);
        group->share[0][i] = 1 - group->share[1][i];
    }
}

/* The stretches in which paths by way of an edge matter, a bit for each; `times` at the points, the longest
 * of them. */
static inline uint8_t find_matters(const struct coarse_group *group, const lane_times *times)
{
    const lane_times next = __builtin_shufflevector(*times, *times, 1, 2, 3, 4, 5, 6, 7, 7);
    const lane_mask is_above = *times * group->share[0] + next * group->share[1] > group->enough;
    const lane_bytes bytes = __builtin_convertvector(is_above, lane_bytes);
    const lane_bytes bits = bytes & (lane_bytes){1, 2, 4, 8, 16, 32, 64};
    uint64_t word;
    memcpy(&word, &bits, sizeof word);
    return (uint8_t)(word * UINT64_C(0x0101010101010101) >> 56); /* their sum */
}

static inline void fetch_ahead(const struct coarse *coarse, const uint32_t *source, size_t edge)
{
    for (size_t i = AHEAD; edge > AHEAD && i > AHEAD - 2; i--) {
        __builtin_prefetch(&coarse->before[source[edge - i]]);
        __builtin_prefetch(&coarse->behind[source[edge - i]], 1);
    }
}

static void begin_behind(struct coarse *coarse)
{
    const uint32_t last = coarse->edges->nodes - 1;
    for (uint32_t node = 0; node < last; node++)
        coarse->behind[node] = (lane_times){0} - 1e300;
    coarse->behind[last] = (lane_times){0};
    memset(coarse->node_count, 0, sizeof coarse->node_count);
}

static void add_node(struct coarse *coarse, uint32_t node, unsigned stretches)
{
    for (; stretches; stretches &= stretches - 1) {
        size_t i = (size_t)__builtin_ctz(stretches);
        coarse->nodes[i] =
            mem_grow(coarse->nodes[i], &coarse->node_capacity[i], coarse->node_count[i] + 1, "pieces");
        coarse->nodes[i][coarse->node_count[i]++] = node;
    }
}

/* From the end to the beginning: the longest times from each node to the end, and with these which edges
 * matter. */
WIDE_VECTORS static void find_behind(struct coarse *coarse, const struct coarse_group *group)
{
    const uint32_t *const source = coarse->edges->source;
    const size_t *const first = coarse->edges->first;
    const struct tolerance_line *const cost = coarse->edges->cost;
    const lane_times *const before = coarse->before;
    lane_times *const all_behind = coarse->behind;
    uint8_t *const matters = coarse->matters;
    begin_behind(coarse);
    for (uint32_t node = coarse->edges->nodes; node-- > 1;) {
        const lane_times behind = all_behind[node];
        const size_t end = first[node + 1];
        unsigned all = 0;
        fetch_ahead(coarse, source, first[node]);
        for (size_t edge = first[node]; edge < end; edge++) {
            lane_times times;
            line_times(cost[edge], &group->x, &times);
            times += behind;
            take_later(&all_behind[source[edge]], &times);
            times += before[source[edge]];
            matters[edge] = find_matters(group, &times);
            all |= matters[edge];
        }
        add_node(coarse, node, all);
    }
}

static size_t count_edges(const struct coarse *coarse, size_t stretch)
{
    size_t count = 0;
    for (size_t i = 0; i < coarse->node_count[stretch]; i++) {
        const size_t *first = &coarse->edges->first[coarse->nodes[stretch][i]];
        count += first[1] - first[0];
    }
    return count;
}

/* The part of a stretch takes the times of a node at both ends of it. */
static inline void keep_times(const struct coarse *coarse, size_t stretch, uint32_t node, uint32_t of_part)
{
    for (size_t k = 0; k < 2; k++) {
        coarse->times[k][of_part] = coarse->before[node][stretch + k];
        coarse->times[k + 2][of_part] = coarse->behind[node][stretch + k];
    }
}

static void reserve_part(struct coarse *coarse, size_t nodes, size_t edges)
{
    coarse->first = mem_grow(coarse->first, &coarse->first_capacity, nodes + 1, "pieces");
    coarse->source = mem_grow(coarse->source, &coarse->source_capacity, edges, "pieces");
    coarse->cost = mem_grow(coarse->cost, &coarse->cost_capacity, edges, "pieces");
    for (size_t i = 0; i < 4; i++)
        coarse->times[i] = mem_grow(coarse->times[i], &coarse->times_capacity[i], nodes, "pieces");
}

static inline void fetch_node(const struct coarse *coarse, uint32_t node)
{
    __builtin_prefetch(&coarse->edges->cost[coarse->edges->first[node]]);
    __builtin_prefetch(&coarse->before[node]);
    __builtin_prefetch(&coarse->behind[node]);
}

/* The part of a stretch. False: nothing is left. */
static bool make_part(struct coarse *coarse, size_t stretch, struct paths_part *part)
{
    const struct paths_edges *from = coarse->edges;
    const uint32_t *const nodes = coarse->nodes[stretch];
    const size_t count = coarse->node_count[stretch];
    reserve_part(coarse, count + 1, count_edges(coarse, stretch));
    struct piece_sieve sieve = {
        .places = coarse->places,
        .stamp = ++coarse->stamp,
        .to = {.first = coarse->first, .source = coarse->source, .cost = coarse->cost}};
    sieve_begin(&sieve);
    keep_times(coarse, stretch, 0, 0);
    for (size_t i = count; i-- > 0;) {
        const uint32_t node = nodes[i];
        const size_t before = sieve.edge_count, end = from->first[node + 1];
        if (i > AHEAD)
            fetch_node(coarse, nodes[i - AHEAD]);
        for (size_t edge = from->first[node]; edge < end; edge++)
            if (coarse->matters[edge] >> stretch & 1)
                sieve_keep(&sieve, before, from->source[edge], from->cost[edge]);
        if (sieve_node(&sieve, before, node, node + 1 == from->nodes))
            keep_times(coarse, stretch, node, sieve.to.nodes - 1);
    }
    *part = (struct paths_part){.edges = sieve.to,
                                .before = {coarse->times[0], coarse->times[1]},
                                .behind = {coarse->times[2], coarse->times[3]}};
    return count && coarse->places[from->nodes - 1].stamp == sieve.stamp;
}

static void take_group(struct coarse *coarse, size_t begin)
{
    struct coarse_group group;
    begin_group(coarse, begin, &group);
    find_behind(coarse, &group);
    for (size_t i = 0; i < group.stretches; i++) {
        const struct piece_stretch *stretch = &group.stretch[i];
        struct paths_part part;
        if (lies_between(stretch->line[0], stretch->line[1]) && make_part(coarse, i, &part))
            coarse->take->part(coarse->take->self, &part, stretch);
        else if (stretch->line[0].k < stretch->line[1].k)
            coarse->take->lines(coarse->take->self, stretch);
    }
}

/* ---------------------------------------------------------------- interface */

static void coarse_init(struct coarse *coarse)
{
    size_t nodes = coarse->edges->nodes;
    coarse->before = lines_alloc(nodes, sizeof *coarse->before, "pieces");
    coarse->behind = lines_alloc(nodes, sizeof *coarse->behind, "pieces");
    coarse->places = mem_alloc(nodes, sizeof *coarse->places, "pieces");
    coarse->is_on = mem_alloc(nodes, sizeof *coarse->is_on, "pieces");
    coarse->matters = mem_alloc(coarse->edges->first[nodes], sizeof *coarse->matters, "pieces");
}

static void coarse_free(struct coarse *coarse)
{
    free(coarse->before);
    free(coarse->behind);
    free(coarse->places);
    free(coarse->matters);
    free(coarse->is_on);
    for (size_t i = 0; i < STRETCHES; i++)
        free(coarse->nodes[i]);
    free(coarse->first);
    free(coarse->source);
    free(coarse->cost);
    for (size_t i = 0; i < 4; i++)
        free(coarse->times[i]);
}

bool coarse_divide(const struct paths_edges *edges, const struct piece_stretch *stretch,
                   const struct coarse_take *take)
{
    enum { EXACT_BITS = 52, MOST_BITS = 20 };
    struct coarse coarse = {.edges = edges, .take = take, .count = 2};
    double most = tolerance_time(stretch->line[1], stretch->at[1]);
    int magnitude;
    frexp(most + 2, &magnitude);
    coarse.bits = EXACT_BITS - magnitude < MOST_BITS ? EXACT_BITS - magnitude : MOST_BITS;
    if (coarse.bits < 0)
        return false;
    for (size_t i = 0; i < 2; i++)
        coarse.points[i] =
            (struct coarse_point){tolerance_value(stretch->at[i]), stretch->at[i], stretch->line[i], true};
    coarse_init(&coarse);
    for (size_t i = 1; i <= ROUNDS; i++)
        add_round(&coarse, i == ROUNDS);
    for (size_t begin = 0; begin + 1 < coarse.count; begin += STRETCHES)
        take_group(&coarse, begin);
    coarse_free(&coarse);
    return true;
}
