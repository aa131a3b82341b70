#ifndef HELIO_ENGINE_RANK_COLL_EXEC_H
#define HELIO_ENGINE_RANK_COLL_EXEC_H

#include "call/call.h"
#include "engine/params.h"
#include "engine/rank/coll_check.h"
#include "engine/rank/context.h"
#include "engine/rank/endpoint.h"
#include "engine/rank/node_sync.h"
#include "engine/rank/p2p.h"
#include "engine/rank/request.h"

/* Collective calls. Every rank of the group goes through the phases of its schedule. What a phase sends and
 * receives are messages like any other, in a context of their own. The phase ends when all of them are
 * complete, and the next one begins then, whatever the rank itself is doing: non-blocking collectives
 * progress alone. */

/* A group during a run. */
struct coll_exec_group {
    size_t first_sequence; /* in `sequences`: that of its rank 0 */
    /* Which of its ranks share a node, and which a server; made when a schedule first asks. */
    struct coll_nodes nodes[2];
    uint32_t *words[2];
};

/* For the critical path, of a non-blocking call or for slack. */
struct coll_causes {
    struct critical_strand strand; /* of a non-blocking call */
    ps_t own;                      /* for slack: when the strand itself was through with the phase */
};

struct coll_exec {
    struct run_context *context;
    struct event_loop *loop;
    struct request_table *requests;
    struct p2p *p2p;
    struct endpoint *endpoint; /* NULL: the null endpoint */
    const struct collective_config *config;
    const struct program *program; /* its groups and counts */
    uint32_t ranks_per_node;
    struct coll_check check;
    struct node_sync node_sync;
    struct coll_exec_group *groups;
    uint32_t *sequences; /* collective calls begun, per rank of each group */
    size_t sequence_count;
    struct pool coll_requests;
    struct pool notes; /* of messages that are to come, which raise a flag or are told to caches */
    struct critical_strand *strands; /* of the ranks, for the critical path; NULL: nobody asks */
    struct coll_causes *causes;      /* per coll_request, as far as there are any */
    size_t cause_capacity;
    uint32_t message_tag, note_tag; /* owners of messages; of messages with a note */
    uint32_t phase_kind;
};

/* `exec` has the fields down to `ranks_per_node`. */
void coll_exec_init(struct coll_exec *exec);
void coll_exec_free(struct coll_exec *exec);
size_t coll_exec_bytes(const struct coll_exec *exec);
/* Bytes of a program whose ranks are in so many collective calls at once, all together. */
double coll_exec_estimate(const struct program *program, double calls);

/* The rank enters this call; `owner`, as in request.h, is told when it has been through. */
void coll_exec_begin(struct coll_exec *exec, uint32_t rank, const struct call *call, uint32_t owner);

/* The call as schedules see it, without `nodes`. */
struct coll_call coll_call_of(const struct program *program, const struct collective_config *config,
                              uint32_t rank, const struct call *call);

#endif
