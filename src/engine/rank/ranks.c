#include "engine/rank/ranks.h"

#include <string.h>

#include "base/diag.h"
#include "engine/rank/deadlock.h"
#include "engine/rank/demand.h"
#include "engine/rank/endpoint_list.h"
#include "engine/rank/scheduler.h"

struct rank_engine {
    const struct engine_params *params;
    struct run_context context;
    struct request_table requests;
    struct matching matching;
    struct endpoint *endpoint; /* NULL: the null endpoint */
    struct p2p p2p;
    struct collective_config collective;
    struct coll_exec coll_exec;
    struct scheduler scheduler;
    struct fabric *fabric;
};

/* The records of fixed size that every run has count as this much memory: a constant, so that the account of
 * a run depends on what it does, and not on how a compiler lays out structs. */
enum { RANK_ENGINE_BYTES = 728 };

static struct call_place place_of(void *self, uint32_t rank)
{
    const struct rank_engine *engine = self;
    return engine->params->program->ops->place(engine->params->program, rank);
}

static uint32_t nodes_of(const struct program *program, const struct node_config *node)
{
    uint64_t ranks = program->ranks, per_node = node->ranks_per_node;
    return (uint32_t)(ranks / per_node + (ranks % per_node != 0));
}

static void open_layers(struct rank_engine *engine)
{
    const struct config *config = engine->params->config;
    const struct program *program = engine->params->program;
    const struct node_config *node = config_of(config, &node_params);
    struct run_context *context = &engine->context;
    collective_config_of(config, &engine->collective);
    request_table_init(&engine->requests);
    matching_init(&engine->matching, program->ranks, program->channels);
    engine->endpoint =
        endpoint_open(&(struct endpoint_params){.run = engine->params,
                                                .context = context,
                                                .messages = &engine->matching.messages,
                                                .callbacks = p2p_endpoint_callbacks(&engine->p2p),
                                                .ranks = program->ranks,
                                                .nodes = nodes_of(program, node),
                                                .ranks_per_node = node_config_ranks(node)});
    engine->p2p = (struct p2p){.context = context,
                               .loop = &context->loop,
                               .tap = context->tap,
                               .matching = &engine->matching,
                               .messages = &engine->matching.messages,
                               .requests = &engine->requests,
                               .endpoint = engine->endpoint,
                               .protocol = config_of(config, &protocol_params),
                               .node = node};
    p2p_init(&engine->p2p);
    engine->coll_exec = (struct coll_exec){.context = context,
                                           .loop = &context->loop,
                                           .requests = &engine->requests,
                                           .p2p = &engine->p2p,
                                           .endpoint = engine->endpoint,
                                           .config = &engine->collective,
                                           .program = program,
                                           .ranks_per_node = node_config_ranks(node)};
    coll_exec_init(&engine->coll_exec);
}

static void open_scheduler(struct rank_engine *engine)
{
    const struct engine_params *params = engine->params;
    const struct compute_config *compute = config_of(params->config, &compute_params);
    engine->scheduler = (struct scheduler){.context = &engine->context,
                                           .loop = &engine->context.loop,
                                           .tap = params->tap,
                                           .requests = &engine->requests,
                                           .endpoint = engine->endpoint,
                                           .p2p = &engine->p2p,
                                           .coll_exec = &engine->coll_exec,
                                           .program = params->program,
                                           .ps_per_operation = (double)PS_PER_S /
                                                               (double)compute->rate_flops * compute->scale};
    scheduler_init(&engine->scheduler);
}

static enum status open_fabric(struct rank_engine *engine)
{
    const struct engine_params *params = engine->params;
    struct fabric_params fabric = {.config = params->config,
                                   .loop = &engine->context.loop,
                                   .messages = &engine->matching.messages,
                                   .nodes =
                                       nodes_of(params->program, config_of(params->config, &node_params)),
                                   .seed = params->seed,
                                   .included_bytes = endpoint_included_bytes(engine->endpoint),
                                   .callbacks = p2p_fabric_callbacks(&engine->p2p),
                                   .tap = params->tap,
                                   .traffic = params->traffic};
    enum status status = fabric_open(params->fabric, &fabric, &engine->fabric);
    if (status != STATUS_OK)
        return status;
    engine->p2p.fabric = engine->fabric;
    endpoint_attach(engine->endpoint, engine->fabric);
    return STATUS_OK;
}

static void close_engine(struct rank_engine *engine)
{
    fabric_close(engine->fabric);
    scheduler_free(&engine->scheduler);
    coll_exec_free(&engine->coll_exec);
    endpoint_close(engine->endpoint);
    matching_free(&engine->matching);
    request_table_free(&engine->requests);
    loop_free(&engine->context.loop);
}

