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
 * looked up. A mailbox is for an owner that receives from any source or with any tag: its messages stand in a
 * queue for each kind of receive that the owner has posted. No way takes longer where more ends wait. */

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

/* What a receive leaves open: a set of bits. */
enum mailbox_kind { MAILBOX_ANY_SOURCE = 1, MAILBOX_ANY_TAG = 2, MAILBOX_KINDS = 4 };

/* A receive that waits in a mailbox, or a message that can be matched and waits there. A receive stands in
 * the queue of its kind, a message in one queue for each kind of receive that has come, and in the list of
 * its mailbox. */
struct letter {
    uint64_t ordinal; /* of a receive among all; 0: a message */
    uint32_t message; /* or the receive's record */
    struct {
        uint32_t before, after;
    } links[MAILBOX_KINDS + 1];
};

/* The messages for one destination that can be matched, in the order in which they became so. */
struct mailbox {
    struct queue ready;
    uint8_t kinds; /* bit k: a receive of kind k has come */
};

/* All mailboxes. A queue of `waiting` has receives or messages of one envelope, in which a wildcard stands
 * for what the kind of receive leaves open; never both, as they would have met. A queue of `sent` has the
 * messages from a source to a destination in a context whose envelope is not visible, or may not overtake, in
 * posting order. */
struct mailboxes {
    struct pool letters;
    struct queue_table waiting, sent;
    uint64_t received;   /* receives so far */
    struct mailbox of[]; /* each rank */
};

struct matching {
    struct pool messages;
    struct queue *channels;
    uint32_t channel_count, ranks;
    struct queue_table keyed;
    struct mailboxes *mailboxes; /* made when first needed; NULL when the program has none */
    uint32_t joined;             /* the record of the receive that a message in a mailbox has met last */
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
    struct queue_key key; /* of the queue in `sent` */
};
struct matching_scan matching_visible(struct matching *matching, uint32_t message);

/* The next message that meets a receive and has its end from now on; POOL_NONE: there are no more. */
uint32_t matching_next(struct matching *matching, struct matching_scan *scan);

#endif
