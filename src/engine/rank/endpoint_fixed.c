#include "engine/rank/endpoint_fixed.h"

#include "base/mem.h"
#include "base/queue.h"
#include "engine/params.h"
#include "engine/rank/message_state.h"
#include "fabric/message.h"

/* The way of a message to another node:
 *
 *   fixed_post      the core of its sender spends host.send on it, and then it crosses the NIC
 *   on_leave        the fabric gets it
 *   fixed_deliver   it crosses the other NIC
 *   on_memory       it is in memory
 *   look_at         the core of its receiver spends host.receive on it, if the rank is in a call that waits
 *
 * The core also begins collective calls, and reduces.
 *
 * Handshakes are the NIC's: no core spends time on them. A message within a node costs neither. */

/* One rank: its core, and the messages in memory that it has not looked at, linked by `fabric`. */
struct fixed_rank {
    ps_t free_at; /* the core works until then */
    ps_t software;
    struct queue arrived;
    bool waits; /* polls until fixed_leave */
};

struct fixed_endpoint {
    struct endpoint base;
    const struct machine_config *machine;
    const struct kernel_config *kernel;
    struct event_loop *loop;
    struct tap *tap;
    struct run_context *context;
    struct pool *messages;
    struct endpoint_callbacks callbacks;
    bool has_nics; /* of the fabric */
    uint32_t rank_count;
    struct fixed_rank *ranks;
    uint32_t leave_kind, memory_kind;
};

static struct queue_links links_of(const struct fixed_endpoint *endpoint)
{
    return QUEUE_LINKS(endpoint->messages->records, struct message, fabric);
}

/* The core works from now on, or from when it is free; returns when it is done. */
static ps_t core_work(struct fixed_endpoint *endpoint, uint32_t rank, ps_t work)
{
    struct fixed_rank *core = &endpoint->ranks[rank];
    core->free_at = ps_add(ps_max(core->free_at, endpoint->loop->now), work);
    core->software = ps_add(core->software, work);
    return core->free_at;
}

static bool is_within_node(const struct message *message)
{
    return message->source_node == message->destination_node;
}

/* What one NIC takes for it. The CPU itself writes and reads the messages of a buffered fabric. */
static ps_t nic_ps(const struct fixed_endpoint *endpoint, const struct message *message)
{
    bool crosses = endpoint->has_nics && !is_within_node(message) && !(message->state & MESSAGE_BUFFERED);
    return crosses ? endpoint->machine->nic_latency_ps : 0;
}

/* ----------------------------------------------------------------- sending */

static void fixed_begin_send(struct endpoint *base, uint32_t rank)
{
    (void)base, (void)rank; /* the time passes in fixed_post, which knows where the message goes */
}

static void leave(struct fixed_endpoint *endpoint, uint32_t index)
{
    endpoint->callbacks.leaves(endpoint->callbacks.self, index);
}

static void on_leave(void *self, uint32_t index)
{
    leave(self, index);
}

/* Where so many messages are under way at once, they leave the caches between two events. With fewer it would
 * take longer to look ahead. */
enum { PREFETCHES_FROM = 1 << 14, CACHE_LINE_BYTES = 64 };

/* The message, its link of the path, and the core of its receiver. */
static void prefetch_message(const void *self, uint32_t index, unsigned step)
{
    const struct fixed_endpoint *endpoint = self;
    const struct message *message = message_at(endpoint->messages, index);
    const struct causes *causes = endpoint->tap->causes;
    const bool has_link = causes && index < causes->message_capacity;
    if (step == 0) {
        __builtin_prefetch(message, 1);
        __builtin_prefetch((const char *)message + CACHE_LINE_BYTES, 1);
        if (has_link)
            __builtin_prefetch(&causes->messages[index], 1);
    } else if (step == 1) {
        __builtin_prefetch(&endpoint->ranks[message->destination], 1);
        if (has_link && causes->messages[index].link != POOL_NONE)
            __builtin_prefetch(&causes->links[causes->messages[index].link & ~CAUSE_RARE], 1);
    }
}

__attribute__((noinline, cold)) static void begin_to_prefetch(struct fixed_endpoint *endpoint)
{
    loop_prefetch(endpoint->loop, endpoint->leave_kind, prefetch_message);
    loop_prefetch(endpoint->loop, endpoint->memory_kind, prefetch_message);
}

