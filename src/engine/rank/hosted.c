#include "engine/rank/internal.h"

/* The way of a message with a host model, between the calls of its program and its fabric:
 *
 *   hosted_post      the core posts it, or it waits for a place in the transmit queue
 *   on_nic           it is at the NIC, or waits for those of other cores
 *   on_leave         the fabric gets it
 *   hosted_delivered it is at the other NIC
 *   on_memory        it is at the end of PCIe, or waits for those of other cores
 *   on_taken         it is in memory, once the receive queue has a place; the sender's NIC is told
 *   look_at          the core of its receiver, if that is in a call that waits, sees it
 *
 * A rank polls only while it waits, so what comes while it computes waits for it. docs/models/host.md */

/* ----------------------------------------------------------------------------------------------- queues */

static void append(struct machine *machine, struct queue *queue, uint32_t index)
{
    message_at(&machine->messages, index)->fabric = POOL_NONE;
    if (queue->head == POOL_NONE)
        queue->head = index;
    else
        message_at(&machine->messages, queue->tail)->fabric = index;
    queue->tail = index;
}

static uint32_t take(struct machine *machine, struct queue *queue)
{
    uint32_t index = queue->head;
    queue->head = message_at(&machine->messages, index)->fabric;
    return index;
}

static void set_way(const struct machine *machine, struct message *message)
{
    if (message->source_node != message->destination_node && !(message->state & MESSAGE_STORED) &&
        machine->fabric->ops->host_path == HOST_PATH_NIC)
        message->state |= MESSAGE_BY_NIC;
}

static bool crosses_nic(const struct message *message)
{
    return message->state & MESSAGE_BY_NIC;
}

/* ---------------------------------------------------------------------------------------------- sending */

/* The completion that speaks for this send, and for those before it since the last. */
static void join_batch(struct machine *machine, struct hosted *hosted, struct message *message)
{
    if (hosted->batch == POOL_NONE) {
        hosted->batch = pool_take(&machine->batches);
        *(struct batch *)pool_at(&machine->batches, hosted->batch) = (struct batch){.rank = message->source};
    }
    struct batch *batch = pool_at(&machine->batches, hosted->batch);
    message->batch = hosted->batch;
    hosted->posted_count++;
    if (++batch->posted == machine->host->signal_period)
        hosted->batch = POOL_NONE;
}

/* Within a node the core of the sender copies a message into memory that both have, that of its receiver out
 * of it. Returns when the core is free. */
static ps_t copy_message(struct machine *machine, const struct message *message, uint32_t rank)
{
    if (host_copies(machine->host) && message->bytes > 0)
        hosted_copy(machine, rank, message->bytes, 2 * message->bytes, false);
    return hosted_step(machine, rank, 0);
}

static void post_now(struct machine *machine, uint32_t index)
{
    const struct host *host = machine->host;
    struct message *message = message_at(&machine->messages, index);
    struct hosted *hosted = &machine->hosted[message->source];
    const struct host_message *cost = host_message(host, message->bytes);
    bool by_nic = crosses_nic(message);
    ps_t now = machine->loop->now, at;
    if (message->source_node != message->destination_node)
        at = host_core_work(&hosted->core, now, cost->llp_post);
    else
        at = copy_message(machine, message, message->source);
    if (!(message->state & MESSAGE_CONTROL))
        hosted->core.owed += host->sent + (by_nic ? host->ack_polled : 0);
    ps_t at_nic = at;
    if (by_nic) {
        join_batch(machine, hosted, message);
        at_nic = ps_add(at, cost->to_nic);
    }
    tap_emit_part(machine->tap, index, TAP_PART_SOFTWARE, now, at, "the core of rank", message->source);
    tap_emit_part(machine->tap, index, TAP_PART_BUS, at, at_nic, NULL, 0);
    loop_at(machine->loop, at_nic, machine->nic_kind, index);
    if (protocol_done_when_posted(machine, message) && !(message->state & MESSAGE_SENDER_DONE))
        protocol_sender_done(machine, message, at);
}

