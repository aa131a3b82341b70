#ifndef HELIO_BASE_RANGE_H
#define HELIO_BASE_RANGE_H

#include "base/param.h"

/* A range of values of a parameter with a quantity or a number:
 *
 *     1 KiB..64 MiB x2      1 KiB, and each further value is 2 times the one before, up to 64 MiB
 *     0 us..8 us +1 us      0 us, and each further value is 1 us more than the one before, up to 8 us
 *
 * The last value is the end of the range, if the steps meet it, and otherwise the last one below it. Whole
 * units (picoseconds, bytes, bytes per second, counts) are computed in 128-bit integers; a factor with a
 * fraction, such as x1.5, rounds each value to the nearest. Numbers are computed to 15 digits, so that
 * 0..1 +0.1 has 0.3. */
enum { RANGE_VALUES_AT_MOST = 100000 };

struct range {
    enum param_type type;
    union param_quantity next, last; /* `next` is the next value */
    union param_quantity add;        /* of +S */
    uint64_t factor, divisor;        /* of xF; factor 0 = +S */
    double number_factor;            /* the same for PARAM_NUMBER */
    bool ended;
};

/* Whether the text is to be a range of this parameter. */
bool range_is_meant(const struct param *param, const char *text);

/* False fills *problem: the text is no range, has too many values, or its ends are not values of the
 * parameter. */
bool range_read(const struct param *param, const char *text, struct range *range,
                struct param_problem *problem);

/* The next value in canonical form, in a buffer of 64 bytes; false: there are no more. */
bool range_next(struct range *range, char *buffer, size_t size);

#endif
