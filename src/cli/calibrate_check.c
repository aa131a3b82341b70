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
#include "cli/calibrate.h"
#include "cli/capture.h"
#include "cli/machine_warn.h"
#include "cli/print.h"
#include "fabric/list.h"
#include "machine/machine.h"
#include "output/output.h"
#include "output/quote.h"
#include "output/standard.h"
#include "report/calibrate_page.h"
#include "sim/components.h"
#include "sim/experiment.h"

/* Each run executes the program twice, with the tracer of `helio capture` in it. The first time the tracer
 * takes the time and records nothing. The second time it records a trace, which is replayed on the machine.
 * The forecast is compared with the first time, since recording takes time of its own. */

/* Captured computation is written at this rate. The machine's own would change its times. */
enum { CAPTURE_GFLOPS = 12 };
static const char capture_rate[] = "12 Gflop/s";

struct checked {
    const struct calibrate_check *check;
    struct output_folder folder; /* of traces and times; removed at the end */
    struct forecast_run *runs;
    uint32_t ranks, ranks_per_node;
    double half_s;            /* of a message of no bytes between the first two ranks, by the machine */
    struct report_page *page; /* NULL: none */
};

/* --------------------------------------------------------------------- runs */

/* In a process of its own, since capture_program decides what becomes of signals. What the program prints
 * goes to standard error: standard output is for the comparison. `trace` is NULL if nothing is recorded. */
static enum status start_program(const struct calibrate_check *check, const char *trace)
{
    struct capture_command capture = {.folder = trace,
                                      .mpi = check->mpi,
                                      .rate_flops = UINT64_C(1000000000) * CAPTURE_GFLOPS,
                                      .words = check->words,
                                      .is_silent = true};
    int ended = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int status = dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? STATUS_FAILED : capture_program(&capture);
        fflush(NULL);
        _exit(status);
    }
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return STATUS_OK;
    if (child < 0 || !WIFEXITED(ended)) /* else it has said why */
        diag_error("%s could not be run%s", check->words[0], trace ? " and captured" : "");
    return STATUS_FAILED;
}

/* The files of ranks 0, 1, 2 ..., up to the first that is not there. */
static enum status read_times(struct forecast_times *times, const char *prefix)
{
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK; rank++) {
        char *path = mem_format("%s-%" PRIu32, prefix, rank);
        FILE *file = file_open_regular(path);
        if (file) {
            status = forecast_read(times, file, path);
            fclose(file);
        }
        free(path);
        if (!file)
            break;
    }
    return status;
}

/* Executes the program and reads its times; with a trace, if it is not NULL. */
static enum status execute(const struct checked *checked, uint64_t index, const char *trace,
                           struct forecast_times *times)
{
    const char *folder = output_folder_path(&checked->folder);
    char *prefix = mem_format("%s/%s-%" PRIu64, folder, trace ? "captured" : "plain", index + 1);
    setenv("HELIO_CAPTURE_TIMES", prefix, 1);
    enum status status = start_program(checked->check, trace);
    if (status == STATUS_OK)
        status = read_times(times, prefix);
    if (status == STATUS_OK && times->count == 0) {
        diag_error(
            "no rank has said how long it ran; a launcher that starts ranks on other machines has to pass on "
            "HELIO_CAPTURE_TIMES, and %s has to be there",
            folder);
        status = STATUS_FAILED;
    }
    free(prefix);
    return status;
}

/* ------------------------------------------------------------------- replay */

/* The machine, and a program: `source` is "trace" or "workload". */
static enum status assign(struct config *config, const struct checked *checked, const char *source,
                          const char *program)
{
    char ranks[32];
    snprintf(ranks, sizeof ranks, "%" PRIu32, checked->ranks_per_node);
    const struct {
        const char *name, *value, *origin;
    } values[] = {{source, program, "--check"},
                  {"fabric", checked->check->fabric, "--fabric"},
                  {"machine", checked->check->machine, "--machine"},
                  {"compute.rate", capture_rate, "helio capture"},
                  {"ranks_per_node", ranks, "the program's ranks"}};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof values / sizeof *values; i++)
        status = config_assign(config, values[i].name, values[i].value, values[i].origin);
    return status;
}

/* What the ranks of the replay spend their time on. */
struct replayed_ranks {
    ps_t *since; /* of each rank: when its present call began */
    uint8_t *op; /* and what that is */
    double *kinds_s;
    struct forecast_phases *phases;
    int *phase; /* of each rank: the present one */
    ps_t *phase_since;
    uint32_t ranks;
};

