#ifndef HELIO_BASE_TIME_H
#define HELIO_BASE_TIME_H

#include <stdint.h>

/* Simulated time: whole picoseconds since the start of the run. 2^63 ps are 106 days. */
typedef int64_t ps_t;

#define PS_PER_S  INT64_C(1000000000000)
#define PS_PER_NS INT64_C(1000)

/* A time that is out of range. Sums saturate here and do not wrap, and the event queue refuses an event at
 * PS_NEVER, so a run that leaves the range ends with an error, not with a wrong number. */
#define PS_NEVER INT64_MAX

static inline ps_t ps_add(ps_t a, ps_t b)
{
    ps_t sum;
    return __builtin_add_overflow(a, b, &sum) ? PS_NEVER : sum;
}

/* The same of a product; both factors are not negative. */
static inline ps_t ps_times(ps_t time, uint64_t count)
{
    ps_t product;
    return __builtin_mul_overflow(time, count, &product) ? PS_NEVER : product;
}

static inline ps_t ps_max(ps_t a, ps_t b)
{
    return a > b ? a : b;
}

/* The first whole multiple of `unit` that is not before `time`; `unit` is positive. */
static inline ps_t ps_multiple_from(ps_t time, ps_t unit)
{
    const ps_t over = time == PS_NEVER ? 0 : time % unit;
    return over ? ps_add(time, unit - over) : time;
}

/* ceil(bytes * 10^12 / rate), the service time of every channel; PS_NEVER: out of range. rate_bytes_per_s is
 * not 0. */
static inline ps_t service_ps(uint64_t bytes, uint64_t rate_bytes_per_s)
{
    /* A 64-bit division is several times as fast, and enough for most messages. */
    if (bytes < UINT64_C(9000000) && rate_bytes_per_s < UINT64_C(9000000000000000000))
        return (ps_t)((bytes * (uint64_t)PS_PER_S + (rate_bytes_per_s - 1)) / rate_bytes_per_s);
    unsigned __int128 work = (unsigned __int128)bytes * (uint64_t)PS_PER_S + (rate_bytes_per_s - 1);
    unsigned __int128 time = work / rate_bytes_per_s;
    return time >= (unsigned __int128)PS_NEVER ? PS_NEVER : (ps_t)time;
}

#endif
