#include "engine/rank/context.h"

void context_fail(struct run_context *context, enum status status)
{
    if (context->status == STATUS_OK)
        context->status = status;
    context->loop.stopped = true;
}

struct call_place context_place(const struct run_context *context, uint32_t rank)
{
    return context->place(context->self, rank);
}
