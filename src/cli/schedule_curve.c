#include <stdio.h>

#include "base/units.h"
#include "cli/print.h"
#include "cli/schedule_circuit.h"
#include "output/output.h"
#include "output/standard.h"
#include "report/circuit_page.h"

/* The makespan over the switching time, a line for each time. With --algorithm this one, or else all. */
struct circuit_curve {
    const struct circuit_network *network;
    size_t algorithms[CIRCUIT_ALGORITHMS], count;
    FILE *csv; /* NULL: no file */
    json_t *rows;
    bool is_table; /* is printed */
};

static void begin_curve(const struct circuit_run *run, struct circuit_curve *curve)
{
    const struct circuit_network *network = curve->network;
    if (run->settings->algorithm)
        curve->algorithms[curve->count++] = run->algorithm;
    for (size_t i = 0; !run->settings->algorithm && i < CIRCUIT_ALGORITHMS && network->algorithm_at(i); i++)
        curve->algorithms[curve->count++] = i;
    if (curve->csv) {
        fputs("switching_s,lower_bound_s", curve->csv);
        for (size_t i = 0; i < curve->count; i++)
            fprintf(curve->csv, ",%s_s", network->algorithm_at(curve->algorithms[i]));
        fputc('\n', curve->csv);
    }
    if (!curve->is_table)
        return;
    cli_print_text("demand  ", circuit_source(run));
    printf("\n%14s %14s", "switching", "bound");
    for (size_t i = 0; i < curve->count; i++)
        printf(" %14s", network->algorithm_at(curve->algorithms[i]));
    putchar('\n');
}

static void show_time(const struct circuit_curve *curve, const char *name, ps_t time_ps, json_t *object)
{
    char text[CIRCUIT_TIME_TEXT];
    json_put_number(object, name, circuit_seconds(time_ps));
    if (curve->is_table)
        printf(" %14s", units_show_time(time_ps, CIRCUIT_SHOWN_DIGITS, text, sizeof text));
    if (curve->csv)
        fprintf(curve->csv, ",%.*g", CIRCUIT_TIME_DIGITS, circuit_seconds(time_ps));
}

static void put_bounds(json_t *row, const struct circuit_outcome *outcome)
{
    json_t *bounds = json_make_object();
    for (size_t i = 0; i < CIRCUIT_BOUNDS && outcome->parts[i].name; i++)
        json_put_number(bounds, outcome->parts[i].name, circuit_seconds(outcome->parts[i].time_ps));
    json_put(row, "bounds", bounds);
}

static enum status curve_point(const struct circuit_run *run, struct circuit_curve *curve, ps_t delta_ps)
{
    char text[CIRCUIT_TIME_TEXT];
    enum status status = STATUS_OK;
    const struct circuit_network *network = curve->network;
    json_t *row = json_make_object(), *makespans = json_make_object();
    json_put_number(row, "switching_s", circuit_seconds(delta_ps));
    if (curve->is_table)
        printf("%14s", units_print_time(delta_ps, text, sizeof text));
    if (curve->csv)
        fprintf(curve->csv, "%.*g", CIRCUIT_TIME_DIGITS, circuit_seconds(delta_ps));
    for (size_t i = 0; i < curve->count && status == STATUS_OK; i++) {
        struct circuit_outcome *outcome;
        status = network->make(run, curve->algorithms[i], delta_ps, &outcome);
        if (status != STATUS_OK)
            break;
        if (i == 0) {
            show_time(curve, "lower_bound_s", outcome->bound_ps, row);
            put_bounds(row, outcome);
        }
        show_time(curve, outcome->algorithm, outcome->makespan_ps, makespans);
        network->free(outcome);
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
    if (run->settings->topology_text)
        json_put_text(object, "topology", run->settings->topology_text);
    if (run->settings->topology_text && run->switching.switches > 1)
        json_put_count(object, "planes", run->switching.switches);
    if (!run->settings->topology_text)
        json_put_count(object, "switches", run->switching.switches);
    if (run->switching.hops > 1)
        json_put_count(object, "hops", run->switching.hops);
    json_put_count(object, "rate_bytes_per_s", run->switching.rate_bytes_per_s);
    json_put(object, "curve", json_incref(curve->rows));
    return object;
}

enum status schedule_curve(const struct circuit_run *run, const struct circuit_network *network)
{
    struct output output = {0};
    const struct schedule_settings *settings = run->settings;
    enum status status = settings->output ? output_open(&output, settings->output) : STATUS_OK;
    struct circuit_curve curve = {
        .network = network, .csv = output.file, .rows = json_make_list(), .is_table = !settings->json};
    if (status == STATUS_OK)
        begin_curve(run, &curve);
    for (size_t i = 0; i < run->time_count && status == STATUS_OK; i++)
        status = curve_point(run, &curve, run->times_ps[i]);
    status = output_close(&output, status);
    if (status == STATUS_OK && settings->html)
        status = circuit_curve_page_save(settings->html, circuit_source(run), curve_json(run, &curve));
    if (status == STATUS_OK)
        status =
            settings->json ? cli_print_json(curve_json(run, &curve), CIRCUIT_TIME_DIGITS) : standard_flush();
    json_decref(curve.rows);
    return status;
}
