#ifndef HELIO_ENGINE_RANK_NODE_SYNC_H
#define HELIO_ENGINE_RANK_NODE_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/queue_table.h"
#include "base/time.h"
#include "engine/critical.h"

/* Barriers and flags among the ranks of one node in one collective call. They take no time by themselves;
 * they keep the order. Which of the shared copies a call uses does not matter here: the prover has shown that
 * none is used too early. A rank in a call is a member, which its user numbers. */

/* The ranks of one node in one collective call. */
struct node_sync_call {
    uint32_t ranks, left; /* of the node; those that have not left the call */
    uint32_t arrived;     /* at its barrier */
    ps_t arrived_at;      /* the last of them */
    uint32_t waits;       /* list of records of sync->waits */
    ps_t *raised_at;      /* NODE_SYNC_DOWN, or when each flag goes up; kept for the record's next user */
    size_t flag_capacity;
    struct queue_key key;
};

/* A member that waits for a flag or for the barrier. */
struct node_sync_wait {
    uint32_t member;
    uint32_t flag; /* NODE_SYNC_BARRIER */
    uint32_t next; /* POOL_NONE: the last */
};

#define NODE_SYNC_BARRIER UINT32_MAX
#define NODE_SYNC_DOWN    ((ps_t)-1)

/* For the critical path: what causes a call's barrier and flags, held; POOL_NONE: nothing so far. For slack:
 * the event of all arrivals, and the moments of flags. */
struct node_sync_causes {
    uint32_t last;   /* to arrive at the barrier */
    uint32_t all;    /* SLACK_NONE: nobody has */
    uint32_t *flags; /* of each flag */
    struct slack_moment *moments;
    size_t flag_capacity, moment_capacity;
};

struct node_sync {
    struct queue_table by_key;
    struct pool calls, waits;
    /* What the member waited for has happened, or will at `at`. */
    void (*release)(void *self, uint32_t member, ps_t at);
    void *self;
    struct critical *critical;       /* its present cause is that of what happens; NULL: nobody asks */
    struct node_sync_causes *causes; /* per call */
    size_t cause_capacity;
};

void node_sync_init(struct node_sync *sync, void *self,
                    void (*release)(void *self, uint32_t member, ps_t at));
void node_sync_free(struct node_sync *sync);
size_t node_sync_bytes(const struct node_sync *sync);

/* A rank enters the call with this key; returns the call. *is_first: node_sync_begin() has to follow. */
uint32_t node_sync_enter(struct node_sync *sync, struct queue_key key, bool *is_first);
void node_sync_begin(struct node_sync *sync, uint32_t call, uint32_t ranks, uint32_t flags);
/* A rank leaves the call. Behind the last of the node the call is gone. */
void node_sync_leave(struct node_sync *sync, uint32_t call);

/* The member arrives at the barrier at `at`, and is released when all ranks of the node have arrived. */
void node_sync_barrier(struct node_sync *sync, uint32_t call, uint32_t member, ps_t at);

/* The flag goes up at `at`, which may lie in the future. */
void node_sync_raise(struct node_sync *sync, uint32_t call, uint32_t flag, ps_t at);

/* When the flag goes up. NODE_SYNC_DOWN: not known yet; the member waits and will be released. What raised it
 * is the present cause from then on. */
ps_t node_sync_await(struct node_sync *sync, uint32_t call, uint32_t flag, uint32_t member);

#endif
