#include "engine/rank/matching.h"

#include "base/estimate.h"
#include "call/call.h"
#include "engine/rank/message_state.h"

static struct queue_links links_of(const struct matching *matching)
{
    return QUEUE_LINKS(matching->messages.records, struct message, next);
}

static struct queue_key key_of(const struct message_post *post, bool sending)
{
    uint64_t source = sending ? post->rank : post->peer;
    uint64_t destination = sending ? post->peer : post->rank;
    return (struct queue_key){.high = source << 32 | destination,
                              .low = (uint64_t)post->context << 32 | (uint32_t)post->tag};
}

uint32_t matching_meet(struct matching *matching, const struct message_post *post, bool sending,
                       uint32_t *record)
{
    struct queue_table_entry *entry = NULL;
    struct queue *queue;
    if (post->channel == CHANNEL_KEYED) {
        entry = queue_table_at(&matching->keyed, key_of(post, sending));
        queue = &entry->queue;
    } else {
        queue = &matching->channels[post->channel];
    }

    /* A queue holds one kind of end only: had the other kind come, it would have met the head. */
    uint32_t head = queue->head;
    if (head != POOL_NONE && !(message_at(&matching->messages, head)->state & MESSAGE_SENT) == sending) {
        queue_cut(queue, links_of(matching), POOL_NONE, head);
        if (entry && queue->head == POOL_NONE)
            queue_table_remove(&matching->keyed, entry);
        return head;
    }
    *record = pool_take(&matching->messages);
    queue_append(queue, links_of(matching), *record);
    return POOL_NONE;
}

/* --------------------------------------------------------------- mailboxes */

static struct mailbox *mailbox_of(struct matching *matching, uint32_t rank)
{
    if (!matching->mailboxes)
        matching->mailboxes = mem_alloc(matching->ranks, sizeof *matching->mailboxes, "mailboxes");
    struct mailbox **mailbox = &matching->mailboxes[rank];
    if (!*mailbox) {
        *mailbox = mem_alloc(1, sizeof **mailbox, "a mailbox");
        queue_init(&(*mailbox)->posted);
        queue_init(&(*mailbox)->sent);
        queue_init(&(*mailbox)->ready);
    }
    return *mailbox;
}

static bool fits(const struct message *receive, const struct message *message)
{
    return receive->context == message->context &&
           (receive->source == (uint32_t)CALL_ANY_SOURCE || receive->source == message->source) &&
           (receive->tag == CALL_ANY_TAG || receive->tag == message->tag);
}

/* Gives the receive's end to the message. */
static void join_ends(struct matching *matching, uint32_t message_index, uint32_t receive_index)
{
    struct message *message = message_at(&matching->messages, message_index);
    const struct message *receive = message_at(&matching->messages, receive_index);
    message->recv_posted = receive->recv_posted;
    message->recv_owner = receive->recv_owner;
    message->posted_bytes = receive->posted_bytes;
    pool_give(&matching->messages, receive_index);
}

void matching_mailbox_send(struct matching *matching, uint32_t message)
{
    uint32_t owner = message_at(&matching->messages, message)->destination;
    queue_append(&mailbox_of(matching, owner)->sent, links_of(matching), message);
}

uint32_t matching_mailbox_receive(struct matching *matching, uint32_t receive_index)
{
    const struct message *receive = message_at(&matching->messages, receive_index);
    struct mailbox *mailbox = mailbox_of(matching, receive->destination);
    uint32_t before = POOL_NONE;
    for (uint32_t i = mailbox->ready.head; i != POOL_NONE; i = message_at(&matching->messages, i)->next) {
        if (fits(receive, message_at(&matching->messages, i))) {
            queue_cut(&mailbox->ready, links_of(matching), before, i);
            join_ends(matching, i, receive_index);
            return i;
        }
        before = i;
    }
    queue_append(&mailbox->posted, links_of(matching), receive_index);
    return POOL_NONE;
}

/* A message whose envelope can be matched meets the first receive that fits, or waits in `ready`. */
static bool meets_receive(struct matching *matching, struct mailbox *mailbox, uint32_t message_index)
{
    const struct message *message = message_at(&matching->messages, message_index);
    uint32_t before = POOL_NONE;
    for (uint32_t i = mailbox->posted.head; i != POOL_NONE; i = message_at(&matching->messages, i)->next) {
        if (fits(message_at(&matching->messages, i), message)) {
            queue_cut(&mailbox->posted, links_of(matching), before, i);
            join_ends(matching, message_index, i);
            return true;
        }
        before = i;
    }
    queue_append(&mailbox->ready, links_of(matching), message_index);
    return false;
}

struct matching_scan matching_visible(struct matching *matching, uint32_t index)
{
    struct message *arrived = message_at(&matching->messages, index);
    struct mailbox *mailbox = mailbox_of(matching, arrived->destination);
    arrived->state |= MESSAGE_VISIBLE;
    return (struct matching_scan){.mailbox = mailbox,
                                  .source = arrived->source,
                                  .context = arrived->context,
                                  .before = POOL_NONE,
                                  .at = mailbox->sent.head};
}

uint32_t matching_next(struct matching *matching, struct matching_scan *scan)
{
    while (scan->at != POOL_NONE) {
        uint32_t index = scan->at;
        const struct message *message = message_at(&matching->messages, index);
        uint32_t next = message->next;
        if (message->source != scan->source || message->context != scan->context) {
            scan->before = index;
            scan->at = next;
            continue;
        }
        if (!(message->state & MESSAGE_VISIBLE))
            break;
        queue_cut(&scan->mailbox->sent, links_of(matching), scan->before, index);
        scan->at = next;
        if (meets_receive(matching, scan->mailbox, index))
            return index;
    }
    scan->at = POOL_NONE;
    return POOL_NONE;
}

/* -------------------------------------------------------------- life cycle */

void matching_init(struct matching *matching, uint32_t ranks, uint32_t channels)
{
    *matching = (struct matching){.ranks = ranks, .channel_count = channels};
    pool_init(&matching->messages, sizeof(struct message), "messages");
    queue_table_init(&matching->keyed);
    matching->channels = mem_alloc(channels, sizeof *matching->channels, "channels");
    for (uint32_t i = 0; i < channels; i++)
        queue_init(&matching->channels[i]);
}

void matching_free(struct matching *matching)
{
    for (uint32_t i = 0; matching->mailboxes && i < matching->ranks; i++)
        free(matching->mailboxes[i]);
    free(matching->mailboxes);
    free(matching->channels);
    queue_table_free(&matching->keyed);
    pool_free(&matching->messages);
}

size_t matching_bytes(const struct matching *matching)
{
    return matching->messages.capacity * matching->messages.size + queue_table_bytes(&matching->keyed) +
           matching->channel_count * sizeof *matching->channels;
}

double matching_estimate(double messages, uint32_t channels)
{
    return estimate_pool(messages, sizeof(struct message)) +
           (channels ? (double)channels * sizeof(struct queue) : queue_table_estimate(messages));
}
