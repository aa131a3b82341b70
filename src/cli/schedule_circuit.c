#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/print.h"
#include "cli/schedule.h"
#include "cli/values.h"
#include "output/interrupt.h"
#include "output/output.h"
#include "output/standard.h"
#include "report/circuit_page.h"
#include "schedule/circuit/verify.h"
#include "schedule/circuit/write.h"

/* `helio schedule --switching`: circuits with a price for switching. */

enum { MOST_TIMES = 64, MOST_ALGORITHMS = 32, TIME_DIGITS = 15, TIME_TEXT = 64, SHOWN_DIGITS = 6 };

struct circuit_run {
    const struct schedule_settings *settings;
    struct circuit_demand demand;
    struct circuit_switching switching;
    ps_t times_ps[MOST_TIMES]; /* of --switching */
    size_t time_count;
    ps_t deadline_ps;
    const struct circuit_algorithm *algorithm;
    struct circuit_effort effort;
};

bool schedule_is_circuits(const struct schedule_settings *settings)
{
    return settings->circuits.demand || settings->circuits.switching;
}

/* ------------------------------------------------------------------ options */

static bool read_time(const char *option, const char *text, ps_t *time_ps)
{
    struct units_problem problem;
    if (units_time(text, time_ps, &problem))
        return true;
    diag_error("%s: %s", option, problem.text);
    return false;
}

static bool read_rate(const char *text, uint64_t *rate)
{
    struct units_problem problem;
    if (!units_rate(text, rate, &problem)) {
        diag_error("--rate: %s", problem.text);
        return false;
    }
    if (*rate)
        return true;
    diag_error("--rate: a circuit carries at least 1 B/s");
    return false;
}

/* One time, or several between commas. */
static bool read_times(struct circuit_run *run, const char *text)
{
    char *copy = mem_text(text), *rest = copy;
    bool good = true;
    for (char *time; good && (time = strsep(&rest, ","));) {
        if (run->time_count == MOST_TIMES) {
            diag_error("--switching takes at most %d times", MOST_TIMES);
            good = false;
        } else {
            good = read_time("--switching", time, &run->times_ps[run->time_count++]);
        }
    }
    free(copy);
    return good;
}

static bool read_switches(const char *text, uint32_t *switches)
{
    uint64_t count;
    if (!cli_value_count("--switches", text, &count))
        return false;
    if (count < 1 || count > CIRCUIT_MOST_SWITCHES) {
        diag_error("--switches: with --switching it is the number of parallel switches, 1 to %d",
                   CIRCUIT_MOST_SWITCHES);
        return false;
    }
    *switches = (uint32_t)count;
    return true;
}

static bool read_algorithm(struct circuit_run *run)
{
    const char *names[MOST_ALGORITHMS], *name = run->settings->algorithm;
    size_t count = 0;
    int index;
    for (const struct circuit_algorithm *at; count < MOST_ALGORITHMS && (at = circuit_algorithm_at(count));)
        names[count++] = at->name;
    if (!cli_value_choice("--algorithm", name ? name : "best", names, count, &index))
        return false;
    run->algorithm = circuit_algorithm_at((size_t)index);
    return true;
}

static bool read_stop(struct circuit_run *run)
{
    int index = 0;
    const char *stop = run->settings->circuits.stop;
    bool good = !stop || cli_value_choice("--switch", stop, (const char *const[]){"not-all-stop", "all-stop"},
                                          2, &index);
    run->switching.all_stop = index == 1;
    return good;
}

static bool read_slot(struct circuit_run *run)
{
    const char *slot = run->settings->circuits.slot;
    if (!slot)
        return true;
    if (!read_time("--slot", slot, &run->switching.slot_ps))
        return false;
    if (run->switching.slot_ps && run->switching.slot_ps < PS_NEVER / 16)
        return true;
    diag_error("--slot: a slot takes at least 1 ps, and less than 6 days");
    return false;
}

/* What has no meaning for circuits with a price. */
static bool refuse_others(const struct schedule_settings *settings)
{
    const char *other = settings->pattern_name          ? "a pattern"
                        : settings->topology_text       ? "--topology"
                        : settings->against             ? "--against"
                        : settings->only                ? "--only"
                        : settings->method.free_routes  ? "--routes free"
                        : settings->method.random_order ? "--order random"
                                                        : NULL;
    if (other)
        diag_error("circuits with a price for switching take no %s: helio schedule --demand FILE.csv|--trace "
                   "PATH|--workload SPEC --switching TIME --rate RATE",
                   other[0] == 'a' ? "pattern" : other);
    return !other;
}

