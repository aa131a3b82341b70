#include <math.h>
#include <string.h>

#include "tolerance/groups.h"

/* In a long interval nearly all edges matter, so that a division costs passes over the whole graph, which
 * serve several values of x at once. Rounds of passes find the points that divide the interval: where the
 * lines of two neighbours meet, rounded to a multiple of a power of two, so that all times at the points are
 * exact as doubles. If T is on the two lines there, the stretch between the neighbours is done. Rounds find
 * few pieces to the last one. If pieces are many, groups of stretches find which edges matter in each. */

enum {
    ROUNDS = 5,              /* if each of them doubles the stretches, pieces are many; */
    MOST_ROUNDS = 16,        /* else at most so many follow */
    MOST_OPEN = 1 << ROUNDS, /* stretches, for which there are rounds */
    MOST_POINTS = MOST_OPEN * (MOST_ROUNDS + 1),
};

struct coarse {
    struct lanes lanes;
    struct lanes_point points[MOST_POINTS];
    size_t count;
    int bits; /* x is a multiple of 2^-bits, but for the ends */
};

/* A point between a point and the next one, close to where their lines meet. False: there is none. */
static bool point_behind(const struct coarse *coarse, const struct lanes_point *low,
                         struct lanes_point *point)
{
    const struct lanes_point *high = low + 1;
    if (!lanes_is_open(low))
        return false;
    double meet = (double)(low->line.a - high->line.a) / (double)(high->line.k - low->line.k);
    double x = ldexp(floor(ldexp(meet, coarse->bits)), -coarse->bits);
    if (x <= low->x)
        x += ldexp(1, -coarse->bits);
    *point = (struct lanes_point){.x = x};
    point->at = tolerance_ratio((__int128)ldexp(x, coarse->bits), (__int128)1 << coarse->bits);
    return x > low->x && x < high->x;
}

/* T is on the lines of `low` and of the next point at `point`, which is 2^-bits from where they meet, or
 * less. Then it is on them in the whole stretch if 2 d^2 < 2^bits, where d is the difference of their slopes.
 * For times and slopes are whole numbers: another line that is above them where they meet is so by 1 / d or
 * more, and comes down by at most d / 2^bits until `point`. The factor of 2 is room for rounding. */
static bool is_on_lines(const struct coarse *coarse, const struct lanes_point *low,
                        const struct lanes_point *point)
{
    const double d = (double)(low[1].line.k - low->line.k);
    return 2 * d * d < ldexp(1, coarse->bits) &&
           time_of(point->line, point->x) ==
               fmax(time_of(low->line, point->x), time_of(low[1].line, point->x));
}

/* Divides all stretches that are open; returns their number. The last points get their lines in the passes of
 * their groups. */
static size_t add_round(struct coarse *coarse, bool is_last)
{
    struct lanes_point added[MOST_OPEN], *lanes[MOST_OPEN], all[MOST_POINTS];
    size_t of[MOST_OPEN], count = 0, next = 0, total = 0;
    for (size_t i = 0; i + 1 < coarse->count; i++)
        if (point_behind(coarse, &coarse->points[i], &added[count])) {
            of[count] = i;
            lanes[count] = &added[count];
            count++;
        }
    for (size_t i = 0; !is_last && i < count; i += LANES)
        lanes_pass(&coarse->lanes, &lanes[i], count - i < LANES ? count - i : LANES);
    for (size_t i = 0; i < coarse->count; i++) {
        struct lanes_point *low = &coarse->points[i];
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
        open += lanes_is_open(&coarse->points[i]);
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

bool coarse_divide(const struct paths_edges *edges, const struct piece_stretch *stretch,
                   const struct coarse_take *take)
{
    enum { EXACT_BITS = 52, MOST_BITS = 20 };
    struct coarse coarse = {.count = 2};
    double most = tolerance_time(stretch->line[1], stretch->at[1]);
    int magnitude;
    frexp(most + 2, &magnitude);
    coarse.bits = EXACT_BITS - magnitude < MOST_BITS ? EXACT_BITS - magnitude : MOST_BITS;
    if (coarse.bits < 0)
        return false;
    for (size_t i = 0; i < 2; i++)
        coarse.points[i] = (struct lanes_point){tolerance_value(stretch->at[i]), stretch->at[i],
                                                stretch->line[i], true, false};
    lanes_init(&coarse.lanes, edges);
    add_rounds(&coarse);
    groups_take(&coarse.lanes, coarse.points, coarse.count, take);
    lanes_free(&coarse.lanes);
    return true;
}
