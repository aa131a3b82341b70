#include "engine/rank/p2p.h"

#include "base/diag.h"
#include "engine/rank/message_state.h"

/* A handshake or a match may follow from each step of a message. */
static void send_control(struct p2p *p2p, uint32_t of, bool to_receiver, ps_t at);
static void matched(struct p2p *p2p, uint32_t index);

/* Whether it waits for its receive. Control messages count as such; nobody waits for their sender. */
static bool is_rendezvous(const struct message *message)
{
    return !(message->state & (MESSAGE_EAGER | MESSAGE_BUFFERED));
}

static void sender_done(struct p2p *p2p, struct message *message, ps_t at)
{
    uint32_t owner = message->send_owner;
    message->state |= MESSAGE_SENDER_DONE;
    message->send_released = at;
    request_complete(p2p->requests, owner, message->source, at, message->op, message->destination);
}

enum sender_cause { SENDER_BY_MESSAGE, SENDER_BY_ANSWER };

/* Not inlined, as all that follows for the critical path: few runs ask for it. */
__attribute__((noinline)) static void sender_done_with_cause(struct p2p *p2p, uint32_t index, ps_t at,
                                                             enum sender_cause cause)
{
    struct critical *critical = p2p->context->critical;
    if (cause == SENDER_BY_MESSAGE)
        critical_sent(critical, index, at);
    else
        critical_answered(critical, index, message_at(p2p->messages, index), at);
    sender_done(p2p, message_at(p2p->messages, index), at);
    critical_told(critical);
}

/* The sender is done because of the message, or because of its final answer. */
static inline void sender_done_by(struct p2p *p2p, uint32_t index, ps_t at, enum sender_cause cause)
{
    if (p2p->context->critical)
        sender_done_with_cause(p2p, index, at, cause);
    else
        sender_done(p2p, message_at(p2p->messages, index), at);
}

/* Both ends are done: all times of the message are known, and its record is free. */
static inline void finish(struct p2p *p2p, uint32_t index)
{
    const struct message *message = message_at(p2p->messages, index);
    tap_emit(p2p->tap, &(struct tap_record){.kind = TAP_FINISHED, .index = index, .message = message});
    if (p2p->context->critical)
        critical_finish(p2p->context->critical, index);
    pool_give(p2p->messages, index);
    context_count(p2p->context, &p2p->context->messages);
}

/* ------------------------------------------------------------ transferring */

/* A message waited for its receive until now, or until `at`. */
static void emit_wait(const struct p2p *p2p, uint32_t index, ps_t since, ps_t at)
{
    const struct message *message = message_at(p2p->messages, index);
    tap_emit_part(p2p->tap, index, TAP_PART_WAIT, since, at, "the receive of rank", message->destination);
}

/* The receive of a message that the fabric buffers is posted, and its envelope is visible. */
static void match_buffered(struct p2p *p2p, uint32_t index)
{
    const struct message *message = message_at(p2p->messages, index);
    ps_t now = p2p->loop->now;
    if (p2p->context->has_slack)
        critical_match(p2p->context->critical, index, now, true);
    emit_wait(p2p, index, message->injected, message->recv_posted);
    tap_emit_part(p2p->tap, index, TAP_PART_WAIT, ps_max(message->injected, message->recv_posted), now,
                  "its tag at rank", message->destination);
    p2p->fabric->ops->match(p2p->fabric, index);
}

static void answer_visible(void *self, uint32_t index, ps_t at)
{
    struct p2p *p2p = self;
    struct message *message = message_at(p2p->messages, index);
    if (is_rendezvous(message)) /* its request to send has announced it */
        return;
    if (!endpoint_is_null(p2p->endpoint) && !(message->state & MESSAGE_BUFFERED)) /* it is on arrival */
        return;
    if ((message->state & MESSAGE_IN_MAILBOX) || at > p2p->loop->now) {
        if (message->state & (MESSAGE_IN_MAILBOX | MESSAGE_BUFFERED))
            loop_at(p2p->loop, at, p2p->visible_kind, index);
        return;
    }
    message->state |= MESSAGE_VISIBLE;
    if ((message->state & MESSAGE_BUFFERED) && (message->state & MESSAGE_RECEIVING))
        match_buffered(p2p, index);
}

