#include "extrapolate/fit.h"

/* The largest exponent of an extent that is tried, and the largest sum of their magnitudes. */
enum { MOST_POWER = 3, MOST_POWERS = 6 };

/* The largest number, or the number of the smallest parts, whose bytes a size is divided by; and the largest
 * array. */
enum { MOST_UNIT = 4096 };
#define MOST_WHOLE ((uint64_t)1 << 50)

static uint32_t extent_of(const struct grid *grid, int dimension)
{
    return dimension < 0 ? grid->ranks : grid->size[dimension];
}

/* value x product of (size / reference)^power, in exact arithmetic. */
static bool power_value(const struct fit *fit, const struct grid *grid, uint64_t *value)
{
    unsigned __int128 over = fit->value, under = 1;
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        for (int i = 0; i < (fit->power[d] < 0 ? -fit->power[d] : fit->power[d]); i++) {
            bool up = fit->power[d] > 0;
            over *= up ? grid->size[d] : fit->reference.size[d];
            under *= up ? fit->reference.size[d] : grid->size[d];
            /* Keeps both small: a size has at most 40 bits, an extent 24. */
            while (!(over & 1) && !(under & 1) && over)
                over >>= 1, under >>= 1;
            if (over >> 100 || under >> 100)
                return false;
        }
    *value = (uint64_t)(over / under);
    return over % under == 0 && over / under <= UINT64_MAX / 2;
}

/* What the rank has of `whole` along the dimension. */
static uint64_t share_of(const struct fit *fit, const struct grid *grid, uint32_t rank)
{
    int64_t at[GRID_DIMENSIONS];
    grid_coordinates(grid, rank, at);
    const uint64_t n = grid->size[fit->dimension], place = (uint64_t)at[fit->dimension];
    const uint64_t least = fit->whole / n, rest = fit->whole % n, most = least + (rest > 0);
    if (fit->form == FIT_BLOCK)
        return least + (place < rest);
    if (fit->form == FIT_REST)
        return least + (place == n - 1 ? rest : 0);
    const uint64_t before = place * most;
    return before >= fit->whole ? 0 : fit->whole - before < most ? fit->whole - before : most;
}

static bool block_value(const struct fit *fit, const struct grid *grid, uint32_t rank, uint64_t *value)
{
    uint64_t share = share_of(fit, grid, rank);
    int64_t sum = (int64_t)(fit->unit * share) + fit->add;
    *value = (uint64_t)sum;
    return sum >= 0;
}

bool fit_value(const struct fit *fit, const struct grid *grid, uint32_t rank, uint64_t *value)
{
    int64_t sum = fit->add;
    uint32_t log2;
    switch (fit->form) {
    case FIT_CONSTANT:
        *value = fit->value;
        return true;
    case FIT_LOGARITHM:
        if (!grid_log2(extent_of(grid, fit->dimension), &log2))
            return false;
        sum += log2;
        break;
    case FIT_EXTENT:
        sum = (sum + extent_of(grid, fit->dimension)) * (int64_t)fit->unit;
        break;
    case FIT_POWER:
        return power_value(fit, grid, value);
    case FIT_FLOOR:
    case FIT_CEILING:
        sum = extent_of(grid, fit->dimension);
        *value =
            fit->unit * ((fit->whole + (fit->form == FIT_FLOOR ? 0 : (uint64_t)sum - 1)) / (uint64_t)sum);
        return true;
    case FIT_BLOCK:
    case FIT_REST:
    case FIT_FULL:
        return block_value(fit, grid, rank, value);
    }
    *value = (uint64_t)sum;
    return sum >= 0;
}

/* ------------------------------------------------------------------- search */

struct fit_search {
    const struct observation *observations;
    size_t count;
    const struct grid *target;
    struct fit *found;
    enum fit_outcome outcome;
    uint32_t undivided_decider;
    bool undivided; /* a power gives all observations, and no whole number on the target */
};

