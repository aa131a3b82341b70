#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "sweep/metadata.h"
#include "sweep/results_table.h"

enum export_option { EXPORT_MEANS, EXPORT_JSON };

static const struct cli_option options[] = {
    [EXPORT_MEANS] =
        {"--means", 0, NULL,
         "one line for runs that differ only in their seed: means, with 95 % confidence intervals"},
    [EXPORT_JSON] =
        {"--json", 0, NULL,
         "an object per line: id, all parameters, those of the workload that are varied, and the run\n"
         "as of helio run --json"},
};

static const struct cli_command command = {
    .name = "export",
    .words = "RESULTS.db",
    .doc = "Prints the results of a sweep as comma-separated values, a line per run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

enum { EXPORT_DIGITS = 15 }; /* of real numbers, as results are kept with */

struct object_printer {
    const struct store *store;
    json_t *varied; /* names */
    size_t all, unfinished;
};

/* The parameters of the workload that the sweep varies; NULL: none. */
static json_t *workload_parameters(const json_t *varied, json_t *parameters)
{
    struct text_index names = {.count = 0};
    for (size_t i = 0; i < json_array_size(varied); i++) {
        const char *name = json_string_value(json_array_get(varied, i));
        if (strchr(name, '.') && !json_object_get(parameters, name))
            text_index_add(&names, name);
    }
    json_t *split = json_copy_members(parameters), *found = NULL;
    results_split_workload(&names, split);
    for (size_t i = 0; i < names.count; i++) {
        json_t *value = json_object_get(split, names.texts[i]);
        found = value && !found ? json_make_object() : found;
        if (value)
            json_put(found, names.texts[i], json_incref(value));
    }
    json_decref(split);
    text_index_free(&names);
    return found;
}

static enum status print_object(void *self, const struct store_run *run)
{
    struct object_printer *printer = self;
    const struct store *store = printer->store;
    printer->all++;
    printer->unfinished += !run->done;
    if (!run->done)
        return STATUS_OK;
    json_t *parameters = json_read_object(run->parameters), *result = json_read_object(run->run);
    if (!parameters || !result) {
        char *text = store_damage_text(store, run->id, parameters ? "results" : "parameters");
        diag_error("%s", text);
        free(text);
        json_decref(parameters);
        json_decref(result);
        return STATUS_BAD_INPUT;
    }
    json_t *object = json_make_object(), *of_workload = workload_parameters(printer->varied, parameters);
    json_put_count(object, "id", run->id);
    json_put(object, "parameters", parameters);
    if (of_workload)
        json_put(object, "workload_parameters", of_workload);
    json_put(object, "run", result);
    char *line = json_take_line(object, EXPORT_DIGITS);
    json_print(line, stdout);
    putchar('\n');
    free(line);
    return STATUS_OK;
}

static enum status print_objects(struct store *store)
{
    struct object_printer printer = {.store = store};
    enum status status = metadata_read_varied(store, &printer.varied);
    if (status == STATUS_OK)
        status = store_each(store, &printer, print_object);
    if (status == STATUS_OK)
        results_note_unfinished(printer.unfinished, printer.all);
    json_decref(printer.varied);
    return status;
}

static enum status print_results_table(struct store *store, bool means)
{
    struct results_table results_table;
    enum status status = results_table_read(&results_table, store);
    if (status == STATUS_OK && means)
        results_table_print_means(&results_table, stdout);
    else if (status == STATUS_OK)
        results_table_print_runs(&results_table, stdout);
    if (status == STATUS_OK)
        results_note_unfinished(results_table.unfinished, results_table.count + results_table.unfinished);
    results_table_free(&results_table);
    return status;
}

struct export_arguments {
    const char *path;
    bool means, json;
};

static enum status print_results(const struct export_arguments *arguments)
{
    struct store *store = NULL;
    if (arguments->means && arguments->json) {
        diag_error("--json prints single runs, and --means averages of runs: choose one");
        return STATUS_BAD_INPUT;
    }
    enum status status = store_open(arguments->path, STORE_READ, &store);
    if (status == STATUS_OK)
        status = arguments->json ? print_objects(store) : print_results_table(store, arguments->means);
    store_close(store);
    return status;
}

static bool take(void *self, int found, const char *value)
{
    struct export_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_results(&command, &arguments->path, value);
    arguments->means |= found == CLI_OPTION + EXPORT_MEANS;
    arguments->json |= found == CLI_OPTION + EXPORT_JSON;
    return true;
}

int cli_export(int argc, char **argv)
{
    struct export_arguments arguments = {.path = NULL};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (arguments.path)
        return print_results(&arguments);
    diag_error("helio export needs a file of results: %s", command.words);
    return STATUS_BAD_INPUT;
}
