#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/schedule.h"
#include "cli/values.h"
#include "engine/params.h"
#include "machine/machine.h"
#include "output/interrupt.h"
#include "output/output.h"
#include "output/quote.h"
#include "output/standard.h"
#include "report/schedule_page.h"
#include "schedule/circuit/circuit.h"
#include "schedule/verify.h"
#include "schedule/write.h"
#include "sim/components.h"

enum schedule_option {
    SCHEDULE_TOPOLOGY,
    SCHEDULE_TRACE,
    SCHEDULE_WORKLOAD,
    SCHEDULE_AGAINST,
    SCHEDULE_ONLY,
    SCHEDULE_SET,
    SCHEDULE_MACHINE,
    SCHEDULE_ALGORITHM,
    SCHEDULE_ROUTES,
    SCHEDULE_ORDER,
    SCHEDULE_LIMIT,
    SCHEDULE_MOVES,
    SCHEDULE_SEED,
    SCHEDULE_JSON,
    SCHEDULE_OUTPUT,
    SCHEDULE_SWITCHES,
    SCHEDULE_HTML,
    SCHEDULE_VERIFY,
    SCHEDULE_DEMAND,
    SCHEDULE_SWITCHING,
    SCHEDULE_RATE,
    SCHEDULE_SWITCH,
    SCHEDULE_SLOT,
    SCHEDULE_DEADLINE,
    SCHEDULE_HOPS
};

/* The circuits' algorithms follow those of time slots, without best, which is among those; then the only one
 * that is about topologies alone. */
static const char *name_at(size_t option, size_t index)
{
    static const char *const of_topologies[] = {"fewest"};
    size_t circuits = 0;
    if (option != SCHEDULE_ALGORITHM)
        return NULL;
    if (index < TDM_ALGORITHMS)
        return tdm_algorithm_names[index];
    while (strcmp(circuit_algorithm_at(circuits)->name, tdm_algorithm_names[TDM_BEST]) != 0)
        circuits++;
    index -= TDM_ALGORITHMS;
    if (index < circuits)
        return circuit_algorithm_at(index)->name;
    return index - circuits < sizeof of_topologies / sizeof *of_topologies ? of_topologies[index - circuits]
                                                                           : NULL;
}

