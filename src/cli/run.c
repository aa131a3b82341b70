#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "call/jobs.h"
#include "cli/cli.h"
#include "cli/draw.h"
#include "cli/machine_warn.h"
#include "cli/options.h"
#include "cli/values.h"
#include "engine/simplecomm/ini.h"
#include "fabric/list.h"
#include "machine/machine.h"
#include "output/interrupt.h"
#include "output/standard.h"
#include "plugin/plugin.h"
#include "report/insight.h"
#include "report/memory.h"
#include "report/page.h"
#include "report/slack.h"
#include "report/table.h"
#include "report/timeline/timeline.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sim/insight.h"
#include "sim/message_log.h"
#include "sim/unused.h"
#include "sim/what_if.h"
#include "trace/input.h"
#include "workload/help.h"
#include "workload/workload.h"

enum run_option {
    RUN_TRACE,
    RUN_WORKLOAD,
    RUN_FABRIC,
    RUN_MACHINE,
    RUN_AS_PUBLISHED,
    RUN_TOPOLOGY,
    RUN_INI,
    RUN_SET,
    RUN_JSON,
    RUN_CSV,
    RUN_INSIGHT,
    RUN_NO_INSIGHT,
    RUN_SLACK,
    RUN_WHAT_IF,
    RUN_HTML,
    RUN_MESSAGES,
    RUN_TIMELINE,
    RUN_PLUGIN,
    RUN_DRY_RUN,
    RUN_FORCE
};

static const char *name_at(size_t option, size_t index)
{
    if (option == RUN_WORKLOAD)
        return workloads[index] ? workloads[index]->name : NULL;
    if (option == RUN_FABRIC)
        return fabrics[index] ? fabrics[index]->name : NULL;
    if (option == RUN_MACHINE)
        return machine_presets[index].name;
    return NULL;
}

