#include "engine/rank/internal.h"

/* Which send meets which receive. A record of the message pool stands for a message from the moment either
 * end is posted; whichever end comes second finds it and fills in the rest. Non-overtaking (MPI-4.0, 3.5)
 * holds because every queue here is served in posting order.
 *
 * Three ways to the queue, by what the program can promise: a channel is an index; a key is looked up; a
 * mailbox is searched, because its owner receives from any source or with any tag. */

static struct queue_links links_of(const struct machine *machine)
{
    return QUEUE_LINKS(machine->messages.records, struct message, next);
}

static struct queue_key key_of(const struct post *post, bool sending)
{
    uint64_t source = sending ? post->rank : post->peer;
    uint64_t destination = sending ? post->peer : post->rank;
    return (struct queue_key){.high = source << 32 | destination,
                              .low = (uint64_t)post->context << 32 | (uint32_t)post->tag};
}

uint32_t match_meet(struct machine *machine, const struct post *post, bool sending, uint32_t *record)
{
    struct queue_table_entry *entry = NULL;
    struct queue *queue;
    if (post->channel == CHANNEL_KEYED) {
        entry = queue_table_at(&machine->keyed, key_of(post, sending));
        queue = &entry->queue;
    } else {
        queue = &machine->channels[post->channel];
    }

    /* A queue holds one kind of end only: had the other kind come, it would have met the head. */
    uint32_t head = queue->head;
    if (head != POOL_NONE && !(message_at(&machine->messages, head)->state & MESSAGE_SENT) == sending) {
        queue_cut(queue, links_of(machine), POOL_NONE, head);
        if (entry && queue->head == POOL_NONE)
            queue_table_remove(&machine->keyed, entry);
        return head;
    }
    *record = pool_take(&machine->messages);
    queue_append(queue, links_of(machine), *record);
    return POOL_NONE;
}

/* -------------------------------------------------------------------------------------------- mailboxes */

static struct mailbox *mailbox_of(struct machine *machine, uint32_t rank)
{
    if (!machine->mailboxes)
        machine->mailboxes = mem_alloc(machine->program->ranks, sizeof *machine->mailboxes, "mailboxes");
    struct mailbox **mailbox = &machine->mailboxes[rank];
    if (!*mailbox) {
        *mailbox = mem_alloc(1, sizeof **mailbox, "a mailbox");
        (*mailbox)->posted.head = (*mailbox)->sent.head = (*mailbox)->ready.head = POOL_NONE;
    }
    return *mailbox;
}

static bool fits(const struct message *receive, const struct message *message)
{
    return receive->context == message->context &&
           (receive->source == (uint32_t)CALL_ANY_SOURCE || receive->source == message->source) &&
           (receive->tag == CALL_ANY_TAG || receive->tag == message->tag);
}

/* Gives the receive's end to the message and lets the protocol go on with it. */
static void join(struct machine *machine, uint32_t message_index, uint32_t receive_index)
{
    struct message *message = message_at(&machine->messages, message_index);
    const struct message *receive = message_at(&machine->messages, receive_index);
    message->recv_posted = receive->recv_posted;
    message->recv_owner = receive->recv_owner;
    message->posted_bytes = receive->posted_bytes;
    pool_give(&machine->messages, receive_index);
    protocol_matched(machine, message_index);
}

void mailbox_send(struct machine *machine, uint32_t message)
{
    uint32_t owner = message_at(&machine->messages, message)->destination;
    queue_append(&mailbox_of(machine, owner)->sent, links_of(machine), message);
}

void mailbox_receive(struct machine *machine, uint32_t receive_index)
{
    const struct message *receive = message_at(&machine->messages, receive_index);
    struct mailbox *mailbox = mailbox_of(machine, receive->destination);
    uint32_t before = POOL_NONE;
    for (uint32_t i = mailbox->ready.head; i != POOL_NONE; i = message_at(&machine->messages, i)->next) {
        if (fits(receive, message_at(&machine->messages, i))) {
            queue_cut(&mailbox->ready, links_of(machine), before, i);
            join(machine, i, receive_index);
            return;
        }
        before = i;
    }
    queue_append(&mailbox->posted, links_of(machine), receive_index);
}

/* A message whose envelope can be matched now meets the first receive that fits, or waits in `ready`. */
static void offer(struct machine *machine, struct mailbox *mailbox, uint32_t message_index)
{
    const struct message *message = message_at(&machine->messages, message_index);
    uint32_t before = POOL_NONE;
    for (uint32_t i = mailbox->posted.head; i != POOL_NONE; i = message_at(&machine->messages, i)->next) {
        if (fits(message_at(&machine->messages, i), message)) {
            queue_cut(&mailbox->posted, links_of(machine), before, i);
            join(machine, message_index, i);
            return;
        }
        before = i;
    }
    queue_append(&mailbox->ready, links_of(machine), message_index);
}

/* Envelopes of one source and context become visible in posting order: one that arrived early waits for those
 * before it, and may take those behind it along. */
void mailbox_visible(struct machine *machine, uint32_t index)
{
    struct message *arrived = message_at(&machine->messages, index);
    uint32_t source = arrived->source, context = arrived->context;
    struct mailbox *mailbox = mailbox_of(machine, arrived->destination);
    arrived->state |= MESSAGE_VISIBLE;

    uint32_t before = POOL_NONE;
    for (uint32_t i = mailbox->sent.head, next; i != POOL_NONE; i = next) {
        const struct message *message = message_at(&machine->messages, i);
        next = message->next;
        if (message->source != source || message->context != context) {
            before = i;
            continue;
        }
        if (!(message->state & MESSAGE_VISIBLE))
            return;
        queue_cut(&mailbox->sent, links_of(machine), before, i);
        offer(machine, mailbox, i);
    }
}
