#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "calibrate/forecast.h"
#include "calibrate/machine_file.h"
#include "cli/calibrate.h"
#include "cli/cli.h"
#include "cli/print.h"
#include "fabric/list.h"
#include "machine/machine.h"
#include "output/output.h"
#include "output/quote.h"
#include "output/standard.h"
#include "sim/components.h"
#include "sim/experiment.h"

/* The program is run several times under `helio capture`, each time with a trace of its own. Each trace is
 * replayed on the machine, and its time is compared with that of the same run. */

/* Captured computation is written at this rate (cli/capture.c). The machine's own would change its times. */
static const char capture_rate[] = "12 Gflop/s";

struct checked {
    const struct calibrate_check *check;
    struct output_folder folder; /* of traces and times; removed at the end */
    struct forecast_run *runs;
    uint32_t ranks, ranks_per_node;
};

/* --------------------------------------------------------------------- runs */

static char **capture_words(const struct calibrate_check *check, char *trace, int *count)
{
    char **words = mem_alloc((size_t)check->word_count + 7, sizeof *words, "a command line");
    *count = 0;
    words[(*count)++] = (char *)(uintptr_t) "capture";
    words[(*count)++] = (char *)(uintptr_t) "-o";
    words[(*count)++] = trace;
    if (check->mpi) {
        words[(*count)++] = (char *)(uintptr_t) "--mpi";
        words[(*count)++] = (char *)(uintptr_t)check->mpi;
    }
    words[(*count)++] = (char *)(uintptr_t) "--";
    memcpy(words + *count, check->words, (size_t)check->word_count * sizeof *words);
    *count += check->word_count;
    return words;
}

/* In a process of its own, since helio capture decides what becomes of signals. What the program prints goes
 * to standard error: standard output is for the comparison. */
static enum status capture(const struct calibrate_check *check, char *trace)
{
    int count, ended = -1;
    char **words = capture_words(check, trace, &count);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int status = dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? STATUS_FAILED : cli_capture(count, words);
        fflush(NULL);
        _exit(status);
    }
    free(words);
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return STATUS_OK;
    diag_error("%s could not be run and captured", check->words[0]);
    return STATUS_FAILED;
}

/* The files of ranks 0, 1, 2 ..., up to the first that is not there. */
static enum status read_times(struct forecast_run *run, const char *prefix)
{
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK; rank++) {
        char *path = mem_format("%s-%" PRIu32, prefix, rank);
        FILE *file = file_open_regular(path);
        if (file) {
            status = forecast_read(run, file, path);
            fclose(file);
        }
        free(path);
        if (!file)
            break;
    }
    return status;
}

/* ------------------------------------------------------------------- replay */

static enum status assign(struct config *config, const struct checked *checked, const char *trace)
{
    char ranks[32];
    snprintf(ranks, sizeof ranks, "%" PRIu32, checked->ranks_per_node);
    const struct {
        const char *name, *value, *origin;
    } values[] = {{"trace", trace, "--check"},
                  {"fabric", checked->check->fabric, "--fabric"},
                  {"machine", checked->check->machine, "--machine"},
                  {"compute.rate", capture_rate, "helio capture"},
                  {"ranks_per_node", ranks, "the program's ranks"}};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof values / sizeof *values; i++)
        status = config_assign(config, values[i].name, values[i].value, values[i].origin);
    return status;
}

static enum status run_experiment(const struct config *config, struct forecast_run *run, uint32_t *ranks)
{
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    enum status status = experiment_init(&experiment, config);
    if (status == STATUS_OK) {
        status = experiment_run(&experiment, 0, &watch, &result);
        run->forecast_s = (double)result.makespan / (double)PS_PER_S;
        *ranks = result.ranks;
        result_free(&result);
    }
    experiment_free(&experiment);
    return status;
}

