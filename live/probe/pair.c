#include <sched.h>

#include "live/probe/probe.h"

void pair_barrier(struct probe_pair *pair)
{
    char mine = 0, theirs;
    pair->exchange(pair, &mine, &theirs, 1);
}

/* Process 0 gets the first core that either process may use, process 1 the second. */
static bool pin(struct probe_pair *pair)
{
    cpu_set_t allowed, theirs, one;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    pair->exchange(pair, &allowed, &theirs, sizeof allowed);
    CPU_OR(&allowed, &allowed, &theirs);
    int seen = 0, core = -1;
    for (int i = 0; i < CPU_SETSIZE && core < 0; i++)
        if (CPU_ISSET(i, &allowed) && seen++ == pair->me)
            core = i;
    CPU_ZERO(&one);
    if (core >= 0)
        CPU_SET(core, &one);
    char mine = core >= 0 && sched_setaffinity(0, sizeof one, &one) == 0, other;
    pair->exchange(pair, &mine, &other, 1);
    return mine && other;
}

bool pair_prepare(struct probe_pair *pair)
{
    bool pinned = pin(pair);
    clock_calibrate();
    record_guard("clock", probe_clock.steady, "%s",
                 probe_clock.steady ? "runs at one rate" : "changes with the core's frequency");
    record_guard("cores", pinned, "%s",
                 pinned ? "each process has one of its own" : "there are not two for the two processes");
    return pinned;
}
