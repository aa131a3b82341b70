#include "engine/rank/deadlock.h"

#include "base/diag.h"
#include "base/units.h"

enum { DEADLOCK_SHOWN = 16 }; /* ranks named one by one */

void deadlock_report(const struct deadlock *deadlock, const struct run_context *context)
{
    uint32_t shown = 0;
    char time[32], text[256];
    diag_error("deadlock at %s: %u of %u ranks are blocked and nothing is under way",
               units_show_time(context->loop.now, 6, time, sizeof time), deadlock->blocked, deadlock->ranks);
    for (uint32_t rank = 0; rank < deadlock->ranks && shown < DEADLOCK_SHOWN; rank++) {
        const struct call *call = deadlock->blocked_call(deadlock->self, rank);
        if (!call)
            continue;
        struct call_place place = context_place(context, rank);
        diag_report(DIAG_NOTE, &(struct diag_place){.file = place.file, .line = place.line},
                    "rank %u is blocked in %s", rank, call_describe(call, text, sizeof text));
        shown++;
    }
    if (deadlock->blocked > shown)
        diag_note("and %u more", deadlock->blocked - shown);
    if (deadlock->queued)
        diag_note("%u ranks of other jobs wait for nodes", deadlock->queued);
    if (deadlock->fabric && deadlock->fabric->ops->explain)
        deadlock->fabric->ops->explain(deadlock->fabric);
}