static void fixed_post(struct endpoint *base, uint32_t index)
{
    struct fixed_endpoint *endpoint = (struct fixed_endpoint *)base;
    const struct message *message = message_at(endpoint->messages, index);
    ps_t now = endpoint->loop->now, posted = now;
    if (__builtin_expect(index == PREFETCHES_FROM, 0))
        begin_to_prefetch(endpoint);
    if (!(message->state & MESSAGE_CONTROL))
        posted =
            core_work(endpoint, message->source, is_within_node(message) ? 0 : endpoint->machine->send_ps);
    ps_t leaves = ps_add(posted, nic_ps(endpoint, message));
    tap_emit_part(endpoint->tap, index, TAP_PART_SOFTWARE, now, posted, "the core of rank", message->source);
    tap_emit_part(endpoint->tap, index, TAP_PART_BUS, posted, leaves, NULL, 0);
    endpoint->callbacks.posted(endpoint->callbacks.self, index, posted);
    if (leaves > now)
        loop_at(endpoint->loop, leaves, endpoint->leave_kind, index);
    else
        leave(endpoint, index);
}

/* --------------------------------------------------------------- receiving */

/* The core looks at a message that has come. */
static void look_at(struct fixed_endpoint *endpoint, uint32_t index)
{
    const struct message *message = message_at(endpoint->messages, index);
    ps_t now = endpoint->loop->now,
         at = core_work(endpoint, message->destination, endpoint->machine->receive_ps);
    tap_emit_part(endpoint->tap, index, TAP_PART_SOFTWARE, now, at, "the core of rank", message->destination);
    endpoint->callbacks.arrived(endpoint->callbacks.self, index, at);
}

static void look_at_oldest(struct fixed_endpoint *endpoint, struct fixed_rank *rank)
{
    uint32_t index = queue_take(&rank->arrived, links_of(endpoint));
    if (endpoint->context->critical)
        critical_polled(endpoint->context->critical, index,
                        message_at(endpoint->messages, index)->destination, endpoint->loop->now);
    look_at(endpoint, index);
}

static void on_memory(void *self, uint32_t index)
{
    struct fixed_endpoint *endpoint = self;
    struct fixed_rank *rank = &endpoint->ranks[message_at(endpoint->messages, index)->destination];
    if (rank->waits)
        look_at(endpoint, index);
    else
        queue_append(&rank->arrived, links_of(endpoint), index);
}

static void fixed_deliver(struct endpoint *base, uint32_t index, ps_t at)
{
    struct fixed_endpoint *endpoint = (struct fixed_endpoint *)base;
    const struct message *message = message_at(endpoint->messages, index);
    ps_t there = ps_add(at, nic_ps(endpoint, message));
    tap_emit_part(endpoint->tap, index, TAP_PART_BUS, at, there, NULL, 0);
    bool by_core =
        endpoint->machine->receive_ps && !is_within_node(message) && !(message->state & MESSAGE_CONTROL);
    if (by_core)
        loop_at(endpoint->loop, there, endpoint->memory_kind, index);
    else
        endpoint->callbacks.arrived(endpoint->callbacks.self, index, there);
}

/* ------------------------------------------------------------------- calls */

/* The core looks at what has come until the call has what it waits for. Later calls look at the rest. */
static void fixed_enter(struct endpoint *base, uint32_t index, enum endpoint_wait wait)
{
    struct fixed_endpoint *endpoint = (struct fixed_endpoint *)base;
    struct fixed_rank *rank = &endpoint->ranks[index];
    (void)wait;
    rank->waits = true;
    while (rank->waits && !queue_is_empty(&rank->arrived))
        look_at_oldest(endpoint, rank);
}

static ps_t fixed_leave(struct endpoint *base, uint32_t index, ps_t at)
{
    struct fixed_rank *rank = &((struct fixed_endpoint *)base)->ranks[index];
    rank->waits = false;
    return rank->free_at = ps_max(rank->free_at, at);
}

static ps_t fixed_pass(struct endpoint *base, uint32_t index, ps_t at, enum endpoint_wait wait)
{
    struct fixed_rank *rank = &((struct fixed_endpoint *)base)->ranks[index];
    (void)wait;
    return rank->free_at = ps_max(rank->free_at, at);
}

static void fixed_test(struct endpoint *base, uint32_t index)
{
    struct fixed_endpoint *endpoint = (struct fixed_endpoint *)base;
    struct fixed_rank *rank = &endpoint->ranks[index];
    while (!queue_is_empty(&rank->arrived))
        look_at_oldest(endpoint, rank);
}

