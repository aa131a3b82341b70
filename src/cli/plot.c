#include <stdbool.h>

#include "base/diag.h"
#include "base/progress.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "report/run_plot.h"
#include "sweep/plot.h"

enum plot_option { PLOT_OUT, PLOT_X, PLOT_SPEEDUP };

static const struct cli_option options[] = {
    [PLOT_OUT] = {"--output", 'o', "DIR", "the folder to make, with plot.csv and plot.gp"},
    [PLOT_X] = {"--x", 'x', "PARAMETER", "the horizontal axis; without it: the first that was varied"},
    [PLOT_SPEEDUP] = {"--speedup", 0, NULL,
                      "speedups over the baseline, or the first fabric, instead of times"},
};

static const struct cli_command command = {
    .name = "plot",
    .words = "RESULTS -o DIR",
    .doc = "Writes a figure as a gnuplot script and its data. Of a sweep's results: a line for each fabric "
           "and each\n"
           "combination of the other parameters that were varied. Of what helio run --json has printed: a "
           "bar for\n"
           "each fabric, of the time that its ranks computed and waited. helio reproduce -o writes the "
           "figures of\n"
           "papers itself.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Example:\n"
             "  helio plot results.db -o figure; cd figure; gnuplot plot.gp\n"
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
    results_table_free(&results_table);
    store_close(store);
    return status;
}

static enum status plot_run(const char *results, const struct plot_request *request, const char *folder)
{
    if (!request->x)
        return run_plot_write(results, folder, request->shows_speedup);
    diag_error("--x: %s is a single run of each fabric, in which no parameter is varied; a sweep varies some",
               results);
    return STATUS_BAD_INPUT;
}

static enum status plot(const char *results, const struct plot_request *request, const char *folder)
{
    enum status status =
        run_plot_is_json(results) ? plot_run(results, request, folder) : plot_sweep(results, request, folder);
    if (status == STATUS_OK)
        diag_note("in %s, gnuplot plot.gp draws plot.pdf", folder);
    return status;
}

struct plot_arguments {
    struct plot_request request;
    const char *results, *folder;
};

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
    case PLOT_SPEEDUP:
        arguments->request.shows_speedup = true;
        break;
    }
    return true;
}

int cli_plot(int argc, char **argv)
{
    struct plot_arguments arguments = {.results = NULL};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (arguments.results && arguments.folder)
        return plot(arguments.results, &arguments.request, arguments.folder);
    diag_error("helio plot needs a file of results and a folder: %s", command.words);
    return STATUS_BAD_INPUT;
}
