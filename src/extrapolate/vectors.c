#include "extrapolate/vectors.h"

#include "base/mem.h"

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* If the numbers are unit x shares of a whole: the whole. 0: they are equal. False: they are no shares. */
static bool whole_of(const uint64_t *numbers, uint32_t count, uint64_t *whole)
{
    uint64_t unit = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t more = numbers[0] > numbers[i] ? numbers[0] - numbers[i] : numbers[i] - numbers[0];
        unit = common_divisor(more, unit);
        sum += numbers[i];
    }
    *whole = unit ? sum / unit : 0;
    return !unit || sum % unit == 0;
}

/* Keeps a whole that is the same in all samples. */
static bool keep_whole(uint64_t *known, uint64_t found)
{
    if (found && *known && found != *known)
        return false;
    *known = found ? found : *known;
    return true;
}

/* The sizes for member 0 of all members of the communicator with the rank of observation `from`, as far as
 * they are observed: those in which the places 0, 1, ... follow one another. */
static bool find_own(const struct vector_observation *observations, size_t count, size_t from, uint64_t *own)
{
    uint32_t members = observations[from].members, known = 0;
    uint64_t *sizes = mem_alloc(members, sizeof *sizes, "sizes of messages"), whole = 0;
    for (size_t i = from; i < count && observations[i].grid == observations[from].grid && known < members;
         i++)
        if (observations[i].place == known)
            sizes[known++] = observations[i].sizes[0];
    bool fits = known < members || (whole_of(sizes, members, &whole) && keep_whole(own, whole));
    free(sizes);
    return fits;
}

static bool find_wholes(const struct vector_observation *observations, size_t count, struct vector_rule *rule)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t whole;
        if (i && observations[i].grid == observations[i - 1].grid)
            continue;
        if (!whole_of(observations[i].sizes, observations[i].members, &whole) ||
            !keep_whole(&rule->peer, whole) || !find_own(observations, count, i, &rule->own))
            return false;
    }
    return true;
}

static uint64_t product_of(const struct vector_rule *rule, const struct vector_observation *one,
                           uint32_t peer)
{
    return vector_share(rule->own, one->members, one->place) * vector_share(rule->peer, one->members, peer);
}

static bool holds(const struct vector_rule *rule, const struct vector_observation *observations, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t factor;
        const struct vector_observation *one = &observations[i];
        if (!fit_value(&rule->factor, one->grid, 0, &factor))
            return false;
        for (uint32_t peer = 0; peer < one->members; peer++)
            if (one->sizes[peer] != factor * product_of(rule, one, peer))
                return false;
    }
    return true;
}

enum fit_outcome vector_find(const struct vector_observation *observations, size_t count,
                             const struct grid *target, struct vector_rule *rule)
{
    *rule = (struct vector_rule){0};
    if (!find_wholes(observations, count, rule))
        return FIT_NO_FORM;
    struct observation *factors = mem_alloc(count, sizeof *factors, "sizes of messages");
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t product = product_of(rule, &observations[i], 0);
        if (product)
            factors[known++] =
                (struct observation){observations[i].grid, 0, observations[i].sizes[0] / product};
    }
    enum fit_outcome outcome = fit_find(factors, known, target, false, &rule->factor);
    free(factors);
    return outcome == FIT_FOUND && !holds(rule, observations, count) ? FIT_NO_FORM : outcome;
}
