#include "engine/graph/graphs.h"

#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "engine/graph/scheduler.h"
#include "engine/rank/deadlock.h"
#include "engine/rank/endpoint_list.h"
#include "engine/rank/job_queue.h"
#include "engine/rank/scheduler.h"
#include "fabric/faults.h"

struct graph_engine {
    const struct engine_params *params;
    struct rank_layers layers;
    struct graph_scheduler scheduler;
    struct scheduler calls; /* of ranks without operations, if the graph has calls too */
    uint32_t ranks_of_calls;
};

static struct call_place place_of(void *self, uint32_t rank)
{
    const struct graph_engine *engine = self;
    return engine->params->program->ops->place(engine->params->program, rank);
}

/* ------------------------------------------------------------------ blocked */

enum { SHOWN = 16 }; /* operations named one by one */

static const char *why(const struct graph_operation *operation)
{
    if (operation->kind == GRAPH_SEND)
        return "waits for its receive";
    return operation->kind == GRAPH_RECV ? "waits for its message" : "waits for the other ranks of its group";
}

static void show(const struct graph_engine *engine, uint32_t rank, uint32_t number)
{
    const struct program *program = engine->params->program;
    graph_report(program, DIAG_NOTE, rank, number, why(&program->graph->ranks[rank].operations[number]));
}

/* Operations that have begun and not ended are named: the others wait for them. */
static enum status report_deadlock(const struct graph_engine *engine)
{
    const struct graph_scheduler *scheduler = &engine->scheduler;
    const struct graph *graph = scheduler->graph;
    uint64_t named = 0, waiting = 0;
    char time[32];
    diag_error("deadlock at %s: %llu of %llu operations have not ended, and nothing is under way",
               units_show_time(engine->layers.context.loop.now, 6, time, sizeof time),
               (unsigned long long)(graph->operations - scheduler->ended),
               (unsigned long long)graph->operations);
    for (uint64_t i = 0; i < graph->operations; i++) {
        uint8_t state = scheduler->operations[i].state;
        waiting += state == OPERATION_WAITS;
        if (state == OPERATION_BEGUN && named++ < SHOWN)
            show(engine, scheduler->operations[i].rank, graph_scheduler_number(scheduler, (uint32_t)i));
    }
    if (named > SHOWN)
        diag_note("and %llu more", (unsigned long long)(named - SHOWN));
    if (waiting)
        diag_note("%llu %s not begun", (unsigned long long)waiting,
                  waiting == 1 ? "operation requires them, and has" : "operations require them, and have");
    if (job_queue_ranks_left(engine->layers.context.job_queue))
        diag_note("%u ranks of other jobs wait for nodes",
                  job_queue_ranks_left(engine->layers.context.job_queue));
    if (engine->layers.fabric->ops->explain)
        engine->layers.fabric->ops->explain(engine->layers.fabric);
    return STATUS_FAILED;
}

/* ---------------------------------------------------------------------- run */

/* Ranks that make calls stand beside ranks that are graphs, on the same layers. */
static void open_calls(struct graph_engine *engine)
{
    const struct program *program = engine->params->program;
    scheduler_open(&engine->calls, &engine->layers, config_of(engine->params->config, &compute_params));
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        engine->ranks_of_calls += !program->graph->ranks[rank].count;
}

static void begin_rank(void *self, uint32_t rank)
{
    struct graph_engine *engine = self;
    if (engine->scheduler.graph->ranks[rank].count)
        graph_scheduler_begin(&engine->scheduler, rank);
    else
        scheduler_begin(&engine->calls, rank);
}

static void start(struct graph_engine *engine)
{
    struct job_queue *queue = engine->layers.context.job_queue;
    if (!engine->scheduler.graph->has_calls_too)
        graph_scheduler_start(&engine->scheduler);
    else if (queue)
        job_queue_start(queue, begin_rank, engine);
    else
        for (uint32_t rank = 0; rank < engine->params->program->ranks; rank++)
            begin_rank(engine, rank);
}

static bool operations_are_left(const struct graph_engine *engine)
{
    return engine->scheduler.ended < engine->params->program->graph->operations;
}

/* Of ranks that make calls. What holds for all ranks and for the network is named once, behind the operations
 * that are left. */
static void report_blocked_calls(const struct graph_engine *engine)
{
    const bool is_all = !operations_are_left(engine);
    const uint32_t ranks = engine->params->program->ranks;
    deadlock_report(
        &(struct deadlock){.ranks = ranks,
                           .blocked = scheduler_blocked(&engine->calls),
                           .queued = is_all ? job_queue_ranks_left(engine->layers.context.job_queue) : 0,
                           .blocked_call = scheduler_blocked_call,
                           .self = &engine->calls,
                           .fabric = is_all ? engine->layers.fabric : NULL},
        &engine->layers.context);
}