static bool check_sources(const struct schedule_settings *settings)
{
    const struct schedule_circuits *circuits = &settings->circuits;
    if (!refuse_others(settings))
        return false;
    if (!!circuits->demand + !!settings->trace + !!settings->workload != 1 || !circuits->switching ||
        !circuits->rate) {
        diag_error("circuits with a price for switching need one demand, a switching time and a rate: helio "
                   "schedule --demand FILE.csv|--trace PATH|--workload SPEC --switching TIME --rate RATE");
        return false;
    }
    if (circuits->demand && settings->machine) {
        diag_error("--machine needs a program: --trace or --workload");
        return false;
    }
    return true;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupt_wanted();
}

static bool read_settings(struct circuit_run *run)
{
    const struct schedule_settings *settings = run->settings;
    const struct schedule_circuits *circuits = &settings->circuits;
    if (!check_sources(settings) || !read_times(run, circuits->switching) ||
        !read_rate(circuits->rate, &run->switching.rate_bytes_per_s) || !read_stop(run) || !read_slot(run) ||
        (settings->switches && !read_switches(settings->switches, &run->switching.switches)) ||
        (circuits->deadline && !read_time("--deadline", circuits->deadline, &run->deadline_ps)) ||
        !read_algorithm(run))
        return false;
    if (circuits->deadline && !settings->verify) {
        diag_error("--deadline needs a schedule: --verify SCHEDULE.csv");
        return false;
    }
    if (settings->verify && (run->time_count > 1 || settings->html || settings->output)) {
        diag_error("--verify takes one switching time, and writes no file");
        return false;
    }
    run->effort = (struct circuit_effort){
        .moves = settings->method.limit.moves, .seed = settings->method.seed, .stopped = is_interrupted};
    return true;
}

/* ------------------------------------------------------------------- demand */

/* Adds up the bytes of a program's messages. */
struct traffic_adder {
    struct patterns_listener base;
    struct circuit_demand *demand;
    size_t united; /* lines that are distinct */
    bool is_too_large, is_too_wide;
};

static void add_pair(struct patterns_listener *listener, uint32_t source, uint32_t destination, sum_t bytes)
{
    struct traffic_adder *adder = (struct traffic_adder *)listener;
    if (bytes >> 63 || source >= CIRCUIT_MOST_PORTS || destination >= CIRCUIT_MOST_PORTS) {
        adder->is_too_large |= bytes >> 63 != 0;
        adder->is_too_wide |= source >= CIRCUIT_MOST_PORTS || destination >= CIRCUIT_MOST_PORTS;
        return;
    }
    circuit_demand_add(adder->demand, source, destination, (uint64_t)bytes);
    if (adder->demand->count < 2 * adder->united + CIRCUIT_MOST_PORTS)
        return;
    adder->is_too_large |= !circuit_demand_unite(adder->demand);
    adder->united = adder->demand->count;
}

static enum status add_program(const struct schedule_settings *settings, struct circuit_demand *demand)
{
    struct patterns patterns;
    struct traffic_adder adder = {.base = {add_pair}, .demand = demand};
    const char *name = schedule_program_name(settings);
    enum status status = schedule_program_patterns(settings, &adder.base, &patterns);
    if (status != STATUS_OK)
        return status;
    patterns_free(&patterns);
    if (adder.is_too_wide)
        diag_error("%s runs on more nodes than a switch has ports: %d", name, CIRCUIT_MOST_PORTS);
    else if (adder.is_too_large || !circuit_demand_unite(demand))
        diag_error("%s sends 2^63 bytes or more", name);
    else if (!demand->count)
        diag_error("%s sends no byte from node to node", name);
    else
        return STATUS_OK;
    return STATUS_BAD_INPUT;
}

/* ------------------------------------------------------------------ results */

/* A schedule, and what it was made for. */
struct circuit_result {
    struct circuit_problem problem;
    struct circuit_bounds bounds;
    struct circuit_schedule schedule;
    double seconds;
};

static bool is_optimal(const struct circuit_result *result)
{
    return result->schedule.proven || result->schedule.makespan_ps == result->bounds.best_ps;
}

static double in_seconds(ps_t time_ps)
{
    return (double)time_ps / (double)PS_PER_S;
}

/* What the schedule itself cannot say: NULL, or why none is worth while. */
static const char *advice_of(const struct circuit_result *result)
{
    return result->problem.delta_ps > result->bounds.rho_ps
               ? "switching takes longer than the busiest port's bytes: static circuits or a packet network "
                 "suit "
                 "this demand better"
               : NULL;
}