static const struct cli_option options[] = {
    [RUN_TRACE] = {"--trace", 't', "PATH",
                   "a recorded program (docs/traces.md): of helio capture or SimGrid as a folder, index\n"
                   "file, archive or compiled trace; GOAL, Chakra, OTF2 or DUMPI"},
    [RUN_WORKLOAD] = {"--workload", 'w', "NAME[:PARAMETER=VALUE,...]",
                      "a generated program, as alltoall:ranks=64,bytes=8KiB; help lists all parameters,\n"
                      "NAME:help those of one; NAME is one of"},
    [RUN_FABRIC] = {"--fabric", 'f', "NAME[,NAME...]",
                    "the networks; speedups are over the first named. NAME is one of"},
    [RUN_MACHINE] = CLI_MACHINE,
    [RUN_AS_PUBLISHED] = CLI_AS_PUBLISHED,
    [RUN_TOPOLOGY] = {"--topology", 0, "TOPOLOGY",
                      "the network's nodes, switches and links: as torus:8x8, which helio topo lists, or a\n"
                      "file: ours, SimGrid's, htsim's, ns-3's or SimAI's (docs/networks.md)"},
    [RUN_INI] = {"--ini", 0, "FILE.ini", "a configuration of SimpleComm's, to compute what it computes"},
    [RUN_SET] = {"--set", 's', "PARAMETER=VALUE", "set a parameter (helio params lists them)" CLI_REPEATS},
    [RUN_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
    [RUN_CSV] = {"--csv", 0, NULL, "print the table as CSV, with times in seconds"},
    [RUN_INSIGHT] = {"--insight", 0, NULL,
                     "also with --json: say what the time is made of, and why fabrics differ; list the\n"
                     "critical path"},
    [RUN_NO_INSIGHT] = {"--no-insight", 0, NULL,
                        "leave out what the table says of this, and the time it takes"},
    [RUN_SLACK] = {"--slack", 0, NULL,
                   "as --insight; also how much later each rank and message could be without a longer run"},
    [RUN_WHAT_IF] = {"--what-if", 0, "N",
                     "as --insight; also run again without the time of each of the N longest messages of\n"
                     "the critical path, 12 at most"},
    [RUN_HTML] = {"--html", 0, "FILE.html", "write a report: one page with charts that needs no network"},
    [RUN_MESSAGES] = {"--messages", 'm', "FILE.csv", "write a line per message"},
    [RUN_TIMELINE] = {"--timeline", 0, "FILE",
                      "write what each rank and each message did, for a viewer: FILE.pftrace for\n"
                      "Perfetto, FILE.paje for ViTE, FILE.otf2 for Vampir"},
    [RUN_PLUGIN] = CLI_PLUGIN,
    [RUN_DRY_RUN] = {"--dry-run", 0, NULL, "print the memory that the run will need; run nothing"},
    [RUN_FORCE] = {"--force", 0, NULL, "run also if there seems to be too little memory"},
};

static const struct cli_command command = {
    .name = "run",
    .words = "[EXPERIMENT.yaml] [TRACE]",
    .doc = "Replays a program, a trace or a generated workload, over one or several fabrics.\n"
           "Later options win over earlier ones, all of them over the experiment file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio run cg.S.4.tar.zst --fabric ideal,hockney,packet\n"
             "  helio run --workload pingpong:bytes=10MiB --fabric hockney --set hockney.latency=2us\n"
             "  helio params > experiment.yaml; helio run experiment.yaml --json",
    .name_at = name_at,
};

struct run_options {
    struct config *config;
    const char *file;
    bool file_is_ini;
    const char *trace; /* a word that is a trace; NULL: none */
    const char *messages, *html, *timeline;
    uint64_t what_if; /* how many messages */
    bool json, csv, insight, no_insight, slack, dry_run, force;
};

static enum status read_what_if(struct run_options *run, const char *value)
{
    if (!cli_value_count("--what-if", value, &run->what_if))
        return STATUS_BAD_INPUT;
    if (run->what_if >= 1 && run->what_if <= PATH_LISTED)
        return STATUS_OK;
    diag_error("--what-if %s: from 1 to %d messages are expected", value, PATH_LISTED);
    return STATUS_BAD_INPUT;
}

/* -m looks like --machine. */
static enum status read_messages(struct run_options *run, const char *value)
{
    run->messages = value;
    if (!machine_preset(value))
        return STATUS_OK;
    diag_error(
        "--messages %s: a file is expected, and this is a machine: --machine %s; a file of this name is "
        "./%s",
        value, value, value);
    return STATUS_BAD_INPUT;
}

static enum status apply_option(struct run_options *run, int found, const char *value)
{
    switch (found - CLI_OPTION) {
    case RUN_TRACE:
        return config_assign(run->config, "trace", value, "--trace");
    case RUN_WORKLOAD:
        return config_assign(run->config, "workload", value, "--workload");
    case RUN_FABRIC:
        return config_assign(run->config, "fabric", value, "--fabric");
    case RUN_MACHINE:
        return cli_assign_machine(run->config, value, "--machine");
    case RUN_AS_PUBLISHED:
        return cli_assign_machine(run->config, MACHINE_AS_PUBLISHED, "--as-published");
    case RUN_TOPOLOGY:
        return config_assign(run->config, "topology", value, "--topology");
    case RUN_INI:
        return STATUS_OK; /* has been read, as experiment files are */
    case RUN_SET:
        return config_set(run->config, value);
    case RUN_JSON:
        run->json = true;
        return STATUS_OK;
    case RUN_CSV:
        run->csv = true;
        return STATUS_OK;
    case RUN_INSIGHT:
        run->insight = true;
        return STATUS_OK;
    case RUN_NO_INSIGHT:
        run->no_insight = true;
        return STATUS_OK;
    case RUN_SLACK:
        run->insight = run->slack = true;
        return STATUS_OK;
    case RUN_WHAT_IF:
        run->insight = true;
        return read_what_if(run, value);
    case RUN_DRY_RUN:
        run->dry_run = true;
        return STATUS_OK;
    case RUN_FORCE:
        run->force = true;
        return STATUS_OK;
    case RUN_HTML:
        run->html = value;
        return STATUS_OK;
    case RUN_MESSAGES:
        return read_messages(run, value);
    case RUN_TIMELINE:
        run->timeline = value;
        return STATUS_OK;
    }
    return STATUS_BAD_INPUT;
}

static void refuse(void *self, struct config_reader *reader, const struct config_node *node)
{
    (void)self;
    config_key_error(reader, node, "%s is for helio sweep; helio run makes one run on each fabric",
                     node->key);
}

static const struct config_section of_sweeps[] = {{"sweep", refuse}, {"seeds", refuse}, {"baseline", refuse}};

static enum status read_file(const struct run_options *run, const char *text, size_t length)
{
    if (!run->file)
        return STATUS_OK;
    if (run->file_is_ini)
        return simplecomm_read_ini(run->config, run->file);
    return config_read_text_with(run->config, run->file, text, length, of_sweeps,
                                 sizeof of_sweeps / sizeof *of_sweeps, NULL);
}

/* Finds the experiment file and the trace, wherever they stand among the words. Loads the plug-ins that
 * options name. */
static enum status find_file(struct run_options *run, int argc, char **argv, bool *help)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_OPTION + RUN_WORKLOAD && workload_help_is_wanted(value)) {
            *help = true;
            return workload_help_print(value, stdout);
        }
        *help = found == CLI_HELP;
        if (found == CLI_HELP || found == CLI_ERROR)
            return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
        bool as_ini = found == CLI_OPTION + RUN_INI;
        if (found != CLI_WORD && !as_ini)
            continue;
        bool is_trace = !as_ini && trace_input_is_likely(value);
        if (is_trace ? run->trace : run->file) {
            diag_error("helio run takes one %s, not also '%s'", is_trace ? "trace" : "experiment file",
                       value);
            return STATUS_BAD_INPUT;
        }
        if (is_trace)
            run->trace = value;
        else
            run->file = value;
        run->file_is_ini = as_ini || (!is_trace && cli_ends_in(value, ".ini"));
    }
    return STATUS_OK;
}