static const struct cli_option options[] = {
    [SCHEDULE_TOPOLOGY] =
        {"--topology", 't', "TOPOLOGY",
         "torus:8x8, mesh:4x4, linear:5, fattree:4x3 ... (helio topo --help); of a torus or\n"
         "mesh the last dimension is routed first unless it says order=; with --switching its\n"
         "switches are optical, and a circuit passes several of them"},
    [SCHEDULE_TRACE] = {"--trace", 0, "PATH", "the patterns of a program, each with its schedule: a trace"},
    [SCHEDULE_WORKLOAD] = {"--workload", 'w', "SPEC",
                           "the same of a generated program, as npb:cg:class=S,ranks=16"},
    [SCHEDULE_AGAINST] = {"--against", 0, "PATH|SPEC",
                          "another trace or workload: the patterns that it has too are foreseen"},
    [SCHEDULE_ONLY] = {"--only", 0, "N", "schedule pattern N of the program as if it were given as a file"},
    [SCHEDULE_SET] = {"--set", 's', "PARAMETER=VALUE",
                      "mpi.alltoall, ranks_per_node ...: how calls become messages" CLI_REPEATS},
    [SCHEDULE_MACHINE] = {"--machine", 0, "NAME|FILE.yaml",
                          "the same as this machine and its MPI have it (helio machine)"},
    [SCHEDULE_ALGORITHM] =
        {"--algorithm", 'a', "NAME",
         "the scheduler, best by default; with --switching from bvn on, or best, and with\n"
         "--topology too greedy, coloring, aapc, combined, fewest, sunflow or best; NAME is one of"},
    [SCHEDULE_ROUTES] = {"--routes", 0, "fixed|free",
                         "free: greedy and best also choose among minimal routes"},
    [SCHEDULE_ORDER] = {"--order", 0, "given|random",
                        "in which greedy takes the requests, and aapc and combined phases of equal rank"},
    [SCHEDULE_LIMIT] = {"--limit", 0, "TIME",
                        "how long best searches, 10 s; 0 s = until it is optimal or interrupted;\n"
                        "with --switching no limit but that of --moves, unless it is set"},
    [SCHEDULE_MOVES] = {"--moves", 0, "N",
                        "how many moves best makes instead of --limit: then the result is reproducible"},
    [SCHEDULE_SEED] = {"--seed", 0, "N", "seed of all random choices: ties, orders, moves; 1"},
    [SCHEDULE_JSON] = {"--json", 0, NULL, "print one JSON object"},
    [SCHEDULE_OUTPUT] = {"--output", 'o', "SCHEDULE.csv",
                         "write a line for each request: src,dst,slot,links;\n"
                         "with --switching: for each circuit switch,start_s,end_s,src,dst, or the curve"},
    [SCHEDULE_SWITCHES] = {"--switches", 0, "FILE|K",
                           "write what the switches' registers hold, .csv or .json;\n"
                           "with --switching: K parallel switches, each with a link to every port,\n"
                           "or K planes of --topology"},
    [SCHEDULE_HTML] = {"--html", 0, "FILE.html",
                       "write a page: slots by links, and what each slot connects;\n"
                       "with --switching: ports or links over time and what is carried when, or the curve"},
    [SCHEDULE_VERIFY] = {"--verify", 0, "SCHEDULE.csv",
                         "schedule nothing, but check this schedule of the pattern"},
    [SCHEDULE_DEMAND] = {"--demand", 'd', "FILE.csv",
                         "with --switching: what circuits have to carry, lines src,dst,bytes\n"
                         "or a square matrix"},
    [SCHEDULE_SWITCHING] = {"--switching", 0, "TIME",
                            "how long it takes to set up circuits: 10us; a list prints the curve over it"},
    [SCHEDULE_RATE] = {"--rate", 0, "RATE", "with --switching: of a circuit, 100Gb/s"},
    [SCHEDULE_SWITCH] = {"--switch", 0, "all-stop|not-all-stop",
                         "whether all circuits of a switch stop while one changes; not-all-stop"},
    [SCHEDULE_SLOT] = {"--slot", 0, "TIME",
                       "length of slots of edmonds (20 ms) and round-robin, and of cycles of tms (200 ms)"},
    [SCHEDULE_DEADLINE] = {"--deadline", 0, "TIME", "with --verify: bytes that arrive later are late"},
    [SCHEDULE_HOPS] =
        {"--hops", 0, "1|2",
         "with --switching: how many circuits bytes may take one after another; with 2 over a port\n"
         "in between (a node of --topology), which takes fewer circuits for many small entries; 1"},
    CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "schedule",
    .words = "PATTERN.csv|PATTERN|--trace PATH|--workload SPEC --topology TOPOLOGY",
    .doc =
        "Schedules the connections of a pattern on a time-multiplexed network with as few slots as it can.\n"
        "A pattern is a file of lines src,dst, or one of those named below.\n"
        "With --switching: schedules circuits for the bytes of --demand, --trace or --workload on an "
        "optical\n"
        "switch that takes this time to change, within as little time as it can.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Patterns by name:\n"
        "  random:connections=400,seed=1   distinct pairs\n"
        "  ring, nearest-neighbour[:rows=8], hypercube, shuffle-exchange, all-to-all\n"
        "  redistribution:array=64x64x64,from=4x4x4,from-block=16x16x16,to=1x1x64,to-block=64x64x1\n"
        "  gs, tscf, p3m:part=1 ... 5      those of the programs in Table 4 of \"Compiled Communication\n"
        "                                  for All-optical TDM Networks\"\n\n"
        "Examples:\n"
        "  helio schedule hypercube --topology torus:8x8 --html hypercube.html\n"
        "  helio schedule pairs.csv --topology torus:8x8 --algorithm combined -o schedule.csv\n"
        "  helio schedule pairs.csv --topology torus:8x8 --verify schedule.csv\n"
        "  helio schedule --workload collective:op=allreduce,ranks=64 --topology torus:8x8 --machine "
        "slingshot-11\n"
        "  helio schedule --workload npb:cg:class=W,ranks=64 --topology torus:8x8 \\\n"
        "                 --against npb:cg:class=A,ranks=64\n"
        "  helio schedule --demand demand.csv --switching 10us --rate 100Gb/s -o circuits.csv",
    .name_at = name_at,
};

/* ------------------------------------------------------------------ options */

static bool read_flag(const char *option, const char *value, const char *off, const char *on, bool *flag)
{
    int index = 0;
    bool good = cli_value_choice(option, value, (const char *const[]){off, on}, 2, &index);
    *flag = index == 1;
    return good;
}

static bool read_limit(const char *value, ps_t *limit_ps)
{
    struct units_problem problem;
    if (units_time(value, limit_ps, &problem))
        return true;
    diag_error("--limit: %s", problem.text);
    return false;
}

