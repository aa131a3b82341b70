#include "alltoall/patience.h"

#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

enum { LATE_NS = 4000000, WARY_WAITS = 20, NAP_NS = 20000, LOOK_NS = 200000 };

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool patience_yield(struct wait *wait)
{
    if (wait->yields == 0)
        return false;
    int64_t began = now_ns();
    sched_yield();
    int64_t now = now_ns();
    wait->yields--;
    if (now - began > LATE_NS)
        wait->patience->wary = WARY_WAITS, wait->yields = 0;
    if (wait->looked_ns == 0)
        wait->looked_ns = began;
    if (now - wait->looked_ns > LOOK_NS) {
        wait->patience->progress(wait->patience->self);
        wait->looked_ns = now;
    }
    return true;
}

void patience_nap(void)
{
    const struct timespec moment = {.tv_nsec = NAP_NS};
    /* The kernel adds this thread's timer slack, which by default is more than twice as long. */
    int slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    nanosleep(&moment, NULL);
    if (slack_ns > 0)
        prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
}