/* An envelope in a mailbox can be matched: it and those that waited for it meet their receives. */
static void match_in_mailbox(struct p2p *p2p, uint32_t index)
{
    struct matching_scan scan = matching_visible(p2p->matching, index);
    for (uint32_t met; (met = matching_next(p2p->matching, &scan)) != POOL_NONE;) {
        if (p2p->context->has_slack)
            critical_meet(p2p->context->critical, p2p->matching->joined, met);
        matched(p2p, met);
    }
}

/* Event: an envelope becomes visible. */
static void on_visible(void *self, uint32_t index)
{
    struct p2p *p2p = self;
    struct message *message = message_at(p2p->messages, index);
    if (message->state & MESSAGE_IN_MAILBOX) {
        match_in_mailbox(p2p, index);
        return;
    }
    message->state |= MESSAGE_VISIBLE;
    if (message->state & MESSAGE_RECEIVING)
        match_buffered(p2p, index);
}

static void answer_sender_done(void *self, uint32_t index, ps_t at)
{
    struct p2p *p2p = self;
    struct message *message = message_at(p2p->messages, index);
    bool until_arrival = is_rendezvous(message) || (message->call_flags & CALL_SYNCHRONOUS);
    if (!until_arrival && !(message->state & MESSAGE_SENDER_DONE))
        sender_done_by(p2p, index, at, SENDER_BY_MESSAGE);
}

__attribute__((noinline)) static void complete_with_cause(struct p2p *p2p, const struct message *message,
                                                          uint32_t index, ps_t at)
{
    critical_received(p2p->context->critical, index, message->delivered, at);
    request_complete(p2p->requests, message->recv_owner, message->destination, at, message->op,
                     message->source);
    critical_told(p2p->context->critical);
}

/* The receiver has the message, or will at the known time `delivered`. */
static void receiver_done(struct p2p *p2p, uint32_t index)
{
    struct message *message = message_at(p2p->messages, index);
    ps_t at = message_received(message);
    emit_wait(p2p, index, message->delivered, at);
    if (tap_has_handler(p2p->tap, TAP_RECEIVED))
        tap_emit(p2p->tap, &(struct tap_record){
                               .kind = TAP_RECEIVED,
                               .index = index,
                               .slot = request_slot(p2p->requests, message->recv_owner, message->destination),
                               .at = at,
                               .message = message});
    if (p2p->context->critical)
        complete_with_cause(p2p, message, index, at);
    else
        request_complete(p2p->requests, message->recv_owner, message->destination, at, message->op,
                         message->source);
    if (message->state & MESSAGE_SENDER_DONE) {
        finish(p2p, index);
        return;
    }
    if (is_rendezvous(message) && p2p->protocol->handshakes >= 3) {
        message->state |= MESSAGE_FIN_SENT;
        send_control(p2p, index, false, at);
        return;
    }
    sender_done_by(p2p, index, at, SENDER_BY_MESSAGE);
    finish(p2p, index);
}

/* The receiver has the message at `at`, with what the endpoint does for it. */
static inline void arrive(struct p2p *p2p, uint32_t index, ps_t at)
{
    struct message *message = message_at(p2p->messages, index);
    message->delivered = at;
    message->state |= MESSAGE_DELIVERED;
    if (message->state & MESSAGE_CONTROL)
        loop_at(p2p->loop, at, p2p->control_kind, index);
    else if (!endpoint_is_null(p2p->endpoint) && (message->state & MESSAGE_IN_MAILBOX) &&
             (message->state & MESSAGE_EAGER))
        loop_at(p2p->loop, at, p2p->visible_kind, index);
    else if (message->state & MESSAGE_RECEIVING)
        receiver_done(p2p, index);
}

