#include "live/capture/process.h"

#include <pthread.h>
#include <stdint.h>

#include "live/capture/bursts.h"
#include "live/capture/interval.h"
#include "live/capture/output.h"
#include "live/capture/sites.h"
#include "live/capture/thread_clock.h"

/* Shorter bursts are not computation of the program but time of the calls themselves and of the clock. They
 * are added to the next burst. SimGrid's smpi/cpu-threshold has the same value. */
static const double least_burst_s = 1e-6;

/* So much is carried over polls that find nothing, so that a program that polls a million times a second does
 * not write as many lines. A program that is killed while it polls loses no more than this. */
static const double least_poll_s = 1e-3;

static struct {
    bool is_recording, is_threaded;
    pthread_mutex_t lock;
    double operations_per_s;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Of each thread: how many recorded calls it is in, its processor time when it left the last one, and the
 * time of bursts that were too short to be written. */
static __thread int depth __attribute__((tls_model("initial-exec")));
static __thread bool has_left __attribute__((tls_model("initial-exec")));
static __thread int64_t left_ns __attribute__((tls_model("initial-exec")));
static __thread double carried_s __attribute__((tls_model("initial-exec")));

/* -------------------------------------------------------------------- time */

static void begin_burst(void)
{
    bursts_begin();
    left_ns = thread_clock_ns();
    has_left = true;
}

static void end_burst(void)
{
    if (!has_left)
        return;
    const int64_t burst_ns = thread_clock_ns() - left_ns;
    bursts_end();
    carried_s += burst_ns > 0 ? (double)burst_ns * 1e-9 : 0;
}

static void write_carried(double least_s)
{
    if (carried_s < least_s)
        return;
    line_begin("compute", 1);
    line_number(carried_s * process.operations_per_s);
    line_end_without_site();
    bursts_write(carried_s);
    carried_s = 0;
}

void process_start(double operations_per_s, bool is_threaded)
{
    process.operations_per_s = operations_per_s;
    process.is_threaded = is_threaded;
    process.is_recording = true;
    begin_burst();
}

void process_stop(void)
{
    process.is_recording = false;
    end_burst();
    write_carried(least_burst_s);
}

bool process_is_recording(void)
{
    return process.is_recording;
}

bool process_is_threaded(void)
{
    return process.is_threaded;
}

/* ------------------------------------------------------------------- calls */

void capture_resume(void)
{
    if (process.is_threaded)
        pthread_mutex_lock(&process.lock);
}

void capture_pause(void)
{
    if (process.is_threaded)
        pthread_mutex_unlock(&process.lock);
}

static bool enter(const void *caller, const void *frame, double least_s)
{
    if (!process.is_recording || depth > 0)
        return false;
    depth++;
    capture_resume();
    end_burst();
    write_carried(least_s);
    interval_enter();
    sites_enter(caller, frame);
    return true;
}

bool capture_enter(const void *caller, const void *frame)
{
    return enter(caller, frame, least_burst_s);
}

bool capture_enter_poll(const void *caller, const void *frame)
{
    return enter(caller, frame, interval_is_timed() ? least_burst_s : least_poll_s);
}

void capture_found(void)
{
    write_carried(least_burst_s);
}

void capture_leave(void)
{
    sites_leave();
    capture_pause();
    depth--;
    begin_burst();
}
