#ifndef HELIO_BASE_UNITS_H
#define HELIO_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* Quantities as people write them. A blank between number and unit is optional; numbers are decimal, with an
 * optional fraction and exponent. Conversion is exact in 128-bit integers, never through a double, and what
 * does not fit is refused: below 0, from 2^63 on, or not a whole number of the base unit. A dimensioned
 * quantity other than 0 without its unit is an error.
 *
 *     time         in ps                       ps ns us (µs) ms s min h
 *     size         in bytes                    B, kB MB GB TB PB (1000), KiB MiB GiB TiB PiB (1024)
 *     rate         in bytes per second         B/s kB/s ... TB/s, KiB/s ... TiB/s, b/s ... Tb/s, bit/s ...
 * Tbit/s compute rate in operations per second    flop/s kflop/s ... Pflop/s count        a whole number
 * digits alone number       a double, correctly rounded digits, fraction, exponent
 *
 * The parsers return false and fill *problem, and leave *value alone, when the text is not such a quantity.
 */
struct units_problem {
    char text[256]; /* the sentence behind "error: ", saying what would be right */
    uint32_t at;    /* byte of the text where the problem starts */
};

bool units_time(const char *text, ps_t *value, struct units_problem *problem);
bool units_size(const char *text, uint64_t *value, struct units_problem *problem);
bool units_rate(const char *text, uint64_t *value, struct units_problem *problem);
bool units_flops(const char *text, uint64_t *value, struct units_problem *problem);
bool units_count(const char *text, uint64_t *value, struct units_problem *problem);
bool units_number(const char *text, double *value, struct units_problem *problem);

/* The shortest text that reads back as the same value ("8 us", "12.5 GB/s", "64 KiB"), in units of SI and of
 * 1024, without bits, minutes and hours; a buffer of 64 bytes is enough. Return buffer. */
const char *units_print_time(ps_t value, char *buffer, size_t size);
const char *units_print_size(uint64_t value, char *buffer, size_t size);
const char *units_print_rate(uint64_t value, char *buffer, size_t size);
const char *units_print_flops(uint64_t value, char *buffer, size_t size);
const char *units_print_number(double value, char *buffer, size_t size);

/* For tables read by people: `digits` significant digits in a fitting unit: "1.23 ms", "4.72 MB". */
const char *units_show_time(ps_t value, int digits, char *buffer, size_t size);
const char *units_show_size(double bytes, int digits, char *buffer, size_t size);

#endif
