#include "sim/experiment.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "call/jobs.h"
#include "call/lost.h"
#include "engine/graph/graphs.h"
#include "engine/loggops/loggops.h"
#include "engine/params.h"
#include "engine/placement.h"
#include "engine/rank/layers.h"
#include "engine/rank/ranks.h"
#include "fabric/faults.h"
#include "fabric/list.h"
#include "fabric/topology.h"
#include "graph/of_calls.h"
#include "sim/collectives.h"
#include "sim/conservation.h"
#include "sim/dimensions.h"
#include "sim/engines.h"
#include "sim/hosts.h"
#include "sim/jobs.h"
#include "sim/message_log.h"
#include "sim/network.h"
#include "sim/path_summary.h"
#include "sim/settle.h"
#include "sim/sites.h"
#include "sim/slack.h"
#include "sim/traffic.h"
#include "trace/trace.h"
#include "workload/messages.h"
#include "workload/text.h"
#include "workload/workload.h"

static const char *const compat_names[] = {[COMPAT_NONE] = "none",
                                           [COMPAT_SIMPLECOMM] = "simplecomm",
                                           [COMPAT_LOGGOPSIM] = "loggopsim",
                                           [COMPAT_ATLAHS] = "atlahs",
                                           NULL};

PARAM_TABLE(
    experiment_params, "experiment", struct experiment_config, "what runs, and on what",
    {.name = "trace",
     .type = PARAM_TEXT,
     .offset = offsetof(struct experiment_config, trace),
     .find_path = param_find_whole,
     .doc = "a recorded program: a folder, an index file, an archive, a compiled trace, or a file of another "
            "format"},
    {.name = "workload",
     .type = PARAM_TEXT,
     .offset = offsetof(struct experiment_config, workload),
     .find_path = workload_find_path,
     .doc = "instead of a trace: a generated program, such as alltoall:ranks=64,bytes=8KiB"},
    {.name = "fabric",
     .type = PARAM_TEXT,
     .offset = offsetof(struct experiment_config, fabric),
     .default_text = "ideal,hockney,packet",
     .doc = "one fabric or several; speedups are over the first"},
    {.name = "machine",
     .type = PARAM_TEXT,
     .offset = offsetof(struct experiment_config, machine),
     .default_text = "infiniband-ndr",
     .find_path = machine_find_path,
     .doc =
         "what all fabrics have in common: a preset (helio machine list), FILE.yaml, or as-published: each "
         "fabric with the numbers of its paper"},
    {.name = "seed",
     .type = PARAM_COUNT,
     .offset = offsetof(struct experiment_config, seed),
     .default_text = "1",
     .doc = "of every random stream"},
    {.name = "compat",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct experiment_config, compat),
     .default_text = "none",
     .choices = compat_names,
     .doc = "whose semantics: none = our own, simplecomm = what SimpleComm computes (docs/simplecomm.md), "
            "loggopsim "
            "and atlahs = what LogGOPSim and its fork in ATLAHS compute (docs/goal.md)"});

/* --------------------------------------------------------------------- open */

static enum status add_fabric(struct experiment *experiment, const char *name)
{
    const struct fabric_ops *fabric = fabric_find(name);
    if (!fabric) {
        diag_error("there is no fabric '%s'%s", name, diag_did_you_mean(fabric_nearest(name)));
        for (size_t i = 0; fabrics[i]; i++)
            diag_note("fabric %s: %s", fabrics[i]->name, fabrics[i]->doc);
        return STATUS_BAD_INPUT;
    }
    if (experiment->fabric_count == EXPERIMENT_FABRICS) {
        diag_error("more than %d fabrics in one experiment", EXPERIMENT_FABRICS);
        return STATUS_BAD_INPUT;
    }
    experiment->fabrics[experiment->fabric_count++] = fabric;
    return STATUS_OK;
}

static enum status choose_fabrics(struct experiment *experiment)
{
    char *names = mem_text(experiment->chosen->fabric), *rest = names;
    enum status status = STATUS_OK;
    for (char *name; status == STATUS_OK && (name = strsep(&rest, ","));) {
        name += strspn(name, " ");
        name[strcspn(name, " ")] = '\0';
        status = add_fabric(experiment, name);
    }
    free(names);
    return status;
}

