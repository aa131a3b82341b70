#include "trace/image/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char byte)
{
    return (unsigned char)(byte - '0') <= 9;
}

const char *number_integer(const char *at, const char *end, int64_t *value)
{
    bool negative = at < end && *at == '-';
    at += negative;
    if (at == end || !is_digit(*at))
        return NULL;
    int64_t sum = 0;
    for (; at < end && is_digit(*at); at++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_sub_overflow(sum, *at - '0', &sum))
            return NULL; /* the sum is negative, since INT64_MIN has no positive counterpart */
    if (!negative && __builtin_sub_overflow(0, sum, &sum))
        return NULL;
    *value = sum;
    return at;
}

/* Powers of ten that a double holds exactly. One multiplication or division of a mantissa below 2^53 by one
 * of these is rounded once, thus correctly (Clinger, How to read floating point numbers accurately, 1990). */
static const double exact_tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

enum { EXACT_TENS = sizeof exact_tens / sizeof *exact_tens, MANTISSA_DIGITS = 15, LONGEST_LITERAL = 400 };

/* A literal whose syntax has been checked, by the C library. The program never sets a locale, so the decimal
 * point is a point. */
static bool convert_slowly(const char *begin, const char *end, double *value)
{
    char copy[LONGEST_LITERAL + 1];
    size_t length = (size_t)(end - begin);
    if (length > LONGEST_LITERAL)
        return false;
    memcpy(copy, begin, length);
    copy[length] = '\0';
    *value = strtod(copy, NULL);
    return isfinite(*value);
}

const char *number_amount(const char *at, const char *end, double *value)
{
    const char *begin = at;
    uint64_t mantissa = 0;
    int digits = 0, exponent = 0;
    for (; at < end && is_digit(*at); at++, digits++)
        mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    if (!digits)
        return NULL;
    if (at + 1 < end && *at == '.' && is_digit(at[1]))
        for (at++; at < end && is_digit(*at); at++, digits++, exponent--)
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    if (at < end && (*at == 'e' || *at == 'E')) {
        int64_t power;
        const char *from = at + 1 < end && at[1] == '+' && at + 2 < end && is_digit(at[2]) ? at + 2 : at + 1;
        at = number_integer(from, end, &power);
        if (!at)
            return NULL;
        exponent = power > 100000 || power < -100000 ? EXACT_TENS : exponent + (int)power;
    }
    double result = (double)mantissa;
    if (digits <= MANTISSA_DIGITS && exponent > -EXACT_TENS && exponent < EXACT_TENS)
        result = exponent < 0 ? result / exact_tens[-exponent] : result * exact_tens[exponent];
    else if (!convert_slowly(begin, at, &result))
        return NULL;
    *value = result;
    return at;
}

size_t number_print(double value, char text[NUMBER_TEXT])
{
    int length = 0;
    for (int digits = 6; digits <= 17; digits++) {
        length = snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return (size_t)length;
}
