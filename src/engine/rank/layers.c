#include "engine/rank/layers.h"

#include "base/diag.h"
#include "call/jobs.h"
#include "engine/rank/endpoint_list.h"
#include "engine/rank/job_queue.h"
#include "fabric/faults.h"

uint32_t layers_nodes(const struct program *program, const struct node_config *node)
{
    return program_nodes(program, node_config_ranks(node));
}

static void make_layers(struct rank_layers *layers)
{
    const struct config *config = layers->params->config;
    const struct program *program = layers->params->program;
    const struct node_config *node = config_of(config, &node_params);
    struct run_context *context = &layers->context;
    collective_config_of(config, &layers->collective);
    request_table_init(&layers->requests);
    matching_init(&layers->matching, program->ranks, program->channels);
    layers->endpoint =
        endpoint_open(&(struct endpoint_params){.run = layers->params,
                                                .context = context,
                                                .messages = &layers->matching.messages,
                                                .callbacks = p2p_endpoint_callbacks(&layers->p2p),
                                                .ranks = program->ranks,
                                                .nodes = layers_nodes(program, node),
                                                .ranks_per_node = node_config_ranks(node)});
    layers->p2p = (struct p2p){.context = context,
                               .loop = &context->loop,
                               .tap = context->tap,
                               .matching = &layers->matching,
                               .messages = &layers->matching.messages,
                               .requests = &layers->requests,
                               .endpoint = layers->endpoint,
                               .protocol = config_of(config, &protocol_params),
                               .node = node,
                               .node_of = program->node_of};
    p2p_init(&layers->p2p);
    layers->coll_exec = (struct coll_exec){.context = context,
                                           .loop = &context->loop,
                                           .requests = &layers->requests,
                                           .p2p = &layers->p2p,
                                           .endpoint = layers->endpoint,
                                           .config = &layers->collective,
                                           .program = program,
                                           .ranks_per_node = node_config_ranks(node)};
    coll_exec_init(&layers->coll_exec);
}

static void watch(void *self)
{
    context_tell_progress(self);
}

void layers_open(struct rank_layers *layers, const struct engine_params *params,
                 struct call_place (*place)(void *self, uint32_t rank), void *self)
{
    *layers = (struct rank_layers){
        .params = params,
        .context = {.tap = params->tap,
                    .critical = params->critical,
                    .has_slack = params->critical && critical_has_slack(params->critical),
                    .place = place,
                    .self = self,
                    .progress = params->progress,
                    .progress_self = params->progress_self}};
    loop_init(&layers->context.loop);
    layers->context.job_queue = job_queue_open(&layers->context, params->program,
                                               node_config_ranks(config_of(params->config, &node_params)));
    if (params->progress)
        loop_watch(&layers->context.loop, watch, &layers->context);
    make_layers(layers);
}

enum status layers_open_fabric(struct rank_layers *layers)
{
    const struct engine_params *params = layers->params;
    const struct node_config *node = config_of(params->config, &node_params);
    uint32_t nodes = layers_nodes(params->program, node);
    struct fabric_params fabric = {.config = params->config,
                                   .loop = &layers->context.loop,
                                   .messages = &layers->matching.messages,
                                   .nodes = nodes,
                                   .seed = params->seed,
                                   .included_bytes = endpoint_included_bytes(layers->endpoint),
                                   .callbacks = p2p_fabric_callbacks(&layers->p2p),
                                   .tap = params->tap,
                                   .traffic = params->traffic,
                                   .work = params->work};
    enum status status = free_messages_open(params->config, params->program->ranks, &layers->p2p.free);
    if (status == STATUS_OK)
        status = faults_slow_nodes(params->config, nodes, &layers->slow_nodes);
    if (status == STATUS_OK)
        status = fabric_open(params->fabric, &fabric, &layers->fabric);
    if (status != STATUS_OK)
        return status;
    layers->context.slow_nodes = layers->slow_nodes;
    layers->context.program = params->program;
    layers->context.ranks_per_node = node_config_ranks(node);
    layers->p2p.fabric = layers->fabric;
    endpoint_attach(layers->endpoint, layers->fabric);
    return STATUS_OK;
}

void layers_close(struct rank_layers *layers)
{
    fabric_close(layers->fabric);
    coll_exec_free(&layers->coll_exec);
    endpoint_close(layers->endpoint);
    matching_free(&layers->matching);
    request_table_free(&layers->requests);
    job_queue_close(layers->context.job_queue);
    loop_free(&layers->context.loop);
    free_messages_close(layers->p2p.free);
    free(layers->slow_nodes);
}

/* One job of several, without the messages of the others. */
static bool runs_a_part(const struct program *program)
{
    return program->jobs && program->jobs->only != PROGRAM_JOBS_ALL;
}

enum status layers_run(struct rank_layers *layers)
{
    struct event_loop *loop = &layers->context.loop;
    loop_run(loop);
    if (loop->out_of_range) {
        diag_error("simulated time passes 2^63 ps (106 days); the parameters make the run too long");
        return STATUS_FAILED;
    }
    return layers->context.status;
}

enum status layers_check_free(const struct rank_layers *layers)
{
    const bool is_whole = !runs_a_part(layers->params->program);
    return layers->p2p.free && is_whole ? free_messages_check(layers->p2p.free) : STATUS_OK;
}

struct engine_usage layers_usage(const struct rank_layers *layers)
{
    const struct event_loop *loop = &layers->context.loop;
    struct engine_usage usage = {.peak_messages = layers->matching.messages.fresh,
                                 .peak_events = loop->peak,
                                 .events = loop->taken,
                                 .calls = layers->context.calls};
    usage.bytes = loop_bytes(loop) + request_table_bytes(&layers->requests) +
                  matching_bytes(&layers->matching) + coll_exec_bytes(&layers->coll_exec) +
                  fabric_memory_bytes(layers->fabric);
    endpoint_account(layers->endpoint, &usage);
    return usage;
}
