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
 * are exact as doubles. If T is on the two lines there, the stretch between the neighbours is done. Rounds
 * find few pieces to the last one. If pieces are many, a pass to and one fro find which edges matter in each
 * of the stretches between eight points. */

enum {
    LANES = 8,               /* points of a pass */
    ROUNDS = 5,              /* if each of them doubles the stretches, pieces are many; */
    MOST_ROUNDS = 16,        /* else at most so many follow */
    MOST_OPEN = 1 << ROUNDS, /* stretches, for which there are rounds */
    MOST_POINTS = MOST_OPEN * (MOST_ROUNDS + 1),
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
    bool is_done; /* in the stretch from here to the next point T is on the lines of both */
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
                          struct coarse_point *const *points)
{
    const struct paths_edges *edges = coarse->edges;
    const double *from = (const double *)&coarse->before[edges->source[edge]];
    const double *to = (const double *)&coarse->before[node];
    unsigned taken = 0;
    for (unsigned left = wanted; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (from[i] + time_of(edges->cost[edge], points[i]->x) != to[i])
            continue;
        points[i]->line.a += edges->cost[edge].a;
        points[i]->line.k += edges->cost[edge].k;
        taken |= 1U << i;
    }
    coarse->is_on[edges->source[edge]] |= (uint8_t)taken;
    return wanted & ~taken;
}

/* The lines of longest paths at the points of the last pass that have none yet: from the end to the
 * beginning, all at once. */
