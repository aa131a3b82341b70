#include "engine/openloop/openloop.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/topology.h"
#include "workload/openloop.h"

struct openloop_engine {
    const struct engine_params *params;
    struct event_loop loop;
    struct pool messages;
    struct fabric *fabric;
    struct openloop_run *openloop;
    struct openloop_message *next; /* per node: what comes up next */
    ps_t *finish;                  /* per node: when its last message, from it or to it, arrived, so far */
    uint64_t delivered;
    uint32_t send_kind, match_kind;
    enum status status;
};

/* ------------------------------------------------------------- the program */

/* The nodes that send: all of the topology, unless the program's text says how many. */
static enum status set_nodes(struct program *program, const struct config *config)
{
    const struct topology_config *chosen = config_of(config, &topology_params);
    uint64_t nodes = program->openloop->config->nodes;
    if (!nodes && !chosen->is_given) {
        diag_error("workload %s has no number of nodes: set topology, or write nodes=N behind it",
                   program->name);
        return STATUS_BAD_INPUT;
    }
    program->ranks = nodes ? (uint32_t)nodes : chosen->topo.nodes;
    program->total_calls = program->openloop->config->messages * program->ranks;
    struct topo topo;
    return topology_intact(config, program->ranks, &topo);
}

static bool runs(const struct engine_input *input)
{
    return input->program && input->program->openloop;
}

/* Traffic has no ranks, so it runs without a host model, without compat, and on fabrics that need no calls.
 */
static enum status prepare(const struct engine_input *input)
{
    struct program *program = input->program;
    if (input->has_host || input->compat) {
        diag_error("workload %s is traffic between nodes, without MPI: %s needs ranks", program->name,
                   input->has_host ? "host.system" : "compat");
        return STATUS_BAD_INPUT;
    }
    const struct fabric_ops *fabric = input->fabric;
    if (fabric->wants_traffic && fabric->wants_traffic(input->config)) {
        diag_error("fabric %s has to know all messages before they are sent, from the calls of a program; "
                   "workload %s has no calls",
                   fabric->name, program->name);
        return STATUS_BAD_INPUT;
    }
    return set_nodes(program, input->config);
}

/* ---------------------------------------------------------------- messages */

static void send_next(struct openloop_engine *engine, uint32_t node)
{
    const struct openloop_message *next = &engine->next[node];
    uint32_t index = pool_take(&engine->messages);
    struct message *message = message_at(&engine->messages, index);
    ps_t now = engine->loop.now;
    *message = (struct message){.bytes = next->bytes,
                                .posted_bytes = next->bytes,
                                .source = node,
                                .destination = next->destination,
                                .source_node = node,
                                .destination_node = next->destination,
                                .send_posted = now,
                                .recv_posted = now,
                                .op = CALL_SEND};
    tap_emit(engine->params->tap,
             &(struct tap_record){.kind = TAP_SENT, .index = index, .at = now, .message = message});
    tap_emit(engine->params->tap, &(struct tap_record){.kind = TAP_INJECTED, .at = now, .message = message});
    engine->fabric->ops->submit(engine->fabric, index);
}

/* Event: the next message of a node comes up; the one after it is drawn. */
static void on_send(void *self, uint32_t node)
{
    struct openloop_engine *engine = self;
    send_next(engine, node);
    if (openloop_next(engine->openloop, node, &engine->next[node]))
        loop_at(&engine->loop, engine->next[node].at, engine->send_kind, node);
}

/* If the fabric buffers the message, its receiver asks for it as soon as it is visible. */
static void answer_visible(void *self, uint32_t index, ps_t at)
{
    struct openloop_engine *engine = self;
    const struct fabric_ops *ops = engine->fabric->ops;
    if (ops->is_buffered && ops->is_buffered(engine->fabric, message_at(&engine->messages, index)))
        loop_at(&engine->loop, at, engine->match_kind, index);
}

static void on_match(void *self, uint32_t index)
{
    struct openloop_engine *engine = self;
    engine->fabric->ops->match(engine->fabric, index);
}

static void answer_sender_done(void *self, uint32_t index, ps_t at)
{
    struct openloop_engine *engine = self;
    message_at(&engine->messages, index)->send_released = at;
}

static void answer_failed(void *self, enum status status)
{
    struct openloop_engine *engine = self;
    engine->status = status;
    engine->loop.stopped = true;
}

enum { TELL_EVERY = 1 << 12 }; /* messages */

static void tell_progress(void *self)
{
    const struct openloop_engine *engine = self;
    const struct engine_params *params = engine->params;
    const struct engine_progress at = {.calls = engine->delivered,
                                       .sent = engine->delivered + engine->messages.live,
                                       .now = engine->loop.now};
    if (params->progress && !params->progress(params->progress_self, &at))
        answer_failed(self, STATUS_CANCELLED);
}

static void answer_delivered(void *self, uint32_t index, ps_t at)
{
    struct openloop_engine *engine = self;
    const struct engine_params *params = engine->params;
    struct message *message = message_at(&engine->messages, index);
    message->delivered = at;
    loop_reach(&engine->loop, at);
    engine->finish[message->source] = ps_max(engine->finish[message->source], at);
    engine->finish[message->destination] = ps_max(engine->finish[message->destination], at);
    tap_emit(params->tap, &(struct tap_record){.kind = TAP_DELIVERED, .at = at, .message = message});
    tap_emit(params->tap,
             &(struct tap_record){
                 .kind = TAP_RECEIVED, .index = index, .slot = TAP_NOBODY, .at = at, .message = message});
    tap_emit(params->tap, &(struct tap_record){.kind = TAP_FINISHED, .index = index, .message = message});
    pool_give(&engine->messages, index);
    if (++engine->delivered % TELL_EVERY == 0)
        tell_progress(engine);
}