/* As many as the transmit queue has places for. */
static void post_waiting(struct machine *machine, struct hosted *hosted)
{
    while (hosted->pending.head != POOL_NONE && hosted->posted_count < machine->host->queue_depth) {
        uint32_t index = take(machine, &hosted->pending);
        const struct message *message = message_at(&machine->messages, index);
        tap_emit_part(machine->tap, index, TAP_PART_QUEUE, message->injected, machine->loop->now,
                      "the transmit queue of rank", message->source);
        post_now(machine, index);
    }
}

static inline void post_pending(struct machine *machine, struct hosted *hosted)
{
    if (hosted->pending.head != POOL_NONE)
        post_waiting(machine, hosted);
}

void hosted_post(struct machine *machine, uint32_t index)
{
    struct message *message = message_at(&machine->messages, index);
    struct hosted *hosted = &machine->hosted[message->source];
    set_way(machine, message);
    if (!crosses_nic(message)) {
        post_now(machine, index);
        return;
    }
    /* Who never waits has to make progress when as much is owed as the queue has places. */
    if (hosted->core.owed >= machine->host->owed_limit)
        host_core_settle(&hosted->core, machine->loop->now);
    post_pending(machine, hosted);
    if (hosted->posted_count < machine->host->queue_depth) {
        post_now(machine, index);
    } else {
        machine->nodes.statistics.posts_waiting++;
        message->injected = machine->loop->now; /* as far as here */
        append(machine, &hosted->pending, index);
    }
}

static void on_nic(void *self, uint32_t index)
{
    struct machine *machine = self;
    const struct message *message = message_at(&machine->messages, index);
    ps_t now = machine->loop->now, at = now;
    if (crosses_nic(message))
        at = host_nodes_send(&machine->nodes, now,
                             &(struct host_end){.node = message->source_node,
                                                .rank = message->source,
                                                .peer = message->destination,
                                                .bytes = message->bytes});
    if (host_nodes_status(&machine->nodes) != STATUS_OK)
        machine_fail(machine, STATUS_FAILED);
    tap_emit_part(machine->tap, index, TAP_PART_QUEUE, now, at, "the NIC of node", message->source_node);
    if (at > now)
        loop_at(machine->loop, at, machine->leave_kind, index);
    else
        protocol_submit(machine, index);
}

static void on_leave(void *self, uint32_t index)
{
    protocol_submit(self, index);
}

/* The sender's NIC hears that the message has been taken in. The last of its batch makes the completion. */
static void acknowledge(struct machine *machine, const struct message *message, ps_t at)
{
    struct batch *batch = pool_at(&machine->batches, message->batch);
    batch->latest = ps_max(batch->latest, ps_add(at, machine->host->acknowledged));
    if (++batch->acknowledged == machine->host->signal_period)
        loop_at(machine->loop, batch->latest, machine->completion_kind, message->batch);
}

/* The completion is in memory: its sends give their places back. */
static void on_completion(void *self, uint32_t index)
{
    struct machine *machine = self;
    const struct batch *batch = pool_at(&machine->batches, index);
    uint32_t rank = batch->rank;
    struct hosted *hosted = &machine->hosted[rank];
    hosted->posted_count -= batch->posted;
    pool_give(&machine->batches, index);
    if (machine->ranks[rank].awaited > 0)
        post_pending(machine, hosted);
}

/* -------------------------------------------------------------------------------------------- receiving */

void hosted_delivered(struct machine *machine, uint32_t index, ps_t at)
{
    const struct message *message = message_at(&machine->messages, index);
    ps_t in_memory = at;
    if (crosses_nic(message))
        in_memory = ps_add(at, host_message(machine->host, message->bytes)->to_memory);
    tap_emit_part(machine->tap, index, TAP_PART_BUS, at, in_memory, NULL, 0);
    loop_at(machine->loop, in_memory, machine->memory_kind, index);
}

