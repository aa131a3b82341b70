#include "base/mem.h"
#include "tolerance/envelope.h"
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

void tolerance_find(struct program_paths *paths, int64_t from, int64_t to, struct tolerance *tolerance)
{
    struct envelope longest;
    program_paths_all(paths, (struct interval){from, to}, &longest);
    tolerance->count = 0;
    add_piece(tolerance, (struct tolerance_at){from, 1}, envelope_line(&longest, 0));
    for (size_t i = 1; i < envelope_count(&longest); i++)
        add_piece(tolerance, crossing(envelope_line(&longest, i - 1), envelope_line(&longest, i)),
                  envelope_line(&longest, i));
    envelope_drop(&longest);
}

const struct tolerance_piece *tolerance_piece_at(const struct tolerance *tolerance, struct tolerance_at at)
{
    const struct tolerance_piece *piece = &tolerance->pieces[0];
    for (size_t i = 1; i < tolerance->count && tolerance_compare(tolerance->pieces[i].from, at) <= 0; i++)
        piece = &tolerance->pieces[i];
    return piece;
}

/* Of 100 x `unit` times the time: what is allowed. */
struct allowance {
    __int128 allowed, unit;
};

static struct tolerance_at reaches(struct tolerance_line line, const struct allowance *allowance)
{
    return ratio(allowance->allowed - (__int128)line.a * allowance->unit, allowance->unit * line.k);
}

/* The pieces know: the limit is on the last one that begins below it, and before the upper end. */
static bool limit_on_pieces(const struct tolerance *tolerance, const struct allowance *allowance,
                            struct tolerance_at to, struct tolerance_at *limit)
{
    for (size_t i = tolerance->count; i-- > 0;) {
        const struct tolerance_piece *piece = &tolerance->pieces[i];
        if (!piece->line.k)
            return false;
        *limit = reaches(piece->line, allowance);
        if (tolerance_compare(*limit, to) > 0)
            return false;
        if (tolerance_compare(*limit, piece->from) >= 0)
            return true;
    }
    return false;
}

/* Beyond the pieces, Newton's method on a convex function: from a latency beyond the limit, the line there
 * crosses the limit nearer to it, and after as many steps as there are pieces exactly at it. */
static bool limit_beyond(struct program_paths *paths, const struct allowance *allowance,
                         struct tolerance_at *limit)
{
    const struct tolerance_at far = {INT64_MAX / 4, 1};
    struct tolerance_line line = program_paths_longest(paths, far, true);
    if (line.k == 0)
        return false;
    for (;;) {
        *limit = reaches(line, allowance);
        struct tolerance_line there = program_paths_longest(paths, *limit, true);
        if (is_on(line, *limit, there) || there.k == 0)
            return true;
        line = there;
    }
}

bool tolerance_limit(struct program_paths *paths, const struct tolerance *tolerance, struct tolerance_at base,
                     int64_t to, unsigned percent, struct tolerance_at *limit)
{
    struct tolerance_line now = program_paths_longest(paths, base, false);
    const struct allowance allowance = {
        .allowed = ((__int128)now.a * base.denominator + (__int128)now.k * base.numerator) * (100 + percent),
        .unit = (__int128)100 * base.denominator};
    return limit_on_pieces(tolerance, &allowance, (struct tolerance_at){to, 1}, limit) ||
           limit_beyond(paths, &allowance, limit);
}
