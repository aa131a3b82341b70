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

static void write_burst(void)
{
    if (!has_left)
        return;
    const int64_t burst_ns = thread_clock_ns() - left_ns;
    bursts_end();
    carried_s += burst_ns > 0 ? (double)burst_ns * 1e-9 : 0;
    if (carried_s < least_burst_s)
        return;
    line_begin("compute", 1);
    line_number(carried_s * process.operations_per_s);
    line_end();
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
    write_burst();
}

bool process_is_recording(void)
{
    return process.is_recording;
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

bool capture_enter(const void *caller, const void *frame)
{
    if (!process.is_recording || depth > 0)
        return false;
    depth++;
    capture_resume();
    write_burst();
    interval_enter();
    sites_enter(caller, frame);
    return true;
}

void capture_leave(void)
{
    sites_leave();
    capture_pause();
    depth--;
    begin_burst();
}