/* --------------------------------------------------------------------- run */

static enum status open_engine(struct openloop_engine *engine, const struct engine_params *params)
{
    uint32_t nodes = params->program->ranks;
    struct topo topo;
    *engine = (struct openloop_engine){.params = params};
    loop_init(&engine->loop);
    loop_watch(&engine->loop, tell_progress, engine);
    pool_init(&engine->messages, sizeof(struct message), "messages");
    engine->next = mem_alloc(nodes, sizeof *engine->next, "traffic");
    engine->finish = mem_alloc(nodes, sizeof *engine->finish, "traffic");
    engine->send_kind = loop_register(&engine->loop, on_send, engine);
    engine->match_kind = loop_register(&engine->loop, on_match, engine);
    enum status status = topology_intact(params->config, nodes, &topo);
    if (status != STATUS_OK)
        return status;
    engine->openloop = openloop_open(params->program->openloop, &topo, nodes, params->seed);
    struct fabric_params fabric = {.config = params->config,
                                   .loop = &engine->loop,
                                   .messages = &engine->messages,
                                   .tap = params->tap,
                                   .nodes = nodes,
                                   .seed = params->seed,
                                   .callbacks = {.self = engine,
                                                 .visible = answer_visible,
                                                 .sender_done = answer_sender_done,
                                                 .delivered = answer_delivered,
                                                 .failed = answer_failed}};
    return fabric_open(params->fabric, &fabric, &engine->fabric);
}

static void close_engine(struct openloop_engine *engine)
{
    fabric_close(engine->fabric);
    if (engine->openloop)
        openloop_close(engine->openloop);
    free(engine->next);
    free(engine->finish);
    pool_free(&engine->messages);
    loop_free(&engine->loop);
}

static enum status run_to_the_end(struct openloop_engine *engine)
{
    uint32_t nodes = engine->params->program->ranks;
    for (uint32_t node = 0; node < nodes; node++)
        if (openloop_next(engine->openloop, node, &engine->next[node]))
            loop_at(&engine->loop, engine->next[node].at, engine->send_kind, node);
    loop_run(&engine->loop);
    if (engine->loop.out_of_range) {
        diag_error("simulated time passes 2^63 ps (106 days); the parameters make the run too long");
        return STATUS_FAILED;
    }
    if (engine->status != STATUS_OK)
        return engine->status;
    if (engine->messages.live) {
        diag_error("fabric %s has stopped delivering, with %" PRIu32 " messages under way",
                   engine->params->fabric->name, engine->messages.live);
        if (engine->fabric->ops->explain)
            engine->fabric->ops->explain(engine->fabric);
        return STATUS_FAILED;
    }
    for (uint32_t node = 0; node < nodes; node++)
        tap_emit(engine->params->tap,
                 &(struct tap_record){.kind = TAP_ENDED, .rank = node, .at = engine->finish[node]});
    return STATUS_OK;
}

static enum status estimate(const struct engine_params *params, struct estimate *estimate)
{
    const struct openloop *traffic = params->program->openloop;
    uint32_t nodes = params->program->ranks;
    const struct fabric_ops *fabric = params->fabric;
    double messages = openloop_messages_at_once(traffic, nodes);
    double held = fabric->is_immediate ? 1 : messages;
    estimate_add(estimate, "nodes", "fewer nodes",
                 nodes * (double)(sizeof(struct openloop_message) + sizeof(ps_t)) +
                     openloop_estimate(traffic, nodes));
    estimate_add(estimate, "messages", "fewer messages of each node, or a longer interval between them",
                 estimate_pool(held, sizeof(struct message)));
    estimate_add(estimate, "events", "fewer nodes", loop_estimate(nodes));
    return fabric_estimate(&(struct fabric_demand){.ops = fabric,
                                                   .config = params->config,
                                                   .nodes = nodes,
                                                   .messages = messages,
                                                   .with_bytes = messages,
                                                   .bytes = openloop_mean_bytes(traffic),
                                                   .pairs = messages,
                                                   .is_staggered = true},
                           estimate);
}

/* The engine counts as this much memory: a constant, as in engine/rank/ranks.c. */
enum { OPENLOOP_ENGINE_BYTES = 3920 };

static enum status run(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self)
{
    struct openloop_engine engine;
    enum status status = open_engine(&engine, params);
    if (status == STATUS_OK)
        status = run_to_the_end(&engine);
    if (status == STATUS_OK) {
        uint32_t nodes = params->program->ranks;
        size_t bytes = OPENLOOP_ENGINE_BYTES + loop_bytes(&engine.loop) + openloop_bytes(engine.openloop) +
                       engine.messages.capacity * engine.messages.size + fabric_memory_bytes(engine.fabric) +
                       nodes * (sizeof *engine.next + sizeof *engine.finish);
        *usage = (struct engine_usage){.bytes = bytes,
                                       .peak_messages = engine.messages.fresh,
                                       .peak_events = engine.loop.peak,
                                       .events = engine.loop.taken,
                                       .calls = engine.delivered};
        if (visit)
            visit(self, engine.fabric);
    }
    close_engine(&engine);
    return status;
}

static const char *no_path(const struct config *config)
{
    (void)config;
    return "the times at which messages are sent are drawn and follow from no other message: the last "
           "message "
           "alone decides when the run ends";
}

static const struct param_table *const params[] = {&topology_params, NULL};

const struct engine engine_openloop = {.name = "openloop",
                                       .no_path = no_path,
                                       .params = params,
                                       .estimate = estimate,
                                       .runs = runs,
                                       .prepare = prepare,
                                       .run = run};
