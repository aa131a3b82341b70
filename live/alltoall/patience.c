#include "live/alltoall/patience.h"

#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

/* A look for messages takes one or two microseconds, and a round of others' looks more than GAVE_WAY_NS. */
enum { GAVE_WAY_NS = 5000, LATE_NS = 4000000, WARY_WAITS = 20, SHARED_WAITS = 100, NAP_NS = 20000 };

/* `with_others` was found by measuring 16 and 32 ranks that share two cores. 20,000 spins of 40 to 140 cycles
 * are a quarter of a millisecond to one, 5000 polls some milliseconds. */
static const struct wait alone = {.spins = 20000, .polls = 5000, .yields = 100, .look_ns = 200000},
                         with_others = {.spins = 0, .polls = 2, .yields = 100, .look_ns = 2000000};

int64_t patience_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void learn(struct wait *wait, int64_t gone_ns)
{
    if (gone_ns > LATE_NS)
        wait->patience->wary = WARY_WAITS, wait->yields = 0;
}

struct wait patience_begin(struct patience *patience)
{
    struct wait wait = patience->crowded || patience->shared > 0 ? with_others : alone;
    wait.patience = patience;
    patience->shared -= patience->shared > 0;
    if (patience->wary > 0)
        patience->wary--, wait.yields = 0;
    return wait;
}

bool patience_finds_company(struct wait *wait)
{
    int64_t began = patience_now_ns();
    sched_yield();
    int64_t gone_ns = patience_now_ns() - began;
    learn(wait, gone_ns);
    if (gone_ns <= GAVE_WAY_NS)
        return false;
    wait->patience->shared = SHARED_WAITS;
    wait->spins = with_others.spins, wait->polls = with_others.polls, wait->look_ns = with_others.look_ns;
    return true;
}

bool patience_gave_way(struct wait *wait, int64_t began_ns)
{
    int64_t gone_ns = patience_now_ns() - began_ns;
    learn(wait, gone_ns);
    return gone_ns > GAVE_WAY_NS && wait->yields > 0;
}

bool patience_yield(struct wait *wait)
{
    if (wait->yields == 0)
        return false;
    int64_t began = patience_now_ns();
    sched_yield();
    int64_t now = patience_now_ns();
    wait->yields--;
    learn(wait, now - began);
    if (wait->looked_ns == 0)
        wait->looked_ns = began;
    if (now - wait->looked_ns > wait->look_ns) {
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
