#ifndef HELIO_FABRIC_MESSAGE_H
#define HELIO_FABRIC_MESSAGE_H

#include <stdint.h>

#include "base/mem.h"
#include "base/time.h"

/* One message from one rank to another, from the first of its two calls to the last of its two completions.
 * It is named by its index in the run's pool; pointers are valid until the next pool_take only. The engine
 * owns it; a fabric reads bytes and nodes and has the field `fabric` for itself. */
struct message {
    uint64_t bytes;        /* that are sent */
    uint64_t posted_bytes; /* what the receive has room for */
    uint32_t source, destination;
    uint32_t source_node, destination_node;
    uint32_t context;
    int32_t tag;
    ps_t send_posted;
    ps_t injected;      /* handed to the fabric, or copied within the node */
    ps_t send_released; /* the sender may go on */
    ps_t recv_posted;
    ps_t delivered;                  /* the last byte is at the receiver's node */
    uint32_t send_owner, recv_owner; /* the engine's: whose send and receive it is */
    uint32_t next;                   /* in the queue in which it waits */
    uint32_t fabric;    /* the fabric's own: a flow, a request ... Before and after that the endpoint's, as a
                           link of its queues */
    uint32_t batch;     /* of the sender's host: the completion that covers it */
    uint8_t op;         /* enum call_op that caused it: p2p, or which collective */
    uint8_t call_flags; /* enum call_flag of the send */
    uint16_t state;     /* the engine's, but for one bit */
};

/* A bit of `state` that fabrics may read: a handshake of the message that `next` names. It is no message of
 * the program. */
enum { MESSAGE_CONTROL = 128 };

/* As pool_at, with a size that the compiler knows: it is called in every step of a message. */
static inline struct message *message_at(const struct pool *messages, uint32_t index)
{
    return &((struct message *)(void *)messages->records)[index];
}

/* When the receive is complete: delivered, and posted. */
static inline ps_t message_received(const struct message *message)
{
    return ps_max(message->delivered, message->recv_posted);
}

#endif
