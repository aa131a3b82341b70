#ifndef HELIO_BASE_UNITS_H
#define HELIO_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* Quantities as people write them. A blank between number and unit is optional. Numbers are decimal, with an
 * optional fraction and exponent. Conversion is exact, in 128-bit integers. Refused are values below 0, from
 * 2^63 on, that are not a whole number of the base unit, and numbers other than 0 without a unit.
 *
 *     time      in ps                      ps ns us (µs) ms s min h
 *     size      in bytes                   B, kB MB GB TB PB (1000), KiB MiB GiB TiB PiB (1024)
 *     rate      in bytes per second        B/s kB/s ... TB/s, KiB/s ... TiB/s, b/s ... Tb/s, bit/s ... Tbit/s
 *     flops     in operations per second   flop/s kflop/s ... Pflop/s
 *     count     a whole number             digits alone
 *     number    a double, rounded          digits, fraction, exponent
 *
 * If the text is not such a quantity, the parsers return false, fill *problem, and do not change *value. */
struct units_problem {
    char text[256]; /* the text behind "error: ", which says what would be right */
    uint32_t at;    /* byte of the text at which the problem starts */
};

bool units_time(const char *text, ps_t *value, struct units_problem *problem);
bool units_size(const char *text, uint64_t *value, struct units_problem *problem);
bool units_rate(const char *text, uint64_t *value, struct units_problem *problem);
bool units_flops(const char *text, uint64_t *value, struct units_problem *problem);
bool units_count(const char *text, uint64_t *value, struct units_problem *problem);
bool units_number(const char *text, double *value, struct units_problem *problem);
/* Also "1%", which is 0.01. */
bool units_number_or_percent(const char *text, double *value, struct units_problem *problem);

/* The shortest text that reads back as the same value: "8 us", "12.5 GB/s", "64 KiB". Units are those of SI
 * and of 1024, without bits, minutes and hours. A buffer of 64 bytes is enough. Return buffer. */
const char *units_print_time(ps_t value, char *buffer, size_t size);
const char *units_print_size(uint64_t value, char *buffer, size_t size);
const char *units_print_rate(uint64_t value, char *buffer, size_t size);
const char *units_print_flops(uint64_t value, char *buffer, size_t size);
const char *units_print_number(double value, char *buffer, size_t size);

/* For tables for people: `digits` significant digits in a suitable unit, such as "1.23 ms", "4.72 MB". */
const char *units_show_time(ps_t value, int digits, char *buffer, size_t size);
const char *units_show_size(double bytes, int digits, char *buffer, size_t size);
const char *units_show_rate(double bytes_per_s, int digits, char *buffer, size_t size);

/* How many times: "1.73", "9.1", "49". */
const char *units_show_factor(double ratio, char *buffer, size_t size);

/* How fast something is that takes 1 / ratio of another time: "as fast", "2.8 % slower", "4.2 % faster",
 * "1.73 times as fast", "9.1 times slower". Every table, sentence and page says it with these words. Both
 * times are above 0. */
struct units_speed {
    char text[48];
    const char *than; /* "than" or "as": what stands between the text and the other thing */
    bool is_same;     /* as fast: they differ by less than 0.05 % */
};
struct units_speed units_speed_of(double ratio);

/* One unit and one number of decimals for a column of times. No number reaches 2000, except of seconds. All
 * have at least `digits` significant digits, or three below 1 of the unit, without zeros at the end of all
 * that the largest does not need. If that takes more than five decimals, each time has a unit of its own. */
struct units_column {
    size_t unit;
    int places; /* -1: each time has its own unit, and `digits` digits */
    int digits;
};
struct units_column units_column_of(const ps_t *times, size_t count, int digits);
const char *units_show_in(const struct units_column *column, ps_t time, char *buffer, size_t size);

#endif