/* It takes a place of the receive queue: what the receiver has not asked for. */
static bool is_unasked(const struct message *message)
{
    return message->state & (MESSAGE_EAGER | MESSAGE_CONTROL);
}

/* It is in memory from `at` on, and the sender hears of it. */
static void take_in(struct machine *machine, struct hosted *hosted, uint32_t index, ps_t at)
{
    const struct message *message = message_at(&machine->messages, index);
    hosted->arrived_count += is_unasked(message);
    if (crosses_nic(message))
        acknowledge(machine, message, at);
}

/* The core looks at a message that has come. */
static void look_at(struct machine *machine, struct hosted *hosted, uint32_t index)
{
    struct message *message = message_at(&machine->messages, index);
    bool control = message->state & MESSAGE_CONTROL;
    ps_t cost = control ? machine->host->polled_control : machine->host->polled;
    if (message->source_node == message->destination_node)
        copy_message(machine, message, message->destination);
    else if (crosses_nic(message))
        cost = host_polled(machine->host, message->bytes, control);
    ps_t now = machine->loop->now, at = host_core_work(&hosted->core, now, cost);
    tap_emit_part(machine->tap, index, TAP_PART_WAIT, message->injected, now, "a call that polls, of rank",
                  message->destination);
    tap_emit_part(machine->tap, index, TAP_PART_SOFTWARE, now, at, "the core of rank", message->destination);
    hosted->polled = true;
    message->delivered = at;
    message->state |= MESSAGE_DELIVERED;
    if (is_unasked(message)) {
        hosted->arrived_count--;
        if (hosted->held.head != POOL_NONE) {
            uint32_t next = take(machine, &hosted->held);
            take_in(machine, hosted, next, at); /* the place is free when the core has done */
            append(machine, &hosted->arrived, next);
        }
    }
    if (control)
        loop_at(machine->loop, at, machine->control_kind, index);
    else if ((message->state & MESSAGE_IN_MAILBOX) && (message->state & MESSAGE_EAGER))
        loop_at(machine->loop, at, machine->visible_kind, index);
    else if (message->state & MESSAGE_RECEIVING)
        protocol_received(machine, index);
}

static void poll_while_waiting(struct machine *machine, uint32_t rank)
{
    struct hosted *hosted = &machine->hosted[rank];
    while (hosted->arrived.head != POOL_NONE && machine->ranks[rank].awaited > 0)
        look_at(machine, hosted, take(machine, &hosted->arrived));
}

static void on_taken(void *self, uint32_t index)
{
    struct machine *machine = self;
    const struct message *message = message_at(&machine->messages, index);
    uint32_t rank = message->destination;
    struct hosted *hosted = &machine->hosted[rank];
    if (is_unasked(message) && crosses_nic(message) &&
        hosted->arrived_count >= machine->host->receive_depth) {
        machine->nodes.statistics.arrivals_waiting++;
        append(machine, &hosted->held, index);
        return;
    }
    take_in(machine, hosted, index, machine->loop->now);
    if (machine->ranks[rank].awaited == 0) {
        append(machine, &hosted->arrived, index);
        return;
    }
    /* A rank that waits has looked at all that came before. */
    host_core_idle(&hosted->core, machine->loop->now);
    look_at(machine, hosted, index);
    poll_while_waiting(machine, rank);
}

static void on_memory(void *self, uint32_t index)
{
    struct machine *machine = self;
    const struct message *message = message_at(&machine->messages, index);
    ps_t now = machine->loop->now, at = now;
    if (crosses_nic(message))
        at = host_nodes_receive(&machine->nodes, now,
                                &(struct host_end){.node = message->destination_node,
                                                   .rank = message->destination,
                                                   .peer = message->source,
                                                   .bytes = message->bytes});
    if (host_nodes_status(&machine->nodes) != STATUS_OK)
        machine_fail(machine, STATUS_FAILED);
    tap_emit_part(machine->tap, index, TAP_PART_QUEUE, now, at, "PCIe of node", message->destination_node);
    if (at > now)
        loop_at(machine->loop, at, machine->taken_kind, index);
    else
        on_taken(machine, index);
}

