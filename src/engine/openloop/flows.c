#include "engine/openloop/flows.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/topology.h"
#include "workload/openloop.h"

struct flows {
    const struct machine_params *plan;
    struct event_loop loop;
    struct pool messages;
    struct fabric *fabric;
    struct openloop_run *openloop;
    struct openloop_message *next; /* of each node: what comes up next */
    ps_t *finish;                  /* when the last message from or to a node arrived, so far */
    uint64_t delivered;
    uint32_t send_kind, match_kind;
    enum status status;
};

/* ------------------------------------------------------------------------------------------ the topology */

enum status flows_settle(struct program *program, const struct config *config)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    uint64_t nodes = program->openloop->config->nodes;
    if (!nodes && !chosen->is_given) {
        diag_error("workload %s needs to know its nodes: set topology, or write nodes=N behind it",
                   program->name);
        return STATUS_BAD_INPUT;
    }
    program->ranks = nodes ? (uint32_t)nodes : chosen->topo.nodes;
    program->total_calls = program->openloop->config->messages * program->ranks;
    struct topo topo;
    return topology_for_nodes(config, program->ranks, &topo);
}

/* -------------------------------------------------------------------------------------------- messages */

static void send(struct flows *flows, uint32_t node)
{
    const struct openloop_message *next = &flows->next[node];
    uint32_t index = pool_take(&flows->messages);
    struct message *message = message_at(&flows->messages, index);
    ps_t now = flows->loop.now;
    *message = (struct message){.bytes = next->bytes,
                                .posted_bytes = next->bytes,
                                .source = node,
                                .destination = next->destination,
                                .source_node = node,
                                .destination_node = next->destination,
                                .send_posted = now,
                                .recv_posted = now,
                                .op = CALL_SEND};
    tap_emit(flows->plan->tap, &(struct tap_record){.kind = TAP_INJECTED, .at = now, .message = message});
    flows->fabric->ops->submit(flows->fabric, index);
}

/* Event: a node's next message comes up, and the one behind it is drawn. */
static void on_send(void *self, uint32_t node)
{
    struct flows *flows = self;
    send(flows, node);
    if (openloop_next(flows->openloop, node, &flows->next[node]))
        loop_at(&flows->loop, flows->next[node].at, flows->send_kind, node);
}

/* Where the fabric stores a message on its way, its receiver asks for it as soon as it may. */
static void answer_visible(void *self, uint32_t index, ps_t at)
{
    struct flows *flows = self;
    const struct fabric_ops *ops = flows->fabric->ops;
    if (ops->is_buffered && ops->is_buffered(flows->fabric, message_at(&flows->messages, index)))
        loop_at(&flows->loop, at, flows->match_kind, index);
}

static void on_match(void *self, uint32_t index)
{
    struct flows *flows = self;
    flows->fabric->ops->match(flows->fabric, index);
}

static void answer_sender_done(void *self, uint32_t index, ps_t at)
{
    struct flows *flows = self;
    message_at(&flows->messages, index)->send_released = at;
}

static void answer_delivered(void *self, uint32_t index, ps_t at)
{
    enum { PROGRESS_EVERY = 1 << 16 };
    struct flows *flows = self;
    const struct machine_params *plan = flows->plan;
    struct message *message = message_at(&flows->messages, index);
    message->delivered = at;
    flows->finish[message->source] = ps_max(flows->finish[message->source], at);
    flows->finish[message->destination] = ps_max(flows->finish[message->destination], at);
    tap_emit(plan->tap, &(struct tap_record){.kind = TAP_DELIVERED, .at = at, .message = message});
    tap_emit(plan->tap, &(struct tap_record){.kind = TAP_FINISHED, .message = message});
    pool_give(&flows->messages, index);
    if (++flows->delivered % PROGRESS_EVERY == 0 && plan->progress)
        plan->progress(plan->progress_self, flows->delivered, flows->loop.now);
}

static void answer_failed(void *self, enum status status)
{
    struct flows *flows = self;
    flows->status = status;
    flows->loop.stopped = true;
}