static void take_circuits(struct schedule_circuits *circuits, int found, const char *value)
{
    switch ((enum schedule_option)(found - CLI_OPTION)) {
    case SCHEDULE_DEMAND:
        circuits->demand = value;
        break;
    case SCHEDULE_SWITCHING:
        circuits->switching = value;
        break;
    case SCHEDULE_RATE:
        circuits->rate = value;
        break;
    case SCHEDULE_SWITCH:
        circuits->stop = value;
        break;
    case SCHEDULE_SLOT:
        circuits->slot = value;
        break;
    case SCHEDULE_HOPS:
        circuits->hops = value;
        break;
    default:
        circuits->deadline = value;
    }
}

static bool take(void *self, int found, const char *value)
{
    struct schedule_settings *settings = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &settings->pattern_name, value, "pattern");
    switch ((enum schedule_option)(found - CLI_OPTION)) {
    case SCHEDULE_TOPOLOGY:
        settings->topology_text = value;
        break;
    case SCHEDULE_TRACE:
        settings->trace = value;
        break;
    case SCHEDULE_WORKLOAD:
        settings->workload = value;
        break;
    case SCHEDULE_AGAINST:
        settings->against = value;
        break;
    case SCHEDULE_ONLY:
        return cli_value_count("--only", value, &settings->only);
    case SCHEDULE_SET:
        return config_set(settings->config, value) == STATUS_OK;
    case SCHEDULE_MACHINE:
        settings->machine = value;
        break;
    case SCHEDULE_ALGORITHM:
        settings->algorithm = value;
        break;
    case SCHEDULE_ROUTES:
        return read_flag("--routes", value, "fixed", "free", &settings->method.free_routes);
    case SCHEDULE_ORDER:
        return read_flag("--order", value, "given", "random", &settings->method.random_order);
    case SCHEDULE_LIMIT:
        return read_limit(value, &settings->limit_ps);
    case SCHEDULE_MOVES:
        return cli_value_count("--moves", value, &settings->method.limit.moves);
    case SCHEDULE_SEED:
        return cli_value_count("--seed", value, &settings->method.seed);
    case SCHEDULE_JSON:
        settings->json = true;
        break;
    case SCHEDULE_OUTPUT:
        settings->output = value;
        break;
    case SCHEDULE_SWITCHES:
        settings->switches = value;
        break;
    case SCHEDULE_HTML:
        settings->html = value;
        break;
    case SCHEDULE_VERIFY:
        settings->verify = value;
        break;
    default:
        take_circuits(&settings->circuits, found, value);
    }
    return true;
}

/* Whether all patterns of a program are wanted, rather than one pattern. */
static bool is_whole_program(const struct schedule_settings *settings)
{
    return !settings->pattern_name && !settings->only;
}