static json_t *result_json(const struct circuit_run *run, const struct circuit_result *result)
{
    const struct circuit_problem *problem = &result->problem;
    const struct circuit_schedule *schedule = &result->schedule;
    json_t *object = json_make_object();
    json_put_text(object, "algorithm", run->algorithm->name);
    if (strcmp(run->algorithm->name, schedule->made_by) != 0)
        json_put_text(object, "made_by", schedule->made_by);
    json_put_text(object, "switch", problem->all_stop ? "all-stop" : "not-all-stop");
    json_put_count(object, "switches", problem->switches);
    json_put_number(object, "switching_s", in_seconds(problem->delta_ps));
    json_put_count(object, "rate_bytes_per_s", problem->rate_bytes_per_s);
    json_put_count(object, "senders", problem->senders);
    json_put_count(object, "receivers", problem->receivers);
    json_put_count(object, "pairs", problem->count);
    json_put_number(object, "makespan_s", in_seconds(schedule->makespan_ps));
    json_put_number(object, "lower_bound_s", in_seconds(result->bounds.best_ps));
    json_put_flag(object, "optimal", is_optimal(result));
    json_put_number(object, "rho_s", in_seconds(result->bounds.rho_ps));
    json_put_count(object, "degree", result->bounds.degree);
    json_put_number(object, "port_bound_s", in_seconds(result->bounds.port_ps));
    json_put_number(object, "all_stop_bound_s", in_seconds(result->bounds.all_stop_ps));
    json_put_count(object, "configurations", schedule->configurations);
    json_put_count(object, "circuits", schedule->count);
    json_put_text(object, "advice", advice_of(result));
    json_put_number(object, "seconds", result->seconds);
    return object;
}

static const char *source_name(const struct circuit_run *run)
{
    return run->settings->circuits.demand ? run->settings->circuits.demand
                                          : schedule_program_name(run->settings);
}

static void print_time(const char *label, ps_t time_ps, const char *more)
{
    char text[TIME_TEXT];
    printf("%-15s%s%s\n", label, units_show_time(time_ps, SHOWN_DIGITS, text, sizeof text), more);
}

static enum status print_text(const struct circuit_run *run, const struct circuit_result *result)
{
    const struct circuit_problem *problem = &result->problem;
    const struct circuit_schedule *schedule = &result->schedule;
    char switching[TIME_TEXT], rate[TIME_TEXT];
    cli_print_text("demand         ", source_name(run));
    printf("pairs          %" PRIu32 " of %" PRIu32 " senders and %" PRIu32 " receivers\n", problem->count,
           problem->senders, problem->receivers);
    printf("switch         %" PRIu32 ", %s, %s to change, circuits of %s\n", problem->switches,
           problem->all_stop ? "all-stop" : "not-all-stop",
           units_print_time(problem->delta_ps, switching, sizeof switching),
           units_print_rate(problem->rate_bytes_per_s, rate, sizeof rate));
    bool is_own = strcmp(run->algorithm->name, schedule->made_by) == 0;
    printf("algorithm      %s%s%s\n", run->algorithm->name, is_own ? "" : ", here ",
           is_own ? "" : schedule->made_by);
    print_time("makespan", schedule->makespan_ps, is_optimal(result) ? ", proven optimal" : "");
    print_time("lower bound", result->bounds.best_ps, "");
    printf("above bound    %.3f %%\n",
           100 * (in_seconds(schedule->makespan_ps) / in_seconds(result->bounds.best_ps) - 1));
    printf("configurations %" PRIu64 ", %zu circuits\n", schedule->configurations, schedule->count);
    if (advice_of(result))
        printf("note           %s\n", advice_of(result));
    enum status status = standard_flush();
    if (status == STATUS_OK && isatty(STDERR_FILENO))
        diag_note("scheduled in %.3g s", result->seconds);
    return status;
}

static enum status make(const struct circuit_run *run, const struct circuit_algorithm *algorithm,
                        ps_t delta_ps, struct circuit_result *result)
{
    struct circuit_switching switching = run->switching;
    switching.delta_ps = delta_ps;
    *result = (struct circuit_result){.seconds = 0};
    enum status status = circuit_problem_init(&result->problem, &run->demand, &switching);
    if (status != STATUS_OK)
        return status;
    result->bounds = circuit_bounds_of(&result->problem);
    double begun_s = clock_seconds_now();
    struct circuit_effort effort = run->effort;
    if (run->settings->limit_ps > 0)
        effort.until_s = begun_s + in_seconds(run->settings->limit_ps);
    status = circuit_schedule_make(&result->problem, algorithm, &effort, &result->schedule);
    result->seconds = clock_seconds_now() - begun_s;
    if (status != STATUS_OK)
        circuit_problem_free(&result->problem);
    return status;
}

