#include "engine/loggops/loggops.h"

#include <string.h>

#include "base/diag.h"
#include "base/lines.h"
#include "engine/free.h"
#include "engine/loggops/causes.h"
#include "engine/loggops/internal.h"
#include "engine/params.h"
#include "graph/of_calls.h"
#include "workload/messages.h"

/* ------------------------------------------------------------ dependences */

static uint32_t core_of(const struct loggops *engine, uint32_t host, uint32_t operation)
{
    return host * engine->cores + loggops_operation(engine, host, operation)->core;
}

/* LogGOPSim can end a send twice; then an operation that it has released is not released again. */
static void release(struct loggops *engine, uint32_t host, uint32_t by, uint32_t operation, when_t at)
{
    struct loggops_run *run = loggops_run(engine, host, operation);
    if (run->needs - 1 >= OPERATION_BEGUN - 1) /* none, or begun, or ended */
        return;
    if (engine->tells_releases && core_of(engine, host, operation) != engine->told_core)
        loggops_causes_release(engine, host, by, operation);
    run->ready = when_max(run->ready, at);
    if (--run->needs)
        return;
    if (!at && engine->rules == LOGGOPS_ATLAHS) /* a beginning, behind which ATLAHS forgets the ends */
        run->ready = 0;
    engine->released = mem_grow(engine->released, &engine->released_capacity, engine->released_count + 1,
                                "operations that become ready");
    engine->released[engine->released_count++] = (struct loggops_released){host, operation};
}

void loggops_begin(struct loggops *engine, uint32_t host, uint32_t operation, when_t at)
{
    const struct graph_rank *rank = &engine->graph->ranks[host];
    const struct graph_operation *begun = &rank->operations[operation];
    loggops_run(engine, host, operation)->needs = OPERATION_BEGUN;
    for (uint32_t i = begun->on_begin; i < begun[1].on_end; i++)
        release(engine, host, operation, rank->dependents[i], at);
}

void loggops_end(struct loggops *engine, uint32_t host, uint32_t operation, when_t at)
{
    const struct graph_rank *rank = &engine->graph->ranks[host];
    const struct graph_operation *ended = &rank->operations[operation];
    struct loggops_run *run = loggops_run(engine, host, operation);
    engine->ended += run->needs != OPERATION_ENDED;
    run->needs = OPERATION_ENDED;
    struct loggops_host *at_host = loggops_host(engine, host);
    at_host->finish = when_max(at_host->finish, at);
    if (engine->waits)
        loggops_tell_ended(engine, host, operation);
    for (uint32_t i = ended->on_end; i < ended->on_begin; i++)
        release(engine, host, operation, rank->dependents[i], at);
    if (engine->tells_releases && engine->told_core == POOL_NONE)
        loggops_causes_ended(engine, host, operation);
}

/* When a ready operation is looked at. LogGOPSim takes the time of its cpu as it stands. */
static when_t ready_at(const struct loggops *engine, uint32_t host, uint32_t index)
{
    const struct graph_operation *operation = loggops_operation(engine, host, index);
    when_t at = engine->rules == LOGGOPS_PUBLISHED ? 0 : loggops_run(engine, host, index)->ready;
    bool is_atlahs = engine->rules == LOGGOPS_ATLAHS;
    if (!is_atlahs || (operation->kind != GRAPH_SEND && operation->kind != GRAPH_RECV))
        at = when_max(at, *loggops_cpu(engine, host, operation->core));
    if (operation->kind == GRAPH_SEND)
        at = when_max(at, *loggops_send_nic(engine, host, operation->nic));
    return at;
}

/* What has become ready in one event goes by class: sends, then receives, then computation. ATLAHS takes all
 * in the order of release. */
enum { CLASSES = 3 };

static unsigned class_of(const struct loggops *engine, uint8_t kind)
{
    if (engine->rules == LOGGOPS_ATLAHS)
        return 0;
    return kind == GRAPH_SEND ? 0 : kind == GRAPH_RECV ? 1 : 2;
}

