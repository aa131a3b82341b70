#include "engine/rank/internal.h"

/* One message from post to completion.
 *
 * Eager (at most mpi.eager_threshold bytes): goes at once, its sender is done when it has posted it (or
 * injected it: mpi.eager_done). Rendezvous: waits for its receiver, holding nothing, and its sender is done
 * on arrival; rendezvous.handshakes of its control messages (1: request to send, 2: and clear to send, 3: and
 * the final acknowledgement) are sent as messages of no bytes, the others are free and instantaneous.
 * Buffered (the fabric stores messages on the way): every send goes at once and its sender is done when the
 * fabric has it. */

/* Neither sent ahead nor stored on the way; control messages count as such, nobody waits for their sender. */
static bool is_rendezvous(const struct message *message)
{
    return !(message->state & (MESSAGE_EAGER | MESSAGE_STORED));
}

void protocol_sender_done(struct machine *machine, struct message *message, ps_t at)
{
    uint32_t owner = message->send_owner;
    message->state |= MESSAGE_SENDER_DONE;
    message->send_released = at;
    machine_complete(machine, owner, message->source, at, message->op, message->destination);
}

/* Both ends are done: whoever observes the run sees the whole message, and it is gone. */
static void finish(struct machine *machine, uint32_t index)
{
    const struct message *message = message_at(&machine->messages, index);
    tap_emit(machine->tap, &(struct tap_record){.kind = TAP_FINISHED, .index = index, .message = message});
    pool_give(&machine->messages, index);
}

/* ----------------------------------------------------------------------------------------- transferring */

/* A message waited for its receive until now, or until `at`. */
static void tell_wait(const struct machine *machine, uint32_t index, ps_t since, ps_t at)
{
    const struct message *message = message_at(&machine->messages, index);
    tap_emit_part(machine->tap, index, TAP_PART_WAIT, since, at, "the receive of rank", message->destination);
}

/* The receiver of a message that the fabric stores is there, and knows of it. */
static void match_stored(struct machine *machine, uint32_t index)
{
    const struct message *message = message_at(&machine->messages, index);
    ps_t now = machine->loop->now;
    tell_wait(machine, index, message->injected, message->recv_posted);
    tap_emit_part(machine->tap, index, TAP_PART_WAIT, ps_max(message->injected, message->recv_posted), now,
                  "its tag at rank", message->destination);
    machine->fabric->ops->match(machine->fabric, index);
}

static void answer_visible(void *self, uint32_t index, ps_t at)
{
    struct machine *machine = self;
    struct message *message = message_at(&machine->messages, index);
    if (is_rendezvous(message)) /* it was announced before, by its request to send */
        return;
    if (machine->host && !(message->state & MESSAGE_STORED)) /* it is when it has been polled */
        return;
    if ((message->state & MESSAGE_IN_MAILBOX) || at > machine->loop->now) {
        if (message->state & (MESSAGE_IN_MAILBOX | MESSAGE_STORED))
            loop_at(machine->loop, at, machine->visible_kind, index);
        return;
    }
    message->state |= MESSAGE_VISIBLE;
    if ((message->state & MESSAGE_STORED) && (message->state & MESSAGE_RECEIVING))
        match_stored(machine, index);
}

void protocol_on_visible(void *self, uint32_t index)
{
    struct machine *machine = self;
    struct message *message = message_at(&machine->messages, index);
    if (message->state & MESSAGE_IN_MAILBOX) {
        mailbox_visible(machine, index);
        return;
    }
    message->state |= MESSAGE_VISIBLE;
    if (message->state & MESSAGE_RECEIVING)
        match_stored(machine, index);
}

static void answer_sender_done(void *self, uint32_t index, ps_t at)
{
    struct machine *machine = self;
    struct message *message = message_at(&machine->messages, index);
    bool until_arrival = is_rendezvous(message) || (message->call_flags & CALL_SYNCHRONOUS);
    if (!until_arrival && !(message->state & MESSAGE_SENDER_DONE))
        protocol_sender_done(machine, message, at);
}