static void take_phase(struct replayed_ranks *replayed, uint32_t rank, const struct call *call, ps_t at)
{
    forecast_add_phase(replayed->phases, replayed->phase[rank],
                       (double)(at - replayed->phase_since[rank]) / (double)PS_PER_S);
    replayed->phase[rank] = call->tag;
    replayed->phase_since[rank] = at;
}

/* A call takes until the next one of its rank. What is behind MPI_Finalize was not measured either. */
static void take_call(void *self, const struct program *program, uint32_t rank, const struct call *call,
                      ps_t at)
{
    struct replayed_ranks *replayed = self;
    const uint8_t op = replayed->op[rank];
    (void)program;
    if (op != CALL_INIT && op != CALL_NOTHING && op != CALL_FINALIZE)
        replayed->kinds_s[forecast_kind(call_op_name((enum call_op)op))] +=
            (double)(at - replayed->since[rank]) / (double)PS_PER_S / replayed->ranks;
    if (call->op == CALL_FINALIZE || (call->op == CALL_NOTHING && call->flags & CALL_PHASE))
        take_phase(replayed, rank, call, at);
    replayed->op[rank] = call->op;
    replayed->since[rank] = at;
}

static void listen_to_calls(void *self, uint32_t ranks, struct tap *tap)
{
    struct replayed_ranks *replayed = self;
    replayed->ranks = ranks;
    replayed->since = mem_alloc(ranks, sizeof *replayed->since, "times of ranks");
    replayed->op = mem_alloc(ranks, sizeof *replayed->op, "times of ranks"); /* CALL_INIT */
    replayed->phase = mem_alloc(ranks, sizeof *replayed->phase, "times of ranks");
    replayed->phase_since = mem_alloc(ranks, sizeof *replayed->phase_since, "times of ranks");
    for (uint32_t rank = 0; rank < ranks; rank++)
        replayed->phase[rank] = 1; /* that of MPI before the first MPI_Pcontrol */
    tap->call = (struct tap_call_handler){.handle = take_call, .self = replayed};
}

/* Runs a program on the machine. The caller frees the result of STATUS_OK. */
static enum status run_experiment(const struct checked *checked, const char *source, const char *program,
                                  const struct experiment_watch *watch, struct result *result)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    if (!config)
        return STATUS_FAILED;
    struct experiment experiment;
    enum status status = assign(config, checked, source, program);
    if (status == STATUS_OK) {
        status = experiment_init(&experiment, config);
        if (status == STATUS_OK) {
            status = experiment_run(&experiment, 0, watch, result);
            if (status != STATUS_OK)
                result_free(result);
        }
        experiment_free(&experiment);
    }
    config_close(config);
    return status;
}

static enum status run_trace(struct checked *checked, const char *trace, struct forecast_run *run)
{
    struct result result;
    struct replayed_ranks replayed = {.kinds_s = run->kinds_s, .phases = &run->phases};
    const struct experiment_watch watch = {.listen = listen_to_calls, .listener = &replayed};
    enum status status = run_experiment(checked, "trace", trace, &watch, &result);
    if (status == STATUS_OK) {
        run->forecast_s = (double)result.makespan / (double)PS_PER_S;
        checked->ranks = result.ranks;
        result_free(&result);
    }
    free(replayed.since);
    free(replayed.op);
    free(replayed.phase);
    free(replayed.phase_since);
    return status;
}

/* What the program's tracer measures at the end of MPI_Init, on the machine of the forecast. */
static enum status find_half(struct checked *checked)
{
    struct result result;
    const struct experiment_watch watch = {.listen = NULL};
    enum status status =
        run_experiment(checked, "workload", "pingpong:bytes=0B,iterations=1", &watch, &result);
    if (status == STATUS_OK) {
        checked->half_s = (double)result.makespan / (double)PS_PER_S / 2;
        result_free(&result);
    }
    return status;
}

static enum status replay(struct checked *checked, const char *trace, struct forecast_run *run)
{
    checked->ranks_per_node = forecast_ranks_per_node(&run->captured);
    if (!checked->ranks_per_node) {
        diag_error(
            "the ranks of a node are not consecutive, so they cannot be placed in a replay; start them "
            "with --map-by core, or as the launcher calls it");
        return STATUS_FAILED;
    }
    enum status status = run_trace(checked, trace, run);
    if (status == STATUS_OK)
        status = forecast_measure(&run->plain, checked->ranks);
    return status == STATUS_OK ? forecast_measure(&run->captured, checked->ranks) : status;
}