static unsigned class_of_released(const struct loggops *engine, struct loggops_released released)
{
    return class_of(engine, loggops_operation(engine, released.host, released.operation)->kind);
}

/* Operations of a host that become ready in one event and may begin at the same time have numbers one behind
 * the other, so nothing comes between them: but for the first they are in no queue, and a chain leads to
 * them. The published rules let what an operation releases begin in the past, before the next one. */
struct operation_chain {
    uint32_t last; /* POOL_NONE: there is none */
    when_t at;
};

static void push_operation(struct loggops *engine, struct operation_chain *chain, uint32_t host,
                           uint32_t operation)
{
    when_t at = ready_at(engine, host, operation);
    if (engine->rules == LOGGOPS_MENDED)
        loggops_run(engine, host, operation)->links.sibling = POOL_NONE;
    if (chain->last != POOL_NONE && chain->at == at && engine->rules == LOGGOPS_MENDED) {
        loggops_run(engine, host, chain->last)->links.sibling = operation;
        engine->queue.numbers++;
    } else {
        loggops_push(engine, at, EVENT_OPERATION, host, operation);
    }
    *chain = (struct operation_chain){operation, at};
}

static void push_host(struct loggops *engine, uint32_t host)
{
    struct operation_chain chain = {.last = POOL_NONE};
    unsigned present = 0; /* bit c: class c is */
    for (size_t i = 0; i < engine->released_count; i++)
        if (engine->released[i].host == host)
            present |= 1U << class_of_released(engine, engine->released[i]);
    for (unsigned class = 0; class < CLASSES; class ++) {
        for (size_t i = 0; present >> class & 1 && i < engine->released_count; i++) {
            struct loggops_released released = engine->released[i];
            if (released.host == host && class_of_released(engine, released) == class)
                push_operation(engine, &chain, host, released.operation);
        }
    }
}

/* ATLAHS takes first the host that a message has come to, or the sender that a receive has released. */
static bool high_goes_first(const struct loggops *engine, const struct loggops_event *event, uint32_t low,
                            uint32_t high)
{
    if (engine->rules != LOGGOPS_ATLAHS || !event)
        return false;
    return (event->order & 3) == EVENT_MESSAGE ? event->host == high : event->host == low;
}

/* Of at most two hosts, the lower number first. `event` has released them; NULL: the start. */
static void push_released(struct loggops *engine, const struct loggops_event *event)
{
    if (engine->released_count == 1) {
        struct loggops_released only = engine->released[0];
        push_operation(engine, &(struct operation_chain){.last = POOL_NONE}, only.host, only.operation);
    } else if (engine->released_count) {
        uint32_t low = engine->released[0].host, high = low;
        for (size_t i = 1; i < engine->released_count; i++) {
            uint32_t host = engine->released[i].host;
            low = host < low ? host : low;
            high = host > high ? host : high;
        }
        bool high_first = high_goes_first(engine, event, low, high);
        push_host(engine, high_first ? high : low);
        if (high != low)
            push_host(engine, high_first ? low : high);
    }
    engine->released_count = 0;
}

when_t loggops_duration(const struct loggops *engine, const struct graph_operation *operation)
{
    bool is_mended = engine->rules == LOGGOPS_MENDED;
    const bool is_time = operation->kind == GRAPH_COMPUTE;
    if (is_time && (engine->scale == 1 || operation->time != GRAPH_TIME_GIVEN))
        return is_mended ? operation->amount : operation->amount / 1000;
    const double each = is_time ? engine->scale : engine->ps_per_operation;
    double time = (double)operation->amount * each / (is_mended ? 1 : 1000);
    return time < 0x1p62 ? (when_t)(time + 0.5) : (when_t)PS_NEVER;
}

/* -------------------------------------------------------------------- run */

