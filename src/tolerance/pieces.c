#include <stdlib.h>

#include "base/mem.h"
#include "tolerance/pieces.h"

/* The pieces between two values are found by division. Where the lines at both ends meet, T is either on
 * them, and there is no other piece, or above them, and the line there divides the interval.
 *
 * Few paths can be the longest inside a short interval: the time by way of an edge is convex, so that it lies
 * below its chord. Edges whose chord is nowhere above the two lines are left out, and nodes with one edge are
 * joined. So the shorter the interval, the smaller the graph. */

/* Memory of one depth of division. */
struct piece_level {
    size_t *first;
    uint32_t *source;
    struct tolerance_line *cost;
    double *kept[4], *before, *behind;
    size_t first_capacity, source_capacity, cost_capacity, kept_capacity[4], before_capacity, behind_capacity;
};

struct piece_search {
    struct tolerance *tolerance;
    struct tolerance_line *longest; /* to each node of the present part */
    struct piece_place *places;     /* of each node of the part that becomes smaller */
    double *before, *behind;        /* of the same, in the middle, by chords */
    struct piece_level **levels;
    size_t level_count, level_capacity;
};

static const double nowhere = -1e300;

static void find_before(const struct paths_edges *edges, const struct tolerance_line *longest, double x,
                        double *before)
{
    for (uint32_t node = 0; node < edges->nodes; node++)
        before[node] = time_of(longest[node], x);
}

static void find_behind(const struct paths_edges *edges, double x, double *behind)
{
    for (uint32_t node = 0; node + 1 < edges->nodes; node++)
        behind[node] = nowhere;
    behind[edges->nodes - 1] = 0;
    for (uint32_t node = edges->nodes; node-- > 1;)
        for (size_t i = edges->first[node]; i < edges->first[node + 1]; i++) {
            double time = behind[node] + time_of(edges->cost[i], x);
            double *source = &behind[edges->source[i]];
            *source = time > *source ? time : *source;
        }
}

/* ---------------------------------------------------------------- smaller */

/* Which edges of a part can be above `enough` at `middle`, by their chords. */
struct piece_chords {
    const struct paths_part *from;
    double middle, share; /* of the way from one end to the other */
    double enough;
    double *before, *behind; /* times of each node in the middle, by chords */
    struct piece_sieve sieve;
};

static void find_chords(struct piece_chords *chords)
{
    const struct paths_part *from = chords->from;
    for (uint32_t node = 0; node < from->edges.nodes; node++) {
        chords->before[node] =
            from->before[0][node] * (1 - chords->share) + from->before[1][node] * chords->share;
        chords->behind[node] =
            from->behind[0][node] * (1 - chords->share) + from->behind[1][node] * chords->share;
    }
}

static inline bool passes(const struct piece_chords *chords, uint32_t node, size_t edge)
{
    const struct paths_edges *edges = &chords->from->edges;
    return chords->before[edges->source[edge]] + time_of(edges->cost[edge], chords->middle) +
               chords->behind[node] >
           chords->enough;
}

static size_t count_passing(const struct piece_chords *chords)
{
    const struct paths_edges *edges = &chords->from->edges;
    size_t count = 0;
    for (uint32_t node = 1; node < edges->nodes; node++)
        for (size_t i = edges->first[node]; i < edges->first[node + 1]; i++)
            count += passes(chords, node, i);
    return count;
}

/* Keeps the times of the nodes that are left. */
static void sift(struct piece_chords *chords, double *const kept[4])
{
    const struct paths_part *part = chords->from;
    const struct paths_edges *from = &part->edges;
    const double *const times[4] = {part->before[0], part->before[1], part->behind[0], part->behind[1]};
    struct piece_sieve *sieve = &chords->sieve;
    sieve_begin(sieve);
    for (size_t k = 0; k < 4; k++)
        kept[k][0] = times[k][0];
    for (uint32_t node = 1; node < from->nodes; node++) {
        size_t before = sieve->edge_count;
        for (size_t i = from->first[node]; i < from->first[node + 1]; i++)
            if (passes(chords, node, i))
                sieve_keep(sieve, before, from->source[i], from->cost[i]);
        if (sieve_node(sieve, before, node, node + 1 == from->nodes))
            for (size_t k = 0; k < 4; k++)
                kept[k][sieve->to.nodes - 1] = times[k][node];
    }
}