/* Of the endpoint. */
static void on_arrival(void *self, uint32_t index, ps_t at)
{
    arrive(self, index, at);
}

static void answer_delivered(void *self, uint32_t index, ps_t at)
{
    struct p2p *p2p = self;
    const struct message *message = message_at(p2p->messages, index);
    loop_reach(p2p->loop, at);
    tap_emit(p2p->tap,
             &(struct tap_record){.kind = TAP_DELIVERED, .index = index, .at = at, .message = message});
    if (endpoint_deliver(p2p->endpoint, index, at))
        arrive(p2p, index, at);
}

static void answer_failed(void *self, enum status status)
{
    struct p2p *p2p = self;
    context_fail(p2p->context, status);
}

struct fabric_callbacks p2p_fabric_callbacks(struct p2p *p2p)
{
    return (struct fabric_callbacks){.self = p2p,
                                     .visible = answer_visible,
                                     .sender_done = answer_sender_done,
                                     .delivered = answer_delivered,
                                     .failed = answer_failed};
}

/* Ranks of one node talk through its memory, which is no part of any fabric: latency and bandwidth, or times
 * by size, no contention. */
static void transfer_within_node(struct p2p *p2p, uint32_t index)
{
    const struct node_config *node = p2p->node;
    uint64_t bytes = message_at(p2p->messages, index)->bytes;
    ps_t now = p2p->loop->now;
    bool by_cores = endpoint_copies(p2p->endpoint); /* then the endpoint counts the time of the copies */
    bool by_size = node->times.count > 0;
    ps_t latency = by_size ? node_times_of(&node->times, 0) : node->latency_ps;
    ps_t copy = by_cores  ? 0
                : by_size ? node_times_of(&node->times, bytes) - latency
                          : service_ps(bytes, node->bandwidth_bytes_per_s);
    ps_t copied = ps_add(now, copy);
    ps_t there = ps_add(copied, latency);
    tap_emit_part(p2p->tap, index, TAP_PART_TRANSFER, now, copied, NULL, 0);
    tap_emit_part(p2p->tap, index, TAP_PART_WIRE, copied, there, NULL, 0);
    answer_visible(p2p, index, ps_add(now, latency));
    answer_sender_done(p2p, index, copied);
    answer_delivered(p2p, index, there);
}

static void pass_at_once(struct p2p *p2p, uint32_t index)
{
    const struct message *message = message_at(p2p->messages, index);
    const struct fabric_ops *ops = p2p->fabric->ops;
    ps_t now = p2p->loop->now;
    if (ops->pass && !(message->state & MESSAGE_CONTROL) && message->source_node != message->destination_node)
        ops->pass(p2p->fabric, message);
    answer_visible(p2p, index, now);
    answer_sender_done(p2p, index, now);
    answer_delivered(p2p, index, now);
}

/* What the message waited for until it leaves. An eager message waits for nothing but its endpoint. If that
 * has told all of the time, this has nothing new for the chains of causes. */
static inline void emit_sending(const struct p2p *p2p, uint32_t index, const struct message *message)
{
    bool is_told = endpoint_tells_sending(p2p->endpoint) && !is_rendezvous(message);
    if (!(message->state & MESSAGE_CONTROL) && (!is_told || p2p->tap->part.handle))
        emit_wait(p2p, index, message->send_posted, p2p->loop->now);
}

static void submit(struct p2p *p2p, uint32_t index)
{
    struct message *message = message_at(p2p->messages, index);
    ps_t now = p2p->loop->now;
    message->injected = now;
    tap_emit(p2p->tap,
             &(struct tap_record){.kind = TAP_INJECTED, .index = index, .at = now, .message = message});
    emit_sending(p2p, index, message);
    if (message->state & MESSAGE_FREE)
        pass_at_once(p2p, index);
    else if (message->source_node == message->destination_node)
        transfer_within_node(p2p, index);
    else
        p2p->fabric->ops->submit(p2p->fabric, index);
}

