#include "engine/rank/context.h"

void context_fail(struct run_context *context, enum status status)
{
    if (context->status == STATUS_OK)
        context->status = status;
    context->loop.stopped = true;
}

void context_tell_progress(struct run_context *context)
{
    const struct engine_progress at = {.calls = context->calls,
                                       .sent = context->sent,
                                       .messages = context->messages,
                                       .now = context->loop.now};
    if (!context->progress(context->progress_self, &at))
        context_fail(context, STATUS_CANCELLED);
}

struct call_place context_place(const struct run_context *context, uint32_t rank)
{
    return context->place(context->self, rank);
}