static struct piece_level *level_at(struct piece_search *search, size_t depth)
{
    if (depth == search->level_count) {
        search->levels = mem_grow(search->levels, &search->level_capacity, depth + 1, "pieces");
        search->levels[search->level_count++] = mem_alloc(1, sizeof **search->levels, "pieces");
    }
    return search->levels[depth];
}

static void sift_into(struct piece_chords *chords, struct piece_level *level, struct paths_part *to)
{
    const struct paths_part *from = chords->from;
    size_t nodes = from->edges.nodes, edge_count = from->edges.first[nodes];
    level->first = mem_grow(level->first, &level->first_capacity, nodes + 1, "pieces");
    level->source = mem_grow(level->source, &level->source_capacity, edge_count, "pieces");
    level->cost = mem_grow(level->cost, &level->cost_capacity, edge_count, "pieces");
    for (size_t k = 0; k < 4; k++)
        level->kept[k] = mem_grow(level->kept[k], &level->kept_capacity[k], nodes, "pieces");
    chords->sieve.to =
        (struct paths_edges){.first = level->first, .source = level->source, .cost = level->cost};
    sift(chords, level->kept);
    *to = (struct paths_part){.edges = chords->sieve.to,
                              .before = {level->kept[0], level->kept[1]},
                              .behind = {level->kept[2], level->kept[3]}};
}

/* False: nothing is left. If few edges can be left out, all are kept; else the part lives in `level`. */
static bool make_smaller(struct piece_search *search, const struct paths_part *from,
                         const struct piece_stretch *stretch, struct tolerance_at middle,
                         struct piece_level *level, struct paths_part *to)
{
    size_t nodes = from->edges.nodes, edge_count = from->edges.first[nodes];
    double low = tolerance_value(stretch->at[0]), high = tolerance_value(stretch->at[1]);
    struct piece_chords chords = {.from = from,
                                  .middle = tolerance_value(middle),
                                  .share = (tolerance_value(middle) - low) / (high - low),
                                  .enough = stretch_enough(stretch, middle, nodes),
                                  .before = search->before,
                                  .behind = search->behind,
                                  .sieve = {.places = search->places, .stamp = 1}};
    find_chords(&chords);
    size_t passing = count_passing(&chords);
    *to = *from;
    if (passing > edge_count / 4 * 3)
        return true;
    if (passing)
        sift_into(&chords, level, to);
    return passing && search->places[nodes - 1].stamp;
}

/* --------------------------------------------------------------- division */

/* A line that only touches T, between two pieces, makes way. */
static void add_piece(struct tolerance *tolerance, struct tolerance_at from, struct tolerance_line line)
{
    if (tolerance->count && tolerance_compare(tolerance->pieces[tolerance->count - 1].from, from) == 0)
        tolerance->count--;
    tolerance->pieces = mem_grow(tolerance->pieces, &tolerance->capacity, tolerance->count + 1, "pieces");
    tolerance->pieces[tolerance->count++] = (struct tolerance_piece){from, line};
}

static void divide(struct piece_search *search, const struct paths_part *whole,
                   const struct piece_stretch *stretch, size_t depth);

/* Adds the pieces behind the first line of the stretch, whose lines meet at `middle`. */
static void split(struct piece_search *search, const struct paths_part *part,
                  const struct piece_stretch *stretch, struct tolerance_at middle, size_t depth)
{
    struct tolerance_line low = stretch->line[0], high = stretch->line[1];
    struct piece_level *level = level_at(search, depth);
    struct tolerance_line line = paths_longest(&part->edges, middle, false, search->longest);
    if (tolerance_above(line, low, middle) <= 0) {
        add_piece(search->tolerance, middle, high);
        return;
    }
    double x = tolerance_value(middle);
    level->before = mem_grow(level->before, &level->before_capacity, part->edges.nodes, "pieces");
    level->behind = mem_grow(level->behind, &level->behind_capacity, part->edges.nodes, "pieces");
    find_before(&part->edges, search->longest, x, level->before);
    find_behind(&part->edges, x, level->behind);
    struct paths_part left = *part, right = *part;
    left.before[1] = right.before[0] = level->before;
    left.behind[1] = right.behind[0] = level->behind;
    divide(search, &left, &(struct piece_stretch){{stretch->at[0], middle}, {low, line}}, depth + 1);
    divide(search, &right, &(struct piece_stretch){{middle, stretch->at[1]}, {line, high}}, depth + 1);
}

