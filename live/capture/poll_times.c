#include "live/capture/poll_times.h"

/* WINDOW_NS: the longest time without a look at the clock, on average. At the four looks of a poll that is
 * timed, of 30 ns each, looks take less than 1 %. */
enum { WINDOW_NS = 20000, MOST_POLLS = 256 };

/* Of about the last 16 timed polls. */
static void add_to_mean(struct poll_mean *mean, double value_ns)
{
    mean->ns = mean->is_known ? mean->ns + (value_ns - mean->ns) / 16 : value_ns;
    mean->is_known = true;
}

static double mean_of(const struct poll_mean *mean)
{
    return mean->ns > 0 ? mean->ns : 0;
}

double poll_times_look(struct poll_times *times, int64_t since_ns, bool has_found)
{
    const unsigned made = times->allowed - times->left;
    const unsigned nothing = has_found ? made - 1 : made;
    times->allowed = times->left = 0;
    times->is_series = made > 0;
    times->apart_ns = (double)since_ns / (has_found ? made : made + 1);
    if (!made)
        return (double)since_ns;
    const double found_ns = mean_of(times->found.is_known ? &times->found : &times->nothing);
    return (double)since_ns - nothing * mean_of(&times->nothing) - (has_found ? found_ns : 0);
}

void poll_times_add(struct poll_times *times, int64_t took_ns, bool has_found)
{
    add_to_mean(has_found ? &times->found : &times->nothing, (double)took_ns);
}

/* At random, so that polls that differ, and take turns, are timed in proportion. */
static unsigned random_below(struct poll_times *times, unsigned limit)
{
    times->random ^= times->random << 13;
    times->random ^= times->random >> 17;
    times->random ^= times->random << 5;
    return (unsigned)(((uint64_t)times->random * limit) >> 32);
}

void poll_times_allow(struct poll_times *times)
{
    const double most = times->apart_ns > 0 ? WINDOW_NS / times->apart_ns : MOST_POLLS;
    const unsigned mean = most < MOST_POLLS ? (unsigned)most : MOST_POLLS;
    times->allowed = times->left = mean < 2 ? 0 : random_below(times, 2 * mean + 1);
}
