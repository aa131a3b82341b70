#ifndef HELIO_ENGINE_RANK_CONTEXT_H
#define HELIO_ENGINE_RANK_CONTEXT_H

#include "base/event.h"
#include "base/status.h"
#include "base/tap.h"
#include "call/call.h"

/* What all layers of one run share: its clock, its observers, its end. */
struct run_context {
    struct event_loop loop;
    struct tap *tap;
    enum status status; /* STATUS_OK until the run fails */
    /* Where in the program a rank is, for error messages. */
    struct call_place (*place)(void *self, uint32_t rank);
    void *self; /* first argument of `place` */
};

/* Stops the run. Its status is that of the first failure. */
void context_fail(struct run_context *context, enum status status);

struct call_place context_place(const struct run_context *context, uint32_t rank);

#endif
