#include "live/coll/backoff.h"

#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

/* The MPI's look for messages takes one or two microseconds. One in which it yields to other ranks that look
 * takes more than YIELDED_NS. A core that comes back after more than LATE_NS was with a process that
 * computes. */
enum { YIELDED_NS = 5000, LATE_NS = 4000000, PENALISED_WAITS = 20, CONTENDED_WAITS = 1000, SLEEP_NS = 20000 };

/* `shared_core` was found by measuring 16 and 32 ranks on two cores. 20,000 spins of 40 to 140 cycles take
 * 0.25 to 1 ms; 5000 polls take some milliseconds. */
static const struct backoff_wait exclusive_core = {.spins = 20000,
                                                   .polls = 5000,
                                                   .yields = 100,
                                                   .look_ns = 200000},
                                 shared_core = {.spins = 0, .polls = 2, .yields = 100, .look_ns = 2000000};

int64_t backoff_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* `gone_ns`: how long the core was away. */
static void penalise_if_late(struct backoff_wait *wait, int64_t gone_ns)
{
    if (gone_ns > LATE_NS)
        wait->backoff->penalised = PENALISED_WAITS, wait->yields = 0;
}

struct backoff_wait backoff_begin(struct backoff *backoff)
{
    struct backoff_wait wait =
        backoff->oversubscribed || backoff->contended > 0 ? shared_core : exclusive_core;
    wait.backoff = backoff;
    backoff->contended -= backoff->contended > 0;
    if (backoff->penalised > 0)
        backoff->penalised--, wait.yields = 0;
    return wait;
}

/* How often the kernel has given the core of this thread, which wanted to go on, to another one. */
static long switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

bool backoff_finds_contention(struct backoff_wait *wait)
{
    long before = switches();
    int64_t began = backoff_now_ns();
    sched_yield();
    penalise_if_late(wait, backoff_now_ns() - began);
    if (switches() == before)
        return false;
    wait->backoff->contended = CONTENDED_WAITS;
    wait->spins = shared_core.spins, wait->polls = shared_core.polls, wait->look_ns = shared_core.look_ns;
    return true;
}

bool backoff_mpi_yielded(struct backoff_wait *wait, int64_t began_ns)
{
    int64_t gone_ns = backoff_now_ns() - began_ns;
    penalise_if_late(wait, gone_ns);
    return gone_ns > YIELDED_NS && wait->yields > 0;
}

bool backoff_yield(struct backoff_wait *wait)
{
    if (wait->yields == 0)
        return false;
    int64_t began = backoff_now_ns();
    sched_yield();
    int64_t now = backoff_now_ns();
    wait->yields--;
    penalise_if_late(wait, now - began);
    if (wait->looked_ns == 0)
        wait->looked_ns = began;
    if (now - wait->looked_ns > wait->look_ns) {
        wait->backoff->progress(wait->backoff->self);
        wait->looked_ns = now;
    }
    return true;
}

void backoff_sleep(void)
{
    const struct timespec moment = {.tv_nsec = SLEEP_NS};
    /* The kernel adds this thread's timer slack to each sleep. The default slack is 50 us, more than
     * SLEEP_NS. */
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    nanosleep(&moment, NULL);
    if (slack_ns > 0)
        prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
}