static void send_control(struct machine *machine, uint32_t of, bool to_receiver, ps_t at);

/* The receiver has it, or will at the known time `delivered`. */
void protocol_received(struct machine *machine, uint32_t index)
{
    struct message *message = message_at(&machine->messages, index);
    ps_t at = message_received(message);
    tell_wait(machine, index, message->delivered, at);
    if (tap_has_handler(machine->tap, TAP_RECEIVED))
        tap_emit(machine->tap,
                 &(struct tap_record){.kind = TAP_RECEIVED, .index = index, .at = at, .message = message});
    machine_complete(machine, message->recv_owner, message->destination, at, message->op, message->source);
    if (message->state & MESSAGE_SENDER_DONE) {
        finish(machine, index);
        return;
    }
    if (is_rendezvous(message) && machine->protocol->handshakes >= 3) {
        message->state |= MESSAGE_FIN_SENT;
        send_control(machine, index, false, at);
        return;
    }
    protocol_sender_done(machine, message, at);
    finish(machine, index);
}

static void answer_delivered(void *self, uint32_t index, ps_t at)
{
    struct machine *machine = self;
    struct message *message = message_at(&machine->messages, index);
    tap_emit(machine->tap,
             &(struct tap_record){.kind = TAP_DELIVERED, .index = index, .at = at, .message = message});
    if (machine->host) {
        hosted_delivered(machine, index, at);
        return;
    }
    message->delivered = at;
    message->state |= MESSAGE_DELIVERED;
    if (message->state & MESSAGE_CONTROL)
        loop_at(machine->loop, at, machine->control_kind, index);
    else if (message->state & MESSAGE_RECEIVING)
        protocol_received(machine, index);
}

static void answer_failed(void *self, enum status status)
{
    machine_fail(self, status);
}

struct fabric_callbacks protocol_callbacks(struct machine *machine)
{
    return (struct fabric_callbacks){.self = machine,
                                     .visible = answer_visible,
                                     .sender_done = answer_sender_done,
                                     .delivered = answer_delivered,
                                     .failed = answer_failed};
}

/* Ranks of one node talk through its memory, which is no part of any fabric: latency and bandwidth, no
 * contention. */
static void transfer_within_node(struct machine *machine, uint32_t index)
{
    const struct node_config *node = machine->node;
    uint64_t bytes = message_at(&machine->messages, index)->bytes;
    ps_t now = machine->loop->now;
    bool by_cores = machine->host && host_copies(machine->host); /* whose time it has taken, and will take */
    ps_t copied = by_cores ? now : ps_add(now, service_ps(bytes, node->bandwidth_bytes_per_s));
    ps_t there = ps_add(copied, node->latency_ps);
    tap_emit_part(machine->tap, index, TAP_PART_TRANSFER, now, copied, NULL, 0);
    tap_emit_part(machine->tap, index, TAP_PART_WIRE, copied, there, NULL, 0);
    answer_visible(machine, index, ps_add(now, node->latency_ps));
    answer_sender_done(machine, index, copied);
    answer_delivered(machine, index, there);
}

void protocol_submit(struct machine *machine, uint32_t index)
{
    struct message *message = message_at(&machine->messages, index);
    ps_t now = machine->loop->now;
    message->injected = now;
    tap_emit(machine->tap,
             &(struct tap_record){.kind = TAP_INJECTED, .index = index, .at = now, .message = message});
    if (!(message->state & MESSAGE_CONTROL))
        tell_wait(machine, index, message->send_posted, now);
    if (message->source_node == message->destination_node)
        transfer_within_node(machine, index);
    else
        machine->fabric->ops->submit(machine->fabric, index);
}

