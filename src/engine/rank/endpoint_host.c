#include "engine/rank/endpoint_host.h"

#include "base/mem.h"
#include "base/queue.h"
#include "engine/rank/message_state.h"
#include "fabric/message.h"
#include "host/node.h"

/* The way of a message with a host model:
 *
 *   host_post        its sender's core posts it, or it waits for a place in the transmit queue
 *   on_nic           it is at the NIC, or waits for those of other cores
 *   on_leave         the fabric gets it
 *   host_deliver     it is at the other NIC
 *   on_memory        it is at the end of PCIe, or waits for those of other cores
 *   on_taken         it is in memory, once the receive queue has a place; the sender's NIC is told
 *   look_at          the core of its receiver sees it, if the rank is in a call that waits
 *
 * A rank polls only while it waits, so a message that comes while it computes waits. docs/models/host.md */

/* One rank: its core, and the messages that wait there, linked by `fabric`. */
struct host_rank {
    struct host_core core;
    struct queue pending; /* to be posted: the transmit queue is full */
    struct queue arrived; /* in memory, not polled */
    struct queue held;    /* at the NIC: the receive queue is full */
    uint32_t arrived_count;
    uint32_t posted_count; /* places taken in the transmit queue */
    uint32_t batch;        /* the sends that the next completion covers; POOL_NONE: none so far */
    bool has_polled;       /* something, in the present call */
    bool waits;            /* polls until host_leave */
    uint8_t wait;          /* enum endpoint_wait: in what */
};

/* Sends of one rank that share a completion. It is made when all of them are acknowledged. */
struct completion_batch {
    uint32_t rank;
    uint32_t posted, acknowledged;
    ps_t latest;
};

struct host_endpoint {
    struct endpoint base;
    const struct host *host;
    struct event_loop *loop;
    struct tap *tap;
    struct run_context *context;
    struct pool *messages;
    struct endpoint_callbacks callbacks;
    enum fabric_host_path fabric_path;
    const struct program *program; /* which says where ranks are */
    uint32_t rank_count, ranks_per_node;
    struct host_rank *ranks;
    struct pool batches;
    struct host_nodes nodes;
    uint32_t nic_kind, leave_kind, memory_kind, taken_kind, completion_kind;
};

/* ------------------------------------------------------------------ queues */

static struct queue_links links_of(const struct host_endpoint *endpoint)
{
    return QUEUE_LINKS(endpoint->messages->records, struct message, fabric);
}

static void append(struct host_endpoint *endpoint, struct queue *queue, uint32_t index)
{
    queue_append(queue, links_of(endpoint), index);
}

static uint32_t take(struct host_endpoint *endpoint, struct queue *queue)
{
    return queue_take(queue, links_of(endpoint));
}

static void set_way(const struct host_endpoint *endpoint, struct message *message)
{
    if (message->source_node != message->destination_node && !(message->state & MESSAGE_BUFFERED) &&
        endpoint->fabric_path == HOST_PATH_NIC)
        message->state |= MESSAGE_BY_NIC;
}

static bool crosses_nic(const struct message *message)
{
    return message->state & MESSAGE_BY_NIC;
}

/* ------------------------------------------------------------------- cores */

static ps_t core_work(struct host_endpoint *endpoint, uint32_t rank, ps_t work)
{
    return host_core_work(&endpoint->ranks[rank].core, endpoint->loop->now, work);
}

static ps_t host_work(struct endpoint *base, uint32_t rank, enum endpoint_work work)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    static const enum system_time times_of[] = {
        [ENDPOINT_WORK_BARRIER] = TIME_BARRIER, [ENDPOINT_WORK_FLAG] = TIME_FLAG};
    bool takes_time = work == ENDPOINT_WORK_BARRIER || work == ENDPOINT_WORK_FLAG;
    ps_t work_ps = !takes_time ? 0 : endpoint->host->system.times[times_of[work]].time_ps;
    return core_work(endpoint, rank, work_ps);
}

static uint32_t node_of_rank(const struct host_endpoint *endpoint, uint32_t rank)
{
    return program_node(endpoint->program, rank, endpoint->ranks_per_node);
}

static void host_copy(struct endpoint *base, const struct host_copy *copy)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    ps_t from = core_work(endpoint, copy->rank, 0);
    uint32_t node = node_of_rank(endpoint, copy->rank);
    ps_t to = host_nodes_copy(&endpoint->nodes, node, endpoint->loop->now, from, copy);
    core_work(endpoint, copy->rank, to - from);
}