static enum status check_settings(struct schedule_settings *settings)
{
    if (schedule_is_circuits(settings))
        return STATUS_OK;
    if (settings->algorithm && !cli_value_choice("--algorithm", settings->algorithm, tdm_algorithm_names,
                                                 TDM_ALGORITHMS, &settings->method.algorithm))
        return STATUS_BAD_INPUT;
    int inputs = !!settings->pattern_name + !!settings->trace + !!settings->workload;
    if (inputs != 1 || !settings->topology_text) {
        diag_error("helio schedule needs one pattern or program, and a topology: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    if (settings->pattern_name && (settings->against || settings->only || settings->machine)) {
        diag_error("%s needs a program: --trace or --workload", settings->against ? "--against"
                                                                : settings->only  ? "--only"
                                                                                  : "--machine");
        return STATUS_BAD_INPUT;
    }
    if (is_whole_program(settings) &&
        (settings->output || settings->switches || settings->html || settings->verify)) {
        diag_error("a program has several patterns: choose one with --only N");
        return STATUS_BAD_INPUT;
    }
    if (settings->method.free_routes && settings->method.algorithm != TDM_GREEDY &&
        settings->method.algorithm != TDM_BEST) {
        diag_error("only greedy and best choose routes; %s schedules fixed ones",
                   schedule_algorithm(settings));
        return STATUS_BAD_INPUT;
    }
    if (settings->switches && !cli_ends_in(settings->switches, ".csv") &&
        !cli_ends_in(settings->switches, ".json")) {
        diag_error("--switches writes files that end in .csv or .json, not '%s'", settings->switches);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------ results */

static const char *pattern_title(const struct schedule_settings *settings)
{
    return settings->pattern_name ? settings->pattern_name
                                  : (settings->trace ? settings->trace : settings->workload);
}

static enum status print_json(const struct schedule_settings *settings,
                              const struct schedule_outcome *outcome)
{
    char topology[TOPO_TEXT];
    json_t *object = json_make_object();
    json_put_text(object, "pattern", pattern_title(settings));
    json_put_text(object, "topology", topo_print(&outcome->topo, topology, sizeof topology));
    json_put_text(object, "algorithm", schedule_algorithm(settings));
    json_put_text(object, "routes", schedule_routes(settings));
    json_put_count(object, "requests", outcome->plan.problem.requests);
    json_put_count(object, "degree", outcome->plan.schedule.degree);
    json_put_count(object, "lower_bound", outcome->plan.bound);
    json_put_flag(object, "proven_optimal", outcome->plan.schedule.degree == outcome->plan.bound);
    json_put_count(object, "moves", outcome->plan.moves);
    json_put_number(object, "seconds", outcome->seconds);
    return cli_print_json(object, SCHEDULE_DIGITS);
}

static enum status print_text(const struct schedule_settings *settings,
                              const struct schedule_outcome *outcome)
{
    char topology[TOPO_TEXT];
    bool optimal = outcome->plan.schedule.degree == outcome->plan.bound;
    cli_print_text("pattern      ", pattern_title(settings));
    printf("topology     %s\n", topo_print(&outcome->topo, topology, sizeof topology));
    printf("algorithm    %s, %s routes\n", schedule_algorithm(settings), schedule_routes(settings));
    printf("requests     %" PRIu32 "\n", outcome->plan.problem.requests);
    printf("degree       %" PRIu32 "%s\n", outcome->plan.schedule.degree, optimal ? ", proven optimal" : "");
    printf("lower bound  %" PRIu32 "\n", outcome->plan.bound);
    enum status status = standard_flush();
    if (status == STATUS_OK && isatty(STDERR_FILENO))
        diag_note("scheduled in %.3g s", outcome->seconds);
    return status;
}

static enum status write_files(const struct schedule_settings *settings,
                               const struct schedule_outcome *outcome)
{
    struct output output = {0};
    enum status status = STATUS_OK;
    if (settings->output) {
        status = output_open(&output, settings->output);
        if (status == STATUS_OK)
            tdm_write_schedule(&outcome->topo, &outcome->pattern, &outcome->plan.problem,
                               &outcome->plan.schedule, output.file);
        status = output_close(&output, status);
    }
    if (status == STATUS_OK && settings->switches) {
        output = (struct output){0};
        status = output_open(&output, settings->switches);
        if (status == STATUS_OK)
            (cli_ends_in(settings->switches, ".csv") ? tdm_write_switches_csv : tdm_write_switches_json)(
                &outcome->topo, &outcome->plan.problem, &outcome->plan.schedule, output.file);
        status = output_close(&output, status);
    }
    if (status == STATUS_OK && settings->html)
        status = schedule_page_save(&(struct scheduled){.title = pattern_title(settings),
                                                        .topo = &outcome->topo,
                                                        .pattern = &outcome->pattern,
                                                        .method = &settings->method,
                                                        .plan = &outcome->plan},
                                    settings->html);
    return status;
}

static void print_verdict(const struct tdm_verdict *verdict, bool minimal)
{
    json_t *object = json_make_object();
    json_put_flag(object, "valid", true);
    json_put_flag(object, "minimal", minimal);
    json_put_count(object, "requests", verdict->requests);
    json_put_count(object, "degree", verdict->degree);
    char *line = json_spaced_line(object, SCHEDULE_DIGITS);
    puts(line);
    free(line);
    json_decref(object);
}

static enum status verify(const struct schedule_settings *settings, const struct schedule_outcome *outcome)
{
    char *text;
    size_t size;
    enum status status = file_load(settings->verify, TDM_FILE_AT_MOST, "a schedule", &text, &size);
    if (status != STATUS_OK)
        return status;
    struct tdm_verdict verdict;
    status = tdm_verify(&outcome->topo, &outcome->pattern, settings->verify, text, size, &verdict);
    free(text);
    if (status != STATUS_OK)
        return status;
    bool minimal = verdict.minimal_pairs == verdict.pairs;
    if (settings->json) {
        print_verdict(&verdict, minimal);
    } else {
        quote_terminal(stdout, settings->verify);
        printf(": valid, %" PRIu64 " requests in %" PRIu32 " slots, %s minimal configuration set\n",
               verdict.requests, verdict.degree, minimal ? "a" : "not a");
    }
    return minimal ? STATUS_OK : STATUS_FAILED;
}

static enum status read_pattern(const struct schedule_settings *settings, struct schedule_outcome *outcome)
{
    const char *name = settings->pattern_name;
    if (!name)
        return schedule_program_pattern(settings, &outcome->topo, &outcome->pattern);
    if (cli_ends_in(name, ".csv") || access(name, F_OK) == 0)
        return tdm_pattern_load(name, outcome->topo.nodes, &outcome->pattern);
    return tdm_pattern_named(name, outcome->topo.nodes, &outcome->pattern);
}

static enum status schedule_pattern(const struct schedule_settings *settings,
                                    struct schedule_outcome *outcome)
{
    enum status status = read_pattern(settings, outcome);
    if (status == STATUS_OK && settings->verify)
        return verify(settings, outcome);
    if (status == STATUS_OK)
        status = schedule_outcome_make(settings, outcome);
    if (status == STATUS_OK)
        status = write_files(settings, outcome);
    if (status == STATUS_OK)
        status = (settings->json ? print_json : print_text)(settings, outcome);
    return status;
}

/* Whether files can name what they are about. A platform says links and routes, and its routes may say which
 * switches the links join. */
static enum status check_files(const struct schedule_settings *settings, const struct topo *topo)
{
    if (settings->switches && !topo->ops->choose)
        diag_error("--switches: %s says which links routes have, and not which switches with which ports are "
                   "between them; --output writes the links of each connection",
                   topo->path);
    else if (topo->no_ends && (settings->output || settings->verify))
        diag_error(
            "%s: a schedule names links by the two switches that they join, and %s does not say it: %s",
            settings->output ? "--output" : "--verify", topo->path, topo->no_ends);
    else
        return STATUS_OK;
    return STATUS_BAD_INPUT;
}

static enum status schedule_any(const struct schedule_settings *settings)
{
    struct schedule_outcome outcome = {0};
    enum status status = tdm_topology("--topology", settings->topology_text, &outcome.topo);
    if (status == STATUS_OK)
        status = check_files(settings, &outcome.topo);
    if (status != STATUS_OK)
        return status;
    if (is_whole_program(settings))
        return schedule_program(settings, &outcome.topo);
    status = schedule_pattern(settings, &outcome);
    schedule_outcome_free(&outcome);
    return status;
}

/* Gives the config what it takes of the machine: ranks of a node, and how collectives are carried out. The
 * rates and times of a machine have no part in a schedule. What --set has set stays. */
static enum status apply_machine(const struct schedule_settings *settings)
{
    size_t count;
    struct machine machine;
    if (!settings->machine || strcmp(settings->machine, MACHINE_AS_PUBLISHED) == 0)
        return STATUS_OK;
    const struct param_table *const *tables = components_params(&count);
    struct config *all = config_open(tables, count);
    enum status status = all ? machine_open(&machine, settings->machine, all) : STATUS_FAILED;
    if (status == STATUS_OK) {
        status = machine_apply(&machine, settings->config, NULL, NULL);
        machine_close(&machine);
    }
    if (all)
        config_close(all);
    return status;
}

/* Ctrl-C ends the search, and not the program: the best schedule found by then is written. */
static enum status schedule(const struct schedule_settings *settings)
{
    if (schedule_is_circuits(settings))
        return schedule_circuits(settings);
    bool searches = settings->method.algorithm == TDM_BEST && !settings->verify;
    if (searches)
        interrupt_accept();
    enum status status = schedule_any(settings);
    if (searches)
        interrupt_refuse();
    return status;
}

int cli_schedule(int argc, char **argv)
{
    static const struct param_table *const tables[] = {&collective_params, &node_params};
    struct schedule_settings settings = {.method = {.algorithm = TDM_BEST, .seed = 1},
                                         .limit_ps = -1,
                                         .config = config_open(tables, sizeof tables / sizeof *tables)};
    if (!settings.config)
        return STATUS_FAILED;
    int found = cli_read_all(&command, argc, argv, take, &settings);
    enum status status = found == CLI_END ? check_settings(&settings) : cli_status(found);
    if (found == CLI_END && status == STATUS_OK)
        status = apply_machine(&settings);
    if (found == CLI_END && status == STATUS_OK)
        status = schedule(&settings);
    config_close(settings.config);
    return status;
}
