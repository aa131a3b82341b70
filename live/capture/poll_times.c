#include "live/capture/poll_times.h"

/* A poll that is timed takes some 200 ns more than one that is not: its looks at the clock, and code that is
 * rarely executed. WINDOW_NS: the longest time without a look, on average. FAR_NS: each poll is timed if they
 * are farther apart. */
enum { WINDOW_NS = 50000, FAR_NS = 10000, MOST_POLLS = 512 };

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
    const int made = times->allowed - times->left;
    const int nothing = has_found ? made - 1 : made;
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
    const double apart_ns = times->apart_ns, mean = apart_ns > 0 ? WINDOW_NS / apart_ns : MOST_POLLS;
    const unsigned limit = 2 * (unsigned)(mean < MOST_POLLS ? mean : MOST_POLLS) + 1;
    times->allowed = times->left = apart_ns > FAR_NS ? 0 : (int)random_below(times, limit);
}
