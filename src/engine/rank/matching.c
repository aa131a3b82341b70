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

static struct mailboxes *mailboxes_of(struct matching *matching)
{
    if (matching->mailboxes)
        return matching->mailboxes;
    struct mailboxes *mailboxes = matching->mailboxes =
        mem_alloc(1, sizeof *mailboxes + matching->ranks * sizeof *mailboxes->of, "mailboxes");
    pool_init(&mailboxes->letters, sizeof(struct letter), "messages in mailboxes");
    queue_table_init(&mailboxes->waiting);
    queue_table_init(&mailboxes->sent);
    mailboxes->received = 0;
    for (uint32_t rank = 0; rank < matching->ranks; rank++) {
        queue_init(&mailboxes->of[rank].ready);
        mailboxes->of[rank].kinds = 0;
    }
    return mailboxes;
}

static struct letter *letter_at(const struct mailboxes *mailboxes, uint32_t index)
{
    return pool_at(&mailboxes->letters, index);
}

static void letter_append(const struct mailboxes *mailboxes, struct queue *queue, int list, uint32_t index)
{
    struct letter *letter = letter_at(mailboxes, index);
    letter->links[list].before = queue_is_empty(queue) ? POOL_NONE : queue->tail;
    letter->links[list].after = POOL_NONE;
    if (queue_is_empty(queue))
        queue->head = index;
    else
        letter_at(mailboxes, queue->tail)->links[list].after = index;
    queue->tail = index;
}

/* The queue may be NULL if the letter is not at one of its ends. */
static void letter_cut(const struct mailboxes *mailboxes, struct queue *queue, int list, uint32_t index)
{
    const struct letter *letter = letter_at(mailboxes, index);
    uint32_t before = letter->links[list].before, after = letter->links[list].after;
    if (before == POOL_NONE)
        queue->head = after;
    else
        letter_at(mailboxes, before)->links[list].after = after;
    if (after == POOL_NONE)
        queue->tail = before;
    else
        letter_at(mailboxes, after)->links[list].before = before;
}

static int kind_of(const struct message *receive)
{
    return (receive->source == (uint32_t)CALL_ANY_SOURCE ? MAILBOX_ANY_SOURCE : 0) |
           (receive->tag == CALL_ANY_TAG ? MAILBOX_ANY_TAG : 0);
}

/* The envelope of the receives of a kind that fit a message, or of a receive of that kind itself. */
static struct queue_key envelope_of(const struct message *message, int kind)
{
    uint64_t source = kind & MAILBOX_ANY_SOURCE ? (uint32_t)CALL_ANY_SOURCE : message->source;
    int32_t tag = kind & MAILBOX_ANY_TAG ? CALL_ANY_TAG : message->tag;
    return (struct queue_key){.high = source << 32 | message->destination,
                              .low = (uint64_t)message->context << 32 | (uint32_t)tag};
}

/* Whether receives of a kind have come that may fit the message. A receive with this tag leaves the tag
 * open. */
static bool concerns(const struct mailbox *mailbox, int kind, const struct message *message)
{
    return mailbox->kinds & 1 << kind && (kind & MAILBOX_ANY_TAG || message->tag != CALL_ANY_TAG);
}

static struct queue_key sent_key_of(const struct message *message)
{
    return (struct queue_key){.high = (uint64_t)message->source << 32 | message->destination,
                              .low = message->context};
}

/* Gives the receive's end to the message. */
static void join_ends(struct matching *matching, uint32_t message_index, uint32_t receive_index)
{
    struct message *message = message_at(&matching->messages, message_index);
    const struct message *receive = message_at(&matching->messages, receive_index);
    message->recv_posted = receive->recv_posted;
    message->recv_owner = receive->recv_owner;
    message->posted_bytes = receive->posted_bytes;
    matching->joined = receive_index;
    pool_give(&matching->messages, receive_index);
}

