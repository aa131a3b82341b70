#include <stdio.h>
#include <string.h>
#include <time.h>

#include "live/probe/probe.h"

struct tick_clock probe_clock = {.ticks_per_ns = 1};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#if defined(__x86_64__)
static bool is_steady(void)
{
    char line[8192];
    bool steady = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !steady && fgets(line, sizeof line, file))
        steady = !strncmp(line, "flags", 5) && strstr(line, " constant_tsc") && strstr(line, " nonstop_tsc");
    if (file)
        fclose(file);
    return steady;
}
#else
static bool is_steady(void)
{
    return true; /* the generic timer of aarch64 is steady by definition */
}
#endif

/* Compares the time stamps with the system's clock over 50 ms. The mean of pairs leaves out pairs that an
 * interrupt made long. */
void clock_calibrate(void)
{
    enum { PAIRS = 20000, LONG = 20 };
    double from_ns = now_ns(), to_ns;
    ticks_t from = clock_now(), to, least = UINT64_MAX, shortest = UINT64_MAX;
    do
        to_ns = now_ns();
    while (to_ns - from_ns < 5e7);
    to = clock_now();
    probe_clock.ticks_per_ns = (double)(to - from) / (to_ns - from_ns);
    probe_clock.steady = is_steady();

    static ticks_t pairs[PAIRS];
    for (size_t i = 0; i < PAIRS; i++) {
        ticks_t begin = clock_now(), end = clock_now();
        pairs[i] = end - begin;
        if (pairs[i] < least)
            least = pairs[i];
    }
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < PAIRS; i++) {
        ticks_t more = pairs[i] - least;
        if (more && more < shortest)
            shortest = more;
        if (pairs[i] <= LONG * (least + 1)) {
            sum += (double)pairs[i];
            count++;
        }
    }
    probe_clock.pair_ns = sum / (double)count / probe_clock.ticks_per_ns;
    probe_clock.resolution_ns = shortest == UINT64_MAX ? 0 : (double)shortest / probe_clock.ticks_per_ns;
}

void clock_spin(ticks_t ticks)
{
    ticks_t from = clock_now();
    while (clock_now() - from < ticks)
        ;
}
