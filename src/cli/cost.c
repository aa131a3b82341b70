#include "cli/cost.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/given.h"
#include "cli/options.h"
#include "cli/print.h"
#include "output/standard.h"
#include "report/cost_page.h"
#include "sim/experiment.h"
#include "sim/memory.h"
#include "sim/network.h"
#include "trace/input.h"

/* ---------------------------------------------------------------- arguments */

enum cost_option {
    COST_TRACE,
    COST_WORKLOAD,
    COST_FABRIC,
    COST_MACHINE,
    COST_AS_PUBLISHED,
    COST_TOPOLOGY,
    COST_SET,
    COST_PRICES,
    COST_PRINT_PRICES,
    COST_JSON,
    COST_OUTPUT,
    COST_HTML,
    COST_PLUGIN
};

enum { JSON_DIGITS = 10 };

static const struct cli_option options[] = {
    [COST_TRACE] = {"--trace", 't', "PATH", "a trace of any form that helio run takes"},
    [COST_WORKLOAD] = {"--workload", 'w', "NAME[:PARAMETER=VALUE,...]", "a generated program"},
    [COST_FABRIC] = {"--fabric", 'f', "NAME[,...]", "the networks to compare"},
    [COST_MACHINE] = {"--machine", 0, "NAME|FILE.yaml", "a machine of all of them" CLI_REPEATS},
    [COST_AS_PUBLISHED] = CLI_AS_PUBLISHED,
    [COST_TOPOLOGY] = {"--topology", 0, "TOPOLOGY", "switches and links" CLI_REPEATS},
    [COST_SET] = {"--set", 's', "PARAMETER=VALUE",
                  "set a parameter (helio params lists them), or a price" CLI_REPEATS},
    [COST_PRICES] = {"--prices", 0, "FILE.yaml", "prices and powers"},
    [COST_PRINT_PRICES] = {"--print-prices", 0, NULL,
                           "print such a file with the prices of the program, and end"},
    [COST_JSON] = {"--json", 0, NULL, "print one JSON object instead of the tables"},
    [COST_OUTPUT] = {"--output", 'o', "DIR", "the folder to make, with the figure of time over cost"},
    [COST_HTML] = {"--html", 0, "FILE.html",
                   "write a page: time against cost, and where the cost comes from"},
    [COST_PLUGIN] = CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "cost",
    .words = "[EXPERIMENT.yaml] [TRACE]",
    .doc = "What networks cost, what they draw, and what a program takes on them in time and energy. The "
           "table marks\n"
           "the networks that no other one beats in cost and time. Below it stand the parts of each network: "
           "switches,\n"
           "ports, cables by length, transceivers.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio cost --workload alltoall:ranks=64,bytes=64KiB --fabric packet,ocs,fmu\n"
             "  helio cost -w alltoall:ranks=64,bytes=64KiB -f packet --topology fattree:4x3 --topology "
             "torus:4x4x4\n"
             "  helio cost --print-prices >prices.yaml; helio cost x.yaml --prices prices.yaml --html "
             "cost.html\n\n"
             "docs/cost.md says how to use it, docs/models/cost.md where the numbers come from.",
};

/* Values of an option that may be repeated; with none there is one run, without the option. */
struct cost_values {
    const char **list;
    size_t count, capacity;
};

struct cost_arguments {
    struct config *config; /* of the network that is looked at */
    struct config *prices; /* of all networks */
    struct cost_values machines, topologies;
    const char *file, *trace, *price_file, *output, *html; /* NULL: not given */
    bool json, prints_prices;
};

static void keep_value(struct cost_values *values, const char *value)
{
    values->list = mem_grow(values->list, &values->capacity, values->count + 1, "options");
    values->list[values->count++] = value;
}

static bool take_word(struct cost_arguments *arguments, const char *value)
{
    const char **place = trace_input_is_likely(value) ? &arguments->trace : &arguments->file;
    return cli_take_word(&command, place, value, place == &arguments->trace ? "trace" : "experiment file");
}

/* First what says which configs there are. */
static bool take_first(void *self, int found, const char *value)
{
    struct cost_arguments *arguments = self;
    if (found == CLI_WORD)
        return take_word(arguments, value);
    switch (found - CLI_OPTION) {
    case COST_MACHINE:
        keep_value(&arguments->machines, value);
        break;
    case COST_AS_PUBLISHED:
        keep_value(&arguments->machines, MACHINE_AS_PUBLISHED);
        break;
    case COST_TOPOLOGY:
        keep_value(&arguments->topologies, value);
        break;
    case COST_PRICES:
        arguments->price_file = value;
        break;
    case COST_PRINT_PRICES:
        arguments->prints_prices = true;
        break;
    case COST_OUTPUT:
        arguments->output = value;
        break;
    case COST_HTML:
        arguments->html = value;
        break;
    case COST_JSON:
        arguments->json = true;
        break;
    }
    return true;
}