static void on_leave(void *self, uint32_t index)
{
    submit(self, index);
}

/* Whether the sender may go on as soon as it has posted the message. */
static inline bool is_done_when_posted(const struct p2p *p2p, const struct message *message)
{
    return (message->call_flags & CALL_BUFFERED) ||
           ((message->state & MESSAGE_EAGER) && !(message->call_flags & CALL_EAGER) &&
            p2p->protocol->eager_done == EAGER_DONE_POST);
}

/* The sender has posted the message at `at`, with what the endpoint does for it. */
static inline void posted(struct p2p *p2p, uint32_t index, ps_t at)
{
    struct message *message = message_at(p2p->messages, index);
    if (is_done_when_posted(p2p, message) && !(message->state & MESSAGE_SENDER_DONE))
        sender_done(p2p, message, at);
}

/* Of the endpoint. */
static void on_posted(void *self, uint32_t index, ps_t at)
{
    posted(self, index, at);
}

struct endpoint_callbacks p2p_endpoint_callbacks(struct p2p *p2p)
{
    return (struct endpoint_callbacks){
        .self = p2p, .posted = on_posted, .leaves = on_leave, .arrived = on_arrival};
}

/* The message may leave. */
static inline void transfer(struct p2p *p2p, uint32_t index)
{
    if (endpoint_post(p2p->endpoint, index))
        submit(p2p, index);
}

/* -------------------------------------------------------------- handshakes */

/* A control message of no bytes about message `of`, to its receiver or back to its sender, at `at`. */
static void send_control(struct p2p *p2p, uint32_t of, bool to_receiver, ps_t at)
{
    uint32_t index = pool_take(p2p->messages);
    struct message *control = message_at(p2p->messages, index);
    *control = *message_at(p2p->messages, of);
    control->bytes = 0;
    control->state = MESSAGE_CONTROL | (control->state & MESSAGE_FREE);
    control->next = of;
    control->send_posted = at;
    if (!to_receiver) {
        control->source = message_at(p2p->messages, of)->destination;
        control->destination = message_at(p2p->messages, of)->source;
        uint32_t node = control->source_node;
        control->source_node = control->destination_node;
        control->destination_node = node;
    }
    if (at <= p2p->loop->now)
        transfer(p2p, index);
    else
        loop_at(p2p->loop, at, p2p->control_kind, index);
}

/* Both ends are there and know of each other: the sender may send. */
static void clear_to_send(struct p2p *p2p, uint32_t index)
{
    struct message *message = message_at(p2p->messages, index);
    if (p2p->context->has_slack)
        critical_match(p2p->context->critical, index, p2p->loop->now, false);
    if (p2p->protocol->handshakes < 2) {
        transfer(p2p, index);
        return;
    }
    message->state |= MESSAGE_CTS_SENT;
    send_control(p2p, index, false, p2p->loop->now);
}

static void on_control(void *self, uint32_t index)
{
    struct p2p *p2p = self;
    const struct message *control = message_at(p2p->messages, index);
    if (!(control->state & MESSAGE_DELIVERED)) { /* it was to leave now */
        transfer(p2p, index);
        return;
    }
    uint32_t of = control->next;
    tap_emit_part(p2p->tap, of, TAP_PART_HANDSHAKE, control->send_posted, p2p->loop->now,
                  "a control message from rank", control->source);
    pool_give(p2p->messages, index);
    struct message *message = message_at(p2p->messages, of);
    if (message->state & MESSAGE_FIN_SENT) {
        sender_done_by(p2p, of, p2p->loop->now, SENDER_BY_ANSWER);
        finish(p2p, of);
    } else if (message->state & MESSAGE_CTS_SENT) {
        transfer(p2p, of);
    } else {
        message->state |= MESSAGE_RTS_HERE;
        if (message->state & MESSAGE_IN_MAILBOX)
            match_in_mailbox(p2p, of);
        else if (message->state & MESSAGE_RECEIVING)
            clear_to_send(p2p, of);
    }
}