static enum status open_program(struct experiment *experiment)
{
    const struct experiment_config *chosen = experiment->chosen;
    if (!chosen->trace == !chosen->workload) {
        diag_error(chosen->trace ? "both a trace and a workload are given; an experiment runs one of them"
                                 : "nothing to run: give a trace or a workload (helio run --help)");
        return STATUS_BAD_INPUT;
    }
    return chosen->trace ? trace_open(chosen->trace, &experiment->program)
                         : workload_open(chosen->workload, &experiment->program);
}

/* The code that opens a value reports what is wrong with it. This adds where the experiment file sets it. */
static enum status note_origin(const struct experiment *experiment, const char *param, enum status status)
{
    if (status != STATUS_OK)
        config_note_origin(experiment->config, param);
    return status;
}

static bool engine_reads(const struct engine *engine, const struct param_table *params)
{
    bool reads = false;
    for (const struct param_table *const *table = engine->params; table && *table; table++)
        reads |= *table == params;
    return reads;
}

/* Whether ranks are placed only where the engine has nodes that they can share. */
static enum status check_placement(const struct experiment *experiment, const struct engine *engine,
                                   const struct fabric_ops *fabric)
{
    const struct program *program = experiment->program;
    const char *compat = compat_names[experiment->chosen->compat];
    if (engine->has_nodes || !placement_is_given(experiment->config))
        return STATUS_OK;
    if (program && program->openloop)
        diag_error("placement: traffic without ranks has nothing to place");
    else if (experiment->chosen->compat != COMPAT_NONE)
        diag_error("placement: compat=%s has its ranks in order", compat);
    else
        diag_error("placement: fabric %s has its ranks in order, each on a host of its own", fabric->name);
    config_note_origin(experiment->config, "placement");
    return STATUS_BAD_INPUT;
}

/* Whether nodes are slow only where the engine knows of it. */
static enum status check_slow_nodes(const struct experiment *experiment, const struct engine *engine,
                                    const struct fabric_ops *fabric)
{
    if (engine_reads(engine, &fault_params) || !fault_config_has_slow_nodes(experiment->config))
        return STATUS_OK;
    diag_error("faults.slow_nodes, faults.slow_node_share: %s on fabric %s has no nodes that compute slowly",
               experiment->program && experiment->program->openloop ? "traffic without ranks" : "a program",
               fabric->name);
    config_note_origin(experiment->config, "faults.slow_nodes");
    return STATUS_BAD_INPUT;
}

/* Whether jobs wait for nodes only where ranks have nodes, which nobody has to know before the run. */
static enum status check_queue(const struct experiment *experiment, const struct engine *engine,
                               const struct fabric_ops *fabric)
{
    const struct program *program = experiment->program;
    if (!program || !program->jobs || !program->jobs->queue)
        return STATUS_OK;
    if (!engine->has_nodes)
        diag_error("a queue of jobs needs nodes, and fabric %s%s%s has none that ranks could get",
                   fabric->name, experiment->chosen->compat != COMPAT_NONE ? " with compat=" : "",
                   experiment->chosen->compat != COMPAT_NONE ? compat_names[experiment->chosen->compat] : "");
    else if (fabric->wants_traffic && fabric->wants_traffic(experiment->config))
        diag_error("fabric %s has to know before the run which nodes send to each other, and with a queue "
                   "jobs get their nodes when they start",
                   fabric->name);
    else
        return STATUS_OK;
    config_note_origin(experiment->config, "workload");
    return STATUS_BAD_INPUT;
}

/* Chooses the engine of a fabric, which says what of the experiment it cannot run. */
static enum status choose_engine(struct experiment *experiment, size_t fabric)
{
    const struct experiment_config *chosen = experiment->chosen;
    const struct engine_input input = {
        .program = experiment->program,
        .config = experiment->config,
        .fabric = experiment->fabrics[fabric],
        .compat = chosen->compat != COMPAT_NONE ? compat_names[chosen->compat] : NULL,
        .has_host =
            ((const struct host_config *)config_of(experiment->config, &host_params))->system != NULL};
    const struct engine *engine = engines_find(&input);
    experiment->engines[fabric] = engine;
    if (!engine || check_slow_nodes(experiment, engine, input.fabric) != STATUS_OK ||
        check_placement(experiment, engine, input.fabric) != STATUS_OK ||
        check_queue(experiment, engine, input.fabric) != STATUS_OK)
        return STATUS_BAD_INPUT;
    return engine->prepare ? engine->prepare(&input) : STATUS_OK;
}