static bool is_price(const char *assignment)
{
    return strncmp(assignment, "cost.", strlen("cost.")) == 0;
}

/* Then prices, which win over those of the file. */
static bool take_prices(void *self, int found, const char *value)
{
    struct cost_arguments *arguments = self;
    return found - CLI_OPTION != COST_SET || !is_price(value) ||
           config_set(arguments->prices, value) == STATUS_OK;
}

/* Then, for each config, what is the same in all. */
static bool take_values(void *self, int found, const char *value)
{
    struct cost_arguments *arguments = self;
    struct config *config = arguments->config;
    if (found == CLI_WORD)
        return true;
    switch (found - CLI_OPTION) {
    case COST_TRACE:
        return config_assign(config, "trace", value, "--trace") == STATUS_OK;
    case COST_WORKLOAD:
        return config_assign(config, "workload", value, "--workload") == STATUS_OK;
    case COST_FABRIC:
        return config_assign(config, "fabric", value, "--fabric") == STATUS_OK;
    case COST_SET:
        return is_price(value) || config_set(config, value) == STATUS_OK;
    default:
        return true;
    }
}

static const struct param_table *const price_tables[] = {&cost_params};

static enum status open_prices(struct cost_arguments *arguments, int argc, char **argv)
{
    arguments->prices = config_open(price_tables, 1);
    enum status status = arguments->prices ? STATUS_OK : STATUS_FAILED;
    if (status == STATUS_OK && arguments->price_file)
        status = config_read_file(arguments->prices, arguments->price_file);
    if (status == STATUS_OK && cli_read_all(&command, argc, argv, take_prices, arguments) != CLI_END)
        status = STATUS_BAD_INPUT;
    return status;
}

/* --------------------------------------------------------------------- rows */

static struct cost_row *add_row(struct cost_table *table)
{
    table->rows = mem_grow(table->rows, &table->capacity, table->count + 1, "networks");
    table->rows[table->count] = (struct cost_row){.is_counted = false};
    return &table->rows[table->count++];
}

static enum status count_network(const struct experiment *experiment, const struct fabric_ops *ops,
                                 const struct cost_config *prices, struct result *result,
                                 struct cost_row *row)
{
    struct hardware hardware = {.count = 0};
    row->nodes = network_nodes(experiment->config, experiment->program);
    row->makespan = result->makespan;
    if (!ops->hardware)
        return STATUS_OK;
    enum status status = ops->hardware(experiment->config, row->nodes, &hardware);
    if (status != STATUS_OK)
        return status;
    row->use = ops->use ? ops->use(experiment->config, row->nodes, result->statistics)
                        : hardware_unknown_use(&hardware);
    if (hardware.count)
        row->all_nodes = hardware.planes[0].topo.nodes - hardware.planes[0].memories;
    cost_of(&hardware, prices, &row->bill);
    row->energy = cost_energy(&row->bill, prices, (double)row->makespan / (double)PS_PER_S,
                              (double)result->bytes, &row->use);
    row->is_counted = true;
    return STATUS_OK;
}

static bool ignores_topology(const struct experiment *experiment, const struct fabric_ops *ops)
{
    struct fabric_description description = {.latency_ps = 0};
    if (ops->describe)
        ops->describe(experiment->config, network_nodes(experiment->config, experiment->program),
                      &description);
    return !ops->describe || description.ignores_topology;
}

/* A fabric without a topology runs on the first one only. */
static enum status run_experiment(struct experiment *experiment, const char *machine, const char *topology,
                                  bool is_first, struct cost_table *table)
{
    const struct experiment_watch watch = {.progress = NULL};
    const struct memory_room room = memory_room_find();
    enum status status = memory_admit(experiment, &room);
    if (!table->program)
        table->program = mem_text(experiment->program->name);
    for (size_t i = 0; status == STATUS_OK && i < experiment->fabric_count; i++) {
        struct result result;
        if (!is_first && ignores_topology(experiment, experiment->fabrics[i]))
            continue;
        struct cost_row *row = add_row(table);
        row->machine = machine;
        row->fabric = experiment->fabrics[i]->name;
        status = experiment_run(experiment, i, &watch, &result);
        if (status == STATUS_OK && !machine && !table->machine)
            table->machine = mem_text(result.network.machine);
        if (status == STATUS_OK) {
            row->topology = ignores_topology(experiment, experiment->fabrics[i]) ? NULL : topology;
            status = count_network(experiment, experiment->fabrics[i], table->prices, &result, row);
        }
        result_free(&result);
    }
    return status;
}

