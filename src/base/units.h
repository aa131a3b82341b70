#ifndef HELIO_BASE_UNITS_H
#define HELIO_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time.h"

/* Quantities as people write them. A blank between number and unit is optional; numbers are decimal, with an
 * optional fraction and exponent. Conversion is exact in 128-bit integers, never through a double, and what
 * does not fit is refused. A dimensioned quantity without its unit is an error. */
struct units_problem {
    char text[256]; /* the sentence behind "error: ", saying what would be right */
    uint32_t at;    /* byte of the text where the problem starts */
};

bool units_time(const char *text, ps_t *value, struct units_problem *problem); /* ps ns us ms s min h */
bool units_size(const char *text, uint64_t *value,
                struct units_problem *problem); /* B, kB MB GB TB, KiB MiB GiB TiB */
bool units_rate(const char *text, uint64_t *value,
                struct units_problem *problem); /* B/s ... GB/s, GiB/s, b/s ... Gb/s, Gbit/s */
bool units_flops(const char *text, uint64_t *value,
                 struct units_problem *problem); /* flop/s ... Gflop/s Tflop/s */
bool units_count(const char *text, uint64_t *value, struct units_problem *problem); /* digits alone */
bool units_number(const char *text, double *value, struct units_problem *problem);

/* The shortest text that reads back as the same value ("8 us", "12.5 GB/s", "64 KiB"); returns buffer. */
const char *units_print_time(ps_t value, char *buffer, size_t size);
const char *units_print_size(uint64_t value, char *buffer, size_t size);
const char *units_print_rate(uint64_t value, char *buffer, size_t size);
const char *units_print_flops(uint64_t value, char *buffer, size_t size);

/* For tables read by people: `digits` significant digits in a fitting unit: "1.23 ms", "4.72 MB". */
const char *units_show_time(ps_t value, int digits, char *buffer, size_t size);
const char *units_show_size(double bytes, int digits, char *buffer, size_t size);

#endif
