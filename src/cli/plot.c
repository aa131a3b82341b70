#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "report/run_plot.h"
#include "sweep/plot.h"

enum plot_option { PLOT_OUT, PLOT_X, PLOT_Y, PLOT_SPEEDUP, PLOT_WHERE, PLOT_X_SCALE, PLOT_Y_SCALE };

static const struct cli_option options[] = {
    [PLOT_OUT] = {"--output", 'o', "DIR", "the folder to make, with plot.csv and plot.gp"},
    [PLOT_X] = {"--x", 'x', "PARAMETER",
                "the horizontal axis; without it: the first that was varied and has numbers"},
    [PLOT_Y] = {"--y", 'y', "NUMBER",
                "the vertical axis: a column of helio export, such as bandwidth_bytes_per_s; without it: the "
                "time"},
    [PLOT_SPEEDUP] = {"--speedup", 0, NULL,
                      "the same as --y speedup: over the baseline, or the first fabric"},
    [PLOT_WHERE] = {"--where", 'w', "PARAMETER=VALUE",
                    "only the runs with this value, such as fabric=fmu" CLI_REPEATS},
    [PLOT_X_SCALE] = {"--x-scale", 0, "log|linear",
                      "of the horizontal axis; without it: what fits the values"},
    [PLOT_Y_SCALE] = {"--y-scale", 0, "log|linear", "the same of the vertical axis"},
};

static const struct cli_command command = {
    .name = "plot",
    .words = "RESULTS -o DIR",
    .doc = "Writes a figure as a gnuplot script and its data. Of a sweep's results: a curve for each fabric "
           "and each\n"
           "combination of the other parameters that were varied. Of what helio run --json has printed: a "
           "bar for\n"
           "each fabric, of what its ranks' time is for: computing, waiting, messages. helio reproduce -o "
           "writes the\n"
           "figures of papers itself.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio plot results.db -o figure; cd figure; gnuplot plot.gp\n"
             "  helio plot results.db -o rates --y bandwidth_bytes_per_s\n"
             "  helio plot results.db -o one --x alltoall.bytes --where alltoall.ranks=64\n"
             "  helio run --trace T --fabric packet,fmu --json >run.json; helio plot run.json -o bars",
};

static enum status plot_sweep(const char *results, const struct plot_request *request, const char *folder)
{
    struct store *store = NULL;
    struct results_table results_table = {.count = 0};
    progress_begin("drawing the figure", 0);
    enum status status = store_open(results, STORE_READ, &store);
    if (status == STATUS_OK)
        status = results_table_read(&results_table, store);
    if (status == STATUS_OK)
        status = plot_write(&results_table, request, folder);
    progress_end();
    if (status == STATUS_OK)
        results_note_unfinished(results_table.unfinished, results_table.count + results_table.unfinished);
    results_table_free(&results_table);
    store_close(store);
    return status;
}

static enum status plot_run(const char *results, const struct plot_request *request, const char *folder)
{
    const bool shows_speedup = request->y && strcmp(request->y, "speedup") == 0;
    const char *option = request->x                     ? "--x"
                         : request->y && !shows_speedup ? "--y"
                         : request->where_count         ? "--where"
                         : request->x_scale             ? "--x-scale"
                         : request->y_scale             ? "--y-scale"
                                                        : NULL;
    if (!option)
        return run_plot_write(results, folder, shows_speedup);
    diag_error("%s: %s is a single run of each fabric, in which no parameter is varied; a sweep varies some",
               option, results);
    return STATUS_BAD_INPUT;
}

static enum status plot(const char *results, const struct plot_request *request, const char *folder)
{
    enum status status =
        run_plot_is_json(results) ? plot_run(results, request, folder) : plot_sweep(results, request, folder);
    if (status == STATUS_OK)
        diag_note("in %s, gnuplot plot.gp draws plot.pdf%s", folder,
                  run_plot_is_json(results) ? "" : " and plot.svg");
    return status;
}

struct plot_arguments {
    struct plot_request request;
    const char *results, *folder;
    struct param_assignment *where;
    size_t where_capacity;
};

static bool take_where(struct plot_arguments *arguments, const char *value)
{
    struct plot_request *request = &arguments->request;
    struct param_assignment assignment;
    param_split(value, 0, strlen(value), &assignment);
    if (!assignment.value) {
        diag_error("--where is PARAMETER=VALUE, such as fmu.count=8, not '%s'", value);
        free(assignment.name);
        return false;
    }
    arguments->where =
        mem_grow(arguments->where, &arguments->where_capacity, request->where_count + 1, "the runs wanted");
    arguments->where[request->where_count++] = assignment;
    request->where = arguments->where;
    return true;
}

static void free_where(struct plot_arguments *arguments)
{
    for (size_t i = 0; i < arguments->request.where_count; i++) {
        free(arguments->where[i].name);
        free(arguments->where[i].value);
    }
    free(arguments->where);
}

/* A figure has one vertical axis. */
static bool take_y(struct plot_request *request, const char *name)
{
    if (request->y && strcmp(request->y, name) != 0) {
        diag_error("a figure has one vertical axis: %s or %s", request->y, name);
        return false;
    }
    request->y = name;
    return true;
}

static bool take_scale(const char *option, const char *value, enum plot_scale *scale)
{
    *scale = strcmp(value, "log") == 0      ? PLOT_SCALE_LOG
             : strcmp(value, "linear") == 0 ? PLOT_SCALE_LINEAR
                                            : PLOT_SCALE_FITTING;
    if (*scale == PLOT_SCALE_FITTING)
        diag_error("%s is log or linear, not '%s'", option, value);
    return *scale != PLOT_SCALE_FITTING;
}

static bool take(void *self, int found, const char *value)
{
    struct plot_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->results, value, "file of results");
    switch ((enum plot_option)(found - CLI_OPTION)) {
    case PLOT_OUT:
        arguments->folder = value;
        break;
    case PLOT_X:
        arguments->request.x = value;
        break;
    case PLOT_Y:
        return take_y(&arguments->request, value);
    case PLOT_SPEEDUP:
        return take_y(&arguments->request, "speedup");
    case PLOT_WHERE:
        return take_where(arguments, value);
    case PLOT_X_SCALE:
        return take_scale("--x-scale", value, &arguments->request.x_scale);
    case PLOT_Y_SCALE:
        return take_scale("--y-scale", value, &arguments->request.y_scale);
    }
    return true;
}

static enum status plot_wanted(const struct plot_arguments *arguments)
{
    if (arguments->results && arguments->folder)
        return plot(arguments->results, &arguments->request, arguments->folder);
    diag_error("helio plot needs a file of results and a folder: %s", command.words);
    return STATUS_BAD_INPUT;
}

int cli_plot(int argc, char **argv)
{
    struct plot_arguments arguments = {.results = NULL};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    enum status status = STATUS_OK;
    if (found == CLI_END)
        status = plot_wanted(&arguments);
    free_where(&arguments);
    if (found != CLI_END)
        return cli_status(found);
    return status;
}