void matching_mailbox_send(struct matching *matching, uint32_t message)
{
    struct queue_table *sent = &mailboxes_of(matching)->sent;
    queue_append(&queue_table_at(sent, sent_key_of(message_at(&matching->messages, message)))->queue,
                 links_of(matching), message);
}

static void link_kind(struct matching *matching, uint32_t letter, const struct message *message, int kind)
{
    struct mailboxes *mailboxes = matching->mailboxes;
    letter_append(mailboxes, &queue_table_at(&mailboxes->waiting, envelope_of(message, kind))->queue, kind,
                  letter);
}

/* The first receive of a kind comes: the messages that wait get their places in the queues of that kind. */
static void open_kind(struct matching *matching, struct mailbox *mailbox, int kind)
{
    if (mailbox->kinds & 1 << kind)
        return;
    mailbox->kinds |= (uint8_t)(1 << kind);
    for (uint32_t i = mailbox->ready.head; i != POOL_NONE;
         i = letter_at(matching->mailboxes, i)->links[MAILBOX_KINDS].after) {
        const struct message *message =
            message_at(&matching->messages, letter_at(matching->mailboxes, i)->message);
        if (concerns(mailbox, kind, message))
            link_kind(matching, i, message, kind);
    }
}

static void unlink_kind(struct matching *matching, uint32_t index, const struct message *message, int kind)
{
    struct mailboxes *mailboxes = matching->mailboxes;
    const struct letter *letter = letter_at(mailboxes, index);
    if (letter->links[kind].before != POOL_NONE && letter->links[kind].after != POOL_NONE) {
        letter_cut(mailboxes, NULL, kind, index);
        return;
    }
    struct queue_table_entry *entry = queue_table_find(&mailboxes->waiting, envelope_of(message, kind));
    letter_cut(mailboxes, &entry->queue, kind, index);
    if (queue_is_empty(&entry->queue))
        queue_table_remove(&mailboxes->waiting, entry);
}

static void unlink_ready(struct matching *matching, struct mailbox *mailbox, uint32_t letter)
{
    const struct message *message =
        message_at(&matching->messages, letter_at(matching->mailboxes, letter)->message);
    for (int kind = 0; kind < MAILBOX_KINDS; kind++)
        if (concerns(mailbox, kind, message))
            unlink_kind(matching, letter, message, kind);
    letter_cut(matching->mailboxes, &mailbox->ready, MAILBOX_KINDS, letter);
    pool_give(&matching->mailboxes->letters, letter);
}

uint32_t matching_mailbox_receive(struct matching *matching, uint32_t receive_index)
{
    struct mailboxes *mailboxes = mailboxes_of(matching);
    const struct message *receive = message_at(&matching->messages, receive_index);
    struct mailbox *mailbox = &mailboxes->of[receive->destination];
    int kind = kind_of(receive);
    open_kind(matching, mailbox, kind);
    struct queue *queue = &queue_table_at(&mailboxes->waiting, envelope_of(receive, kind))->queue;
    if (!queue_is_empty(queue) && !letter_at(mailboxes, queue->head)->ordinal) {
        uint32_t letter = queue->head, message = letter_at(mailboxes, letter)->message;
        unlink_ready(matching, mailbox, letter);
        join_ends(matching, message, receive_index);
        return message;
    }
    uint32_t letter = pool_take(&mailboxes->letters);
    letter_at(mailboxes, letter)->ordinal = ++mailboxes->received;
    letter_at(mailboxes, letter)->message = receive_index;
    letter_append(mailboxes, queue, kind, letter);
    return POOL_NONE;
}

