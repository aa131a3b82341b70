#include "live/capture/bursts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "live/capture/counter.h"
#include "live/capture/output.h"

static bool is_open, counts;

/* Of each thread: where its burst began, and what it has of bursts that are not written yet. */
static __thread int64_t began_ns __attribute__((tls_model("initial-exec")));
static __thread uint64_t began_count __attribute__((tls_model("initial-exec")));
static __thread int64_t carried_ns __attribute__((tls_model("initial-exec")));
static __thread uint64_t carried_count __attribute__((tls_model("initial-exec")));

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void bursts_open(void)
{
    const char *event = getenv("HELIO_CAPTURE_BURSTS");
    is_open = event && *event;
    counts = is_open && counter_open(event);
}

bool bursts_are_wanted(void)
{
    return is_open;
}

void bursts_begin(void)
{
    if (!is_open)
        return;
    began_count = counter_read();
    began_ns = now_ns();
}

void bursts_end(void)
{
    if (!is_open)
        return;
    carried_ns += now_ns() - began_ns;
    carried_count += counter_read() - began_count;
}

void bursts_write(double processor_s)
{
    if (!is_open)
        return;
    const int64_t used_ns = (int64_t)(processor_s * 1e9 + 0.5);
    line_begin("comm_size", 4);
    line_text("#burst");
    line_int(carried_ns > used_ns ? carried_ns : used_ns);
    line_int(used_ns);
    if (counts)
        line_int((int64_t)carried_count);
    line_end_without_site();
    carried_ns = 0;
    carried_count = 0;
}
