#include "engine/rank/ranks.h"

#include <string.h>

#include "base/diag.h"
#include "engine/rank/deadlock.h"
#include "engine/rank/demand.h"
#include "engine/rank/endpoint_list.h"
#include "engine/rank/job_queue.h"
#include "engine/rank/scheduler.h"
#include "fabric/faults.h"

struct rank_engine {
    const struct engine_params *params;
    struct rank_layers layers;
    struct scheduler scheduler;
};

/* The records of fixed size that every run has count as this much memory: a constant, so that the account of
 * a run depends on what it does, and not on how a compiler lays out structs. */
enum { RANK_ENGINE_BYTES = 728 };

static struct call_place place_of(void *self, uint32_t rank)
{
    const struct rank_engine *engine = self;
    return engine->params->program->ops->place(engine->params->program, rank);
}

static enum status run_to_the_end(struct rank_engine *engine)
{
    struct rank_layers *layers = &engine->layers;
    uint32_t ranks = engine->params->program->ranks;
    scheduler_start(&engine->scheduler);
    enum status status = layers_run(layers);
    if (status != STATUS_OK)
        return status;
    if (engine->scheduler.ended < ranks) {
        const uint32_t queued = job_queue_ranks_left(layers->context.job_queue);
        deadlock_report(&(struct deadlock){.ranks = ranks,
                                           .blocked = ranks - engine->scheduler.ended - queued,
                                           .queued = queued,
                                           .blocked_call = scheduler_blocked_call,
                                           .self = &engine->scheduler,
                                           .fabric = layers->fabric},
                        &layers->context);
        return STATUS_FAILED;
    }
    if (layers->matching.messages.live > 0)
        diag_warning("%u messages were sent or awaited by requests that nobody completed",
                     layers->matching.messages.live);
    return layers_check_free(layers);
}

static struct engine_usage usage_of(const struct rank_engine *engine)
{
    struct engine_usage usage = layers_usage(&engine->layers);
    usage.bytes += RANK_ENGINE_BYTES + scheduler_bytes(&engine->scheduler);
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
    uint32_t nodes = layers_nodes(program, node);
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

static enum status run(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self)
{
    struct rank_engine engine = {.params = params};
    layers_open(&engine.layers, params, place_of, &engine);
    scheduler_open(&engine.scheduler, &engine.layers, config_of(params->config, &compute_params));
    enum status status = layers_open_fabric(&engine.layers);
    if (status == STATUS_OK)
        status = run_to_the_end(&engine);
    if (status == STATUS_OK) {
        *usage = usage_of(&engine);
        if (visit)
            visit(self, engine.layers.fabric);
    }
    scheduler_free(&engine.scheduler);
    layers_close(&engine.layers);
    return status;
}

static const struct param_table *const params[] = {
    &node_params,   &protocol_params, &compute_params, &collective_params,
    &kernel_params, &fault_params,    &free_params,    NULL};

const struct engine engine_ranks = {
    .name = "ranks", .has_nodes = true, .params = params, .estimate = estimate, .runs = runs, .run = run};