/* By the NIC, or by the receiver's core, which has copied the message already. */
static void host_fill(struct endpoint *base, uint32_t rank, uint32_t from, struct host_place into,
                      uint64_t bytes)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    uint32_t node = node_of_rank(endpoint, rank);
    if (node == node_of_rank(endpoint, from))
        host_caches_place(endpoint->nodes.caches, node, rank, into, bytes);
    else
        host_caches_arrive(endpoint->nodes.caches, node, rank, into, bytes);
}

/* Within a node the core of the sender copies a message into memory that both ranks have, and that of its
 * receiver copies it out. Returns when the core is free. */
static ps_t copy_message(struct host_endpoint *endpoint, const struct message *message, uint32_t rank)
{
    struct host_copy copy = {.rank = rank, .bytes = message->bytes, .working_set = 2 * message->bytes};
    if (endpoint->base.copies && message->bytes > 0)
        host_copy(&endpoint->base, &copy);
    return core_work(endpoint, rank, 0);
}

/* ----------------------------------------------------------------- sending */

static void host_begin_send(struct endpoint *base, uint32_t rank)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    core_work(endpoint, rank, endpoint->host->hlp_post);
}

/* Adds a send to the batch of sends that the next completion covers. */
static void join_batch(struct host_endpoint *endpoint, struct host_rank *rank, struct message *message)
{
    if (rank->batch == POOL_NONE) {
        rank->batch = pool_take(&endpoint->batches);
        *(struct completion_batch *)pool_at(&endpoint->batches, rank->batch) =
            (struct completion_batch){.rank = message->source};
    }
    struct completion_batch *batch = pool_at(&endpoint->batches, rank->batch);
    message->batch = rank->batch;
    rank->posted_count++;
    if (++batch->posted == endpoint->host->signal_period)
        rank->batch = POOL_NONE;
}

static void post_now(struct host_endpoint *endpoint, uint32_t index)
{
    const struct host *host = endpoint->host;
    struct message *message = message_at(endpoint->messages, index);
    struct host_rank *rank = &endpoint->ranks[message->source];
    const struct host_message *cost = host_message(host, message->bytes);
    bool by_nic = crosses_nic(message);
    ps_t now = endpoint->loop->now, at;
    if (message->source_node != message->destination_node)
        at = host_core_work(&rank->core, now, cost->llp_post);
    else
        at = copy_message(endpoint, message, message->source);
    if (!(message->state & MESSAGE_CONTROL))
        rank->core.owed = ps_add(rank->core.owed, ps_add(host->sent, by_nic ? host->ack_polled : 0));
    ps_t at_nic = at;
    if (by_nic) {
        join_batch(endpoint, rank, message);
        at_nic = ps_add(at, cost->to_nic);
    }
    tap_emit_part(endpoint->tap, index, TAP_PART_SOFTWARE, now, at, "the core of rank", message->source);
    tap_emit_part(endpoint->tap, index, TAP_PART_BUS, at, at_nic, NULL, 0);
    loop_at(endpoint->loop, at_nic, endpoint->nic_kind, index);
    endpoint->callbacks.posted(endpoint->callbacks.self, index, at);
}

/* Posts as many messages as the transmit queue has places for. */
static void post_waiting(struct host_endpoint *endpoint, struct host_rank *rank)
{
    while (!queue_is_empty(&rank->pending) && rank->posted_count < endpoint->host->queue_depth) {
        uint32_t index = take(endpoint, &rank->pending);
        const struct message *message = message_at(endpoint->messages, index);
        tap_emit_part(endpoint->tap, index, TAP_PART_QUEUE, message->injected, endpoint->loop->now,
                      "the transmit queue of rank", message->source);
        post_now(endpoint, index);
    }
}

static inline void post_pending(struct host_endpoint *endpoint, struct host_rank *rank)
{
    if (!queue_is_empty(&rank->pending))
        post_waiting(endpoint, rank);
}