static enum status run_once(struct checked *checked, uint64_t index)
{
    char *trace = mem_format("%s/run-%" PRIu64, output_folder_path(&checked->folder), index + 1);
    struct forecast_run *run = &checked->runs[index];
    enum status status = execute(checked, index, NULL, &run->plain);
    if (status == STATUS_OK)
        status = execute(checked, index, trace, &run->captured);
    if (status == STATUS_OK)
        status = replay(checked, trace, run);
    free(trace);
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

static bool has_kind(const struct forecast *forecast, size_t kind)
{
    return forecast->kinds[kind].measured_s.value > 0 || forecast->kinds[kind].forecast_s.value > 0;
}

/* What a rank spends its time on, on average, and how much of the whole time the forecast of it is off. */
static void print_kinds(const struct forecast *forecast, double unit, const char *unit_name)
{
    printf("\n  %-13s%9s%12s%15s%12s%12s\n", "a rank in", "measured", "forecast", "off, of all", "low",
           "high");
    for (size_t kind = 0; kind < FORECAST_KINDS; kind++) {
        const struct forecast_of_kind *of = &forecast->kinds[kind];
        if (!has_kind(forecast, kind))
            continue;
        printf("  %-13s%9.4f%12.4f %s%+10.2f %%%+10.2f %%%+10.2f %%\n", forecast_kind_name(kind),
               of->measured_s.value / unit, of->forecast_s.value / unit, unit_name, of->off_percent.value,
               of->off_percent.low, of->off_percent.high);
    }
}

/* Phases of MPI_Pcontrol: the mean of the ranks, in the executions that were not captured. */
static void print_phases(const struct forecast *forecast, double unit, const char *unit_name)
{
    if (forecast->phase_count == 0)
        return;
    printf("\n  %-13s%9s%12s%15s%12s%12s\n", "phase", "measured", "forecast", "error", "low", "high");
    for (size_t i = 0; i < forecast->phase_count; i++) {
        const struct forecast_of_phase *phase = &forecast->phases[i];
        printf("  %-13d%9.4f%12.4f %s%+10.2f %%%+10.2f %%%+10.2f %%\n", phase->number,
               phase->measured_s.value / unit, phase->forecast_s.value / unit, unit_name,
               phase->error_percent.value, phase->error_percent.low, phase->error_percent.high);
    }
}

/* The launcher, the program, and their arguments. The caller frees it. */
static char *program_text(const struct calibrate_check *check)
{
    char *text = mem_text(check->words[0]);
    for (int i = 1; i < check->word_count; i++) {
        char *longer = mem_format("%s %s", text, check->words[i]);
        free(text);
        text = longer;
    }
    return text;
}

static void print_table(const struct checked *checked, const struct forecast *forecast)
{
    const struct calibrate_check *check = checked->check;
    char *program = program_text(check);
    quote_terminal(stdout, program);
    free(program);
    printf(": %" PRIu32 " ranks, %" PRIu32 " on a node, %" PRIu64 " runs; %s, ", checked->ranks,
           checked->ranks_per_node, check->runs, check->fabric);
    quote_terminal(stdout, check->machine);
    puts(forecast->is_sound ? "" : "; NOT SOUND");
    calibrate_print_guards(forecast->guards, FORECAST_GUARDS);
    if (!forecast->is_sound && !check->force)
        return;
    bool is_short = forecast->measured_s.value < 1;
    printf("\n            %12s%12s%12s\n", "median", "low", "high");
    double unit = is_short ? 1e-3 : 1;
    const char *unit_name = is_short ? "ms" : "s";
    print_row("measured", forecast->measured_s, unit, unit_name, "%12.4f");
    print_row("forecast", forecast->forecast_s, unit, unit_name, "%12.4f");
    print_row("error", forecast->error_percent, 1, "%", "%+12.2f");
    print_row("captured", forecast->captured_s, unit, unit_name, "%12.4f");
    print_phases(forecast, unit, unit_name);
    print_kinds(forecast, unit, unit_name);
}

enum { DIGITS = 10 };

static json_t *runs_json(const struct checked *checked)
{
    json_t *runs = json_make_list();
    for (uint64_t i = 0; i < checked->check->runs; i++) {
        const struct forecast_run *run = &checked->runs[i];
        json_t *object = json_make_object();
        json_put_number(object, "measured_s", run->plain.longest_s);
        json_put_number(object, "captured_s", run->captured.longest_s);
        json_put_number(object, "forecast_s", run->forecast_s);
        json_add(runs, object);
    }
    return runs;
}

static json_t *kinds_json(const struct forecast *forecast)
{
    json_t *list = json_make_list();
    for (size_t kind = 0; kind < FORECAST_KINDS; kind++) {
        const struct forecast_of_kind *of = &forecast->kinds[kind];
        if (!has_kind(forecast, kind))
            continue;
        json_t *object = json_make_object();
        json_put_text(object, "in", forecast_kind_name(kind));
        calibrate_put_value(object, "measured_s", of->measured_s);
        calibrate_put_value(object, "forecast_s", of->forecast_s);
        calibrate_put_value(object, "off_percent", of->off_percent);
        json_add(list, object);
    }
    return list;
}

static json_t *phases_json(const struct forecast *forecast)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < forecast->phase_count; i++) {
        const struct forecast_of_phase *phase = &forecast->phases[i];
        json_t *object = json_make_object();
        json_put_count(object, "phase", phase->number);
        calibrate_put_value(object, "measured_s", phase->measured_s);
        calibrate_put_value(object, "forecast_s", phase->forecast_s);
        calibrate_put_value(object, "error_percent", phase->error_percent);
        json_add(list, object);
    }
    return list;
}