static enum status choose_engines(struct experiment *experiment)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < experiment->fabric_count; i++)
        status = choose_engine(experiment, i);
    return status;
}

/* The program's own setting, in the experiment's own config. */
static enum status apply_program(struct experiment *experiment)
{
    const struct program_setting *setting = &experiment->program->setting;
    if (!setting->parameter)
        return STATUS_OK;
    if (!experiment->own_config && !(experiment->own_config = config_copy(experiment->config)))
        return STATUS_FAILED;
    experiment->config = experiment->own_config;
    experiment->chosen = config_of(experiment->config, &experiment_params);
    return config_assign(experiment->own_config, setting->parameter, setting->value,
                         config_origin(experiment->config, "workload"));
}

/* What is named among the faults. What is drawn can still cut a run's network. */
static enum status check_faults(const struct experiment *experiment)
{
    const struct program *program = experiment->program;
    const struct node_config *node = config_of(experiment->config, &node_params);
    uint32_t nodes = program->openloop ? program->ranks : layers_nodes(program, node);
    return topology_check_faults(experiment->config, nodes);
}

/* The engine is asked before the program is opened, which may take long, and again when the program is known.
 */
static enum status open_parts(struct experiment *experiment)
{
    enum status status = choose_fabrics(experiment);
    if (status == STATUS_OK)
        status = choose_engines(experiment);
    if (status == STATUS_OK)
        status = note_origin(experiment, "host.system", hosts_init(experiment));
    if (status == STATUS_OK && !experiment->program)
        status = note_origin(experiment, experiment->chosen->trace ? "trace" : "workload",
                             open_program(experiment));
    if (status == STATUS_OK)
        status = apply_program(experiment);
    if (status == STATUS_OK)
        status = choose_engines(experiment);
    if (status == STATUS_OK)
        status = note_origin(experiment, "placement",
                             placement_open(experiment->config, experiment->program, &experiment->placement));
    return status == STATUS_OK ? check_faults(experiment) : status;
}

/* `experiment` has the program, if it is open. */
static enum status open_experiment(struct experiment *experiment, const struct config *config)
{
    enum status status = settle_config(config, &experiment->own_config);
    experiment->config = experiment->own_config ? experiment->own_config : config;
    experiment->chosen = config_of(experiment->config, &experiment_params);
    return status == STATUS_OK ? open_parts(experiment) : status;
}

enum status experiment_init(struct experiment *experiment, const struct config *config)
{
    *experiment = (struct experiment){.program = NULL};
    return open_experiment(experiment, config);
}

enum status experiment_init_with(struct experiment *experiment, const struct config *config,
                                 struct program *program)
{
    *experiment = (struct experiment){.program = program, .program_is_lent = true};
    return open_experiment(experiment, config);
}

void experiment_free(struct experiment *experiment)
{
    placement_close(&experiment->placement);
    if (experiment->program && !experiment->program_is_lent)
        experiment->program->ops->close(experiment->program);
    hosts_free(experiment);
    bursts_summary_free(&experiment->bursts);
    if (experiment->own_config)
        config_close(experiment->own_config);
}

/* ---------------------------------------------------------------------- run */

struct run_progress {
    const struct experiment_watch *watch;
    struct experiment_progress at;
};

static bool pass_progress(void *self, const struct engine_progress *engine)
{
    struct run_progress *progress = self;
    const struct experiment_watch *watch = progress->watch;
    progress->at.engine = *engine;
    progress->at.done = engine->calls + engine->sent + engine->messages;
    progress_tell(progress->at.done);
    progress_tell_time(engine->now);
    return !watch->progress || watch->progress(watch->self, &progress->at);
}

struct experiment_work experiment_work(const struct experiment *experiment)
{
    struct program *program = experiment->program;
    struct collective_config collective;
    const struct patterns_options options = traffic_options(experiment->config, &collective);
    if (program->openloop)
        return (struct experiment_work){.messages = program->total_calls};
    const struct program_estimate estimate = program_estimate(program, &options);
    return (struct experiment_work){.calls = program->total_calls ? program->total_calls : estimate.calls,
                                    .messages = estimate.messages};
}