static ps_t fixed_work(struct endpoint *base, uint32_t rank, enum endpoint_work work)
{
    struct fixed_endpoint *endpoint = (struct fixed_endpoint *)base;
    /* barriers and flags within a node take no time */
    return core_work(endpoint, rank, work == ENDPOINT_WORK_CALL ? endpoint->kernel->begin_ps : 0);
}

static void fixed_copy(struct endpoint *base, const struct host_copy *copy)
{
    (void)base, (void)copy; /* takes no time */
}

static void fixed_reduce(struct endpoint *base, const struct host_copy *copy)
{
    struct fixed_endpoint *endpoint = (struct fixed_endpoint *)base;
    core_work(endpoint, copy->rank, kernel_reduce_ps(endpoint->kernel, copy->bytes)); /* at memory's rate */
}

/* -------------------------------------------------------------- life cycle */

static const struct machine_config *machine_of(const struct engine_params *run)
{
    static const struct machine_config none;
    const struct machine_config *machine = config_of(run->config, &machine_params);
    return machine ? machine : &none;
}

static bool fixed_is_wanted(const struct engine_params *run)
{
    const struct machine_config *machine = machine_of(run);
    const struct kernel_config *kernel = kernel_config_of(run->config);
    return !run->host && (machine->send_ps || machine->receive_ps || machine->nic_latency_ps ||
                          kernel->begin_ps || kernel->memory_bytes_per_s);
}

static struct endpoint *fixed_endpoint_open(const struct endpoint_params *params)
{
    struct fixed_endpoint *endpoint = mem_alloc(1, sizeof *endpoint, "hosts");
    struct event_loop *loop = &params->context->loop;
    *endpoint = (struct fixed_endpoint){.base = {.ops = &endpoint_fixed},
                                        .machine = machine_of(params->run),
                                        .kernel = kernel_config_of(params->run->config),
                                        .loop = loop,
                                        .tap = params->context->tap,
                                        .context = params->context,
                                        .messages = params->messages,
                                        .callbacks = params->callbacks,
                                        .rank_count = params->ranks};
    endpoint->ranks = mem_alloc(params->ranks, sizeof *endpoint->ranks, "hosts");
    endpoint->base.tells_sending = true;
    endpoint->base.copies = endpoint->kernel->memory_bytes_per_s;
    endpoint->base.free_at = &endpoint->ranks->free_at;
    endpoint->base.software = &endpoint->ranks->software;
    endpoint->base.core_stride = sizeof *endpoint->ranks;
    for (uint32_t i = 0; i < params->ranks; i++)
        queue_init(&endpoint->ranks[i].arrived);
    endpoint->leave_kind = loop_register(loop, on_leave, endpoint);
    endpoint->memory_kind = loop_register(loop, on_memory, endpoint);
    return &endpoint->base;
}

static void fixed_attach(struct endpoint *base, const struct fabric *fabric)
{
    ((struct fixed_endpoint *)base)->has_nics =
        fabric->ops->host_path != HOST_PATH_CPU && !fabric->ops->is_bound;
}

static void fixed_account(const struct endpoint *base, struct engine_usage *usage)
{
    const struct fixed_endpoint *endpoint = (const struct fixed_endpoint *)base;
    usage->bytes += endpoint->rank_count * sizeof *endpoint->ranks;
}

/* Each message has an event more at either end. */
static double fixed_estimate(const struct engine_params *run, uint32_t nodes, double messages)
{
    (void)nodes;
    return (double)run->program->ranks * sizeof(struct fixed_rank) + loop_estimate(messages);
}

static void fixed_endpoint_close(struct endpoint *base)
{
    struct fixed_endpoint *endpoint = (struct fixed_endpoint *)base;
    free(endpoint->ranks);
    free(endpoint);
}

const struct endpoint_ops endpoint_fixed = {.is_wanted = fixed_is_wanted,
                                            .open = fixed_endpoint_open,
                                            .attach = fixed_attach,
                                            .begin_send = fixed_begin_send,
                                            .post = fixed_post,
                                            .deliver = fixed_deliver,
                                            .enter = fixed_enter,
                                            .leave = fixed_leave,
                                            .pass = fixed_pass,
                                            .test = fixed_test,
                                            .work = fixed_work,
                                            .copy = fixed_copy,
                                            .reduce = fixed_reduce,
                                            .account = fixed_account,
                                            .estimate = fixed_estimate,
                                            .close = fixed_endpoint_close};