/* What follows -w is easily given without it. */
static bool is_workload(const char *file)
{
    return access(file, F_OK) != 0 && workload_find(file, strcspn(file, ":"));
}

/* Parameters of plug-ins have to be known before the file is read, and the file before options, which win
 * over it. */
static enum status make_config(struct run_options *run)
{
    size_t count, length = 0;
    char *text = NULL;
    enum status status = STATUS_OK;
    if (run->file && is_workload(run->file)) {
        diag_error("%s is a workload, not a file; helio run --workload %s runs it", run->file, run->file);
        return STATUS_BAD_INPUT;
    }
    if (run->file && !run->file_is_ini) {
        text = config_load_file(run->file, &length);
        status = text ? plugin_load_from_text(run->file, text, length) : STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK) {
        const struct param_table *const *tables = components_params(&count);
        run->config = config_open(tables, count);
        status = run->config ? read_file(run, text, length) : STATUS_FAILED;
        if (status == STATUS_OK && run->trace)
            status = config_assign(run->config, "trace", run->trace, "--trace");
    }
    free(text);
    return status;
}

static enum status read_options(struct run_options *run, int argc, char **argv)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    enum status status = STATUS_OK;
    const char *value;
    for (int found; status == STATUS_OK && (found = cli_read(&reader, &value)) != CLI_END;)
        if (found != CLI_WORD)
            status = apply_option(run, found, value);
    return status;
}

/* Opens what runs are written to while they go on. */
static enum status open_logs(const struct run_options *run, const struct experiment *experiment,
                             struct experiment_watch *watch)
{
    struct timeline *timeline = NULL;
    if (run->timeline && experiment->chosen->compat != COMPAT_NONE) {
        diag_error("--timeline does not show runs with compat=simplecomm; --messages does");
        return STATUS_BAD_INPUT;
    }
    enum status status = run->messages ? message_log_open(run->messages, &watch->messages) : STATUS_OK;
    if (status == STATUS_OK && run->timeline) {
        status = timeline_open(run->timeline, experiment->fabric_count, &timeline);
        if (status != STATUS_OK)
            return status;
        watch->listen = timeline_listen;
        watch->listener = timeline;
    }
    return status;
}

/* On a terminal it says how fast the run was simulated, which is no part of its result. */
static void print_speed(const struct result *result)
{
    if (isatty(STDERR_FILENO) && result->messages && result->wall_s > 0)
        fprintf(stderr, "%s: %" PRIu64 " messages simulated in %.2f s, %.2f M/s\n", result->fabric,
                result->messages, result->wall_s, (double)result->messages / result->wall_s * 1e-6);
}

static enum status run_fabric(struct experiment *experiment, size_t index,
                              const struct experiment_watch *watch, uint64_t what_if, struct result *result)
{
    struct timeline *timeline = watch->listener;
    enum status status =
        timeline ? timeline_begin_run(timeline, experiment->fabrics[index]->name) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    status = draw_run(experiment, index, watch, result);
    if (status == STATUS_OK)
        print_speed(result);
    if (status == STATUS_OK && what_if)
        status = what_if_run(experiment, index, watch, what_if, result);
    return timeline ? timeline_end_run(timeline, status) : status;
}

static bool goes_on(void *self, const struct experiment_progress *at)
{
    (void)self, (void)at;
    return !interrupt_wanted();
}