/* Calls and both ends of messages: a collective call of a minute has many messages, a program that computes
 * has none. Open-loop traffic has no calls. */
static uint64_t work_of(struct experiment *experiment)
{
    const struct experiment_work about = experiment_work(experiment);
    uint64_t work = about.calls, messages;
    bool too_many = __builtin_mul_overflow(about.messages, 2, &messages);
    return too_many || __builtin_add_overflow(work, messages, &work) ? 0 : work;
}

static struct fabric_work work_for_fabric(const struct experiment *experiment)
{
    if (experiment->program->openloop) /* which reads no parameters of collectives */
        return (struct fabric_work){0};
    struct collective_config collective;
    const struct patterns_options options = traffic_options(experiment->config, &collective);
    const struct program_estimate estimate = program_estimate(experiment->program, &options);
    return (struct fabric_work){.messages = estimate.between_nodes, .bytes = estimate.bytes};
}

static void keep_statistics(void *self, struct fabric *fabric)
{
    const struct fabric_ops *ops = fabric->ops;
    const struct metric_table *metrics = ops->metrics_of ? ops->metrics_of(fabric) : ops->metrics;
    if (metrics)
        result_keep_statistics(self, metrics, ops->statistics(fabric));
}

/* The engine of ranks alone spends time in cores. */
static bool has_software(const struct experiment *experiment)
{
    const struct machine_config *machine = config_of(experiment->config, &machine_params);
    bool has_ranks = !experiment->program->openloop && experiment->chosen->compat == COMPAT_NONE;
    return experiment->has_host || (has_ranks && (machine->send_ps || machine->receive_ps));
}

/* Engines other than that of ranks do not tell causes. */
static void keep_path(struct result *result, struct critical *critical, bool is_listed)
{
    struct critical_path path;
    critical_result(critical, &path);
    if (path.rank == POOL_NONE)
        return;
    result->path = mem_alloc(1, sizeof *result->path, "critical path");
    *result->path = path;
    if (is_listed)
        result->path_summary = path_summary_make(result->path);
}

/* The engine of graphs runs calls beside them. For others, and for a fabric that has to know all messages
 * before the run, the calls become a part of the graph. */
static bool runs_as_graph(const struct experiment *experiment, const struct program *program, size_t index)
{
    const struct fabric_ops *fabric = experiment->fabrics[index];
    return program->graph && program->graph->has_calls_too &&
           (experiment->engines[index] != &engine_graphs ||
            (fabric->wants_traffic && fabric->wants_traffic(experiment->config)));
}

/* The simulators count in whole ns. Engines multiply times that are given. */
static enum status as_graph(const struct experiment *experiment, size_t index, struct program **program)
{
    const struct config *config = experiment->config;
    const enum experiment_compat compat = experiment->chosen->compat;
    struct collective_config collective;
    if (!runs_as_graph(experiment, *program, index))
        return STATUS_OK;
    const struct graph_of_calls_options options = {
        .patterns = traffic_options(config, &collective),
        .ps_per_operation = compute_config_ps(config_of(config, &compute_params)),
        .scale = 1,
        .whole_ns = compat == COMPAT_LOGGOPSIM || compat == COMPAT_ATLAHS};
    return graph_of_calls(*program, &options, program);
}

/* NULL: the messages are not told apart. Messages of a graph do not say which call has caused them. */
static const struct program_dimensions *dimensions_of(const struct experiment *experiment,
                                                      const struct program *program, size_t index)
{
    return experiment->engines[index] == &engine_ranks ? program->dimensions : NULL;
}

/* NULL: nobody knows where calls are, or the engine does not tell it. */
static const struct program_sites *sites_of(const struct experiment *experiment,
                                            const struct program *program, size_t index)
{
    const struct engine *engine = experiment->engines[index];
    const bool tells = engine == &engine_ranks || engine == &engine_graphs || engine == &engine_loggops;
    return tells ? program->sites : NULL;
}

