#ifndef HELIO_ENGINE_RANK_MATCHING_H
#define HELIO_ENGINE_RANK_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/queue.h"
#include "base/queue_table.h"
#include "fabric/message.h"

/* Which send meets which receive. A record of the pool `messages` stands for a message as soon as one of its
 * ends is posted. The end that comes second finds it and fills in the rest. MPI's rule that messages do not
 * overtake (MPI-4.0, 3.5) holds because every queue here is served in posting order.
 *
 * There are three ways to find the record, by what the program promises. A channel is an index. A key is
 * looked up. A mailbox is searched, because its owner receives from any source or with any tag. */

/* One end of a message, as it is posted. */
struct message_post {
    uint32_t rank; /* that posts */
    uint32_t peer; /* or (uint32_t)CALL_ANY_SOURCE */
    uint32_t context;
    int32_t tag;
    uint32_t channel;
    uint32_t owner; /* of the completion of this end: request.h */
    uint64_t bytes;
    uint8_t op; /* enum call_op */
    uint8_t call_flags;
};

/* The unmatched ends of one destination that receives with wildcards. Lists of messages linked by `next`. */
struct mailbox {
    struct queue posted; /* receives, in posting order */
    struct queue sent;   /* messages whose envelope is not visible, or may not overtake, in posting order */
    struct queue ready;  /* messages that can be matched, in the order in which they became so */
};

struct matching {
    struct pool messages;
    struct queue *channels;
    uint32_t channel_count, ranks;
    struct queue_table keyed;
    struct mailbox **mailboxes; /* per rank, made when first needed; NULL when the program has none */
};

void matching_init(struct matching *matching, uint32_t ranks, uint32_t channels);
void matching_free(struct matching *matching);
size_t matching_bytes(const struct matching *matching);
/* Bytes of so many messages at once; `channels` is 0 where they are found by keys. */
double matching_estimate(double messages, uint32_t channels);

/* The record of the other end if it is there, taken out of its queue. Otherwise POOL_NONE, and *record is a
 * new one in that queue, for the caller to fill. Not for mailboxes. */
uint32_t matching_meet(struct matching *matching, const struct message_post *post, bool sending,
                       uint32_t *record);

/* Puts a send into the mailbox of its destination. Its envelope is not visible yet. */
void matching_mailbox_send(struct matching *matching, uint32_t message);

/* Puts a receive into the mailbox of its rank. The message that it meets, which has its end from now on while
 * its record is gone; POOL_NONE: it waits there. */
uint32_t matching_mailbox_receive(struct matching *matching, uint32_t receive);

/* The messages that meet a receive because an envelope has become visible. Envelopes of one source and
 * context become visible in posting order: one that comes early waits for those before it. */
struct matching_scan {
    struct mailbox *mailbox;
    uint32_t source, context;
    uint32_t before, at; /* in the mailbox's list `sent` */
};
struct matching_scan matching_visible(struct matching *matching, uint32_t message);

/* The next message that meets a receive and has its end from now on; POOL_NONE: there are no more. Between
 * two calls nothing may be put into the mailbox. */
uint32_t matching_next(struct matching *matching, struct matching_scan *scan);

#endif
