#include "place/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/given.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/values.h"
#include "output/output.h"
#include "output/standard.h"
#include "sim/memory.h"
#include "trace/input.h"

/* ---------------------------------------------------------------- arguments */

enum place_option {
    OPTION_TRACE,
    OPTION_WORKLOAD,
    OPTION_FABRIC,
    OPTION_MACHINE,
    OPTION_AS_PUBLISHED,
    OPTION_TOPOLOGY,
    OPTION_SET,
    OPTION_OBJECTIVE,
    OPTION_TRIES,
    OPTION_RESTARTS,
    OPTION_SEED,
    OPTION_SAME_NODES,
    OPTION_OUTPUT,
    OPTION_JSON,
    OPTION_PLUGIN
};

static const struct cli_option options[] = {
    [OPTION_TRACE] = {"--trace", 't', "PATH", "a trace of any form that helio run takes"},
    [OPTION_WORKLOAD] = {"--workload", 'w', "NAME[:PARAMETER=VALUE,...]", "a generated program"},
    [OPTION_FABRIC] = {"--fabric", 'f', "NAME", "the network on which it runs"},
    [OPTION_MACHINE] = CLI_MACHINE,
    [OPTION_AS_PUBLISHED] = CLI_AS_PUBLISHED,
    [OPTION_TOPOLOGY] = {"--topology", 0, "TOPOLOGY", "switches and links"},
    [OPTION_SET] = {"--set", 's', "PARAMETER=VALUE",
                    "set a parameter (helio params lists them)" CLI_REPEATS ". placement is the start"},
    [OPTION_OBJECTIVE] = {"--objective", 0, "WHAT",
                          "hops: the bytes x hops shall be few (default); time: the simulated time shall be "
                          "short"},
    [OPTION_TRIES] = {"--tries", 0, "N", "runs of the search for a short time (default 100)"},
    [OPTION_RESTARTS] = {"--restarts", 0, "N", "of the search for few bytes x hops (default 60)"},
    [OPTION_SEED] = {"--seed", 0, "N", "of all that is random (default 1)"},
    [OPTION_SAME_NODES] = {"--same-nodes", 0, NULL, "ranks change places with each other only"},
    [OPTION_OUTPUT] = {"--output", 'o', "FILE", "write the best placement there"},
    [OPTION_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
    [OPTION_PLUGIN] = CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "place",
    .words = "[EXPERIMENT.yaml] [TRACE]",
    .doc = "Which node should have which rank? Compares placements of a program's ranks by the bytes of its "
           "messages\n"
           "times the hops of their routes, and by its simulated time: the one that is given, a random one, "
           "that "
           "of\n"
           "the library Scotch, and that of a search. The best one is no worse than the one that is given.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Examples:\n"
        "  helio place -w npb:cg:class=S,ranks=16 -f packet --topology torus:4x4 -o cg.place\n"
        "  helio run -w npb:cg:class=S,ranks=16 -f packet -s topology=torus:4x4 -s placement=cg.place\n"
        "  helio place -w npb:cg:class=S,ranks=16 -f packet --topology torus:4x4 --objective time --tries "
        "50\n\n"
        "docs/place.md says how to use it, docs/models/place.md what is computed.",
};

struct place_arguments {
    struct config *config;
    const char *file, *trace, *output; /* NULL: not given */
    struct place_options options;
    bool json;
};

/* Words and plug-ins come first: a file may have parameters of plug-ins, and options win over the file. */
static bool take_word(void *self, int found, const char *value)
{
    struct place_arguments *arguments = self;
    if (found != CLI_WORD)
        return true;
    const char **place = trace_input_is_likely(value) ? &arguments->trace : &arguments->file;
    return cli_take_word(&command, place, value, place == &arguments->trace ? "trace" : "experiment file");
}

static bool read_count(const char *option, const char *text, uint64_t *count)
{
    struct units_problem problem;
    if (units_count(text, count, &problem))
        return true;
    diag_error("%s %s: %s", option, text, problem.text);
    return false;
}

static bool read_objective(const char *text, enum place_objective *objective)
{
    static const char *const names[] = {[PLACE_HOPS] = "hops", [PLACE_TIME] = "time"};
    *objective = strcmp(text, names[PLACE_TIME]) == 0 ? PLACE_TIME : PLACE_HOPS;
    if (strcmp(text, names[*objective]) == 0)
        return true;
    diag_error("--objective is hops or time, not '%s'%s", text,
               diag_did_you_mean(diag_nearest_of(text, names, sizeof names / sizeof *names)));
    return false;
}

static bool take(void *self, int found, const char *value)
{
    struct place_arguments *arguments = self;
    struct config *config = arguments->config;
    static const char *const names[] = {[OPTION_TRACE] = "trace",
                                        [OPTION_WORKLOAD] = "workload",
                                        [OPTION_FABRIC] = "fabric",
                                        [OPTION_TOPOLOGY] = "topology"};
    const int option = found - CLI_OPTION;
    if (found == CLI_WORD)
        return true;
    switch (option) {
    case OPTION_TRACE:
    case OPTION_WORKLOAD:
    case OPTION_FABRIC:
    case OPTION_TOPOLOGY:
        return config_assign(config, names[option], value, options[option].name) == STATUS_OK;
    case OPTION_MACHINE:
        return cli_assign_machine(config, value, "--machine") == STATUS_OK;
    case OPTION_AS_PUBLISHED:
        return cli_assign_machine(config, MACHINE_AS_PUBLISHED, "--as-published") == STATUS_OK;
    case OPTION_SET:
        return config_set(config, value) == STATUS_OK;
    case OPTION_OBJECTIVE:
        return read_objective(value, &arguments->options.objective);
    case OPTION_TRIES:
        return read_count("--tries", value, &arguments->options.tries);
    case OPTION_RESTARTS:
        return read_count("--restarts", value, &arguments->options.effort.restarts);
    case OPTION_SEED:
        return read_count("--seed", value, &arguments->options.effort.seed);
    case OPTION_SAME_NODES:
        arguments->options.same_nodes = true;
        return true;
    case OPTION_OUTPUT:
        arguments->output = value;
        return true;
    case OPTION_JSON:
        arguments->json = true;
        return true;
    default:
        return true;
    }
}

/* --------------------------------------------------------------------- text */

/* How many percent less than the start; 0 of nothing. */
static double gain(double start, double value)
{
    return start > 0 ? 100 * (start - value) / start : 0;
}

static void print_gain(double percent, bool is_start)
{
    char text[32] = "-";
    if (!is_start)
        snprintf(text, sizeof text, "%.1f %%", percent);
    printf("%10s", text);
}

static void print_row(const struct place_comparison *comparison, size_t index)
{
    const struct place_row *row = &comparison->rows[index], *start = &comparison->rows[0];
    char bytes[64], time[64];
    printf("%-14.40s%14s%10.3f", row->name, units_show_size((double)row->cost, 4, bytes, sizeof bytes),
           comparison->bytes ? (double)row->cost / (double)comparison->bytes : 0);
    print_gain(gain((double)start->cost, (double)row->cost), index == 0);
    printf("%14s", units_show_time(row->time, 5, time, sizeof time));
    print_gain(gain((double)start->time, (double)row->time), index == 0);
    printf("%s\n", index == comparison->best ? "  best" : "");
}

static void print_end(const struct place_comparison *comparison, const struct place_options *wanted)
{
    const struct place_row *best = &comparison->rows[comparison->best], *start = &comparison->rows[0];
    const bool by_time = wanted->objective == PLACE_TIME;
    const double hops = gain((double)start->cost, (double)best->cost),
                 time = gain((double)start->time, (double)best->time);
    if (!comparison->best)
        printf("\nNothing was gained: no placement that was found %s.\n",
               by_time ? "takes less time than the one that is given"
                       : "has fewer bytes x hops than the one that is given");
    else
        printf("\n%s: %.2f %% %s bytes x hops than the placement that is given, and %.2f %% %s time.\n",
               best->name, fabs(hops), hops < 0 ? "more" : "fewer", fabs(time), time < 0 ? "more" : "less");
    if (best->cost == comparison->bound)
        printf("No placement has fewer bytes x hops: it has as many as the lower bound.\n");
    if (by_time)
        printf("The search by the simulator made %" PRIu64 " runs, of which %" PRIu64 " %s faster.\n",
               comparison->runs, comparison->gains, comparison->gains == 1 ? "was" : "were");
    if (!place_has_scotch)
        printf("This helio was built without Scotch (Debian: libscotch-dev).\n");
}

static void print_comparison(const struct experiment *experiment, const struct place_comparison *comparison,
                             const struct place_options *wanted)
{
    char bytes[64];
    cli_print_text("program    ", experiment->program->name);
    printf("fabric     %s\n", experiment->fabrics[0]->name);
    cli_print_text("topology   ", config_text(experiment->config, "topology"));
    printf("ranks      %" PRIu32 " on %" PRIu32 " nodes\n", comparison->ranks, comparison->nodes);
    printf("bytes      %s from rank to rank\n\n",
           units_show_size((double)comparison->bytes, 4, bytes, sizeof bytes));
    printf("%-14s%14s%10s%10s%14s%10s\n", "placement", "bytes x hops", "per byte", "gain", "time", "gain");
    for (size_t i = 0; i < comparison->count; i++)
        print_row(comparison, i);
    printf("%-14s%14s%10.3f\n", "lower bound",
           units_show_size((double)comparison->bound, 4, bytes, sizeof bytes),
           comparison->bytes ? (double)comparison->bound / (double)comparison->bytes : 0);
    print_end(comparison, wanted);
}

/* --------------------------------------------------------------------- JSON */

static json_t *row_json(const struct place_comparison *comparison, size_t index)
{
    const struct place_row *row = &comparison->rows[index], *start = &comparison->rows[0];
    json_t *object = json_make_object(), *nodes = json_make_list();
    json_put_text(object, "placement", row->name);
    json_put_count(object, "byte_hops", row->cost);
    json_put_number(object, "byte_hops_gain_percent", gain((double)start->cost, (double)row->cost));
    json_put_number(object, "time_s", (double)row->time / (double)PS_PER_S);
    json_put_number(object, "time_gain_percent", gain((double)start->time, (double)row->time));
    for (uint32_t rank = 0; rank < comparison->ranks; rank++)
        json_add_count(nodes, row->node_of[rank]);
    json_put(object, "nodes", nodes);
    return object;
}

static json_t *comparison_json(const struct experiment *experiment, const struct place_comparison *comparison,
                               const struct place_options *wanted)
{
    json_t *object = json_make_object(), *rows = json_make_list();
    json_put_text(object, "schema", "helio-place-1");
    json_put_value(object, "program", experiment->program->name);
    json_put_text(object, "fabric", experiment->fabrics[0]->name);
    json_put_value(object, "topology", config_text(experiment->config, "topology"));
    json_put_count(object, "ranks", comparison->ranks);
    json_put_count(object, "nodes", comparison->nodes);
    json_put_count(object, "bytes", comparison->bytes);
    json_put_text(object, "objective", wanted->objective == PLACE_TIME ? "time" : "hops");
    json_put_count(object, "seed", wanted->effort.seed);
    json_put_count(object, "byte_hops_bound", comparison->bound);
    json_put_flag(object, "scotch", place_has_scotch);
    json_put_count(object, "best", (__int128)comparison->best);
    json_put_count(object, "runs", comparison->runs);
    json_put_count(object, "faster_runs", comparison->gains);
    for (size_t i = 0; i < comparison->count; i++)
        json_add(rows, row_json(comparison, i));
    json_put(object, "placements", rows);
    return object;
}

/* ---------------------------------------------------------------------- run */

static enum status write_best(const struct experiment *experiment, const struct place_comparison *comparison,
                              const char *path)
{
    struct output output;
    enum status status = output_open(&output, path);
    if (status != STATUS_OK)
        return status;
    place_write(&comparison->rows[comparison->best], comparison->ranks, experiment->program->name,
                output.file);
    return output_close(&output, STATUS_OK);
}

static enum status show(const struct experiment *experiment, const struct place_arguments *arguments,
                        const struct place_comparison *comparison)
{
    enum { DIGITS = 15 };
    enum status status =
        arguments->output ? write_best(experiment, comparison, arguments->output) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    if (arguments->json)
        return cli_print_json(comparison_json(experiment, comparison, &arguments->options), DIGITS);
    print_comparison(experiment, comparison, &arguments->options);
    return standard_flush();
}

/* Times say nothing of placements where the fabric knows no nodes that are near. */
static void warn_of_topology(const struct experiment *experiment)
{
    struct result_network network;
    network_describe(experiment, experiment->fabrics[0], &network);
    for (size_t i = 0; i < network.ignores.count; i++)
        if (strcmp(network.ignores.text[i], "topology") == 0)
            diag_warning("fabric %s ignores the topology: bytes x hops are those of the topology, and the "
                         "times are not",
                         experiment->fabrics[0]->name);
}

static enum status place(const struct place_arguments *arguments)
{
    struct experiment experiment;
    struct place_comparison comparison = {.count = 0};
    const struct memory_room room = memory_room_find();
    enum status status = experiment_init(&experiment, arguments->config);
    if (status == STATUS_OK)
        status = memory_admit(&experiment, &room);
    if (status == STATUS_OK)
        status = place_compare(&experiment, &arguments->options, &comparison);
    if (status == STATUS_OK)
        warn_of_topology(&experiment);
    if (status == STATUS_OK)
        status = show(&experiment, arguments, &comparison);
    place_comparison_free(&comparison);
    experiment_free(&experiment);
    return status;
}

int cli_place(int argc, char **argv)
{
    struct place_arguments arguments = {
        .options = {.tries = 100, .effort = {.seed = 1, .restarts = 60, .visits = UINT64_C(1) << 30}}};
    int found = cli_read_all(&command, argc, argv, take_word, &arguments);
    enum status status = found == CLI_END ? given_open(arguments.file, arguments.trace, &arguments.config)
                                          : (enum status)cli_status(found);
    if (found == CLI_END && status == STATUS_OK) {
        found = cli_read_all(&command, argc, argv, take, &arguments);
        status = found == CLI_END ? place(&arguments) : (enum status)cli_status(found);
    }
    if (arguments.config)
        config_close(arguments.config);
    return status;
}