static void handle(struct loggops *engine, const struct loggops_event *event)
{
    bool is_atlahs = engine->rules == LOGGOPS_ATLAHS;
    if ((event->order & 3) == EVENT_OPERATION) {
        if (is_atlahs)
            loggops_atlahs_operation(engine, event);
        else
            loggops_published_operation(engine, event);
    } else if (is_atlahs) {
        loggops_atlahs_message(engine, event);
    } else {
        loggops_published_message(engine, event);
    }
    push_released(engine, event);
}

/* An operation, and those of its chain. */
static void handle_chain(struct loggops *engine, struct loggops_event *event)
{
    uint32_t next = loggops_run(engine, event->host, event->subject)->links.sibling;
    handle(engine, event);
    while (next != POOL_NONE) {
        event->subject = next;
        event->order += 1 << NUMBER_AT;
        engine->queue.taken++;
        next = loggops_run(engine, event->host, event->subject)->links.sibling;
        handle(engine, event);
    }
}

enum { TELL_EVERY = 1 << 12 }; /* events */

static bool tell_progress(const struct loggops *engine, when_t now)
{
    const struct engine_params *params = engine->params;
    const struct engine_progress at = {.calls = engine->ended,
                                       .sent = engine->sent,
                                       .messages = engine->received,
                                       .now = loggops_ps(engine, now)};
    return !params->progress || params->progress(params->progress_self, &at);
}

/* What the operations of a host need, and its table. Returns the classes of those that need nothing: bit c is
 * for class c. */
static unsigned open_host(struct loggops *engine, uint32_t host)
{
    const struct graph_rank *rank = &engine->graph->ranks[host];
    struct loggops_run *runs = loggops_run(engine, host, 0);
    uint32_t receives = 0;
    unsigned ready = 0;
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct graph_operation *operation = &rank->operations[i];
        runs[i] = (struct loggops_run){.needs = operation->needs};
        receives += operation->kind == GRAPH_RECV;
        if (!operation->needs)
            ready |= 1U << class_of(engine, operation->kind);
    }
    loggops_make_table(engine, host, receives);
    return ready;
}

/* The heap without an order of equal times gets all that is ready at the start. */
static void start_unordered(struct loggops *engine)
{
    for (uint32_t host = 0; host < engine->params->program->ranks; host++) {
        const struct graph_rank *rank = &engine->graph->ranks[host];
        open_host(engine, host);
        for (uint32_t i = 0; i < rank->count; i++) {
            if (rank->operations[i].needs)
                continue;
            engine->released = mem_grow(engine->released, &engine->released_capacity,
                                        engine->released_count + 1, "operations that become ready");
            engine->released[engine->released_count++] = (struct loggops_released){host, i};
        }
        push_released(engine, NULL);
    }
}

/* What is ready at the start comes before all other events, in the order of hosts, and does not pass through
 * the queue: there are fewer than operations, from whose number the others count. False: stopped. */
static bool start(struct loggops *engine)
{
    uint64_t number = 0;
    engine->queue.numbers = engine->graph->operations;
    for (uint32_t host = 0; host < engine->params->program->ranks; host++) {
        const struct graph_rank *rank = &engine->graph->ranks[host];
        const unsigned ready = open_host(engine, host);
        for (unsigned class = 0; class < CLASSES; class ++) {
            for (uint32_t i = 0; ready >> class & 1 && i < rank->count; i++) {
                if (rank->operations[i].needs || class_of(engine, rank->operations[i].kind) != class)
                    continue;
                if (++engine->queue.taken % TELL_EVERY == 0 && !tell_progress(engine, 0))
                    return false;
                handle(engine, &(struct loggops_event){.order = number++ << NUMBER_AT | EVENT_OPERATION,
                                                       .host = host,
                                                       .subject = i});
            }
        }
    }
    return true;
}

static size_t bytes_of(const struct loggops *engine)
{
    size_t ranks = engine->params->program->ranks, operations = (size_t)engine->graph->operations;
    return ranks * (engine->host_bytes + (engine->any ? sizeof *engine->any : 0)) +
           operations * sizeof *engine->operations +
           engine->queue.heap.capacity * sizeof *engine->queue.heap.events + loop_bytes(&engine->queue.loop) +
           loop_bytes(&engine->queue.groups) + engine->groups.capacity * engine->groups.size +
           engine->messages.capacity * engine->messages.size +
           engine->entry_capacity * sizeof *engine->entries +
           engine->released_capacity * sizeof *engine->released + loggops_waits_bytes(engine);
}