static bool holds(const struct fit_search *search, const struct fit *fit)
{
    uint64_t value;
    for (size_t i = 0; i < search->count; i++) {
        const struct observation *seen = &search->observations[i];
        if (!fit_value(fit, seen->grid, seen->rank, &value) || value != seen->value)
            return false;
    }
    return true;
}

static bool same_on_target(const struct fit_search *search, const struct fit *a, const struct fit *b)
{
    for (uint32_t rank = 0; rank < search->target->ranks; rank++) {
        uint64_t of_a, of_b;
        if (!fit_value(a, search->target, rank, &of_a) || !fit_value(b, search->target, rank, &of_b) ||
            of_a != of_b)
            return false;
        if (!fit_is_by_rank(a) && !fit_is_by_rank(b))
            return true; /* the same for all ranks */
    }
    return true;
}

/* A small number of ranks, other than the one asked for, on which the fits differ, or, if there is one only,
 * on which it gives no whole number. 0: none is known. */
static uint32_t decider(const struct fit_search *search, const struct fit *fit, const struct fit *other)
{
    for (uint32_t ranks = 2; ranks <= GRID_MOST_PROPOSED; ranks++) {
        if (ranks == search->target->ranks)
            continue;
        struct grid grid = grid_of(search->target->kind, ranks);
        uint64_t value, second = 0;
        bool defined = fit_value(fit, &grid, 0, &value);
        if (other ? defined && fit_value(other, &grid, 0, &second) && value != second : !defined)
            return ranks;
    }
    return 0;
}

static void consider(struct fit_search *search, const struct fit *fit)
{
    uint64_t value;
    if (!holds(search, fit))
        return;
    if (!fit_value(fit, search->target, 0, &value)) {
        if (fit->form == FIT_POWER && !search->undivided)
            search->undivided_decider = decider(search, fit, NULL);
        search->undivided |= fit->form == FIT_POWER;
        return;
    }
    if (search->outcome == FIT_NO_FORM) {
        search->outcome = FIT_FOUND;
        *search->found = *fit;
    } else if (search->outcome == FIT_FOUND && !same_on_target(search, fit, search->found)) {
        search->found->decider = decider(search, fit, search->found);
        search->outcome = FIT_AMBIGUOUS;
    }
}

static void consider_extents(struct fit_search *search, enum fit_form form)
{
    const struct observation *first = &search->observations[0];
    for (int d = -1; d < GRID_DIMENSIONS; d++) {
        struct fit fit = {.form = form, .dimension = d, .unit = 1};
        uint64_t plain;
        if (!fit_value(&fit, first->grid, first->rank, &plain))
            continue;
        fit.add = (int64_t)(first->value - plain);
        if (fit.add >= -2 && fit.add <= 1)
            consider(search, &fit);
    }
}

/* A loop in a loop, if nothing but the inner one calls MPI: 20 rounds of P - 1 steps are one loop. */
static void consider_rounds(struct fit_search *search)
{
    const struct observation *first = &search->observations[0];
    for (int d = -1; d < GRID_DIMENSIONS; d++)
        for (int64_t add = -2; add <= 1; add++) {
            const int64_t plain = extent_of(first->grid, d) + add;
            if (plain <= 0 || first->value % (uint64_t)plain || first->value > UINT32_MAX)
                continue;
            consider(search, &(struct fit){.form = FIT_EXTENT,
                                           .dimension = d,
                                           .add = add,
                                           .unit = first->value / (uint64_t)plain});
        }
}

static int magnitude(int number)
{
    return number < 0 ? -number : number;
}