/* ---------------------------------------------------------------- matching */

static bool too_large(struct p2p *p2p, const struct message *message)
{
    if (message->bytes <= message->posted_bytes)
        return false;
    struct call_place place = context_place(p2p->context, message->destination);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
                "rank %u has room for %llu bytes, the message from rank %u with tag %d has %llu "
                "(MPI_ERR_TRUNCATE); the receive must have room for what is sent",
                message->destination, (unsigned long long)message->posted_bytes, message->source,
                message->tag, (unsigned long long)message->bytes);
    context_fail(p2p->context, STATUS_BAD_INPUT);
    return true;
}

/* Send and receive of this message know of each other from now on. */
static void matched(struct p2p *p2p, uint32_t index)
{
    struct message *message = message_at(p2p->messages, index);
    message->state |= MESSAGE_RECEIVING;
    if (too_large(p2p, message))
        return;
    bool is_buffered = message->state & MESSAGE_BUFFERED;
    if (is_buffered && (message->state & MESSAGE_VISIBLE))
        match_buffered(p2p, index);
    else if (!is_buffered && (message->state & MESSAGE_DELIVERED))
        receiver_done(p2p, index);
    else if (is_rendezvous(message) &&
             (p2p->protocol->handshakes == 0 || (message->state & MESSAGE_RTS_HERE)))
        clear_to_send(p2p, index);
}

/* Without a division, which is slow, in the runs that have one rank on each node. */
static inline uint32_t node_of(const struct p2p *p2p, uint32_t rank)
{
    if (p2p->node_of)
        return p2p->node_of[rank];
    return p2p->ranks_per_node == 1 ? rank : rank / p2p->ranks_per_node;
}

static void fill_send(const struct p2p *p2p, struct message *message, const struct message_post *post)
{
    message->bytes = post->bytes;
    message->source = post->rank;
    message->destination = post->peer;
    message->source_node = node_of(p2p, post->rank);
    message->destination_node = node_of(p2p, post->peer);
    message->context = post->context;
    message->tag = post->tag;
    message->send_posted = p2p->loop->now;
    message->send_owner = post->owner;
    message->op = post->op;
    message->call_flags = post->call_flags;
    message->state |= MESSAGE_SENT;

    bool small = post->bytes <= p2p->protocol->eager_threshold_bytes;
    if (message->source_node != message->destination_node && p2p->fabric->ops->is_buffered &&
        p2p->fabric->ops->is_buffered(p2p->fabric, message))
        message->state |= message->state & MESSAGE_FREE ? MESSAGE_EAGER : MESSAGE_BUFFERED;
    else if ((small && !(post->call_flags & CALL_SYNCHRONOUS)) ||
             (post->call_flags & (CALL_BUFFERED | CALL_EAGER)))
        message->state |= MESSAGE_EAGER;
}

/* The message leaves now if its protocol lets it: before matching, so that the fabric sees the transfer
 * first. */
static void launch(struct p2p *p2p, uint32_t index)
{
    struct message *message = message_at(p2p->messages, index);
    if (endpoint_begin_send(p2p->endpoint, message->source))
        posted(p2p, index, p2p->loop->now);
    if (!is_rendezvous(message))
        transfer(p2p, index);
    else if (p2p->protocol->handshakes >= 1)
        send_control(p2p, index, true, p2p->loop->now);
    else if (message->state & MESSAGE_IN_MAILBOX)
        loop_at(p2p->loop, p2p->loop->now, p2p->visible_kind, index);
}