static enum status run_one(struct cost_arguments *arguments, int argc, char **argv, const char *machine,
                           const char *topology, bool is_first, struct cost_table *table)
{
    struct experiment experiment;
    enum status status = given_open(arguments->file, arguments->trace, &arguments->config);
    if (status == STATUS_OK && machine)
        status = config_assign(arguments->config, "machine", machine, "--machine");
    if (status == STATUS_OK && topology)
        status = config_assign(arguments->config, "topology", topology, "--topology");
    if (status == STATUS_OK && cli_read_all(&command, argc, argv, take_values, arguments) != CLI_END)
        status = STATUS_BAD_INPUT;
    if (status == STATUS_OK) {
        status = experiment_init(&experiment, arguments->config);
        if (status == STATUS_OK)
            status = run_experiment(&experiment, machine, topology, is_first, table);
        experiment_free(&experiment);
    }
    if (arguments->config)
        config_close(arguments->config);
    return status;
}

static void find_front(struct cost_table *table)
{
    struct cost_point *points = mem_alloc(table->count, sizeof *points, "networks");
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].is_counted)
            points[count++] = (struct cost_point){.money = table->rows[i].bill.money,
                                                  .seconds = (double)table->rows[i].makespan};
    cost_find_front(points, count);
    count = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].is_counted)
            table->rows[i].is_front = points[count++].is_front;
    free(points);
}

static enum status show(const struct cost_arguments *arguments, const struct cost_table *table,
                        struct report_page *page)
{
    enum status status = arguments->output ? cost_plot(table, arguments->output) : STATUS_OK;
    if (status == STATUS_OK && page)
        status = cost_page_put(page, table->program, cost_json(table), arguments->prices);
    if (status != STATUS_OK)
        return status;
    if (arguments->json)
        return cli_print_json(cost_json(table), JSON_DIGITS);
    cost_print(table);
    return standard_flush();
}

static enum status run_all(struct cost_arguments *arguments, int argc, char **argv, struct report_page *page)
{
    struct cost_table table = {.prices = config_of(arguments->prices, &cost_params)};
    enum status status = STATUS_OK;
    size_t machines = arguments->machines.count, topologies = arguments->topologies.count;
    for (size_t i = 0; status == STATUS_OK && i < (machines ? machines : 1); i++)
        for (size_t k = 0; status == STATUS_OK && k < (topologies ? topologies : 1); k++)
            status = run_one(arguments, argc, argv, machines ? arguments->machines.list[i] : NULL,
                             topologies ? arguments->topologies.list[k] : NULL, k == 0, &table);
    if (status == STATUS_OK) {
        find_front(&table);
        status = show(arguments, &table, page);
    }
    free(table.rows);
    free(table.program);
    free(table.machine);
    return status;
}

/* The page is opened before the runs: it may not be possible to write it. */
static enum status run_and_save(struct cost_arguments *arguments, int argc, char **argv)
{
    struct report_page *page = NULL;
    enum status status = arguments->html ? report_page_open(arguments->html, &page) : STATUS_OK;
    if (status == STATUS_OK)
        status = run_all(arguments, argc, argv, page);
    status = report_page_close(page, status);
    if (arguments->html && status == STATUS_OK)
        report_page_note(arguments->html);
    return status;
}

int cli_cost(int argc, char **argv)
{
    struct cost_arguments arguments = {.json = false};
    int found = cli_read_all(&command, argc, argv, take_first, &arguments);
    enum status status = found == CLI_END ? STATUS_OK : (enum status)cli_status(found);
    if (found == CLI_END && arguments.prints_prices) {
        config_print_manual(price_tables, 1, NULL, NULL, stdout);
        status = standard_flush();
    } else if (found == CLI_END) {
        status = open_prices(&arguments, argc, argv);
        if (status == STATUS_OK)
            status = run_and_save(&arguments, argc, argv);
    }
    if (arguments.prices)
        config_close(arguments.prices);
    free(arguments.machines.list);
    free(arguments.topologies.list);
    return status;
}
