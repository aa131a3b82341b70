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

struct tolerance_at tolerance_ratio(__int128 numerator, __int128 denominator)
{
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
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

double tolerance_value(struct tolerance_at at)
{
    return (double)at.numerator / (double)at.denominator;
}

double tolerance_time(struct tolerance_line line, struct tolerance_at at)
{
    return (double)line.a + (double)line.k * tolerance_value(at);
}

/* Of 100 x `unit` times the time: what is allowed. */
struct allowance {
    __int128 allowed, unit;
};

static struct tolerance_at reaches(struct tolerance_line line, const struct allowance *allowance)
{
    return tolerance_ratio(allowance->allowed - (__int128)line.a * allowance->unit, allowance->unit * line.k);
}

/* The pieces know: the limit is on the last one that begins below it. False: they end before it, or are flat.
 */
static bool limit_on_pieces(const struct tolerance *pieces, const struct allowance *allowance,
                            struct tolerance_at *limit)
{
    struct tolerance_at end = pieces->to;
    for (size_t i = pieces->count; i-- > 0; end = pieces->pieces[i].from) {
        const struct tolerance_piece *piece = &pieces->pieces[i];
        if (!piece->line.k)
            return false;
        *limit = reaches(piece->line, allowance);
        if (tolerance_compare(*limit, piece->from) >= 0)
            return tolerance_compare(*limit, end) < 0;
    }
    return false;
}

/* Newton's method on a convex function: from a value beyond the limit, the line there crosses the limit
 * nearer to it, and after as many steps as there are pieces exactly at it. */
static bool limit_by_newton(struct program_paths *paths, const struct allowance *allowance,
                            struct tolerance_at *limit)
{
    const struct tolerance_at far = {INT64_MAX / 4, 1};
    struct tolerance_line line = program_paths_longest(paths, far, true);
    if (line.k == 0)
        return false;
    for (;;) {
        *limit = reaches(line, allowance);
        struct tolerance_line there = program_paths_longest(paths, *limit, true);
        if (tolerance_above(there, line, *limit) <= 0 || there.k == 0 || there.k >= line.k)
            return true;
        line = there;
    }
}

struct tolerance_line tolerance_line_at(struct program_paths *paths, const struct tolerance *pieces,
                                        struct tolerance_at at)
{
    bool is_known = pieces->count && tolerance_compare(pieces->pieces[0].from, at) <= 0 &&
                    tolerance_compare(at, pieces->to) <= 0;
    return is_known ? tolerance_piece_at(pieces, at)->line : program_paths_longest(paths, at, false);
}

bool tolerance_limit(struct program_paths *paths, const struct tolerance *pieces, struct tolerance_at base,
                     unsigned percent, struct tolerance_at *limit)
{
    struct tolerance_line now = tolerance_line_at(paths, pieces, base);
    const struct allowance allowance = {
        .allowed = ((__int128)now.a * base.denominator + (__int128)now.k * base.numerator) * (100 + percent),
        .unit = (__int128)100 * base.denominator};
    return limit_on_pieces(pieces, &allowance, limit) || limit_by_newton(paths, &allowance, limit);
}

bool tolerance_floor(struct program_paths *paths, const struct tolerance *pieces, struct tolerance_at *floor)
{
    return tolerance_limit(paths, pieces, (struct tolerance_at){0, 1}, 0, floor);
}