/* -------------------------------------------------------------------------------------------------- run */

static enum status open_flows(struct flows *flows, const struct machine_params *plan)
{
    uint32_t nodes = plan->program->ranks;
    struct topo topo;
    *flows = (struct flows){.plan = plan};
    loop_init(&flows->loop);
    pool_init(&flows->messages, sizeof(struct message), "messages");
    flows->next = mem_alloc(nodes, sizeof *flows->next, "traffic");
    flows->finish = mem_alloc(nodes, sizeof *flows->finish, "traffic");
    flows->send_kind = loop_register(&flows->loop, on_send, flows);
    flows->match_kind = loop_register(&flows->loop, on_match, flows);
    enum status status = topology_for_nodes(plan->config, nodes, &topo);
    if (status != STATUS_OK)
        return status;
    flows->openloop = openloop_begin(plan->program->openloop, &topo, nodes, plan->seed);
    struct fabric_params fabric = {.config = plan->config,
                                   .loop = &flows->loop,
                                   .messages = &flows->messages,
                                   .tap = plan->tap,
                                   .nodes = nodes,
                                   .seed = plan->seed,
                                   .callbacks = {.self = flows,
                                                 .visible = answer_visible,
                                                 .sender_done = answer_sender_done,
                                                 .delivered = answer_delivered,
                                                 .failed = answer_failed}};
    return plan->fabric->prepare(&fabric, &flows->fabric);
}

static void close_flows(struct flows *flows)
{
    if (flows->fabric)
        flows->fabric->ops->close(flows->fabric);
    if (flows->openloop)
        openloop_end(flows->openloop);
    free(flows->next);
    free(flows->finish);
    pool_free(&flows->messages);
    loop_free(&flows->loop);
}

static enum status run_to_the_end(struct flows *flows)
{
    uint32_t nodes = flows->plan->program->ranks;
    for (uint32_t node = 0; node < nodes; node++)
        if (openloop_next(flows->openloop, node, &flows->next[node]))
            loop_at(&flows->loop, flows->next[node].at, flows->send_kind, node);
    loop_run(&flows->loop);
    if (flows->loop.out_of_range) {
        diag_error("simulated time passes 2^63 ps (106 days); the parameters make the run too long");
        return STATUS_FAILED;
    }
    if (flows->status != STATUS_OK)
        return flows->status;
    if (flows->messages.live) {
        diag_error("fabric %s can deliver nothing more, and %" PRIu32 " messages are under way",
                   flows->plan->fabric->name, flows->messages.live);
        if (flows->fabric->ops->explain)
            flows->fabric->ops->explain(flows->fabric);
        return STATUS_FAILED;
    }
    for (uint32_t node = 0; node < nodes; node++)
        tap_emit(flows->plan->tap,
                 &(struct tap_record){.kind = TAP_ENDED, .rank = node, .at = flows->finish[node]});
    return STATUS_OK;
}

enum status flows_run(const struct machine_params *plan, struct machine_usage *usage,
                      void (*visit_fabric)(void *self, struct fabric *fabric), void *self)
{
    struct flows flows;
    enum status status = open_flows(&flows, plan);
    if (status == STATUS_OK)
        status = run_to_the_end(&flows);
    if (status == STATUS_OK) {
        uint32_t nodes = plan->program->ranks;
        size_t bytes = sizeof flows + loop_bytes(&flows.loop) + openloop_bytes(flows.openloop) +
                       flows.messages.capacity * flows.messages.size +
                       flows.fabric->ops->bytes(flows.fabric) +
                       nodes * (sizeof *flows.next + sizeof *flows.finish);
        *usage = (struct machine_usage){.bytes = bytes,
                                        .peak_messages = flows.messages.fresh,
                                        .peak_events = flows.loop.peak,
                                        .events = flows.loop.taken,
                                        .calls = flows.delivered};
        if (visit_fabric)
            visit_fabric(self, flows.fabric);
    }
    close_flows(&flows);
    return status;
}