static void host_post(struct endpoint *base, uint32_t index)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    struct message *message = message_at(endpoint->messages, index);
    struct host_rank *rank = &endpoint->ranks[message->source];
    set_way(endpoint, message);
    if (!crosses_nic(message)) {
        post_now(endpoint, index);
        return;
    }
    /* A rank that never waits has to make progress when it owes as much as the queue has places. */
    if (rank->core.owed >= endpoint->host->owed_limit)
        host_core_work_owed(&rank->core, endpoint->loop->now);
    post_pending(endpoint, rank);
    if (rank->posted_count < endpoint->host->queue_depth) {
        post_now(endpoint, index);
    } else {
        endpoint->nodes.statistics.posts_waiting++;
        message->injected = endpoint->loop->now; /* as far as here */
        append(endpoint, &rank->pending, index);
    }
}

static void leave_node(struct host_endpoint *endpoint, uint32_t index)
{
    endpoint->callbacks.leaves(endpoint->callbacks.self, index);
}

static void on_leave(void *self, uint32_t index)
{
    leave_node(self, index);
}

static void on_nic(void *self, uint32_t index)
{
    struct host_endpoint *endpoint = self;
    const struct message *message = message_at(endpoint->messages, index);
    ps_t now = endpoint->loop->now, at = now;
    if (crosses_nic(message))
        at = host_nodes_send(&endpoint->nodes, now,
                             &(struct host_end){.node = message->source_node,
                                                .rank = message->source,
                                                .peer = message->destination,
                                                .bytes = message->bytes});
    if (host_nodes_status(&endpoint->nodes) != STATUS_OK)
        context_fail(endpoint->context, STATUS_FAILED);
    tap_emit_part(endpoint->tap, index, TAP_PART_QUEUE, now, at, "the NIC of node", message->source_node);
    if (at > now)
        loop_at(endpoint->loop, at, endpoint->leave_kind, index);
    else
        leave_node(endpoint, index);
}

/* The sender's NIC hears that the message has been taken in. The last of its batch makes the completion. */
static void acknowledge(struct host_endpoint *endpoint, const struct message *message, ps_t at)
{
    struct completion_batch *batch = pool_at(&endpoint->batches, message->batch);
    batch->latest = ps_max(batch->latest, ps_add(at, endpoint->host->acknowledged));
    if (++batch->acknowledged == endpoint->host->signal_period)
        loop_at(endpoint->loop, batch->latest, endpoint->completion_kind, message->batch);
}

/* The completion is in memory: its sends give their places back. */
static void on_completion(void *self, uint32_t index)
{
    struct host_endpoint *endpoint = self;
    const struct completion_batch *batch = pool_at(&endpoint->batches, index);
    struct host_rank *rank = &endpoint->ranks[batch->rank];
    rank->posted_count -= batch->posted;
    pool_give(&endpoint->batches, index);
    if (rank->waits)
        post_pending(endpoint, rank);
}

/* --------------------------------------------------------------- receiving */

static void host_deliver(struct endpoint *base, uint32_t index, ps_t at)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    const struct message *message = message_at(endpoint->messages, index);
    ps_t in_memory = at;
    if (crosses_nic(message))
        in_memory = ps_add(at, host_message(endpoint->host, message->bytes)->to_memory);
    tap_emit_part(endpoint->tap, index, TAP_PART_BUS, at, in_memory, NULL, 0);
    loop_at(endpoint->loop, in_memory, endpoint->memory_kind, index);
}

/* Whether it takes a place of the receive queue, as what the receiver has not asked for. */
static bool is_unexpected(const struct message *message)
{
    return message->state & (MESSAGE_EAGER | MESSAGE_CONTROL);
}

/* The message is in memory from `at` on, and the sender hears of it. */
static void take_in(struct host_endpoint *endpoint, struct host_rank *rank, uint32_t index, ps_t at)
{
    const struct message *message = message_at(endpoint->messages, index);
    rank->arrived_count += is_unexpected(message);
    if (crosses_nic(message))
        acknowledge(endpoint, message, at);
}