static enum status run_events(struct loggops *engine)
{
    struct loggops_event event;
    uint64_t tell_at = TELL_EVERY;
    if (engine->queue.is_unordered)
        start_unordered(engine);
    else if (!start(engine))
        return STATUS_CANCELLED;
    while (loggops_take(engine, &event)) {
        uint32_t group = POOL_NONE;
        if (engine->queue.taken >= tell_at) {
            tell_at = engine->queue.taken + TELL_EVERY;
            if (!tell_progress(engine, event.at))
                return STATUS_CANCELLED;
        }
        if (engine->rules == LOGGOPS_MENDED && event.at >= (when_t)PS_NEVER) {
            diag_error("simulated time passes 2^63 ps (106 days); the parameters make the run too long");
            return STATUS_FAILED;
        }
        if ((event.order & 3) == EVENT_GROUP) {
            group = event.subject;
            if (!loggops_wake(engine, &event))
                continue;
        }
        if (group == POOL_NONE && engine->rules == LOGGOPS_MENDED && (event.order & 3) == EVENT_OPERATION)
            handle_chain(engine, &event);
        else
            handle(engine, &event);
        if (group != POOL_NONE)
            loggops_woken(engine, group);
    }
    engine->bytes = bytes_of(engine);
    return loggops_finish(engine);
}

static enum loggops_rules rules_of(const struct config *config)
{
    const int *compat = config_field(config, "compat");
    const char *name = compat ? config_text(config, "compat") : "none";
    if (strcmp(name, "loggopsim") == 0)
        return LOGGOPS_PUBLISHED;
    return strcmp(name, "atlahs") == 0 ? LOGGOPS_ATLAHS : LOGGOPS_MENDED;
}

static size_t host_bytes(uint32_t cores, uint32_t nics)
{
    return sizeof(struct loggops_host) + (cores + 2 * (size_t)nics) * sizeof(when_t);
}

static void open_engine(struct loggops *engine, const struct engine_params *params)
{
    const struct loggops_config *config = config_of(params->config, &loggops_params);
    const struct compute_config *work = config_of(params->config, &compute_params);
    const struct graph *graph = params->program->graph;
    size_t ranks = params->program->ranks, operations = (size_t)graph->operations;
    *engine = (struct loggops){.params = params, .graph = graph, .rules = rules_of(params->config)};
    uint64_t unit = engine->rules == LOGGOPS_MENDED ? 1 : 1000;
    engine->L = (when_t)config->L / unit;
    engine->o = (when_t)config->o / unit;
    engine->g = (when_t)config->g / unit;
    engine->G = config->G;
    engine->O = config->O;
    engine->G_of_atlahs = (double)config->G.numerator / (double)config->G.denominator / 1000.0;
    engine->S = config->S;
    engine->ps_per_operation = compute_config_ps(work);
    engine->scale = work->scale;
    engine->cores = graph->cores ? graph->cores : 1;
    engine->nics = graph->nics ? graph->nics : 1;
    engine->host_bytes = host_bytes(engine->cores, engine->nics);
    engine->hosts = lines_alloc(ranks, engine->host_bytes, "hosts");
    memset(engine->hosts, 0, ranks * engine->host_bytes);
    engine->operations = lines_alloc(operations, sizeof *engine->operations, "operations");
    for (size_t i = 0; i < ranks; i++)
        loggops_host(engine, (uint32_t)i)->groups = POOL_NONE;
    pool_init(&engine->groups, sizeof(struct loggops_group), "waiting events");
    pool_init(&engine->messages, sizeof(struct loggops_message), "messages");
    loop_init(&engine->queue.loop);
    loop_init(&engine->queue.groups);
    engine->queue.is_unordered = engine->rules == LOGGOPS_ATLAHS;
    engine->fabric = (struct fabric){.ops = params->fabric};
    loggops_find_any(engine);
    loggops_open_waits(engine);
    loggops_causes_open(engine);
}