static enum status run_to_the_end(struct rank_engine *engine)
{
    struct event_loop *loop = &engine->context.loop;
    uint32_t ranks = engine->params->program->ranks;
    scheduler_start(&engine->scheduler);
    loop_run(loop);
    if (loop->out_of_range) {
        diag_error("simulated time passes 2^63 ps (106 days); the parameters make the run too long");
        return STATUS_FAILED;
    }
    if (engine->context.status != STATUS_OK)
        return engine->context.status;
    if (engine->scheduler.ended < ranks) {
        deadlock_report(&(struct deadlock){.ranks = ranks,
                                           .blocked = ranks - engine->scheduler.ended,
                                           .blocked_call = scheduler_blocked_call,
                                           .self = &engine->scheduler,
                                           .fabric = engine->fabric},
                        &engine->context);
        return STATUS_FAILED;
    }
    if (engine->matching.messages.live > 0)
        diag_warning("%u messages were sent or awaited by requests that nobody completed",
                     engine->matching.messages.live);
    return STATUS_OK;
}

static struct engine_usage usage_of(const struct rank_engine *engine)
{
    const struct event_loop *loop = &engine->context.loop;
    struct engine_usage usage = {.peak_messages = engine->matching.messages.fresh,
                                 .peak_events = loop->peak,
                                 .events = loop->taken,
                                 .calls = engine->context.calls};
    usage.bytes = RANK_ENGINE_BYTES + loop_bytes(loop) + request_table_bytes(&engine->requests) +
                  matching_bytes(&engine->matching) + coll_exec_bytes(&engine->coll_exec) +
                  scheduler_bytes(&engine->scheduler) + fabric_memory_bytes(engine->fabric);
    endpoint_account(engine->endpoint, &usage);
    return usage;
}

/* The messages that the run has at once. A fabric that answers at once leaves only those whose other end has
 * not been posted: as ranks post one after another, about half of what each of them posts. */
static double messages_at_once(const struct engine_params *params, const struct program_demand *demand)
{
    double messages = program_demand_messages(demand);
    return params->fabric->is_immediate && !params->host ? messages / 2 : messages;
}

static enum status estimate(const struct engine_params *params, struct estimate *estimate)
{
    const struct program *program = params->program;
    const struct node_config *node = config_of(params->config, &node_params);
    struct collective_config collective;
    collective_config_of(params->config, &collective);
    const struct demand_options options = {.protocol = config_of(params->config, &protocol_params),
                                           .collective = &collective,
                                           .ranks_per_node = node_config_ranks(node)};
    struct program_demand demand;
    uint32_t nodes = nodes_of(program, node);
    program_demand_find(program, &options, &demand);
    double messages = messages_at_once(params, &demand), ranks = program->ranks;
    estimate_add(estimate, "ranks", "fewer ranks",
                 scheduler_estimate(ranks) + request_table_estimate(demand.slots));
    estimate_add(estimate, "collective calls", "fewer ranks",
                 coll_exec_estimate(program, demand.collectives));
    estimate_add(estimate, "messages",
                 "fewer ranks, or algorithms and windows with fewer messages at a time, as "
                 "mpi.alltoall=pairwise",
                 matching_estimate(messages, program->channels));
    estimate_add(estimate, "events", "fewer ranks", loop_estimate(ranks));
    estimate_add(estimate, "hosts", "fewer ranks", endpoint_estimate(params, nodes, messages));
    estimate->pairs = demand.pairs;
    return fabric_estimate(&(struct fabric_demand){.ops = params->fabric,
                                                   .config = params->config,
                                                   .nodes = nodes,
                                                   .messages = nodes > 1 ? demand.sends : 0,
                                                   .with_bytes = nodes > 1 ? demand.with_bytes : 0,
                                                   .bytes = demand.bytes,
                                                   .pairs = nodes > 1 ? demand.pairs : 0,
                                                   .is_staggered = params->host != NULL},
                           estimate);
}

static bool runs(const struct engine_input *input)
{
    const struct program *program = input->program;
    return !input->compat && strcmp(input->fabric->name, "loggops") != 0 &&
           !(program && (program->openloop || program->graph));
}

static void watch(void *self)
{
    context_tell_progress(self);
}

static enum status run(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self)
{
    struct rank_engine engine = {.params = params};
    engine.context = (struct run_context){.tap = params->tap,
                                          .critical = params->critical,
                                          .place = place_of,
                                          .self = &engine,
                                          .progress = params->progress,
                                          .progress_self = params->progress_self};
    loop_init(&engine.context.loop);
    if (params->progress)
        loop_watch(&engine.context.loop, watch, &engine.context);
    open_layers(&engine);
    open_scheduler(&engine);
    enum status status = open_fabric(&engine);
    if (status == STATUS_OK)
        status = run_to_the_end(&engine);
    if (status == STATUS_OK) {
        *usage = usage_of(&engine);
        if (visit)
            visit(self, engine.fabric);
    }
    close_engine(&engine);
    return status;
}

static const struct param_table *const params[] = {&node_params, &protocol_params, &compute_params,
                                                   &collective_params, NULL};

const struct engine engine_ranks = {
    .name = "ranks", .params = params, .estimate = estimate, .runs = runs, .run = run};