/* The message may leave. */
static void transfer(struct machine *machine, uint32_t index)
{
    if (machine->host)
        hosted_post(machine, index);
    else
        protocol_submit(machine, index);
}

/* ------------------------------------------------------------------------------------------- handshakes */

/* A control message of no bytes about message `of`, to its receiver or back to its sender, at `at`. */
static void send_control(struct machine *machine, uint32_t of, bool to_receiver, ps_t at)
{
    uint32_t index = pool_take(&machine->messages);
    struct message *control = message_at(&machine->messages, index);
    *control = *message_at(&machine->messages, of);
    control->bytes = 0;
    control->state = MESSAGE_CONTROL;
    control->next = of;
    control->send_posted = at;
    if (!to_receiver) {
        control->source = message_at(&machine->messages, of)->destination;
        control->destination = message_at(&machine->messages, of)->source;
        uint32_t node = control->source_node;
        control->source_node = control->destination_node;
        control->destination_node = node;
    }
    if (at <= machine->loop->now)
        transfer(machine, index);
    else
        loop_at(machine->loop, at, machine->control_kind, index);
}

/* Both ends are there and know of each other: the sender may send. */
static void clear_to_send(struct machine *machine, uint32_t index)
{
    struct message *message = message_at(&machine->messages, index);
    if (machine->protocol->handshakes < 2) {
        transfer(machine, index);
        return;
    }
    message->state |= MESSAGE_CTS_SENT;
    send_control(machine, index, false, machine->loop->now);
}

void protocol_on_control(void *self, uint32_t index)
{
    struct machine *machine = self;
    const struct message *control = message_at(&machine->messages, index);
    if (!(control->state & MESSAGE_DELIVERED)) { /* it was to leave now */
        transfer(machine, index);
        return;
    }
    uint32_t of = control->next;
    tap_emit_part(machine->tap, of, TAP_PART_HANDSHAKE, control->send_posted, machine->loop->now,
                  "a control message from rank", control->source);
    pool_give(&machine->messages, index);
    struct message *message = message_at(&machine->messages, of);
    if (message->state & MESSAGE_FIN_SENT) {
        protocol_sender_done(machine, message, machine->loop->now);
        finish(machine, of);
    } else if (message->state & MESSAGE_CTS_SENT) {
        transfer(machine, of);
    } else {
        message->state |= MESSAGE_RTS_HERE;
        if (message->state & MESSAGE_IN_MAILBOX)
            mailbox_visible(machine, of);
        else if (message->state & MESSAGE_RECEIVING)
            clear_to_send(machine, of);
    }
}

/* --------------------------------------------------------------------------------------------- matching */

static bool too_large(struct machine *machine, const struct message *message)
{
    if (message->bytes <= message->posted_bytes)
        return false;
    struct call_place place = machine_place(machine, message->destination);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
                "rank %u has room for %llu bytes, the message from rank %u with tag %d has %llu "
                "(MPI_ERR_TRUNCATE); the receive must have room for what is sent",
                message->destination, (unsigned long long)message->posted_bytes, message->source,
                message->tag, (unsigned long long)message->bytes);
    machine_fail(machine, STATUS_BAD_INPUT);
    return true;
}

/* Send and receive of this message know of each other from now on. */
void protocol_matched(struct machine *machine, uint32_t index)
{
    struct message *message = message_at(&machine->messages, index);
    message->state |= MESSAGE_RECEIVING;
    if (too_large(machine, message))
        return;
    bool stored = message->state & MESSAGE_STORED;
    if (stored && (message->state & MESSAGE_VISIBLE))
        match_stored(machine, index);
    else if (!stored && (message->state & MESSAGE_DELIVERED))
        protocol_received(machine, index);
    else if (is_rendezvous(message) &&
             (machine->protocol->handshakes == 0 || (message->state & MESSAGE_RTS_HERE)))
        clear_to_send(machine, index);
}