/* The core looks at a message that has come. */
static void look_at(struct host_endpoint *endpoint, struct host_rank *rank, uint32_t index)
{
    const struct message *message = message_at(endpoint->messages, index);
    bool control = message->state & MESSAGE_CONTROL;
    ps_t cost = control ? endpoint->host->polled_control : endpoint->host->polled;
    if (message->source_node == message->destination_node)
        copy_message(endpoint, message, message->destination);
    else if (crosses_nic(message))
        cost = host_polled(endpoint->host, message->bytes, control);
    ps_t now = endpoint->loop->now, at = host_core_work(&rank->core, now, cost);
    if (endpoint->context->critical)
        critical_polled(endpoint->context->critical, index, message->destination, now);
    tap_emit_part(endpoint->tap, index, TAP_PART_WAIT, message->injected, now, "a call that polls, of rank",
                  message->destination);
    tap_emit_part(endpoint->tap, index, TAP_PART_SOFTWARE, now, at, "the core of rank", message->destination);
    rank->has_polled = true;
    if (is_unexpected(message)) {
        rank->arrived_count--;
        if (!queue_is_empty(&rank->held)) {
            uint32_t next = take(endpoint, &rank->held);
            take_in(endpoint, rank, next, at); /* the place is free when the core has looked */
            append(endpoint, &rank->arrived, next);
        }
    }
    endpoint->callbacks.arrived(endpoint->callbacks.self, index, at);
}

static void poll_while_waiting(struct host_endpoint *endpoint, struct host_rank *rank)
{
    while (!queue_is_empty(&rank->arrived) && rank->waits)
        look_at(endpoint, rank, take(endpoint, &rank->arrived));
}

static void on_taken(void *self, uint32_t index)
{
    struct host_endpoint *endpoint = self;
    const struct message *message = message_at(endpoint->messages, index);
    struct host_rank *rank = &endpoint->ranks[message->destination];
    if (is_unexpected(message) && crosses_nic(message) &&
        rank->arrived_count >= endpoint->host->receive_depth) {
        endpoint->nodes.statistics.arrivals_waiting++;
        append(endpoint, &rank->held, index);
        return;
    }
    take_in(endpoint, rank, index, endpoint->loop->now);
    if (!rank->waits) {
        append(endpoint, &rank->arrived, index);
        return;
    }
    /* A rank that waits has looked at all that came before. */
    host_core_idle(&rank->core, endpoint->loop->now);
    look_at(endpoint, rank, index);
    poll_while_waiting(endpoint, rank);
}

static void on_memory(void *self, uint32_t index)
{
    struct host_endpoint *endpoint = self;
    const struct message *message = message_at(endpoint->messages, index);
    ps_t now = endpoint->loop->now, at = now;
    if (crosses_nic(message))
        at = host_nodes_receive(&endpoint->nodes, now,
                                &(struct host_end){.node = message->destination_node,
                                                   .rank = message->destination,
                                                   .peer = message->source,
                                                   .bytes = message->bytes});
    if (host_nodes_status(&endpoint->nodes) != STATUS_OK)
        context_fail(endpoint->context, STATUS_FAILED);
    tap_emit_part(endpoint->tap, index, TAP_PART_QUEUE, now, at, "PCIe of node", message->destination_node);
    if (at > now)
        loop_at(endpoint->loop, at, endpoint->taken_kind, index);
    else
        on_taken(endpoint, index);
}

/* ------------------------------------------------------------------- calls */

static void host_enter(struct endpoint *base, uint32_t index, enum endpoint_wait wait)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    struct host_rank *rank = &endpoint->ranks[index];
    rank->has_polled = false;
    rank->waits = true;
    rank->wait = (uint8_t)wait;
    core_work(endpoint, index, wait != ENDPOINT_WAIT_SEND ? endpoint->host->wait : 0);
    post_pending(endpoint, rank);
    poll_while_waiting(endpoint, rank);
}

/* A wait for requests does all that its core owes before it is over. */
static ps_t work_owed(struct host_core *core, ps_t at, enum endpoint_wait wait)
{
    if (wait == ENDPOINT_WAIT_REQUESTS)
        host_core_work_owed(core, at);
    return core->free_at;
}

static ps_t host_pass(struct endpoint *base, uint32_t index, ps_t at, enum endpoint_wait wait)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    struct host_rank *rank = &endpoint->ranks[index];
    core_work(endpoint, index, 0);
    post_pending(endpoint, rank);
    host_core_idle(&rank->core, at);
    return work_owed(&rank->core, at, wait);
}

static ps_t host_leave(struct endpoint *base, uint32_t index, ps_t at)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    struct host_rank *rank = &endpoint->ranks[index];
    rank->waits = false;
    host_core_idle(&rank->core, at);
    if (rank->has_polled)
        host_core_work(&rank->core, at, endpoint->host->after_progress);
    return work_owed(&rank->core, at, (enum endpoint_wait)rank->wait);
}