/* Who listens to a run. */
static void attach(struct experiment *experiment, struct program *program, size_t index,
                   const struct experiment_watch *watch, struct result *result, struct tap *tap)
{
    const struct program_dimensions *dimensions = dimensions_of(experiment, program, index);
    const struct program_sites *sites = sites_of(experiment, program, index);
    result_collect(result, program->ranks, tap);
    collectives_collect(result, tap);
    if (dimensions)
        dimensions_collect(result, dimensions, tap);
    if (sites)
        sites_collect(result, sites, tap);
    if (watch->messages)
        message_log_attach(watch->messages, result->fabric, tap);
    if (watch->listen)
        watch->listen(watch->listener, program->ranks, tap);
}

/* What the critical path says. */
static void take_path(const struct experiment *experiment, struct program *program, size_t index,
                      const struct engine_params *params, struct result *result)
{
    const struct program_dimensions *dimensions = dimensions_of(experiment, program, index);
    const struct engine *engine = experiment->engines[index];
    const bool is_listed = experiment->path >= EXPERIMENT_PATH_LISTED;
    if (params->critical)
        keep_path(result, params->critical, is_listed);
    if (is_listed && !result->path && engine->no_path)
        result->no_path = engine->no_path(params->config);
    if (result->no_path)
        diag_note("%s: there is no critical path, since %s", result->fabric, result->no_path);
    if (dimensions)
        dimensions_add_path(result, dimensions);
    if (result->sites)
        sites_add_path(result);
}

/* The chains of causes, from which the path comes, and the slack. */
static struct slack *open_path(const struct experiment *experiment, const struct result *result,
                               struct engine_params *params)
{
    const bool is_listed = experiment->path >= EXPERIMENT_PATH_LISTED;
    if (experiment->path == EXPERIMENT_PATH_NONE)
        return NULL;
    params->critical = critical_open(params->program->ranks, result->has_software,
                                     is_listed ? CRITICAL_KEEP : 0, params->tap);
    if (result->sites)
        critical_want_sites(params->critical);
    if (experiment->path < EXPERIMENT_PATH_SLACK)
        return NULL;
    struct slack *slack = slack_open(params->program->ranks, result->sites != NULL);
    critical_want_slack(params->critical, slack);
    return slack;
}

/* As experiment_run, of the program, which is the experiment's or made of it. */
static enum status run_program(struct experiment *experiment, struct program *program, size_t index,
                               const struct experiment_watch *watch, struct result *result)
{
    const struct fabric_ops *fabric = experiment->fabrics[index];
    const struct config *config = experiment->config;
    struct tap tap = {0};
    struct conservation conservation;
    const struct host *host = experiment->has_host ? &experiment->host : NULL;
    *result = (struct result){.fabric = fabric->name,
                              .has_host = host != NULL,
                              .has_software = has_software(experiment),
                              .is_openloop = program->openloop != NULL,
                              .rate_messages = experiment->program->rate_messages,
                              .rate_bytes = experiment->program->rate_bytes};
    attach(experiment, program, index, watch, result, &tap);
    conservation_attach(&conservation, &tap);

    struct run_progress progress = {.watch = watch,
                                    .at = {.fabric = fabric->name, .total_calls = program->total_calls}};
    if (watch->wants_share || progress_is_shown())
        progress.at.total = work_of(experiment);
    struct engine_params params = {.program = program,
                                   .fabric = fabric,
                                   .config = config,
                                   .host = host,
                                   .tap = &tap,
                                   .seed = experiment->chosen->seed,
                                   .progress = pass_progress,
                                   .progress_self = &progress};
    if (fabric->wants_work)
        params.work = work_for_fabric(experiment);
    struct slack *slack = open_path(experiment, result, &params);
    double began = clock_seconds_now();
    struct traffic traffic = {.pairs = NULL};
    enum status status = STATUS_OK;
    progress_begin(fabric->name, progress.at.total);
    if (fabric->wants_traffic && fabric->wants_traffic(config)) {
        status = traffic_init(&traffic, program, config);
        params.traffic = &traffic.traffic;
    }
    program->ops->rewind(program);
    if (status == STATUS_OK)
        status = experiment->engines[index]->run(&params, &result->usage, keep_statistics, result);
    progress_end();
    traffic_free(&traffic);
    collectives_join(result);
    if (status == STATUS_OK)
        take_path(experiment, program, index, &params, result);
    critical_close(params.critical);
    if (status == STATUS_OK && slack && result->path_summary)
        slack_keep(result, slack);
    slack_close(slack);
    result->wall_s = clock_seconds_now() - began;
    if (status == STATUS_OK)
        network_describe(experiment, fabric, &result->network);
    if (status == STATUS_OK)
        status = conservation_check(&conservation, fabric->name);
    return status;
}