static void follow_back(struct coarse *coarse, struct coarse_point *const *points, size_t count)
{
    const struct paths_edges *edges = coarse->edges;
    unsigned all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= (unsigned)!points[i]->has_line << i;
        points[i]->has_line = true;
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
static void pass(struct coarse *coarse, struct coarse_point *const *points, size_t count)
{
    lane_times x;
    for (size_t i = 0; i < LANES; i++)
        x[i] = points[i < count ? i : count - 1]->x;
    find_before(coarse, &x);
    follow_back(coarse, points, count);
}

/* There may be more than the two lines in the stretch from the point to the next one. */
static inline bool is_open(const struct coarse_point *point)
{
    return !point->is_done &&
           (!point[0].has_line || !point[1].has_line || lies_between(point[0].line, point[1].line));
}

/* A point between a point and the next one, close to where their lines meet. False: there is none. */
static bool point_behind(const struct coarse *coarse, const struct coarse_point *low,
                         struct coarse_point *point)
{
    const struct coarse_point *high = low + 1;
    if (!is_open(low))
        return false;
    double meet = (double)(low->line.a - high->line.a) / (double)(high->line.k - low->line.k);
    double x = ldexp(floor(ldexp(meet, coarse->bits)), -coarse->bits);
    if (x <= low->x)
        x += ldexp(1, -coarse->bits);
    *point = (struct coarse_point){.x = x};
    point->at = tolerance_ratio((__int128)ldexp(x, coarse->bits), (__int128)1 << coarse->bits);
    return x > low->x && x < high->x;
}

/* T is on the lines of `low` and of the next point at `point`, which is less than 2^-bits from where they
 * meet. Then it is on them in the whole stretch: another line of whole numbers that is above them where they
 * meet is so by 1 / d at least, if their slopes differ by d, and comes down by less than d / 2^bits. */
static bool is_on_lines(const struct coarse *coarse, const struct coarse_point *low,
                        const struct coarse_point *point)
{
    const double d = (double)(low[1].line.k - low->line.k);
    return d * d < ldexp(1, coarse->bits) &&
           time_of(point->line, point->x) ==
               fmax(time_of(low->line, point->x), time_of(low[1].line, point->x));
}

/* Divides all stretches that are open; returns their number. The last points get their lines in the passes of
 * their groups. */
static size_t add_round(struct coarse *coarse, bool is_last)
{
    struct coarse_point added[MOST_OPEN], *lanes[MOST_OPEN], all[MOST_POINTS];
    size_t of[MOST_OPEN], count = 0, next = 0, total = 0;
    for (size_t i = 0; i + 1 < coarse->count; i++)
        if (point_behind(coarse, &coarse->points[i], &added[count])) {
            of[count] = i;
            lanes[count] = &added[count];
            count++;
        }
    for (size_t i = 0; !is_last && i < count; i += LANES)
        pass(coarse, &lanes[i], count - i < LANES ? count - i : LANES);
    for (size_t i = 0; i < coarse->count; i++) {
        struct coarse_point *low = &coarse->points[i];
        bool is_divided = next < count && of[next] == i;
        low->is_done |= is_divided && !is_last && is_on_lines(coarse, low, &added[next]);
        all[total++] = *low;
        if (is_divided && !low->is_done)
            all[total++] = added[next];
        next += is_divided;
    }
    memcpy(coarse->points, all, total * sizeof *all);
    coarse->count = total;
    return count;
}

static size_t count_open(const struct coarse *coarse)
{
    size_t open = 0;
    for (size_t i = 0; i + 1 < coarse->count; i++)
        open += is_open(&coarse->points[i]);
    return open;
}

/* Rounds until nothing is open. If pieces are many, until the stretches are. */
static void add_rounds(struct coarse *coarse)
{
    size_t open = 1;
    for (size_t round = 1; round <= MOST_ROUNDS && open && open < MOST_OPEN; round++) {
        bool are_many = round == ROUNDS && open == 1 << (ROUNDS - 1);
        if (!add_round(coarse, are_many) || are_many)
            break;
        open = count_open(coarse);
    }
}

/* -------------------------------------------------------------------- parts */

/* Open stretches, between some of eight points: a path matters if its chord is above `enough` at the middle.
 */
struct coarse_group {
    struct coarse_point *points[LANES];
    size_t count;
    lane_times x, enough, share[2]; /* of the time at the point itself, and at the next one */
};

/* Takes the points of open stretches from a point on, and returns the one behind them. */
static struct coarse_point *gather(struct coarse_point *point, const struct coarse_point *last,
                                   struct coarse_group *group)
{
    group->count = 0;
    for (; point < last; point++) {
        bool is_new = group->count == 0 || group->points[group->count - 1] != point;
        if (!is_open(point))
            continue;
        if (group->count + is_new >= LANES)
            break;
        if (is_new)
            group->points[group->count++] = point;
        group->points[group->count++] = point + 1;
    }
    return point;
}

static struct piece_stretch stretch_behind(const struct coarse_point *point)
{
    return (struct piece_stretch){{point[0].at, point[1].at}, {point[0].line, point[1].line}};
}

static void begin_group(struct coarse *coarse, struct coarse_group *group)
{
    pass(coarse, group->points, group->count);
    for (size_t i = 0; i < LANES; i++) {
        const struct coarse_point *low = group->points[i < group->count ? i : group->count - 1];
        group->x[i] = low->x;
        group->enough[i] = INFINITY;
        if (i + 1 >= group->count || group->points[i + 1] != low + 1 || !is_open(low))
            continue;
        const struct piece_stretch stretch = stretch_behind(low);
        struct tolerance_at middle = stretch_middle(&stretch);
        group->enough[i] = stretch_enough(&stretch, middle, coarse->edges->nodes);
        group->share[1][i] = (tolerance_value(middle) - low->x) / (low[1].x - low->x);
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

/* Takes the stretches from `point` to `end`, of which those in the group are open. */
static void take_stretches(struct coarse *coarse, const struct coarse_group *group,
                           const struct coarse_point *point, const struct coarse_point *end)
{
    for (size_t lane = 0; point < end; point++) {
        const struct piece_stretch stretch = stretch_behind(point);
        struct paths_part part;
        while (lane < group->count && group->points[lane] < point)
            lane++;
        if (is_open(point) && make_part(coarse, lane, &part))
            coarse->take->part(coarse->take->self, &part, &stretch);
        else if (stretch.line[0].k < stretch.line[1].k)
            coarse->take->lines(coarse->take->self, &stretch);
    }
}

static void take_all(struct coarse *coarse)
{
    struct coarse_point *point = coarse->points, *const last = &coarse->points[coarse->count - 1];
    while (point < last) {
        struct coarse_group group = {.count = 0};
        struct coarse_point *end = gather(point, last, &group);
        if (group.count) {
            begin_group(coarse, &group);
            find_behind(coarse, &group);
        }
        take_stretches(coarse, &group, point, end);
        point = end;
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
        coarse.points[i] = (struct coarse_point){tolerance_value(stretch->at[i]), stretch->at[i],
                                                 stretch->line[i], true, false};
    coarse_init(&coarse);
    add_rounds(&coarse);
    take_all(&coarse);
    coarse_free(&coarse);
    return true;
}
