#include "live/capture/interval.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "live/capture/diagnostics.h"
#include "live/capture/output.h"
#include "live/capture/traffic.h"

static struct {
    bool is_timed; /* MPI_Pcontrol is not heeded */
    bool is_part;  /* lines have been muted */
    double from_s, to_s;
    double began_s;
} interval = {.to_s = INFINITY};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* False: there is no such variable, or it is no time. */
static bool read_time(const char *name, double *seconds)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return false;
    double time = strtod(text, &end);
    if (end == text || *end || !(time >= 0)) {
        capture_warn("%s=%.40s is not a number of seconds", name, text);
        return false;
    }
    *seconds = time;
    return true;
}

/* Lines are not kept from here on. */
static void end(void)
{
    interval.is_part = true;
    line_mute(true);
}

/* Lines are kept from here on. */
static void begin(void)
{
    line_mute(false);
    line_begin("comm_size", 4);
    line_text("#behind");
    line_int(traffic_collectives());
    line_int(traffic_balance());
    line_int(traffic_other_collectives());
    line_end_without_site();
}

void interval_open(void)
{
    const bool has_from = read_time("HELIO_CAPTURE_FROM", &interval.from_s);
    interval.is_timed = read_time("HELIO_CAPTURE_TO", &interval.to_s) || has_from;
    interval.began_s = now_s();
    if (interval.is_timed)
        end();
}

bool interval_is_timed(void)
{
    return interval.is_timed;
}

bool interval_is_whole(void)
{
    return !interval.is_part;
}

void interval_enter(void)
{
    if (!interval.is_timed)
        return;
    const double time = now_s() - interval.began_s;
    const bool is_inside = time >= interval.from_s && time < interval.to_s;
    if (is_inside && line_is_muted())
        begin();
    else if (!is_inside)
        end();
}

void interval_control(int level)
{
    if (interval.is_timed)
        return;
    if (level == 0)
        end();
    else if (line_is_muted())
        begin();
}