void loggops_run_free(struct loggops *engine)
{
    loggops_queue_free(engine);
    pool_free(&engine->messages);
    free(engine->entries);
    free(engine->operations);
    free(engine->released);
    engine->entries = NULL;
    engine->operations = NULL;
    engine->released = NULL;
}

static void close_engine(struct loggops *engine)
{
    loggops_run_free(engine);
    loggops_close_waits(engine);
    loggops_causes_close(engine);
    free_messages_close(engine->free);
    free(engine->any);
    free(engine->hosts);
}

static enum status run_graph(const struct engine_params *params, struct engine_usage *usage,
                             engine_visit *visit, void *self)
{
    struct loggops engine;
    open_engine(&engine, params);
    enum status status = free_messages_open(params->config, params->program->ranks, &engine.free);
    if (status == STATUS_OK)
        status = run_events(&engine);
    if (status == STATUS_OK && engine.free)
        status = free_messages_check(engine.free);
    if (status == STATUS_OK) {
        *usage = (struct engine_usage){.bytes = engine.bytes,
                                       .peak_messages = engine.messages.fresh,
                                       .peak_events = engine.queue.peak,
                                       .events = engine.queue.taken,
                                       .calls = engine.ended};
        if (visit)
            visit(self, &engine.fabric);
    }
    close_engine(&engine);
    return status;
}

static struct patterns_options patterns_of(const struct config *config, struct collective_config *collective)
{
    collective_config_of(config, collective);
    return (struct patterns_options){.choices = collective->choice,
                                     .window = (uint32_t)collective->window,
                                     .leaders = (uint32_t)collective->leaders,
                                     .segment_bytes = collective->segment_bytes,
                                     .splits = collective->splits,
                                     .ranks_per_node = node_config_ranks(config_of(config, &node_params))};
}

/* A program of calls runs as its graph, whose times are multiplied by compute.scale. The simulators count in
 * whole ns. */
static enum status run(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self)
{
    if (!graph_has_calls(params->program))
        return run_graph(params, usage, visit, self);
    const struct compute_config *work = config_of(params->config, &compute_params);
    struct collective_config collective;
    struct program *graph;
    const struct graph_of_calls_options options = {.patterns = patterns_of(params->config, &collective),
                                                   .ps_per_operation = compute_config_ps(work),
                                                   .scale = 1,
                                                   .whole_ns = rules_of(params->config) != LOGGOPS_MENDED,
                                                   .tap = params->tap};
    enum status status = graph_of_calls(params->program, &options, &graph);
    if (status != STATUS_OK)
        return status;
    struct engine_params as_graph = *params;
    as_graph.program = graph;
    status = run_graph(&as_graph, usage, visit, self);
    usage->bytes += (size_t)graph->bytes_mapped;
    graph->ops->close(graph);
    return status;
}

/* ---------------------------------------------------------------- choosing */

static bool runs(const struct engine_input *input)
{
    bool is_compat =
        input->compat && (strcmp(input->compat, "loggopsim") == 0 || strcmp(input->compat, "atlahs") == 0);
    bool is_loggops = strcmp(input->fabric->name, "loggops") == 0;
    return (is_compat || (is_loggops && !input->compat)) && !(input->program && input->program->openloop);
}

/* The simulators count in whole nanoseconds. */
static enum status check_whole(const struct config *config, const char *param, uint64_t numerator,
                               uint64_t denominator, const char *compat)
{
    if (numerator % denominator == 0 && numerator / denominator % 1000 == 0)
        return STATUS_OK;
    diag_error("%s=%s: with compat=%s it is a whole number of ns", param, config_text(config, param), compat);
    return STATUS_BAD_INPUT;
}

