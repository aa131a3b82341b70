#ifndef HELIO_ENGINE_GRAPH_SCHEDULER_H
#define HELIO_ENGINE_GRAPH_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/queue.h"
#include "call/graph.h"
#include "call/sites.h"
#include "engine/critical.h"
#include "engine/rank/layers.h"

enum operation_state { OPERATION_WAITS, OPERATION_READY, OPERATION_BEGUN, OPERATION_ENDED };

/* An operation during a run. */
struct operation_run {
    uint32_t needs; /* dependences that it still waits for */
    uint32_t next;  /* in the queue of its core */
    uint32_t rank;
    uint8_t state; /* enum operation_state */
};

/* A core, or stream, of a rank executes one operation after another, in the order in which they became ready.
 * A message does not hold it, but the software of its two ends does. Core 0 is the one that handles the
 * messages of its rank. */
struct graph_core {
    struct queue ready; /* operations */
    uint32_t next;      /* core that has something to begin */
    uint32_t present;   /* the operation that computes, or begins when the core is free; POOL_NONE: none */
    ps_t free_at;       /* when its last work ended */
    bool is_busy;       /* an event of it is in the queue */
    bool is_listed;     /* among the cores that have something to begin */
    bool begins;        /* `present` has yet to begin */
};

struct graph_rank_run {
    uint32_t left;        /* operations that have not ended */
    uint32_t busy;        /* cores */
    ps_t idle_since;      /* with no busy core */
    ps_t software_before; /* what its core had spent on messages then */
    uint32_t ended;       /* the operation that ended last; POOL_NONE: none */
    bool has_any;         /* its receives are matched in a mailbox */
    bool is_polling;      /* its core 0 polls for messages */
    bool is_idle;         /* since idle_since */
};

/* For the critical path: each core is a strand, core 0 that of its rank. */
struct graph_causes {
    struct critical *critical;
    struct critical_strand *strands; /* of the cores behind core 0 */
    uint32_t *latest; /* of each operation: the cause of its last dependence, then of its end */
    uint32_t *before; /* of each operation: that with its last dependence; NULL: there are no call sites */
    uint32_t *events; /* of each operation, for slack: that of all its dependences; NULL: nobody asks */
    struct slack_moment *ends; /* of each operation, with `events` */
    uint32_t posting;          /* the operation that is being posted; POOL_NONE: none */
};

struct graph_scheduler {
    struct rank_layers *layers;
    const struct program *program;
    const struct graph *graph;
    const struct program_sites *sites; /* of its operations; or NULL */
    double ps_per_operation, scale;
    uint32_t cores; /* of each rank */
    struct operation_run *operations;
    struct graph_core *core;
    struct graph_rank_run *ranks;
    struct queue listed; /* cores that have something to begin */
    struct graph_causes causes;
    uint64_t ended;
    uint32_t owner_tag; /* of operations, as owners of completions */
    uint32_t core_kind, end_kind, begin_kind;
};

/* `scheduler` has the fields down to `scale`. */
void graph_scheduler_init(struct graph_scheduler *scheduler);
void graph_scheduler_free(struct graph_scheduler *scheduler);
size_t graph_scheduler_bytes(const struct graph_scheduler *scheduler);
double graph_scheduler_estimate(const struct program *program);

/* The operations that wait for nothing become ready, those of a job that waits for nodes when it starts. The
 * layers have their fabric. */
void graph_scheduler_start(struct graph_scheduler *scheduler);
/* The same of one rank, where others have a queue, or calls (call/graph.h, has_calls_too). */
void graph_scheduler_begin(void *scheduler, uint32_t rank);

/* The call site of an operation; 0: not known. POOL_NONE: of none. */
uint32_t graph_scheduler_site(const struct graph_scheduler *scheduler, uint32_t index);

/* The number of an operation in its rank. */
static inline uint32_t graph_scheduler_number(const struct graph_scheduler *scheduler, uint32_t index)
{
    return (uint32_t)(index - scheduler->graph->ranks[scheduler->operations[index].rank].first);
}

/* causes.c. All do nothing where nobody asks for the critical path. */
void graph_causes_init(struct graph_causes *causes, const struct graph_scheduler *scheduler);
void graph_causes_free(struct graph_causes *causes);
/* The core begins an operation now, and has been free since `free_at`. */
void graph_causes_begin(struct graph_scheduler *scheduler, uint32_t core, uint32_t operation, ps_t free_at);
void graph_causes_computed(struct graph_scheduler *scheduler, uint32_t core, ps_t time);
/* Its rank begins at `at`. */
void graph_causes_begins_later(struct graph_scheduler *scheduler, uint32_t core, ps_t at);
/* The core posts a message or a collective call, which may end without another cause. */
void graph_causes_post(struct graph_scheduler *scheduler, uint32_t operation);
/* The present cause is why the operation ends at `at`. Where there is none, or the operation ends when it is
 * posted, as a receive whose message is there, it is the core that posted it. */
void graph_causes_complete(struct graph_scheduler *scheduler, uint32_t operation, ps_t at);
void graph_causes_core_ends(struct graph_scheduler *scheduler, uint32_t core, uint32_t operation);
/* What `before` has is also the cause of `after`. */
void graph_causes_release(struct graph_scheduler *scheduler, uint32_t before, uint32_t after);
void graph_causes_begun(struct graph_scheduler *scheduler, uint32_t core, uint32_t before, uint32_t after);
/* The operation has ended, and was the cause of others, or of none. */
void graph_causes_ended(struct graph_scheduler *scheduler, uint32_t operation, bool is_last);
void graph_causes_rank_ends(struct graph_scheduler *scheduler, uint32_t rank, uint32_t operation);

#endif
