#include "base/range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

typedef unsigned __int128 wide;

/* ------------------------------------------------------------------- values */

static uint64_t whole_of(enum param_type type, const union param_quantity *value)
{
    return type == PARAM_TIME ? (uint64_t)value->time : value->whole;
}

static void set_whole(enum param_type type, union param_quantity *value, uint64_t whole)
{
    if (type == PARAM_TIME)
        value->time = (ps_t)whole;
    else
        value->whole = whole;
}

/* A sum of decimal fractions, such as 0.1 + 0.2, as people write it. */
static double to_15_digits(long double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.15Lg", value);
    return strtod(text, NULL);
}

/* The value behind range->next. False: the range has ended. */
static bool advance(struct range *range)
{
    union param_quantity value = range->next;
    if (range->type == PARAM_NUMBER) {
        value.number = range->factor
                           ? to_15_digits((long double)value.number * (long double)range->number_factor)
                           : to_15_digits((long double)value.number + (long double)range->add.number);
    } else {
        wide whole = whole_of(range->type, &value);
        whole = range->factor ? (whole * range->factor + range->divisor / 2) / range->divisor
                              : whole + whole_of(range->type, &range->add);
        if (whole > (wide)INT64_MAX)
            return false;
        set_whole(range->type, &value, (uint64_t)whole);
    }
    if (param_quantity_compare(range->type, &value, &range->last) > 0)
        return false;
    range->next = value;
    return true;
}

bool range_next(struct range *range, char *buffer, size_t size)
{
    if (range->ended)
        return false;
    param_quantity_print(range->type, &range->next, buffer, size);
    range->ended = !advance(range);
    return true;
}

/* --------------------------------------------------------------------- text */

/* The parts of "A..B xF", as bytes of the text. */
struct range_parts {
    size_t dots, step; /* of ".."; of 'x' or '+' */
};

/* The 'x' or '+' behind `at` that is not the sign of an exponent, as in 1e+3. At most the end of the text. */
static size_t find_step(const char *text, size_t at)
{
    for (; text[at]; at++) {
        bool is_sign = at && (text[at - 1] == 'e' || text[at - 1] == 'E');
        if (text[at] == 'x' || (text[at] == '+' && !is_sign))
            break;
    }
    return at;
}

bool range_is_meant(const struct param *param, const char *text)
{
    return param->type <= PARAM_NUMBER && strstr(text, "..");
}

/* A step that fits to the type, for messages. */
static const char *example_of(enum param_type type)
{
    switch (type) {
    case PARAM_TIME:
        return "+1 us";
    case PARAM_RATE:
        return "+1 GB/s";
    case PARAM_FLOPS:
        return "+1 Gflop/s";
    case PARAM_SIZE:
        return "+1 KiB";
    case PARAM_COUNT:
        return "+1";
    default:
        return "+0.1";
    }
}

static char *part_of(const char *text, size_t from, size_t to)
{
    return mem_format("%.*s", (int)(to - from), text + from);
}

/* text[from .. to) as a quantity; `param` also has bounds to check, or is NULL. */
static bool read_part(const struct param *param, enum param_type type, const char *text, size_t from,
                      size_t to, union param_quantity *value, struct param_problem *problem)
{
    char *part = part_of(text, from, to);
    struct arena none = {0};
    bool good = param ? param_parse(param, part, value, &none, problem)
                      : param_quantity_read(type, part, value, problem);
    if (!good)
        problem->at += (uint32_t)from;
    free(part);
    arena_free(&none);
    return good;
}

/* "2", "1.5" as factor / divisor. */
static bool read_factor(const char *text, struct range *range, double *number)
{
    enum { DIGITS = 6 }; /* before and behind the point */
    struct units_problem problem;
    size_t blanks = strspn(text, " \t"), whole = strspn(text + blanks, "0123456789");
    const char *point = text + blanks + whole;
    size_t fraction = *point == '.' ? strspn(point + 1, "0123456789") : 0;
    const char *end = point + (*point == '.') + fraction;
    if (!whole || whole > DIGITS || fraction > DIGITS || end[strspn(end, " \t")] ||
        !units_number(text, number, &problem) || *number <= 1)
        return false;
    range->factor = strtoull(text + blanks, NULL, 10);
    range->divisor = 1;
    for (size_t i = 0; i < fraction; i++) {
        range->factor = range->factor * 10 + (uint64_t)(point[1 + i] - '0');
        range->divisor *= 10;
    }
    return true;
}

/* The step, whose sign is at parts->step. */
static bool read_step(const char *text, const struct range_parts *parts, struct range *range,
                      struct param_problem *problem)
{
    const char *step = text + parts->step;
    union param_quantity zero = {0};
    if (!*step)
        return param_fail(problem, parts->step, "a range needs a step, such as '%.*s x2' or '%.*s %s'",
                          (int)parts->step, text, (int)parts->step, text, example_of(range->type));
    if (*step == 'x') {
        if (!read_factor(step + 1, range, &range->number_factor))
            return param_fail(problem, parts->step, "'%s' is not a factor above 1, such as x2 or x1.5", step);
        if (param_quantity_compare(range->type, &range->next, &zero) <= 0)
            return param_fail(problem, 0,
                              "a range that is multiplied begins above 0; write 0 as a value of its own");
        return true;
    }
    if (!read_part(NULL, range->type, text, parts->step + 1, strlen(text), &range->add, problem))
        return false;
    if (param_quantity_compare(range->type, &range->add, &zero) <= 0)
        return param_fail(problem, parts->step, "the step of a range is above 0, such as %s",
                          example_of(range->type));
    return true;
}

/* Counts the values of a copy, and checks that each differs from the one before. */
static bool check_values(struct range range, const struct range_parts *parts, struct param_problem *problem)
{
    for (size_t count = 1;; count++) {
        const union param_quantity before = range.next;
        if (!advance(&range))
            return true;
        if (param_quantity_compare(range.type, &range.next, &before) <= 0)
            return param_fail(problem, parts->step,
                              "the step is too small: a value does not differ from the next");
        if (count == RANGE_VALUES_AT_MOST)
            return param_fail(problem, 0, "a range has at most %d values; take a larger step",
                              RANGE_VALUES_AT_MOST);
    }
}

bool range_read(const struct param *param, const char *text, struct range *range,
                struct param_problem *problem)
{
    *range = (struct range){.type = param->type};
    struct range_parts parts = {.dots = (size_t)(strstr(text, "..") - text)};
    parts.step = find_step(text, parts.dots + 2);
    if (!read_part(param, param->type, text, 0, parts.dots, &range->next, problem) ||
        !read_part(param, param->type, text, parts.dots + 2, parts.step, &range->last, problem) ||
        !read_step(text, &parts, range, problem))
        return false;
    if (param_quantity_compare(range->type, &range->next, &range->last) > 0)
        return param_fail(problem, 0, "a range goes upwards; its end is below its beginning");
    return check_values(*range, &parts, problem);
}
