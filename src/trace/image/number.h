#ifndef HELIO_TRACE_IMAGE_NUMBER_H
#define HELIO_TRACE_IMAGE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of a trace. Both functions read from `at` up to `end`, set *value and return the byte behind the
 * number. NULL: there is no number, or it does not fit; *value is as before. */

/* [-]digits */
const char *number_integer(const char *at, const char *end, int64_t *value);

/* digits[.digits][e[+-]digits], not negative, finite. It is rounded as by strtod in the C locale. */
const char *number_amount(const char *at, const char *end, double *value);

/* The shortest decimal of six digits or more that reads back as `value`. With six digits it is what a C++
 * stream prints. Returns its length. */
enum { NUMBER_TEXT = 40 };
size_t number_print(double value, char text[NUMBER_TEXT]);

#endif
