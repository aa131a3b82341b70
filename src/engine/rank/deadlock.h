#ifndef HELIO_ENGINE_RANK_DEADLOCK_H
#define HELIO_ENGINE_RANK_DEADLOCK_H

#include "call/call.h"
#include "engine/rank/context.h"
#include "fabric/fabric.h"

/* The report of a run that cannot go on. */
struct deadlock {
    uint32_t ranks, blocked;
    /* The call that the rank is blocked in; NULL: the rank has ended. */
    const struct call *(*blocked_call)(const void *self, uint32_t rank);
    const void *self;
    const struct fabric *fabric;
};

void deadlock_report(const struct deadlock *deadlock, const struct run_context *context);

#endif