/* The same with a smaller part. */
static void divide(struct piece_search *search, const struct paths_part *whole,
                   const struct piece_stretch *stretch, size_t depth)
{
    struct paths_part part;
    if (stretch->line[0].k == stretch->line[1].k)
        return;
    struct tolerance_at middle = stretch_middle(stretch);
    if (lies_between(stretch->line[0], stretch->line[1]) &&
        make_smaller(search, whole, stretch, middle, level_at(search, depth), &part))
        split(search, &part, stretch, middle, depth);
    else
        add_piece(search->tolerance, middle, stretch->line[1]);
}

/* The parts of a coarse division are small already. */
static void take_part(void *self, const struct paths_part *part, const struct piece_stretch *stretch)
{
    split(self, part, stretch, stretch_middle(stretch), 0);
}

static void take_lines(void *self, const struct piece_stretch *stretch)
{
    struct piece_search *search = self;
    add_piece(search->tolerance, stretch_middle(stretch), stretch->line[1]);
}

static void free_search(struct piece_search *search)
{
    for (size_t i = 0; i < search->level_count; i++) {
        struct piece_level *level = search->levels[i];
        free(level->first);
        free(level->source);
        free(level->cost);
        for (size_t k = 0; k < 4; k++)
            free(level->kept[k]);
        free(level->before);
        free(level->behind);
        free(level);
    }
    free(search->levels);
    free(search->places);
    free(search->before);
    free(search->behind);
}

/* Divides step by step from the whole interval on. */
static void divide_whole(struct piece_search *search, const struct paths_edges *edges,
                         const struct piece_stretch *stretch)
{
    struct paths_part part = {.edges = *edges};
    double *times[4];
    for (size_t i = 0; i < 2; i++) {
        double x = tolerance_value(stretch->at[i]);
        paths_longest(edges, stretch->at[i], i == 1, search->longest);
        part.before[i] = times[i] = mem_alloc(edges->nodes, sizeof *times[i], "pieces");
        part.behind[i] = times[i + 2] = mem_alloc(edges->nodes, sizeof *times[i], "pieces");
        find_before(edges, search->longest, x, times[i]);
        find_behind(edges, x, times[i + 2]);
    }
    divide(search, &part, stretch, 0);
    for (size_t i = 0; i < 4; i++)
        free(times[i]);
}

void tolerance_find(struct program_paths *paths, struct tolerance_at from, struct tolerance_at to,
                    struct tolerance *tolerance)
{
    const struct paths_edges *edges = &paths->edges;
    struct piece_stretch stretch = {.at = {from, to}};
    paths->has_longest = false;
    for (size_t i = 0; i < 2; i++)
        stretch.line[i] = paths_longest(edges, stretch.at[i], i == 1, paths->longest);
    tolerance->count = 0;
    tolerance->to = to;
    add_piece(tolerance, from, stretch.line[0]);
    if (stretch.line[0].k == stretch.line[1].k)
        return;
    struct piece_search search = {.tolerance = tolerance,
                                  .longest = paths->longest,
                                  .places = mem_alloc(edges->nodes, sizeof *search.places, "pieces"),
                                  .before = mem_alloc(edges->nodes, sizeof *search.before, "pieces"),
                                  .behind = mem_alloc(edges->nodes, sizeof *search.behind, "pieces")};
    const struct coarse_take take = {take_part, take_lines, &search};
    if (!coarse_divide(edges, &stretch, &take))
        divide_whole(&search, edges, &stretch);
    free_search(&search);
}

const struct tolerance_piece *tolerance_piece_at(const struct tolerance *tolerance, struct tolerance_at at)
{
    const struct tolerance_piece *piece = &tolerance->pieces[0];
    for (size_t i = 1; i < tolerance->count && tolerance_compare(tolerance->pieces[i].from, at) <= 0; i++)
        piece = &tolerance->pieces[i];
    return piece;
}