static void fill_send(const struct machine *machine, struct message *message, const struct post *post)
{
    uint64_t ranks_per_node = machine->node->ranks_per_node;
    message->bytes = post->bytes;
    message->source = post->rank;
    message->destination = post->peer;
    message->source_node = (uint32_t)(post->rank / ranks_per_node);
    message->destination_node = (uint32_t)(post->peer / ranks_per_node);
    message->context = post->context;
    message->tag = post->tag;
    message->send_posted = machine->loop->now;
    message->send_owner = post->owner;
    message->op = post->op;
    message->call_flags = post->call_flags;
    message->state |= MESSAGE_SENT;

    bool small = post->bytes <= machine->protocol->eager_threshold_bytes;
    if (message->source_node != message->destination_node && machine->fabric->ops->is_buffered &&
        machine->fabric->ops->is_buffered(machine->fabric, message))
        message->state |= MESSAGE_STORED;
    else if ((small && !(post->call_flags & CALL_SYNCHRONOUS)) || (post->call_flags & CALL_BUFFERED))
        message->state |= MESSAGE_EAGER;
}

/* The message leaves now if its protocol lets it: before matching, so that the fabric sees the transfer
 * first. */
static void launch(struct machine *machine, uint32_t index)
{
    struct message *message = message_at(&machine->messages, index);
    if (machine->host)
        hosted_call(machine, message->source);
    else if (protocol_done_when_posted(machine, message))
        protocol_sender_done(machine, message, machine->loop->now);
    if (!is_rendezvous(message))
        transfer(machine, index);
    else if (machine->protocol->handshakes >= 1)
        send_control(machine, index, true, machine->loop->now);
    else if (message->state & MESSAGE_IN_MAILBOX)
        loop_at(machine->loop, machine->loop->now, machine->visible_kind, index);
}

void protocol_send(struct machine *machine, const struct post *post)
{
    uint32_t index = POOL_NONE, waiting = POOL_NONE;
    if (post->channel == CHANNEL_MAILBOX) {
        index = pool_take(&machine->messages);
    } else {
        waiting = match_meet(machine, post, true, &index);
        if (waiting != POOL_NONE)
            index = waiting;
    }
    struct message *message = message_at(&machine->messages, index);
    if (waiting == POOL_NONE)
        message->state = 0;
    fill_send(machine, message, post);
    if (post->channel == CHANNEL_MAILBOX) {
        message->state |= MESSAGE_IN_MAILBOX;
        mailbox_send(machine, index);
    }
    if (tap_has_handler(machine->tap, TAP_SENT))
        tap_emit(machine->tap, &(struct tap_record){.kind = TAP_SENT,
                                                    .index = index,
                                                    .at = machine->loop->now,
                                                    .message = message_at(&machine->messages, index)});
    launch(machine, index);
    if (waiting != POOL_NONE && !machine->loop->stopped)
        protocol_matched(machine, index);
}

static void fill_receive(const struct machine *machine, struct message *message, const struct post *post)
{
    message->recv_posted = machine->loop->now;
    message->recv_owner = post->owner;
    message->posted_bytes = post->bytes;
}

void protocol_receive(struct machine *machine, const struct post *post)
{
    uint32_t index = POOL_NONE, waiting = POOL_NONE;
    if (post->channel == CHANNEL_MAILBOX)
        index = pool_take(&machine->messages);
    else
        waiting = match_meet(machine, post, false, &index);
    struct message *message = message_at(&machine->messages, waiting != POOL_NONE ? waiting : index);
    fill_receive(machine, message, post);
    if (waiting != POOL_NONE) {
        protocol_matched(machine, waiting);
        return;
    }
    message->state = 0;
    message->source = post->peer;
    message->destination = post->rank;
    message->context = post->context;
    message->tag = post->tag;
    message->op = post->op;
    if (post->channel == CHANNEL_MAILBOX)
        mailbox_receive(machine, index);
}