/* The first receive that fits the message, of those at the heads of the queues of each kind. */
static struct queue_table_entry *receive_for(const struct matching *matching, const struct mailbox *mailbox,
                                             const struct message *message, int *kind)
{
    const struct mailboxes *mailboxes = matching->mailboxes;
    struct queue_table_entry *first = NULL;
    uint64_t first_ordinal = UINT64_MAX;
    for (int i = 0; i < MAILBOX_KINDS; i++) {
        if (!concerns(mailbox, i, message))
            continue;
        struct queue_table_entry *entry = queue_table_find(&mailboxes->waiting, envelope_of(message, i));
        uint64_t ordinal = entry ? letter_at(mailboxes, entry->queue.head)->ordinal : 0;
        if (ordinal && ordinal < first_ordinal) {
            first = entry;
            first_ordinal = ordinal;
            *kind = i;
        }
    }
    return first;
}

/* A message whose envelope can be matched meets the first receive that fits, or waits in `ready`. */
static bool meets_receive(struct matching *matching, uint32_t message_index)
{
    struct mailboxes *mailboxes = matching->mailboxes;
    const struct message *message = message_at(&matching->messages, message_index);
    struct mailbox *mailbox = &mailboxes->of[message->destination];
    int kind = 0;
    struct queue_table_entry *entry = receive_for(matching, mailbox, message, &kind);
    if (entry) {
        uint32_t letter = entry->queue.head;
        letter_cut(mailboxes, &entry->queue, kind, letter);
        if (queue_is_empty(&entry->queue))
            queue_table_remove(&mailboxes->waiting, entry);
        join_ends(matching, message_index, letter_at(mailboxes, letter)->message);
        pool_give(&mailboxes->letters, letter);
        return true;
    }
    uint32_t letter = pool_take(&mailboxes->letters);
    letter_at(mailboxes, letter)->ordinal = 0;
    letter_at(mailboxes, letter)->message = message_index;
    letter_append(mailboxes, &mailbox->ready, MAILBOX_KINDS, letter);
    for (int i = 0; i < MAILBOX_KINDS; i++)
        if (concerns(mailbox, i, message))
            link_kind(matching, letter, message, i);
    return false;
}

struct matching_scan matching_visible(struct matching *matching, uint32_t index)
{
    struct message *arrived = message_at(&matching->messages, index);
    arrived->state |= MESSAGE_VISIBLE;
    return (struct matching_scan){.key = sent_key_of(arrived)};
}

uint32_t matching_next(struct matching *matching, struct matching_scan *scan)
{
    struct queue_table *sent = &matching->mailboxes->sent;
    for (struct queue_table_entry *entry; (entry = queue_table_find(sent, scan->key));) {
        uint32_t index = entry->queue.head;
        if (!(message_at(&matching->messages, index)->state & MESSAGE_VISIBLE))
            break;
        queue_take(&entry->queue, links_of(matching));
        if (queue_is_empty(&entry->queue))
            queue_table_remove(sent, entry);
        if (meets_receive(matching, index))
            return index;
    }
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
    if (matching->mailboxes) {
        queue_table_free(&matching->mailboxes->waiting);
        queue_table_free(&matching->mailboxes->sent);
        pool_free(&matching->mailboxes->letters);
        free(matching->mailboxes);
    }
    free(matching->channels);
    queue_table_free(&matching->keyed);
    pool_free(&matching->messages);
}

size_t matching_bytes(const struct matching *matching)
{
    const struct mailboxes *mailboxes = matching->mailboxes;
    size_t bytes = matching->messages.capacity * matching->messages.size +
                   queue_table_bytes(&matching->keyed) + matching->channel_count * sizeof *matching->channels;
    if (mailboxes)
        bytes += sizeof *mailboxes + matching->ranks * sizeof *mailboxes->of +
                 queue_table_bytes(&mailboxes->waiting) + queue_table_bytes(&mailboxes->sent) +
                 mailboxes->letters.capacity * mailboxes->letters.size;
    return bytes;
}

double matching_estimate(double messages, uint32_t channels)
{
    return estimate_pool(messages, sizeof(struct message)) +
           (channels ? (double)channels * sizeof(struct queue) : queue_table_estimate(messages));
}