enum status experiment_run(struct experiment *experiment, size_t index, const struct experiment_watch *watch,
                           struct result *result)
{
    struct program *own = experiment->program, *program = own;
    *result = (struct result){.fabric = experiment->fabrics[index]->name};
    enum status status = as_graph(experiment, index, &program);
    if (status == STATUS_OK)
        status = run_program(experiment, program, index, watch, result);
    if (program != own)
        program->ops->close(program);
    if (status == STATUS_OK && own->jobs && own->jobs->only == PROGRAM_JOBS_ALL)
        status = jobs_measure(experiment, index, watch, result);
    return status;
}

const char *experiment_file(const struct experiment *experiment, const char *param)
{
    if (strcmp(param, "workload") == 0)
        return experiment->program->file;
    if (strcmp(param, "host.system") == 0)
        return experiment->has_host ? experiment->host.file.path : NULL;
    if (strcmp(param, "topology") == 0)
        return topology_path(experiment->config);
    if (strcmp(param, "placement") == 0)
        return placement_path(experiment->config);
    return NULL;
}

static struct manifest_input *add_input(struct manifest *manifest, const char *path)
{
    struct manifest_input *input = &manifest->inputs[manifest->input_count++];
    input->path = path;
    return input;
}

/* The parameters that name files, in the order of a manifest. */
enum { OF_WORKLOAD, OF_SYSTEM, OF_TOPOLOGY, OF_PLACEMENT };
static const char *const input_params[MANIFEST_INPUTS] = {
    [OF_WORKLOAD] = "workload",
    [OF_SYSTEM] = "host.system",
    [OF_TOPOLOGY] = "topology",
    [OF_PLACEMENT] = "placement",
};

/* NULL: none; what a trace holds counts, and not its file. */
static const char *input_path(const struct experiment *experiment, size_t input)
{
    bool is_trace = input == OF_WORKLOAD && experiment->chosen->trace;
    return is_trace ? NULL : experiment_file(experiment, input_params[input]);
}

enum status experiment_hash_inputs(struct experiment *experiment)
{
    for (size_t i = 0; i < MANIFEST_INPUTS; i++) {
        const char *path = input_path(experiment, i);
        if (path && !hash_of_file(path, experiment->hashes[i])) {
            diag_error("cannot read %s again for its hash: %s", path, strerror(errno));
            return STATUS_FAILED;
        }
    }
    return STATUS_OK;
}

static void add_file(const struct experiment *experiment, size_t input, struct manifest *manifest)
{
    const char *path = input_path(experiment, input);
    if (path)
        memcpy(add_input(manifest, path)->hash, experiment->hashes[input], HASH_FILE_TEXT);
}

/* The program first. What a trace holds counts, and not how it is packed. */
static void add_inputs(const struct experiment *experiment, struct manifest *manifest)
{
    const struct program *program = experiment->program;
    if (experiment->chosen->trace)
        trace_key(program, add_input(manifest, experiment->chosen->trace)->hash);
    add_file(experiment, OF_WORKLOAD, manifest);
    if (!experiment->chosen->trace && program->jobs && manifest->input_count)
        trace_key(program, manifest->inputs[0].programs);
    add_file(experiment, OF_SYSTEM, manifest);
    add_file(experiment, OF_TOPOLOGY, manifest);
    add_file(experiment, OF_PLACEMENT, manifest);
}

struct manifest experiment_manifest(struct experiment *experiment)
{
    if (!experiment->has_bursts)
        experiment->has_bursts = bursts_summarise(experiment->program, &experiment->bursts);
    struct manifest manifest = {.config = experiment->config,
                                .seed = experiment->chosen->seed,
                                .program = experiment->program->name,
                                .bursts = experiment->has_bursts ? &experiment->bursts : NULL,
                                .lost = experiment->program->lost ? experiment->program->lost->calls : 0,
                                .sites = experiment->program->sites};
    add_inputs(experiment, &manifest);
    return manifest;
}
