#ifndef HELIO_ENGINE_RANK_P2P_H
#define HELIO_ENGINE_RANK_P2P_H

#include "engine/free.h"
#include "engine/params.h"
#include "engine/rank/context.h"
#include "engine/rank/endpoint.h"
#include "engine/rank/matching.h"
#include "engine/rank/request.h"
#include "fabric/fabric.h"

/* The point-to-point protocol: one message from its two posts to its two completions, of which the owners in
 * the posts are told.
 *
 * Eager (at most mpi.eager_threshold bytes): the message goes at once. Its sender is done when it has posted
 * the message, or when the last byte has left (mpi.eager_done).
 *
 * Rendezvous: the message waits for its receive and holds nothing meanwhile. Its sender is done on arrival.
 * The first rendezvous.handshakes of its control messages (1: request to send, 2: clear to send, 3: final
 * acknowledgement) are messages of no bytes; the others take no time.
 *
 * Buffered by the fabric: every message goes at once, and its sender is done when the fabric has it. */
struct p2p {
    struct run_context *context;
    struct event_loop *loop;
    struct tap *tap;
    struct matching *matching;
    struct pool *messages; /* of matching */
    struct request_table *requests;
    struct endpoint *endpoint; /* NULL: the null endpoint */
    struct fabric *fabric;     /* set before the first post */
    const struct protocol_config *protocol;
    const struct node_config *node;
    const uint32_t *node_of;    /* as in struct program */
    struct free_messages *free; /* NULL: there are none */
    uint32_t ranks_per_node;
    uint32_t visible_kind, control_kind;
};

/* The callbacks of a p2p that may be initialised later. */
struct endpoint_callbacks p2p_endpoint_callbacks(struct p2p *p2p);
struct fabric_callbacks p2p_fabric_callbacks(struct p2p *p2p);

/* `p2p` has the fields down to `node`, but for `fabric`. */
void p2p_init(struct p2p *p2p);

void p2p_send(struct p2p *p2p, const struct message_post *post);
void p2p_receive(struct p2p *p2p, const struct message_post *post);

#endif
