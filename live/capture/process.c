#include "live/capture/process.h"

#include <pthread.h>
#include <stdint.h>

#include "live/capture/bursts.h"
#include "live/capture/interval.h"
#include "live/capture/output.h"
#include "live/capture/poll_times.h"
#include "live/capture/sites.h"
#include "live/capture/thread_clock.h"

/* Shorter bursts are not computation of the program but time of the calls themselves and of the clock. They
 * are added to the next burst. SimGrid's smpi/cpu-threshold has the same value. */
static const double least_burst_s = 1e-6;

/* So much is carried over polls that find nothing, so that a program that polls a million times a second does
 * not write as many lines. A program that is killed while it polls loses no more than this. */
static const double least_poll_s = 1e-3;

static struct {
    bool is_recording, is_threaded, skips_polls;
    pthread_mutex_t lock;
    double operations_per_s;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Only in a process of which one thread calls the MPI. The poll that is timed: when the MPI began with it and
 * when it ended, and whether it has found something. */
struct poll_times capture_polls = POLL_TIMES_NONE;
static int64_t poll_began_ns, poll_ended_ns,
    look_ns; /* look_ns: how long a look at the clock took just before */
static bool has_found;

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

/* `poll_has_found`: a poll that was not timed has, and it ends here. */
static void end_burst(bool poll_has_found)
{
    if (!has_left)
        return;
    const int64_t burst_ns = thread_clock_ns() - left_ns;
    bursts_end();
    if (process.skips_polls) {
        has_found = false;
        carried_s += poll_times_look(&capture_polls, burst_ns, poll_has_found) * 1e-9;
        return;
    }
    carried_s += burst_ns > 0 ? (double)burst_ns * 1e-9 : 0;
}

static void write_carried(double least_s)
{
    if (carried_s < 0 && least_s < least_poll_s) /* errors cancel within a series of polls only */
        carried_s = 0;
    if (carried_s < least_s)
        return;
    line_begin("compute", 1);
    line_number(carried_s * process.operations_per_s);
    line_end_without_site();
    bursts_write(carried_s);
    carried_s = 0;
}

void process_start(double operations_per_s, enum process_threads threads, bool skips_polls)
{
    process.operations_per_s = operations_per_s;
    process.is_threaded = threads == THREADS_AT_ONCE;
    process.skips_polls = skips_polls && threads == THREADS_ONE && !bursts_are_wanted();
    process.is_recording = true;
    begin_burst();
}

void process_stop(void)
{
    process.is_recording = false;
    end_burst(false);
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
    const bool is_inside = depth > 0 || capture_polls.left < 0;
    if (!process.is_recording || is_inside)
        return false;
    depth++;
    capture_resume();
    end_burst(false);
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

/* Around the MPI's own work and nothing else: the code of this library around it is rarely executed, so that
 * it takes longer than the poll. */
void capture_poll_begins(void)
{
    if (!process.skips_polls)
        return;
    const int64_t first_ns = thread_clock_ns();
    poll_began_ns = thread_clock_ns();
    look_ns = poll_began_ns - first_ns;
}

void capture_poll_ends(void)
{
    if (process.skips_polls)
        poll_ended_ns = thread_clock_ns();
}

static void add_poll(bool finds)
{
    poll_times_add(&capture_polls, poll_ended_ns - poll_began_ns - look_ns, finds);
}

void capture_found(void)
{
    if (process.skips_polls && capture_polls.is_series)
        add_poll(true);
    has_found = true;
    write_carried(least_burst_s);
}

void capture_end_untimed(const void *caller, const void *frame)
{
    capture_leave_untimed();
    depth++;
    end_burst(true);
    capture_polls.is_series = false; /* how long this poll has taken is not known */
    has_found = true;
    sites_enter(caller, frame);
}

void capture_leave(void)
{
    sites_leave();
    capture_pause();
    depth--;
    begin_burst();
}

void capture_leave_poll(bool is_long)
{
    if (!process.skips_polls || has_found) {
        capture_leave();
        return;
    }
    sites_leave();
    depth--;
    left_ns = poll_ended_ns;
    add_poll(false);
    if (!is_long && interval_is_whole())
        poll_times_allow(&capture_polls);
}
