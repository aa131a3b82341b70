#ifndef HELIO_LIVE_COLL_DIGITS_H
#define HELIO_LIVE_COLL_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the decimal digits at *text and moves *text behind them. False: there are none, or the number is more
 * than `most`. strtoul and sscanf would take -1 for the largest number. */
static inline bool digits_read(const char **text, uint64_t most, uint64_t *number)
{
    const char *at = *text;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (most - digit) / 10)
            return false;
        value = 10 * value + digit;
    }
    if (at == *text)
        return false;
    *text = at;
    *number = value;
    return true;
}

#endif