/* ------------------------------------------------------------------------------------------------ calls */

void hosted_enter(struct machine *machine, uint32_t rank)
{
    struct hosted *hosted = &machine->hosted[rank];
    const struct call *call = machine->ranks[rank].call;
    hosted->polled = false;
    host_core_work(&hosted->core, machine->loop->now, call->op != CALL_SEND ? machine->host->wait : 0);
    post_pending(machine, hosted);
    poll_while_waiting(machine, rank);
}

/* A wait does what its core owes before it is over. */
static ps_t settle(struct machine *machine, uint32_t rank, ps_t at)
{
    struct host_core *core = &machine->hosted[rank].core;
    if (machine->ranks[rank].state == RANK_WAIT)
        host_core_settle(core, at);
    return core->free_at;
}

ps_t hosted_pass(struct machine *machine, uint32_t rank, ps_t at)
{
    struct hosted *hosted = &machine->hosted[rank];
    host_core_work(&hosted->core, machine->loop->now, 0);
    post_pending(machine, hosted);
    host_core_idle(&hosted->core, at);
    return settle(machine, rank, at);
}

ps_t hosted_leave(struct machine *machine, uint32_t rank, ps_t at)
{
    struct hosted *hosted = &machine->hosted[rank];
    host_core_idle(&hosted->core, at);
    if (hosted->polled)
        host_core_work(&hosted->core, at, machine->host->after_progress);
    return settle(machine, rank, at);
}

ps_t hosted_step(struct machine *machine, uint32_t rank, ps_t work)
{
    return host_core_work(&machine->hosted[rank].core, machine->loop->now, work);
}

void hosted_copy(struct machine *machine, uint32_t rank, uint64_t bytes, uint64_t working_set, bool continues)
{
    ps_t from = hosted_step(machine, rank, 0);
    uint32_t node = (uint32_t)(rank / machine->node->ranks_per_node);
    ps_t to = host_nodes_copy(&machine->nodes, node, machine->loop->now, from, bytes, working_set, continues);
    hosted_step(machine, rank, to - from);
}

void hosted_test(struct machine *machine, uint32_t rank)
{
    struct hosted *hosted = &machine->hosted[rank];
    post_pending(machine, hosted);
    while (hosted->arrived.head != POOL_NONE)
        look_at(machine, hosted, take(machine, &hosted->arrived));
}

/* --------------------------------------------------------------------------------------------------- run */

void hosted_open(struct machine *machine, uint32_t nodes)
{
    uint32_t ranks = machine->program->ranks;
    machine->hosted = mem_alloc(ranks, sizeof *machine->hosted, "hosts");
    for (uint32_t i = 0; i < ranks; i++) {
        struct hosted *hosted = &machine->hosted[i];
        hosted->pending.head = hosted->arrived.head = hosted->held.head = hosted->batch = POOL_NONE;
    }
    pool_init(&machine->batches, sizeof(struct batch), "completions to come");
    host_nodes_open(&machine->nodes, machine->host, nodes, ranks, machine->params->seed);
    machine->nic_kind = loop_register(machine->loop, on_nic, machine);
    machine->leave_kind = loop_register(machine->loop, on_leave, machine);
    machine->taken_kind = loop_register(machine->loop, on_taken, machine);
    machine->memory_kind = loop_register(machine->loop, on_memory, machine);
    machine->completion_kind = loop_register(machine->loop, on_completion, machine);
}

void hosted_close(struct machine *machine)
{
    host_nodes_close(&machine->nodes);
    free(machine->hosted);
    pool_free(&machine->batches);
}

size_t hosted_bytes(const struct machine *machine)
{
    return machine->program->ranks * sizeof *machine->hosted +
           machine->batches.capacity * machine->batches.size + host_nodes_bytes(&machine->nodes);
}