static void free_result(struct circuit_result *result)
{
    circuit_schedule_free(&result->schedule);
    circuit_problem_free(&result->problem);
}

static enum status write_schedule(const struct circuit_run *run, const struct circuit_result *result)
{
    struct output output = {0};
    enum status status = output_open(&output, run->settings->output);
    if (status == STATUS_OK)
        circuit_write(&result->problem, &result->schedule, output.file);
    return output_close(&output, status);
}

static enum status schedule_one(const struct circuit_run *run)
{
    struct circuit_result result;
    enum status status = make(run, run->algorithm, run->times_ps[0], &result);
    if (status != STATUS_OK)
        return status;
    if (run->settings->output)
        status = write_schedule(run, &result);
    if (status == STATUS_OK && run->settings->html)
        status = circuit_page_save(run->settings->html, source_name(run), result_json(run, &result),
                                   &result.problem, &result.schedule);
    if (status == STATUS_OK)
        status = run->settings->json ? cli_print_json(result_json(run, &result), TIME_DIGITS)
                                     : print_text(run, &result);
    free_result(&result);
    return status;
}

/* -------------------------------------------------------------------- curve */

/* The makespan over the switching time, a line for each time. With --algorithm this one, or else all. */
struct circuit_curve {
    const struct circuit_algorithm *algorithms[MOST_ALGORITHMS];
    size_t count;
    FILE *csv; /* NULL: no file */
    json_t *rows;
    bool is_table; /* is printed */
};

static void begin_curve(const struct circuit_run *run, struct circuit_curve *curve)
{
    if (run->settings->algorithm)
        curve->algorithms[curve->count++] = run->algorithm;
    for (const struct circuit_algorithm *at; !run->settings->algorithm && curve->count < MOST_ALGORITHMS &&
                                             (at = circuit_algorithm_at(curve->count));)
        curve->algorithms[curve->count++] = at;
    if (curve->csv) {
        fputs("switching_s,lower_bound_s", curve->csv);
        for (size_t i = 0; i < curve->count; i++)
            fprintf(curve->csv, ",%s_s", curve->algorithms[i]->name);
        fputc('\n', curve->csv);
    }
    if (!curve->is_table)
        return;
    cli_print_text("demand  ", source_name(run));
    printf("\n%14s %14s", "switching", "bound");
    for (size_t i = 0; i < curve->count; i++)
        printf(" %14s", curve->algorithms[i]->name);
    putchar('\n');
}

static void show_time(const struct circuit_curve *curve, const char *name, ps_t time_ps, json_t *object)
{
    char text[TIME_TEXT];
    json_put_number(object, name, in_seconds(time_ps));
    if (curve->is_table)
        printf(" %14s", units_show_time(time_ps, SHOWN_DIGITS, text, sizeof text));
    if (curve->csv)
        fprintf(curve->csv, ",%.*g", TIME_DIGITS, in_seconds(time_ps));
}

static enum status curve_point(const struct circuit_run *run, struct circuit_curve *curve, ps_t delta_ps)
{
    char text[TIME_TEXT];
    enum status status = STATUS_OK;
    json_t *row = json_make_object(), *makespans = json_make_object();
    json_put_number(row, "switching_s", in_seconds(delta_ps));
    if (curve->is_table)
        printf("%14s", units_print_time(delta_ps, text, sizeof text));
    if (curve->csv)
        fprintf(curve->csv, "%.*g", TIME_DIGITS, in_seconds(delta_ps));
    for (size_t i = 0; i < curve->count && status == STATUS_OK; i++) {
        struct circuit_result result;
        status = make(run, curve->algorithms[i], delta_ps, &result);
        if (i == 0 && status == STATUS_OK)
            show_time(curve, "lower_bound_s", result.bounds.best_ps, row);
        if (status == STATUS_OK) {
            show_time(curve, curve->algorithms[i]->name, result.schedule.makespan_ps, makespans);
            free_result(&result);
        }
    }
    json_put(row, "makespan_s", makespans);
    json_add(curve->rows, row);
    if (curve->is_table)
        putchar('\n');
    if (curve->csv)
        fputc('\n', curve->csv);
    return status;
}