static enum status replay(struct checked *checked, const char *trace, struct forecast_run *run)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    checked->ranks_per_node = forecast_ranks_per_node(run);
    if (!checked->ranks_per_node) {
        diag_error(
            "the ranks of a node are not consecutive, so they cannot be placed in a replay; start them "
            "with --map-by core, or as the launcher calls it");
        return STATUS_FAILED;
    }
    struct config *config = config_open(tables, count);
    enum status status = config ? assign(config, checked, trace) : STATUS_FAILED;
    if (status == STATUS_OK)
        status = run_experiment(config, run, &checked->ranks);
    if (config)
        config_close(config);
    return status == STATUS_OK ? forecast_measure(run, checked->ranks) : status;
}

static enum status run_once(struct checked *checked, uint64_t index)
{
    const char *folder = output_folder_path(&checked->folder);
    char *trace = mem_format("%s/run-%" PRIu64, folder, index + 1),
         *times = mem_format("%s/times-%" PRIu64, folder, index + 1);
    struct forecast_run *run = &checked->runs[index];
    setenv("HELIO_CAPTURE_TIMES", times, 1);
    enum status status = capture(checked->check, trace);
    if (status == STATUS_OK)
        status = read_times(run, times);
    if (status == STATUS_OK && run->count == 0) {
        diag_error(
            "no rank has said how long it ran; a launcher that starts ranks on other machines has to pass on "
            "HELIO_CAPTURE_TIMES, and %s has to be there",
            folder);
        status = STATUS_FAILED;
    }
    if (status == STATUS_OK)
        status = replay(checked, trace, run);
    free(trace);
    free(times);
    return status;
}

/* ------------------------------------------------------------------- output */

static void print_row(const char *name, struct calibrate_value value, double unit, const char *unit_name,
                      const char *format)
{
    printf("  %-10s", name);
    const double numbers[] = {value.value / unit, value.low / unit, value.high / unit};
    for (size_t i = 0; i < 3; i++)
        printf(format, numbers[i]);
    printf(" %s\n", unit_name);
}

static void print_guards(const struct forecast *forecast)
{
    for (size_t i = 0; i < FORECAST_GUARDS; i++)
        printf("  guard %s: %s: %s\n", forecast->guards[i].name, forecast->guards[i].passed ? "ok" : "FAILED",
               forecast->guards[i].reason);
}

static void print_table(const struct checked *checked, const struct forecast *forecast)
{
    const struct calibrate_check *check = checked->check;
    quote_terminal(stdout, check->words[0]);
    printf(": %" PRIu32 " ranks, %" PRIu32 " on a node, %" PRIu64 " runs; %s, ", checked->ranks,
           checked->ranks_per_node, check->runs, check->fabric);
    quote_terminal(stdout, check->machine);
    puts(forecast->is_sound ? "" : "; NOT SOUND");
    print_guards(forecast);
    if (!forecast->is_sound && !check->force)
        return;
    bool is_short = forecast->measured_s.value < 1;
    printf("\n            %12s%12s%12s\n", "median", "low", "high");
    print_row("measured", forecast->measured_s, is_short ? 1e-3 : 1, is_short ? "ms" : "s", "%12.4f");
    print_row("forecast", forecast->forecast_s, is_short ? 1e-3 : 1, is_short ? "ms" : "s", "%12.4f");
    print_row("error", forecast->error_percent, 1, "%", "%+12.2f");
}

static void put_value(json_t *object, const char *key, struct calibrate_value value)
{
    json_t *numbers = json_make_object();
    json_put_number(numbers, "value", value.value);
    json_put_number(numbers, "low", value.low);
    json_put_number(numbers, "high", value.high);
    json_put(object, key, numbers);
}

enum { DIGITS = 10 };