static enum status check_units(const struct engine_input *input)
{
    const struct loggops_config *config = config_of(input->config, &loggops_params);
    bool is_atlahs = strcmp(input->compat, "atlahs") == 0;
    const struct {
        const char *param;
        struct loggops_per_byte value;
    } times[] = {{"loggops.L", {(uint64_t)config->L, 1}},
                 {"loggops.o", {(uint64_t)config->o, 1}},
                 {"loggops.g", {(uint64_t)config->g, 1}},
                 {"loggops.O", config->O},
                 {"loggops.G", config->G}};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof times / sizeof *times - is_atlahs; i++)
        status = check_whole(input->config, times[i].param, times[i].value.numerator,
                             times[i].value.denominator, input->compat);
    return status;
}

static enum status prepare(const struct engine_input *input)
{
    if (strcmp(input->fabric->name, "loggops") != 0) {
        diag_error("compat=%s has one model of a network: the fabric is loggops, not %s", input->compat,
                   input->fabric->name);
        return STATUS_BAD_INPUT;
    }
    if (input->has_host) {
        diag_error("LogGOPS has hosts of its own (o and O); the fabric loggops and host.system exclude each "
                   "other");
        return STATUS_BAD_INPUT;
    }
    return input->compat ? check_units(input) : STATUS_OK;
}

/* The graph of a program of calls: about two operations for a message, and one for each call. */
static struct graph estimate_graph(const struct engine_params *params, struct estimate *estimate)
{
    struct collective_config collective;
    const struct patterns_options options = patterns_of(params->config, &collective);
    const struct program_estimate about = program_estimate(params->program, &options);
    double operations = 2 * (double)about.messages + (double)about.calls;
    if (!about.calls)
        estimate->unknown = "the graph of the calls";
    estimate_add(estimate, "graph of the calls", "fewer messages",
                 estimate_array(operations, sizeof(struct graph_operation)) +
                     estimate_array(operations, sizeof(uint64_t)) +
                     estimate_array(operations, sizeof(uint32_t)));
    return (struct graph){.operations = (uint64_t)operations, .sends = about.messages, .cores = 1, .nics = 1};
}

static enum status estimate(const struct engine_params *params, struct estimate *estimate)
{
    const struct graph graph =
        params->program->graph ? *params->program->graph : estimate_graph(params, estimate);
    double ranks = params->program->ranks, operations = (double)graph.operations;
    if (graph.has_calls_too)
        estimate->unknown = "the graph of the jobs that are calls";
    double at_once = (double)graph.sends < 2 * ranks ? (double)graph.sends : 2 * ranks;
    double hosts = (double)host_bytes(graph.cores, graph.nics);
    estimate_add(estimate, "operations", "fewer operations", operations * sizeof(struct loggops_run));
    if (params->program->sites)
        hosts += sizeof(struct loggops_waits);
    estimate_add(estimate, "hosts", "fewer ranks, cpus or NICs", ranks * hosts);
    estimate_add(estimate, "posted receives and messages", "fewer receives",
                 estimate_array(2 * (double)graph.sends, sizeof(uint32_t)));
    estimate_add(estimate, "messages", "fewer messages at a time",
                 estimate_pool(at_once, sizeof(struct loggops_message)));
    estimate_add(estimate, "events", "fewer ranks", estimate_array(2 * ranks, sizeof(struct loggops_event)));
    return STATUS_OK;
}

/* Their operations depend on others in order, and not in time. */
static const char *no_path(const struct config *config)
{
    if (rules_of(config) == LOGGOPS_MENDED)
        return NULL;
    return "by the rules of this compat an operation can begin before those have ended that it depends on, "
           "so "
           "that no chain of causes is as long as the run";
}

static const struct param_table *const params[] = {&loggops_params,    &compute_params, &node_params,
                                                   &collective_params, &free_params,    NULL};

const struct engine engine_loggops = {.name = "loggops",
                                      .no_path = no_path,
                                      .params = params,
                                      .estimate = estimate,
                                      .runs = runs,
                                      .prepare = prepare,
                                      .run = run};
