#ifndef HELIO_ENGINE_RANK_SCHEDULER_H
#define HELIO_ENGINE_RANK_SCHEDULER_H

#include "call/call.h"
#include "call/sites.h"
#include "engine/rank/layers.h"

/* Ranks that execute a sequence of calls, by the four states of the FMU paper, section V. */
enum rank_state {
    RANK_NORM, /* executes calls, or computes */
    RANK_COMM, /* blocked in a call */
    RANK_WAIT, /* blocked by requests */
    RANK_FIN,  /* has made its last call */
};

struct rank {
    struct request_waiter waiter;
    const struct call *call; /* the one it is in */
    ps_t blocked_at;
    ps_t software_before; /* what its core had spent on messages when its call began */
    uint32_t slot_count;  /* of its requests */
    uint8_t state;        /* enum rank_state */
    bool is_idle;         /* its next resume ends an idle time that began at blocked_at */
};

struct scheduler {
    struct run_context *context;
    struct event_loop *loop;
    struct tap *tap;
    struct request_table *requests; /* each rank is a waiter */
    struct endpoint *endpoint;      /* NULL: the null endpoint */
    struct p2p *p2p;
    struct coll_exec *coll_exec;
    struct program *program;
    const struct program_sites *sites;      /* of the program; or NULL */
    double ps_per_operation, ps_per_second; /* of computation */
    struct rank *ranks;
    struct call *blocked_calls; /* per rank, of programs whose calls do not stay where they were returned */
    uint32_t ended;             /* ranks in RANK_FIN */
    uint32_t resume_kind;
};

/* For the program of the layers, which outlive it. */
struct compute_config;
void scheduler_open(struct scheduler *scheduler, struct rank_layers *layers,
                    const struct compute_config *compute);
void scheduler_free(struct scheduler *scheduler);
size_t scheduler_bytes(const struct scheduler *scheduler);
double scheduler_estimate(double ranks); /* bytes of so many ranks */

/* All ranks start at the present time, in rank order, when the loop runs; those of a job that waits for nodes
 * when it starts. */
void scheduler_start(struct scheduler *scheduler);
/* The same of one rank, for engines whose other ranks are graphs. */
void scheduler_begin(void *scheduler, uint32_t rank);

/* How many ranks have made a call and have not ended. */
uint32_t scheduler_blocked(const struct scheduler *scheduler);

/* The call that the rank is blocked in, NULL when it has ended; for deadlock.h. */
const struct call *scheduler_blocked_call(const void *scheduler, uint32_t rank);

#endif