static enum status run_to_the_end(struct graph_engine *engine)
{
    start(engine);
    enum status status = layers_run(&engine->layers);
    if (status != STATUS_OK)
        return status;
    const bool blocks = engine->ranks_of_calls && scheduler_blocked(&engine->calls);
    if (blocks)
        report_blocked_calls(engine);
    if (operations_are_left(engine))
        return report_deadlock(engine);
    if (blocks)
        return STATUS_FAILED;
    if (engine->layers.matching.messages.live > 0)
        diag_warning("%u messages were sent that nobody receives", engine->layers.matching.messages.live);
    return layers_check_free(&engine->layers);
}

static enum status check_size(const struct program *program)
{
    if (program->graph->operations <= REQUEST_INDEX_MASK)
        return STATUS_OK;
    diag_error("%s has %llu operations; a run has at most %u", program->name,
               (unsigned long long)program->graph->operations, REQUEST_INDEX_MASK);
    return STATUS_BAD_INPUT;
}

static enum status run(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self)
{
    const struct compute_config *compute = config_of(params->config, &compute_params);
    struct graph_engine engine = {.params = params};
    layers_open(&engine.layers, params, place_of, &engine);
    engine.scheduler = (struct graph_scheduler){.layers = &engine.layers,
                                                .program = params->program,
                                                .ps_per_operation = compute_config_ps(compute),
                                                .scale = compute->scale};
    graph_scheduler_init(&engine.scheduler);
    if (params->program->graph->has_calls_too)
        open_calls(&engine);
    enum status status = layers_open_fabric(&engine.layers);
    if (status == STATUS_OK)
        status = run_to_the_end(&engine);
    if (status == STATUS_OK) {
        *usage = layers_usage(&engine.layers);
        usage->bytes += graph_scheduler_bytes(&engine.scheduler);
        if (params->program->graph->has_calls_too)
            usage->bytes += scheduler_bytes(&engine.calls);
        if (visit)
            visit(self, engine.layers.fabric);
    }
    graph_scheduler_free(&engine.scheduler);
    scheduler_free(&engine.calls);
    layers_close(&engine.layers);
    return status;
}

/* ---------------------------------------------------------------- choosing */

static bool runs(const struct engine_input *input)
{
    return input->program && input->program->graph && !input->compat &&
           strcmp(input->fabric->name, "loggops") != 0;
}

static enum status prepare(const struct engine_input *input)
{
    const struct graph *graph = input->program->graph;
    enum status status = check_size(input->program);
    if (status != STATUS_OK)
        return status;
    if (graph->has_any_sends) {
        diag_error("%s has a send with any tag, which only LogGOPSim knows: the fabric loggops with "
                   "compat=loggopsim runs it",
                   input->program->name);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static enum status estimate(const struct engine_params *params, struct estimate *estimate)
{
    const struct program *program = params->program;
    const struct node_config *node = config_of(params->config, &node_params);
    uint32_t nodes = layers_nodes(program, node);
    if (program->graph->has_calls_too)
        estimate->unknown = "the messages of the jobs that are calls";
    double sends = (double)program->graph->sends, ranks = program->ranks;
    double messages = sends < 4 * ranks ? sends : 4 * ranks;
    estimate_add(estimate, "operations", "fewer operations", graph_scheduler_estimate(program));
    estimate_add(estimate, "messages", "fewer messages at a time", matching_estimate(messages, 0));
    estimate_add(estimate, "events", "fewer ranks", loop_estimate(2 * ranks));
    estimate_add(estimate, "hosts", "fewer ranks", endpoint_estimate(params, nodes, messages));
    estimate->pairs = messages;
    return fabric_estimate(&(struct fabric_demand){.ops = params->fabric,
                                                   .config = params->config,
                                                   .nodes = nodes,
                                                   .messages = nodes > 1 ? messages : 0,
                                                   .with_bytes = nodes > 1 ? messages : 0,
                                                   .bytes = 1e6,
                                                   .pairs = nodes > 1 ? messages : 0,
                                                   .is_staggered = true},
                           estimate);
}

static const struct param_table *const params[] = {
    &node_params,   &protocol_params, &compute_params, &collective_params,
    &kernel_params, &fault_params,    &free_params,    NULL};

const struct engine engine_graphs = {.name = "graphs",
                                     .has_nodes = true,
                                     .params = params,
                                     .estimate = estimate,
                                     .runs = runs,
                                     .prepare = prepare,
                                     .run = run};