/* A page and the table say what the time is made of; the page also lists the path. */
static enum experiment_path path_wanted(const struct run_options *run)
{
    if (run->slack)
        return EXPERIMENT_PATH_SLACK;
    if (run->insight || (run->html && !run->no_insight))
        return EXPERIMENT_PATH_LISTED;
    return run->json || run->csv || run->no_insight ? EXPERIMENT_PATH_NONE : EXPERIMENT_PATH_KINDS;
}

static enum status run_fabrics(const struct run_options *run, struct experiment *experiment,
                               struct result *results, size_t *done)
{
    struct experiment_watch watch = {.progress = goes_on};
    enum status status = open_logs(run, experiment, &watch);
    interrupt_accept();
    while (status == STATUS_OK && *done < experiment->fabric_count) {
        status = run_fabric(experiment, *done, &watch, run->what_if, &results[*done]);
        *done += status == STATUS_OK;
    }
    interrupt_refuse();
    status = timeline_close(watch.listener, status);
    return watch.messages ? message_log_close(watch.messages, status) : status;
}

/* A table and JSON say it. */
static void warn_of_ignored(const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < results[i].network.ignores.count; k++)
            diag_warning("%s ignores %s", results[i].fabric, results[i].network.ignores.text[k]);
}

static enum status print_results(const struct run_options *run, const struct manifest *manifest,
                                 const struct result *results, size_t count)
{
    if (run->json)
        return result_print_json(manifest, results, count, stdout);
    if (run->csv) {
        warn_of_ignored(results, count);
        report_csv(manifest->program, results, count, stdout);
        return standard_flush();
    }
    report_table(manifest->program, results, count, stdout);
    if (manifest->insight)
        report_insight(manifest->insight, stdout);
    if (run->insight) {
        report_collectives(results, count, stdout);
        report_paths(results, count, stdout);
    }
    if (run->slack)
        report_slack(results, count, stdout);
    return standard_flush();
}

static void find_insight(const struct run_options *run, struct manifest *manifest, struct insight *insight,
                         const struct result *results, size_t count)
{
    bool is_known = results[0].path || run->insight || run->html; /* else the table says it all */
    if (path_wanted(run) == EXPERIMENT_PATH_NONE || !is_known)
        return;
    insight_make(insight, results, count, manifest->bursts, manifest->lost);
    manifest->insight = insight;
}

/* Prints the fabrics that are done, and says which are not. Files of an interrupted run are not written. */
static enum status show_interrupted(const struct run_options *run, struct experiment *experiment,
                                    const struct result *results, size_t done)
{
    enum status status = STATUS_OK;
    if (done) {
        struct manifest manifest = experiment_manifest(experiment);
        struct insight insight = {.count = 0};
        manifest.not_run = &experiment->fabrics[done];
        manifest.not_run_count = experiment->fabric_count - done;
        find_insight(run, &manifest, &insight, results, done);
        status = print_results(run, &manifest, results, done);
        insight_free(&insight);
    }
    for (size_t i = done; i < experiment->fabric_count; i++)
        diag_error("interrupted: %s is not done", experiment->fabrics[i]->name);
    if (run->messages || run->timeline || run->html)
        diag_note("the files that --messages, --timeline and --html name are left out");
    return status == STATUS_OK ? STATUS_CANCELLED : status;
}

/* Writes the results, once all fabrics are done. */
static enum status show_results(const struct run_options *run, struct experiment *experiment,
                                const struct result *results, size_t count, struct report_page *page)
{
    struct manifest manifest = experiment_manifest(experiment);
    struct insight insight = {.count = 0};
    find_insight(run, &manifest, &insight, results, count);
    enum status status = print_results(run, &manifest, results, count);
    if (status == STATUS_OK && page)
        status = report_page_write(page, &manifest, results, count);
    insight_free(&insight);
    return status;
}

static enum status print_memory(const struct run_options *run, const struct experiment *experiment)
{
    struct estimate estimates[EXPERIMENT_FABRICS];
    const char *names[EXPERIMENT_FABRICS];
    const struct memory_report report = {.program = experiment->program->name,
                                         .room = memory_room_find(),
                                         .fabrics = names,
                                         .estimates = estimates,
                                         .count = experiment->fabric_count};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < experiment->fabric_count; i++) {
        names[i] = experiment->fabrics[i]->name;
        status = memory_estimate(experiment, i, &estimates[i]);
    }
    if (status != STATUS_OK)
        return status;
    return run->json ? memory_report_print_json(&report, stdout) : memory_report_print(&report, stdout);
}