void p2p_send(struct p2p *p2p, const struct message_post *post)
{
    uint32_t index = POOL_NONE, waiting = POOL_NONE;
    context_count(p2p->context, &p2p->context->sent);
    if (post->channel == CHANNEL_MAILBOX) {
        index = pool_take(p2p->messages);
    } else {
        waiting = matching_meet(p2p->matching, post, true, &index);
        if (waiting != POOL_NONE)
            index = waiting;
    }
    struct message *message = message_at(p2p->messages, index);
    if (waiting == POOL_NONE)
        message->state = 0;
    if (p2p->free && free_messages_count(p2p->free, post->rank))
        message->state |= MESSAGE_FREE;
    fill_send(p2p, message, post);
    if (post->channel == CHANNEL_MAILBOX) {
        message->state |= MESSAGE_IN_MAILBOX;
        matching_mailbox_send(p2p->matching, index);
    }
    if (tap_has_handler(p2p->tap, TAP_SENT))
        tap_emit(p2p->tap, &(struct tap_record){.kind = TAP_SENT,
                                                .index = index,
                                                .at = p2p->loop->now,
                                                .message = message_at(p2p->messages, index)});
    if (p2p->context->critical)
        critical_send(p2p->context->critical, index, message_at(p2p->messages, index), p2p->loop->now);
    launch(p2p, index);
    if (waiting != POOL_NONE && !p2p->loop->stopped)
        matched(p2p, index);
}

static void fill_receive(const struct p2p *p2p, struct message *message, const struct message_post *post)
{
    message->recv_posted = p2p->loop->now;
    message->recv_owner = post->owner;
    message->posted_bytes = post->bytes;
}

/* A message that waited for its receive goes from now on: the receiver has made it wait. */
__attribute__((noinline)) static void bind(struct p2p *p2p, uint32_t index)
{
    const struct message *message = message_at(p2p->messages, index);
    struct critical *critical = p2p->context->critical;
    if (message->state & MESSAGE_BUFFERED) {
        if (message->state & MESSAGE_VISIBLE)
            critical_bind_receiver(critical, index, p2p->loop->now);
    } else if (is_rendezvous(message) &&
               (p2p->protocol->handshakes == 0 || (message->state & MESSAGE_RTS_HERE))) {
        critical_bind(critical, index, p2p->loop->now);
    }
}

/* Send and receive have met, and the receive came second. */
static inline void met(struct p2p *p2p, uint32_t index)
{
    if (p2p->context->critical)
        bind(p2p, index);
    matched(p2p, index);
}

void p2p_receive(struct p2p *p2p, const struct message_post *post)
{
    uint32_t index = POOL_NONE, waiting = POOL_NONE;
    if (post->channel == CHANNEL_MAILBOX)
        index = pool_take(p2p->messages);
    else
        waiting = matching_meet(p2p->matching, post, false, &index);
    struct message *message = message_at(p2p->messages, waiting != POOL_NONE ? waiting : index);
    fill_receive(p2p, message, post);
    if (p2p->context->has_slack)
        critical_receive(p2p->context->critical, waiting != POOL_NONE ? waiting : index, p2p->loop->now);
    if (waiting != POOL_NONE) {
        met(p2p, waiting);
        return;
    }
    message->state = 0;
    message->source = post->peer;
    message->destination = post->rank;
    message->context = post->context;
    message->tag = post->tag;
    message->op = post->op;
    if (post->channel != CHANNEL_MAILBOX)
        return;
    uint32_t message_index = matching_mailbox_receive(p2p->matching, index);
    if (message_index == POOL_NONE)
        return;
    if (p2p->context->has_slack)
        critical_meet(p2p->context->critical, index, message_index);
    met(p2p, message_index);
}

void p2p_init(struct p2p *p2p)
{
    p2p->ranks_per_node = node_config_ranks(p2p->node);
    p2p->visible_kind = loop_register(p2p->loop, on_visible, p2p);
    p2p->control_kind = loop_register(p2p->loop, on_control, p2p);
}