static json_t *curve_json(const struct circuit_run *run, const struct circuit_curve *curve)
{
    json_t *object = json_make_object();
    json_put_text(object, "switch", run->switching.all_stop ? "all-stop" : "not-all-stop");
    json_put_count(object, "switches", run->switching.switches);
    json_put_count(object, "rate_bytes_per_s", run->switching.rate_bytes_per_s);
    json_put(object, "curve", json_incref(curve->rows));
    return object;
}

static enum status print_curve(const struct circuit_run *run)
{
    struct output output = {0};
    const struct schedule_settings *settings = run->settings;
    enum status status = settings->output ? output_open(&output, settings->output) : STATUS_OK;
    struct circuit_curve curve = {.csv = output.file, .rows = json_make_list(), .is_table = !settings->json};
    if (status == STATUS_OK)
        begin_curve(run, &curve);
    for (size_t i = 0; i < run->time_count && status == STATUS_OK; i++)
        status = curve_point(run, &curve, run->times_ps[i]);
    status = output_close(&output, status);
    if (status == STATUS_OK && settings->html)
        status = circuit_curve_page_save(settings->html, source_name(run), curve_json(run, &curve));
    if (status == STATUS_OK)
        status = settings->json ? cli_print_json(curve_json(run, &curve), TIME_DIGITS) : standard_flush();
    json_decref(curve.rows);
    return status;
}

/* ------------------------------------------------------------------- verify */

static enum status print_verdict(const struct circuit_run *run, const struct circuit_verdict *verdict,
                                 const struct circuit_bounds *bounds)
{
    char time[TIME_TEXT], bound[TIME_TEXT];
    if (!run->settings->json) {
        cli_print_text("", run->settings->verify);
        printf("valid: %" PRIu64 " circuits carry every byte in %s; the lower bound is %s\n",
               verdict->circuits, units_show_time(verdict->makespan_ps, SHOWN_DIGITS, time, sizeof time),
               units_show_time(bounds->best_ps, SHOWN_DIGITS, bound, sizeof bound));
        return standard_flush();
    }
    json_t *object = json_make_object();
    json_put_text(object, "schedule", run->settings->verify);
    bool is_valid = !*verdict->first_problem;
    json_put_flag(object, "valid", is_valid);
    json_put_text(object, "first_problem", is_valid ? NULL : verdict->first_problem);
    json_put_count(object, "circuits", verdict->circuits);
    json_put_number(object, "makespan_s", in_seconds(verdict->makespan_ps));
    json_put_number(object, "lower_bound_s", in_seconds(bounds->best_ps));
    json_put_flag(object, "optimal", is_valid && verdict->makespan_ps == bounds->best_ps);
    return cli_print_json(object, TIME_DIGITS);
}

static enum status verify(const struct circuit_run *run)
{
    char *text;
    size_t size;
    struct circuit_problem problem;
    struct circuit_verdict verdict;
    struct circuit_switching switching = run->switching;
    const char *path = run->settings->verify;
    switching.delta_ps = run->times_ps[0];
    enum status status = file_load(path, CIRCUIT_SCHEDULE_AT_MOST, "a schedule of circuits", &text, &size);
    if (status != STATUS_OK)
        return status;
    status = circuit_problem_init(&problem, &run->demand, &switching);
    if (status == STATUS_OK) {
        struct circuit_bounds bounds = circuit_bounds_of(&problem);
        status = circuit_verify(&problem, path, text, size, run->deadline_ps, &verdict);
        if (status == STATUS_OK || (status == STATUS_FAILED && run->settings->json)) {
            enum status printed = print_verdict(run, &verdict, &bounds);
            status = status == STATUS_OK ? printed : status;
        }
        circuit_problem_free(&problem);
    }
    free(text);
    return status;
}

enum status schedule_circuits(const struct schedule_settings *settings)
{
    struct circuit_run run = {.settings = settings, .switching = {.switches = 1}};
    if (!read_settings(&run))
        return STATUS_BAD_INPUT;
    enum status status = settings->circuits.demand
                             ? circuit_demand_load(settings->circuits.demand, &run.demand)
                             : add_program(settings, &run.demand);
    /* Ctrl-C ends the search of best, and any other algorithm with the program. */
    bool searches = status == STATUS_OK && !settings->verify && run.time_count == 1 &&
                    strcmp(run.algorithm->name, "best") == 0;
    if (searches)
        interrupt_accept();
    if (status == STATUS_OK)
        status = settings->verify     ? verify(&run)
                 : run.time_count > 1 ? print_curve(&run)
                                      : schedule_one(&run);
    if (searches)
        interrupt_refuse();
    circuit_demand_free(&run.demand);
    return status;
}
