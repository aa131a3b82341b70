#include "base/mem.h"
#include "tolerance/tolerance.h"

static __int128 greatest_divisor(__int128 a, __int128 b)
{
    while (b) {
        __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* In lowest terms; the denominator is above 0. Beyond 64 bits the nearest that fits below. */
static struct tolerance_at ratio(__int128 numerator, __int128 denominator)
{
    __int128 divisor = greatest_divisor(numerator, denominator);
    numerator /= divisor;
    denominator /= divisor;
    while (numerator > INT64_MAX || denominator > INT64_MAX) {
        numerator /= 2;
        denominator = denominator > 1 ? denominator / 2 : 1;
    }
    return (struct tolerance_at){(int64_t)numerator, (int64_t)denominator};
}

int tolerance_compare(struct tolerance_at a, struct tolerance_at b)
{
    __int128 left = (__int128)a.numerator * b.denominator, right = (__int128)b.numerator * a.denominator;
    return left < right ? -1 : left > right;
}

double tolerance_time(struct tolerance_line line, struct tolerance_at at)
{
    return (double)line.a + (double)line.k * ((double)at.numerator / (double)at.denominator);
}

/* Where the two lines cross; b is the steeper one. */
static struct tolerance_at crossing(struct tolerance_line a, struct tolerance_line b)
{
    return ratio((__int128)a.a - b.a, (__int128)b.k - a.k);
}

static bool is_on(struct tolerance_line line, struct tolerance_at at, struct tolerance_line other)
{
    return (__int128)(line.a - other.a) * at.denominator + (__int128)(line.k - other.k) * at.numerator == 0;
}

static void add_piece(struct tolerance *tolerance, struct tolerance_at from, struct tolerance_line line)
{
    tolerance->pieces = mem_grow(tolerance->pieces, &tolerance->capacity, tolerance->count + 1, "pieces");
    tolerance->pieces[tolerance->count++] = (struct tolerance_piece){from, line};
}

/* `left` holds at the lower end and `right` at the upper one. If no path at their crossing is longer, they
 * are neighbours; else the longest one there lies between them. */
static void find_between(struct program_paths *paths, struct tolerance_line left, struct tolerance_line right,
                         struct tolerance *tolerance)
{
    if (left.k == right.k)
        return;
    struct tolerance_at at = crossing(left, right);
    struct tolerance_line least = program_paths_longest(paths, at, true),
                          most = program_paths_longest(paths, at, false);
    tolerance->passes += 2;
    if (is_on(left, at, least)) {
        add_piece(tolerance, at, most);
        if (most.k != right.k)
            find_between(paths, most, right, tolerance);
        return;
    }
    find_between(paths, left, least, tolerance);
    if (most.k != least.k)
        add_piece(tolerance, at, most);
    find_between(paths, most, right, tolerance);
}

void tolerance_find(struct program_paths *paths, struct tolerance_at from, struct tolerance_at to,
                    struct tolerance *tolerance)
{
    struct tolerance_line left = program_paths_longest(paths, from, false),
                          right = program_paths_longest(paths, to, true);
    tolerance->passes += 2;
    tolerance->count = 0;
    add_piece(tolerance, from, left);
    find_between(paths, left, right, tolerance);
}

const struct tolerance_piece *tolerance_piece_at(const struct tolerance *tolerance, struct tolerance_at at)
{
    const struct tolerance_piece *piece = &tolerance->pieces[0];
    for (size_t i = 1; i < tolerance->count && tolerance_compare(tolerance->pieces[i].from, at) <= 0; i++)
        piece = &tolerance->pieces[i];
    return piece;
}

/* Newton's method on a convex function: from a latency beyond the limit, the line there crosses the limit
 * nearer to it, and after as many steps as there are pieces exactly at it. */
bool tolerance_limit(struct program_paths *paths, struct tolerance_at base, unsigned percent,
                     struct tolerance_at *limit)
{
    const struct tolerance_at far = {INT64_MAX / 4, 1};
    struct tolerance_line now = program_paths_longest(paths, base, false),
                          line = program_paths_longest(paths, far, true);
    /* 100 x denominator x allowed = (100 + percent) x (a x denominator + k x numerator) */
    __int128 allowed =
        ((__int128)now.a * base.denominator + (__int128)now.k * base.numerator) * (100 + percent);
    __int128 unit = (__int128)100 * base.denominator;
    if (line.k == 0)
        return false;
    for (;;) {
        struct tolerance_at at = ratio(allowed - (__int128)line.a * unit, unit * line.k);
        struct tolerance_line there = program_paths_longest(paths, at, true);
        if (is_on(line, at, there) || there.k == 0) {
            *limit = at;
            return true;
        }
        line = there;
    }
}
