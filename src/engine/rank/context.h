#ifndef HELIO_ENGINE_RANK_CONTEXT_H
#define HELIO_ENGINE_RANK_CONTEXT_H

#include "base/event.h"
#include "base/status.h"
#include "base/tap.h"
#include "call/call.h"
#include "engine/engine.h"

struct job_queue;

/* What all layers of one run share: its clock, its observers, its end. */
struct run_context {
    struct event_loop loop;
    struct tap *tap;
    struct critical *critical; /* NULL: nobody asks for the critical path */
    bool has_slack;            /* somebody asks for slack, and so for the path */
    enum status status;        /* STATUS_OK until the run fails */
    /* Where in the program a rank is, for error messages. */
    struct call_place (*place)(void *self, uint32_t rank);
    void *self;                                                     /* first argument of `place` */
    bool (*progress)(void *self, const struct engine_progress *at); /* struct engine_params */
    void *progress_self;
    /* By how much each node computes more slowly, as a factor; NULL: none does. */
    const double *slow_nodes;
    const struct program *program; /* which says where ranks are */
    uint32_t ranks_per_node;
    struct job_queue *job_queue; /* NULL: all ranks begin at the beginning (job_queue.h) */
    uint64_t calls;              /* executed so far */
    uint64_t sent;               /* messages, so far */
    uint64_t messages; /* done with so far: what a run of one long collective call makes progress by */
};

/* How many times as long the rank computes. */
static inline double context_slowness(const struct run_context *context, uint32_t rank)
{
    return context->slow_nodes
               ? context->slow_nodes[program_node(context->program, rank, context->ranks_per_node)]
               : 1;
}

/* Tells the progress; cancels the run where nobody wants more of it. */
void context_tell_progress(struct run_context *context);

/* One more call, or one more message; each 2^12th tells the progress. */
static inline void context_count(struct run_context *context, uint64_t *counter)
{
    enum { COUNT_TO_TELL = 1 << 12 };
    if (++*counter % COUNT_TO_TELL == 0 && context->progress)
        context_tell_progress(context);
}

/* Stops the run. Its status is that of the first failure. */
void context_fail(struct run_context *context, enum status status);

struct call_place context_place(const struct run_context *context, uint32_t rank);

#endif