/* The powers whose magnitudes add up to `sum`. */
static void consider_powers_of(struct fit_search *search, struct fit *fit, int sum)
{
    int dimensions = grid_dimensions(search->target->kind);
    bool flat = dimensions < 3, line = dimensions < 2;
    for (int i = -MOST_POWER; i <= MOST_POWER; i++)
        for (int j = -MOST_POWER; j <= MOST_POWER; j++)
            for (int k = -MOST_POWER; k <= MOST_POWER; k++) {
                if ((flat && k) || (line && j) || magnitude(i) + magnitude(j) + magnitude(k) != sum)
                    continue;
                fit->power[0] = i;
                fit->power[1] = j;
                fit->power[2] = k;
                consider(search, fit);
            }
}

/* Simple powers come first. If several agree, the first is kept. */
static void consider_powers(struct fit_search *search)
{
    const struct observation *first = &search->observations[0];
    struct fit fit = {.form = FIT_POWER, .value = first->value, .reference = *first->grid};
    for (int sum = 1; sum <= MOST_POWERS; sum++)
        consider_powers_of(search, &fit, sum);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The sum of the numbers on one line of ranks along the dimension, and the difference of the largest and the
 * smallest. False: a rank of the line has no number. */
static bool sum_along(const struct fit_search *search, const struct grid *grid, int dimension, uint64_t *sum,
                      uint64_t *spread)
{
    uint64_t least = UINT64_MAX, most = 0;
    *sum = 0;
    for (uint32_t c = 0; c < grid->size[dimension]; c++) {
        bool seen = false;
        for (size_t i = 0; i < search->count && !seen; i++) {
            const struct observation *one = &search->observations[i];
            int64_t at[GRID_DIMENSIONS];
            grid_coordinates(one->grid, one->rank, at);
            if (one->grid->ranks != grid->ranks || at[dimension] != c)
                continue;
            seen = true;
            *sum += one->value;
            least = one->value < least ? one->value : least;
            most = one->value > most ? one->value : most;
        }
        if (!seen)
            return false;
    }
    *spread = most - least;
    return true;
}

/* The largest number that divides the differences on the lines of all samples; 0: there are none. */
static uint64_t unit_along(const struct fit_search *search, int dimension)
{
    uint64_t unit = 0, sum, spread;
    const struct grid *last = NULL;
    for (size_t i = 0; i < search->count; i++) {
        const struct grid *grid = search->observations[i].grid;
        if (grid != last && sum_along(search, grid, dimension, &sum, &spread))
            unit = common_divisor(spread, unit);
        last = grid;
    }
    return unit;
}

/* The numbers along a line of n ranks add up to unit x whole + n x add. Lines of two lengths give add and
 * unit x whole. The unit is the difference between ranks of a line, if the whole does not divide evenly. */
static void consider_blocks(struct fit_search *search, int dimension)
{
    const struct grid *one = search->observations[0].grid;
    const struct grid *other = search->observations[search->count - 1].grid;
    uint64_t sum, other_sum, spread, unit = unit_along(search, dimension);
    int64_t n = one->size[dimension], m = other->size[dimension];
    if (!unit || n == m || !sum_along(search, one, dimension, &sum, &spread) ||
        !sum_along(search, other, dimension, &other_sum, &spread))
        return;
    int64_t apart = (int64_t)sum - (int64_t)other_sum;
    if (apart % (n - m))
        return;
    struct fit fit = {.form = FIT_BLOCK, .dimension = dimension, .add = apart / (n - m), .unit = unit};
    int64_t rest = (int64_t)sum - n * fit.add;
    if (rest < 0 || (uint64_t)rest % fit.unit)
        return;
    fit.whole = (uint64_t)rest / fit.unit;
    consider(search, &fit);
}

/* The largest number that divides all that is observed; 0: all are 0. */
static uint64_t divisor_of_all(const struct fit_search *search)
{
    uint64_t divisor = 0;
    for (size_t i = 0; i < search->count; i++)
        divisor = common_divisor(search->observations[i].value, divisor);
    return divisor;
}

/* Blocks of which the last rank has more or less than the others. Their unit is the largest possible one, as
 * above: the rest shows it. */
static void consider_uneven_blocks(struct fit_search *search, int dimension)
{
    const uint64_t unit = divisor_of_all(search);
    uint64_t sum, spread;
    if (!unit || !sum_along(search, search->observations[0].grid, dimension, &sum, &spread))
        return;
    struct fit fit = {.form = FIT_REST, .dimension = dimension, .unit = unit, .whole = sum / unit};
    consider(search, &fit);
    fit.form = FIT_FULL;
    consider(search, &fit);
}

/* The wholes that give what is observed are an interval. If its ends agree on the target, so do all. */
static void consider_quotient(struct fit_search *search, enum fit_form form, uint64_t unit, int dimension)
{
    uint64_t least = 0, most = UINT64_MAX;
    for (size_t i = 0; i < search->count; i++) {
        const uint64_t n = extent_of(search->observations[i].grid, dimension);
        const uint64_t quotient = search->observations[i].value / unit;
        if (quotient == 0 || quotient > MOST_WHOLE / n)
            return;
        const uint64_t low = form == FIT_FLOOR ? quotient * n : (quotient - 1) * n + 1, high = low + n - 1;
        least = low > least ? low : least;
        most = high < most ? high : most;
    }
    if (least > most)
        return;
    struct fit fit = {.form = form, .dimension = dimension, .unit = unit, .whole = least};
    consider(search, &fit);
    fit.whole = most;
    consider(search, &fit);
}

/* Nothing shows the unit of numbers that are rounded: it can be any that divides all of them. */
static void consider_quotients(struct fit_search *search, int dimension, bool passes)
{
    const uint64_t all = passes ? 1 : divisor_of_all(search);
    for (uint64_t low = 1; low <= MOST_UNIT && low * low <= all; low++)
        for (int larger = 0; all % low == 0 && larger < 2; larger++) {
            const uint64_t unit = larger ? all / low : low;
            consider_quotient(search, FIT_FLOOR, unit, dimension);
            consider_quotient(search, FIT_CEILING, unit, dimension);
        }
}

/* What is left when no other form gives the observations. */
static void consider_rounded(struct fit_search *search, bool passes)
{
    const int dimensions = grid_dimensions(search->target->kind);
    for (int d = 0; d < dimensions && search->outcome == FIT_NO_FORM && !passes; d++)
        consider_uneven_blocks(search, d);
    if (search->outcome != FIT_NO_FORM)
        return;
    for (int d = -1; d < dimensions; d++)
        consider_quotients(search, d, passes);
}

enum fit_outcome fit_find(const struct observation *observations, size_t count, const struct grid *target,
                          bool passes, struct fit *fit)
{
    struct fit_search search = {
        .observations = observations, .count = count, .target = target, .found = fit, .outcome = FIT_NO_FORM};
    if (!count || observations[0].grid->ranks == observations[count - 1].grid->ranks)
        return FIT_ONE_SIZE;
    consider(&search, &(struct fit){.form = FIT_CONSTANT, .value = observations[0].value});
    if (search.outcome == FIT_NO_FORM && passes)
        consider_extents(&search, FIT_LOGARITHM);
    if (search.outcome == FIT_NO_FORM && passes)
        consider_extents(&search, FIT_EXTENT);
    if (search.outcome == FIT_NO_FORM)
        consider_powers(&search);
    if (search.outcome == FIT_NO_FORM && passes && !search.undivided)
        consider_rounds(&search);
    for (int d = 0; d < GRID_DIMENSIONS && search.outcome == FIT_NO_FORM && !passes; d++)
        consider_blocks(&search, d);
    if (search.outcome == FIT_NO_FORM && !search.undivided)
        consider_rounded(&search, passes);
    if (search.outcome != FIT_NO_FORM || !search.undivided)
        return search.outcome;
    fit->decider = search.undivided_decider;
    return FIT_UNDIVIDED;
}