static void warn_of_jobs(const struct program *program)
{
    const struct program_jobs *jobs = program ? program->jobs : NULL;
    if (jobs && jobs->unused[0])
        diag_warning("%s %s no effect with jobs.placement=%s", jobs->unused,
                     strchr(jobs->unused, ',') ? "have" : "has", jobs->placement);
    if (jobs && jobs->has_unused_nodes)
        diag_warning("jobs.nodes has no effect without jobs.queue");
}

/* Runs all fabrics and shows what they gave. */
static enum status run_opened(const struct run_options *run, struct experiment *experiment,
                              const struct unused_params *unused)
{
    struct result results[EXPERIMENT_FABRICS] = {0};
    struct report_page *page = NULL;
    const struct memory_room room = memory_room_find();
    size_t done = 0;
    enum status status = run->force ? STATUS_OK : memory_admit(experiment, &room);
    if (status == STATUS_OK && run->html)
        status = report_page_open(run->html, &page);
    if (status == STATUS_OK)
        status = run_fabrics(run, experiment, results, &done);
    if (status == STATUS_OK) {
        unused_algorithms_warn(unused, unused_result_calls, results);
        unused_shapes_warn(unused, results);
        unused_computation_warn(unused, results);
        warn_of_jobs(experiment->program);
    }
    if (status == STATUS_OK)
        status = show_results(run, experiment, results, done, page);
    else if (status == STATUS_CANCELLED)
        status = show_interrupted(run, experiment, results, done);
    status = report_page_close(page, status);
    if (run->html && status == STATUS_OK)
        report_page_note(run->html);
    for (size_t i = 0; i < EXPERIMENT_FABRICS; i++)
        result_free(&results[i]);
    return status;
}

/* A configuration of SimpleComm sets what all its networks need. */
static void warn_of_unused(const struct run_options *run, const struct experiment *experiment,
                           struct unused_params *unused)
{
    if (run->file_is_ini)
        return;
    unused_params_add(unused, run->config, experiment);
    unused_params_warn(unused);
}

/* One of two files of the same name would be lost. Devices take both. */
static bool are_files_apart(const struct run_options *run)
{
    const struct {
        const char *option, *path;
    } files[] = {{"--messages", run->messages}, {"--timeline", run->timeline}, {"--html", run->html}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t k = 0; k < i; k++) {
            if (!files[i].path || !files[k].path || strcmp(files[i].path, files[k].path) != 0 ||
                strncmp(files[i].path, "/dev/", 5) == 0)
                continue;
            diag_error("%s and %s cannot both write %s", files[k].option, files[i].option, files[i].path);
            return false;
        }
    return true;
}

static enum status run_experiment(const struct run_options *run)
{
    struct experiment experiment;
    struct unused_params unused = {.set_count = 0};
    if (run->json && run->csv) {
        diag_error("--json and --csv both print to standard output; give one of them");
        return STATUS_BAD_INPUT;
    }
    if (run->insight && run->csv) {
        diag_error("--csv has no room for the sentences of --insight; --json has");
        return STATUS_BAD_INPUT;
    }
    if (!are_files_apart(run))
        return STATUS_BAD_INPUT;
    if (run->insight && run->no_insight) {
        diag_error("--insight and --no-insight exclude each other");
        return STATUS_BAD_INPUT;
    }
    enum status status = plugin_note(run->config);
    if (status != STATUS_OK)
        return status;
    status = experiment_init(&experiment, run->config);
    experiment.path = path_wanted(run);
    if (status == STATUS_OK)
        warn_of_unused(run, &experiment, &unused);
    if (status == STATUS_OK)
        machine_warn_experiment(&experiment);
    if (status == STATUS_OK && !run->dry_run)
        status = experiment_hash_inputs(&experiment);
    if (status == STATUS_OK)
        status = run->dry_run ? print_memory(run, &experiment) : run_opened(run, &experiment, &unused);
    unused_params_free(&unused);
    experiment_free(&experiment);
    return status;
}

int cli_run(int argc, char **argv)
{
    struct run_options run = {.config = NULL};
    bool help = false;
    enum status status = find_file(&run, argc, argv, &help);
    if (help)
        return status;
    if (status == STATUS_OK)
        status = make_config(&run);
    if (status == STATUS_OK)
        status = read_options(&run, argc, argv);
    if (status == STATUS_OK)
        status = run_experiment(&run);
    if (run.config)
        config_close(run.config);
    return status;
}