static void host_test(struct endpoint *base, uint32_t index)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    struct host_rank *rank = &endpoint->ranks[index];
    post_pending(endpoint, rank);
    while (!queue_is_empty(&rank->arrived))
        look_at(endpoint, rank, take(endpoint, &rank->arrived));
}

/* -------------------------------------------------------------- life cycle */

static bool host_is_wanted(const struct engine_params *run)
{
    return run->host != NULL;
}

static struct endpoint *host_endpoint_open(const struct endpoint_params *params)
{
    struct host_endpoint *endpoint = mem_alloc(1, sizeof *endpoint, "hosts");
    const struct host *host = params->run->host;
    struct event_loop *loop = &params->context->loop;
    *endpoint = (struct host_endpoint){.base = {.ops = &endpoint_host,
                                                .copies = host_copies(host),
                                                .has_caches = host_has_caches(host),
                                                .included_bytes = host->block_bytes},
                                       .host = host,
                                       .loop = loop,
                                       .tap = params->context->tap,
                                       .context = params->context,
                                       .messages = params->messages,
                                       .callbacks = params->callbacks,
                                       .program = params->run->program,
                                       .rank_count = params->ranks,
                                       .ranks_per_node = params->ranks_per_node};
    endpoint->ranks = mem_alloc(params->ranks, sizeof *endpoint->ranks, "hosts");
    endpoint->base.free_at = &endpoint->ranks->core.free_at;
    endpoint->base.software = &endpoint->ranks->core.software;
    endpoint->base.core_stride = sizeof *endpoint->ranks;
    for (uint32_t i = 0; i < params->ranks; i++) {
        struct host_rank *rank = &endpoint->ranks[i];
        queue_init(&rank->pending);
        queue_init(&rank->arrived);
        queue_init(&rank->held);
        rank->batch = POOL_NONE;
    }
    pool_init(&endpoint->batches, sizeof(struct completion_batch), "completions to come");
    host_nodes_open(&endpoint->nodes, host, params->nodes, params->ranks, params->run->seed);
    endpoint->nic_kind = loop_register(loop, on_nic, endpoint);
    endpoint->leave_kind = loop_register(loop, on_leave, endpoint);
    endpoint->taken_kind = loop_register(loop, on_taken, endpoint);
    endpoint->memory_kind = loop_register(loop, on_memory, endpoint);
    endpoint->completion_kind = loop_register(loop, on_completion, endpoint);
    return &endpoint->base;
}

static void host_attach(struct endpoint *base, const struct fabric *fabric)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    endpoint->fabric_path = fabric->ops->host_path;
    if (fabric->ops->node_rate)
        endpoint->nodes.link_bytes_per_s = fabric->ops->node_rate(fabric);
}

static void host_account(const struct endpoint *base, struct engine_usage *usage)
{
    const struct host_endpoint *endpoint = (const struct host_endpoint *)base;
    usage->bytes += endpoint->rank_count * sizeof *endpoint->ranks +
                    endpoint->batches.capacity * endpoint->batches.size + host_nodes_bytes(&endpoint->nodes);
    usage->host = endpoint->nodes.statistics;
}

static double host_estimate(const struct engine_params *run, uint32_t nodes, double messages)
{
    uint32_t ranks = run->program->ranks;
    return (double)ranks * sizeof(struct host_rank) +
           estimate_pool(messages, sizeof(struct completion_batch)) +
           host_nodes_estimate(run->host, nodes, ranks, messages);
}

static void host_endpoint_close(struct endpoint *base)
{
    struct host_endpoint *endpoint = (struct host_endpoint *)base;
    host_nodes_close(&endpoint->nodes);
    pool_free(&endpoint->batches);
    free(endpoint->ranks);
    free(endpoint);
}

const struct endpoint_ops endpoint_host = {.is_wanted = host_is_wanted,
                                           .open = host_endpoint_open,
                                           .attach = host_attach,
                                           .begin_send = host_begin_send,
                                           .post = host_post,
                                           .deliver = host_deliver,
                                           .enter = host_enter,
                                           .leave = host_leave,
                                           .pass = host_pass,
                                           .test = host_test,
                                           .work = host_work,
                                           .copy = host_copy,
                                           .reduce = host_copy,
                                           .fill = host_fill,
                                           .account = host_account,
                                           .estimate = host_estimate,
                                           .close = host_endpoint_close};
