#ifndef HELIO_TRACE_IMAGE_NUMBER_H
#define HELIO_TRACE_IMAGE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of a trace. Both read from `at`, never at or behind `end`, and return the byte behind the number,
 * or NULL where there is none or it does not fit; *value is set on success only. */

/* [-]digits */
const char *number_integer(const char *at, const char *end, int64_t *value);

/* digits[.digits][e[+-]digits], not negative, finite; rounded as strtod does, whatever the locale. */
const char *number_amount(const char *at, const char *end, double *value);

/* The shortest decimal of at least six digits that reads back as `value`: what a C++ stream prints, where
 * that says it all. Returns its length. */
enum { NUMBER_TEXT = 40 };
size_t number_print(double value, char text[NUMBER_TEXT]);

#endif