static json_t *results_json(const struct checked *checked, const struct forecast *forecast,
                            const char *schema)
{
    const struct calibrate_check *check = checked->check;
    json_t *object = json_make_object();
    if (schema)
        json_put_text(object, "schema", schema);
    char *program = program_text(check);
    json_put_text(object, "program", program);
    free(program);
    json_put_text(object, "machine", check->machine);
    json_put_text(object, "fabric", check->fabric);
    json_put_count(object, "ranks", checked->ranks);
    json_put_count(object, "ranks_per_node", checked->ranks_per_node);
    json_put_flag(object, "sound", forecast->is_sound);
    json_put(object, "guards", calibrate_guards_json(forecast->guards, FORECAST_GUARDS));
    if (forecast->is_sound || check->force) {
        calibrate_put_value(object, "measured_s", forecast->measured_s);
        calibrate_put_value(object, "captured_s", forecast->captured_s);
        calibrate_put_value(object, "forecast_s", forecast->forecast_s);
        calibrate_put_value(object, "error_percent", forecast->error_percent);
        json_put(object, "kinds", kinds_json(forecast));
        json_put(object, "phases", phases_json(forecast));
        json_put(object, "runs", runs_json(checked));
    }
    return object;
}

static enum status print_json(const struct checked *checked, const struct forecast *forecast)
{
    return cli_print_json(results_json(checked, forecast, "helio-calibrate-check-1"), DIGITS);
}

/* `is_written`: the page is there, also if a guard has failed. */
static enum status finish(const struct checked *checked, bool *is_written)
{
    struct forecast forecast;
    enum status status = STATUS_OK;
    forecast_judge(checked->runs, checked->check->runs, checked->half_s, &forecast);
    if (checked->check->json)
        status = print_json(checked, &forecast);
    else
        print_table(checked, &forecast);
    if (status == STATUS_OK)
        status = standard_flush();
    if (status == STATUS_OK && checked->page) {
        status = forecast_page_put(checked->page, results_json(checked, &forecast, NULL));
        *is_written = status == STATUS_OK;
    }
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
        machine_warn_unsound(&machine);
        machine_close(&machine);
    }
    if (config)
        config_close(config);
    return status;
}

/* Runs and replays in a folder of its own. */
static enum status run_all(struct checked *checked)
{
    const char *temporary = getenv("TMPDIR");
    char *path =
        mem_format("%s/helio-check-%ld", temporary && *temporary ? temporary : "/tmp", (long)getpid());
    enum status status = output_folder_open(&checked->folder, path);
    free(path);
    if (status != STATUS_OK)
        return status;
    for (uint64_t i = 0; status == STATUS_OK && i < checked->check->runs; i++)
        status = run_once(checked, i);
    if (status == STATUS_OK)
        status = find_half(checked);
    output_folder_close(&checked->folder, STATUS_FAILED); /* nothing of it is kept */
    return status;
}

enum status calibrate_check_program(const struct calibrate_check *check)
{
    struct checked checked = {.check = check};
    enum status status = look_at_machine(check);
    if (status == STATUS_OK && check->html)
        status = report_page_open(check->html, &checked.page);
    if (status != STATUS_OK)
        return status;
    checked.runs = mem_alloc(check->runs, sizeof *checked.runs, "runs");
    status = run_all(&checked);
    bool is_written = false;
    if (status == STATUS_OK)
        status = finish(&checked, &is_written);
    enum status closed = report_page_close(checked.page, is_written ? STATUS_OK : STATUS_FAILED);
    if (is_written && closed == STATUS_OK)
        report_page_note(check->html);
    else if (is_written)
        status = closed;
    for (uint64_t i = 0; i < check->runs; i++) {
        forecast_free(&checked.runs[i].plain);
        forecast_free(&checked.runs[i].captured);
    }
    free(checked.runs);
    return status;
}
