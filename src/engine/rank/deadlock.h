#ifndef HELIO_ENGINE_RANK_DEADLOCK_H
#define HELIO_ENGINE_RANK_DEADLOCK_H

#include "call/call.h"
#include "engine/rank/context.h"
#include "fabric/fabric.h"

/* A run that cannot go on: all ranks that have not ended are blocked, and nothing is under way. */
struct deadlock {
    uint32_t ranks, blocked;
    uint32_t queued; /* ranks of jobs that wait for nodes */
    /* The call that the rank is blocked in; NULL: the rank has ended, or has not begun. */
    const struct call *(*blocked_call)(const void *self, uint32_t rank);
    const void *self;
    const struct fabric *fabric; /* NULL: what it says is left out */
};

/* Reports the blocked ranks with their calls and lines, and what the fabric says. */
void deadlock_report(const struct deadlock *deadlock, const struct run_context *context);

#endif