static enum status print_json(const struct checked *checked, const struct forecast *forecast)
{
    const struct calibrate_check *check = checked->check;
    json_t *object = json_make_object(), *guards = json_make_list(), *runs = json_make_list();
    for (size_t i = 0; i < FORECAST_GUARDS; i++) {
        json_t *guard = json_make_object();
        json_put_text(guard, "name", forecast->guards[i].name);
        json_put_flag(guard, "passed", forecast->guards[i].passed);
        json_put_text(guard, "reason", forecast->guards[i].reason);
        json_add(guards, guard);
    }
    json_put_text(object, "schema", "helio-calibrate-check-1");
    json_put_text(object, "machine", check->machine);
    json_put_text(object, "fabric", check->fabric);
    json_put_count(object, "ranks", checked->ranks);
    json_put_count(object, "ranks_per_node", checked->ranks_per_node);
    json_put_flag(object, "sound", forecast->is_sound);
    json_put(object, "guards", guards);
    for (uint64_t i = 0; (forecast->is_sound || check->force) && i < check->runs; i++) {
        json_t *run = json_make_object();
        json_put_number(run, "measured_s", checked->runs[i].measured_s);
        json_put_number(run, "forecast_s", checked->runs[i].forecast_s);
        json_add(runs, run);
    }
    if (forecast->is_sound || check->force) {
        put_value(object, "measured_s", forecast->measured_s);
        put_value(object, "forecast_s", forecast->forecast_s);
        put_value(object, "error_percent", forecast->error_percent);
    }
    json_put(object, "runs", runs);
    return cli_print_json(object, DIGITS);
}

static enum status finish(const struct checked *checked)
{
    struct forecast forecast;
    enum status status = STATUS_OK;
    forecast_judge(checked->runs, checked->check->runs, &forecast);
    if (checked->check->json)
        status = print_json(checked, &forecast);
    else
        print_table(checked, &forecast);
    if (status == STATUS_OK)
        status = standard_flush();
    for (size_t i = 0; i < FORECAST_GUARDS; i++)
        if (!forecast.guards[i].passed)
            diag_error("the forecast cannot be judged: guard %s: %s", forecast.guards[i].name,
                       forecast.guards[i].reason);
    return status == STATUS_OK && !forecast.is_sound && !checked->check->force ? STATUS_FAILED : status;
}

/* Before the program runs for a long time: whether the machine and the network exist. A machine that was
 * written by force says so in its doc. */
static enum status look_at_machine(const struct calibrate_check *check)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct machine machine;
    if (!fabric_find(check->fabric)) {
        diag_error("--fabric: there is no fabric '%s'; a forecast is of one network, such as packet",
                   check->fabric);
        return STATUS_BAD_INPUT;
    }
    if (strcmp(check->machine, MACHINE_AS_PUBLISHED) == 0)
        return STATUS_OK;
    struct config *config = config_open(tables, count);
    enum status status = config ? machine_open(&machine, check->machine, config) : STATUS_FAILED;
    if (status == STATUS_OK) {
        if (machine.doc && strncmp(machine.doc, CALIBRATE_NOT_SOUND, strlen(CALIBRATE_NOT_SOUND)) == 0)
            diag_warning("%s was written with --force: guards of its measurement have failed",
                         check->machine);
        machine_close(&machine);
    }
    if (config)
        config_close(config);
    return status;
}

enum status calibrate_check_program(const struct calibrate_check *check)
{
    const char *temporary = getenv("TMPDIR");
    struct checked checked = {.check = check};
    enum status status = look_at_machine(check);
    if (status != STATUS_OK)
        return status;
    char *path =
        mem_format("%s/helio-check-%ld", temporary && *temporary ? temporary : "/tmp", (long)getpid());
    status = output_folder_open(&checked.folder, path);
    free(path);
    if (status != STATUS_OK)
        return status;
    checked.runs = mem_alloc(check->runs, sizeof *checked.runs, "runs");
    for (uint64_t i = 0; status == STATUS_OK && i < check->runs; i++)
        status = run_once(&checked, i);
    output_folder_close(&checked.folder, STATUS_FAILED); /* nothing of it is kept */
    if (status == STATUS_OK)
        status = finish(&checked);
    for (uint64_t i = 0; i < check->runs; i++)
        forecast_free(&checked.runs[i]);
    free(checked.runs);
    return status;
}
