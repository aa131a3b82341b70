#include "report/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "output/quote.h"
#include "output/wrap.h"
#include "sim/sites.h"

/* The call that caused most idle time, and its share of all idle time. NULL: no rank was idle. */
static const char *main_cause(const struct result *result, double *share)
{
    sum_t all = 0, point_to_point = 0, most;
    for (int op = 0; op < CALL_OPS; op++) {
        all += result->idle_by_cause[op];
        if (op < CALL_BARRIER)
            point_to_point += result->idle_by_cause[op];
    }
    const char *name = "p2p";
    most = point_to_point;
    for (int op = CALL_BARRIER; op < CALL_OPS; op++)
        if (result->idle_by_cause[op] > most) {
            most = result->idle_by_cause[op];
            name = call_op_name((enum call_op)op);
        }
    *share = all > 0 ? (double)most / (double)all : 0;
    return all > 0 ? name : NULL;
}

/* 0: one of the two took no time. */
static double speedup_of(const struct result *result, const struct result *first)
{
    return result->makespan > 0 && first->makespan > 0 ? (double)first->makespan / (double)result->makespan
                                                       : 0;
}

/* ------------------------------------------------------------- for people */

/* What all rows of a table share. */
struct report_columns {
    const struct result *results, *reference;
    struct description_texts *reasons; /* for each result: why its speedup is marked */
    size_t count;
    int name_width;
    struct units_column times, latencies;
    FILE *out;
};

static void put_time(const struct report_columns *table, const struct units_column *column, ps_t time)
{
    char text[48];
    fprintf(table->out, " %12s", units_show_in(column, time, text, sizeof text));
}

/* Ranks: how long they wait, and for what. */
static void put_waiting(const struct report_columns *table, const struct result *result)
{
    double share;
    const char *cause = main_cause(result, &share);
    if (result->has_software)
        fprintf(table->out, " %8.2f %%", 100 * result_software_fraction(result));
    fprintf(table->out, " %8.2f %%  ", 100 * result_idle_fraction(result));
    if (cause)
        fprintf(table->out, "%s (%.0f %%)\n", cause, 100 * share);
    else
        fputs("-\n", table->out);
}

/* Traffic of nodes: how long messages take, and how many bytes arrive. */
static void put_delivery(const struct report_columns *table, const struct result *result)
{
    char text[48] = "-";
    put_time(table, &table->latencies, (ps_t)result_mean_latency_ps(result));
    put_time(table, &table->latencies, result->latency_max);
    if (result->makespan > 0)
        units_show_size((double)result->bytes / ((double)result->makespan / (double)PS_PER_S), 4, text,
                        sizeof text - 2);
    fprintf(table->out, " %12s%s\n", text, result->makespan > 0 ? "/s" : "");
}

/* A benchmark of rates: what it is for. */
static void put_rates(const struct report_columns *table, const struct result *result)
{
    char bandwidth[32] = "-", rate[32] = "-";
    if (result_bandwidth(result) > 0)
        units_show_rate(result_bandwidth(result), 4, bandwidth, sizeof bandwidth);
    const double messages = result_message_rate(result);
    if (messages > 0)
        snprintf(rate, sizeof rate, "%.4g%s/s", messages >= 1e6 ? messages * 1e-6 : messages * 1e-3,
                 messages >= 1e6 ? " M" : " k");
    fprintf(table->out, " %12s %14s", bandwidth, rate);
}

static void put_row(const struct report_columns *table, size_t index)
{
    const struct result *result = &table->results[index];
    double speedup = speedup_of(result, &table->results[0]);
    fprintf(table->out, "%-*s", table->name_width, result->fabric);
    put_time(table, &table->times, result->makespan);
    if (speedup > 0)
        fprintf(table->out, " %8.3fx%s", speedup, table->reasons[index].count ? " *" : "  ");
    else
        fprintf(table->out, " %9s  ", "-");
    if (result->rate_messages > 0)
        put_rates(table, result);
    if (result->is_openloop)
        put_delivery(table, result);
    else
        put_waiting(table, result);
}

static void put_head(const struct report_columns *table)
{
    const struct result *first = &table->results[0];
    fprintf(table->out, "%-*s %12s %9s  ", table->name_width, "fabric", "time", "speedup");
    if (first->rate_messages > 0)
        fprintf(table->out, " %12s %14s", "bandwidth", "messages");
    if (first->is_openloop)
        fprintf(table->out, " %12s %12s %14s\n", "mean latency", "largest", "throughput");
    else
        fprintf(table->out, "%s %10s  %s\n", first->has_software ? "   software" : "", "idle", "mostly in");
}

/* The caller frees its reasons. */
static struct report_columns table_of(const struct result *results, size_t count, FILE *out)
{
    struct report_columns table = {.results = results,
                                   .reference = network_reference(results, count),
                                   .reasons = mem_alloc(count, sizeof *table.reasons, "a table"),
                                   .count = count,
                                   .name_width = 12,
                                   .out = out};
    ps_t *times = mem_alloc(2 * count, sizeof *times, "a table");
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(results[i].fabric);
        table.name_width = length > table.name_width ? length : table.name_width;
        times[i] = results[i].makespan;
        network_differs(&table.reference->network, table.reference->fabric, &results[i].network,
                        &table.reasons[i]);
    }
    table.times = units_column_of(times, count, 5);
    for (size_t i = 0; i < count; i++) {
        times[2 * i] = (ps_t)result_mean_latency_ps(&results[i]);
        times[2 * i + 1] = results[i].latency_max;
    }
    table.latencies = units_column_of(times, 2 * count, 4);
    free(times);
    return table;
}

/* ----------------------------------------------------------------- networks */

/* A text begins a line unless it fits the rest of this one. */
static void put_text(struct wrap *line, const char *text)
{
    if (line->has_words && line->column + 2 + strlen(text) > WRAP_COLUMNS) {
        fprintf(line->out, "\n%*s", (int)line->indent, "");
        line->column = line->indent;
        line->has_words = false;
    }
    wrap_words(line, text);
}

static void put_texts(struct wrap *line, const struct description_texts *texts, const char *separator)
{
    for (size_t i = 0; i < texts->count; i++) {
        wrap_mark(line, line->has_words ? separator : "");
        put_text(line, texts->text[i]);
    }
}

/* Rate, latency, what it includes, and what else there is to know. */
static void put_network(const struct report_columns *table, const struct result *result,
                        const struct units_column *latencies)
{
    const struct result_network *network = &result->network;
    const size_t from = (size_t)table->name_width + 1 + 12 + 1 + 12 + 2;
    struct wrap line = {.out = table->out, .indent = from, .column = from};
    char rate[32] = "-", latency[32] = "-";
    fprintf(table->out, "%-*s ", table->name_width, result->fabric);
    if (!network->is_described) {
        fputs("does not say its rate and its latency\n", table->out);
        return;
    }
    if (!network->is_bound) {
        units_show_rate((double)network->rate_bytes_per_s, 4, rate, sizeof rate);
        units_show_in(latencies, network->latency_ps, latency, sizeof latency);
    }
    fprintf(table->out, "%12s %12s  ", rate, latency);
    put_texts(&line, &network->includes, ",");
    put_texts(&line, &network->notes, ";");
    fputc('\n', table->out);
}

/* Why speedups are marked, and which parameters have no effect. */
static void put_reasons(const struct report_columns *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct description_texts *reasons = &table->reasons[i];
        if (!reasons->count)
            continue;
        fprintf(table->out, "* %s does not compare fairly with %s:\n", table->results[i].fabric,
                table->reference->fabric);
        for (size_t j = 0; j < reasons->count; j++) {
            struct wrap line = {.out = table->out, .indent = 8, .column = 6};
            fputs("      ", table->out);
            wrap_words(&line, reasons->text[j]);
            fputc('\n', table->out);
        }
    }
    for (size_t i = 0; i < table->count; i++) {
        const struct description_texts *ignores = &table->results[i].network.ignores;
        if (!ignores->count)
            continue;
        struct wrap line = {.out = table->out, .indent = 2};
        line.column = (size_t)fprintf(table->out, "%s ignores ", table->results[i].fabric);
        put_texts(&line, ignores, ",");
        fputc('\n', table->out);
    }
}

static bool has_networks(const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].network.is_described)
            return true;
    return false;
}

static void put_networks(const struct report_columns *table)
{
    if (!has_networks(table->results, table->count))
        return;
    ps_t *times = mem_alloc(table->count, sizeof *times, "a table");
    for (size_t i = 0; i < table->count; i++)
        times[i] = table->results[i].network.is_bound ? 0 : table->results[i].network.latency_ps;
    const struct units_column latencies = units_column_of(times, table->count, 4);
    free(times);
    fprintf(table->out, "\n%-*s %12s %12s  the latency includes\n", table->name_width, "network",
            "node's rate", "latency");
    for (size_t i = 0; i < table->count; i++)
        put_network(table, &table->results[i], &latencies);
    put_reasons(table);
}

/* Whether several networks are compared, and none differs in more than the fabric. */
static bool is_fair(const struct report_columns *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->reasons[i].count || !table->results[i].network.is_described)
            return false;
    return table->count > 1;
}

/* What the fabrics have in common. Some published latencies contain the hosts (8 us end to end), others do
 * not. With a machine or with a host model, hosts cost the same on all fabrics. */
static void put_common(const struct report_columns *table)
{
    const struct result *first = &table->results[0];
    bool has_machine = *first->network.machine != '\0';
    if (has_machine) {
        fputs("machine: ", table->out);
        quote_terminal(table->out, first->network.machine);
        fputs(is_fair(table) ? ", with the same rate, wires and software on all fabrics\n" : "\n",
              table->out);
    } else if (table->count > 1) {
        fputs("machine: none, each fabric as published\n", table->out);
    }
    if (table->count > 1 && first->has_host)
        fputs("hosts: one model for all\n", table->out);
    fputc('\n', table->out);
}

/* --------------------------------------------------------------------- jobs */

static void put_job(const struct report_columns *table, const struct result *result,
                    const struct result_job *job, const struct units_column *times)
{
    const double slowdown = result_slowdown(job);
    fprintf(table->out, "%-*s %7" PRIu32, table->name_width, result->fabric, job->ranks);
    if (job->nodes)
        put_time(table, times, job->submitted);
    if (job->nodes)
        put_time(table, times, job->start - job->submitted);
    put_time(table, times, job->start);
    put_time(table, times, job->nodes ? job->start + job->time : job->time);
    if (job->ran_alone)
        put_time(table, times, job->alone);
    if (slowdown > 0)
        fprintf(table->out, " %9.3fx", slowdown);
    else if (job->ran_alone)
        fprintf(table->out, " %10s", "-");
    fputs("  ", table->out);
    quote_terminal(table->out, job->name);
    fputc('\n', table->out);
}

/* How long each job takes on each fabric, and how long alone. */
static void put_jobs(const struct report_columns *table)
{
    const size_t jobs = table->results[0].job_count;
    if (!jobs)
        return;
    ps_t *times = mem_alloc(2 * jobs * table->count, sizeof *times, "a table");
    for (size_t i = 0; i < jobs * table->count; i++) {
        const struct result_job *job = &table->results[i % table->count].jobs[i / table->count];
        times[2 * i] = job->start;
        times[2 * i + 1] = job->time;
    }
    const struct units_column column = units_column_of(times, 2 * jobs * table->count, 5);
    const bool has_queue = table->results[0].queue.nodes > 0;
    free(times);
    fprintf(table->out, "\n%-*s %7s", table->name_width, "fabric", "ranks");
    if (has_queue)
        fprintf(table->out, " %12s %12s", "submitted", "waited");
    fprintf(table->out, " %12s %12s", "start", has_queue ? "end" : "time");
    fprintf(table->out, table->results[0].jobs[0].ran_alone ? " %12s %10s  job\n" : "  job\n", "alone",
            "slowdown");
    for (size_t i = 0; i < jobs; i++)
        for (size_t k = 0; k < table->count; k++)
            put_job(table, &table->results[k], &table->results[k].jobs[i], &column);
}

/* How well the jobs use the nodes, and how long they wait for them. */
static void put_queue(const struct report_columns *table)
{
    if (!table->results[0].queue.nodes)
        return;
    ps_t *times = mem_alloc(2 * table->count, sizeof *times, "a table");
    for (size_t k = 0; k < table->count; k++) {
        const struct result *result = &table->results[k];
        times[2 * k] = (ps_t)(result->queue.waited / result->job_count);
        times[2 * k + 1] = result->queue.longest;
    }
    const struct units_column column = units_column_of(times, 2 * table->count, 4);
    fprintf(table->out, "\n%-*s %7s %12s %12s %12s  queue\n", table->name_width, "fabric", "nodes", "used",
            "mean wait", "longest wait");
    for (size_t k = 0; k < table->count; k++) {
        const struct result *result = &table->results[k];
        fprintf(table->out, "%-*s %7" PRIu32 " %10.2f %%", table->name_width, result->fabric,
                result->queue.nodes, 100 * result_utilisation(result));
        put_time(table, &column, times[2 * k]);
        put_time(table, &column, times[2 * k + 1]);
        fprintf(table->out, "  %s\n", result->queue.order);
    }
    free(times);
}

/* --------------------------------------------------------------- dimensions */

static void put_dimension(const struct report_columns *table, const struct result *result,
                          const struct result_dimension *dimension, const struct units_column *times)
{
    char bytes[32];
    fprintf(table->out, "%-*s %10" PRIu64 " %10s", table->name_width, result->fabric, dimension->messages,
            units_show_size((double)dimension->bytes, 4, bytes, sizeof bytes));
    put_time(table, times, (ps_t)(result_mean_idle_ps(result, dimension) + 0.5));
    if (result->dimensions_have_path)
        put_time(table, times, dimension->path);
    fprintf(table->out, "  %s\n", dimension->name);
}

static struct units_column times_of_dimensions(const struct report_columns *table)
{
    const size_t dimensions = table->results[0].dimension_count;
    ps_t *times = mem_alloc(2 * dimensions * table->count, sizeof *times, "a table");
    for (size_t i = 0; i < dimensions * table->count; i++) {
        const struct result *result = &table->results[i % table->count];
        const struct result_dimension *dimension = &result->dimensions[i / table->count];
        times[2 * i] = (ps_t)(result_mean_idle_ps(result, dimension) + 0.5);
        times[2 * i + 1] = dimension->path;
    }
    const struct units_column column = units_column_of(times, 2 * dimensions * table->count, 4);
    free(times);
    return column;
}

/* What the messages of each dimension are, how long a rank waits for them on average, and their share of the
 * critical path. */
static void put_dimensions(const struct report_columns *table)
{
    const struct result *first = &table->results[0];
    uint64_t messages = 0;
    for (size_t i = 0; i < first->dimension_count; i++)
        messages += first->dimensions[i].messages;
    for (size_t k = 0; k < table->count; k++)
        if (!table->results[k].dimensions)
            return;
    if (!messages)
        return;
    const struct units_column times = times_of_dimensions(table);
    fprintf(table->out, "\n%-*s %10s %10s %12s", table->name_width, "fabric", "messages", "bytes", "waiting");
    fprintf(table->out, first->dimensions_have_path ? " %12s  dimension\n" : "  dimension\n", "on the path");
    for (size_t i = 0; i < first->dimension_count; i++)
        for (size_t k = 0; k < table->count; k++)
            if (first->dimensions[i].messages)
                put_dimension(table, &table->results[k], &table->results[k].dimensions[i], &times);
}

/* --------------------------------------------------------------- call sites */

enum { SITES_SHOWN = 5 };

static ps_t mean_idle_ps(const struct result *result, uint32_t site)
{
    return (ps_t)((double)result->sites[site].idle / result->ranks + 0.5);
}

static struct units_column times_of_sites(const struct report_columns *table, const uint32_t *shown,
                                          size_t sites)
{
    ps_t *times = mem_alloc(sites * table->count, sizeof *times, "a table");
    for (size_t i = 0; i < sites * table->count; i++)
        times[i] = mean_idle_ps(&table->results[i % table->count], shown[i / table->count]);
    const struct units_column column = units_column_of(times, sites * table->count, 4);
    free(times);
    return column;
}

/* Where in the source ranks wait longest on the first fabric: how long a rank waits there on average, and
 * their shares of the ranks' time and of the critical path. */
static void put_sites(const struct report_columns *table)
{
    uint32_t shown[SITES_SHOWN];
    const size_t sites = table->results[0].sites ? sites_longest(&table->results[0], SITES_SHOWN, shown) : 0;
    for (size_t k = 0; k < table->count; k++)
        if (!table->results[k].sites)
            return;
    if (!sites)
        return;
    const struct units_column times = times_of_sites(table, shown, sites);
    const bool has_path = table->results[0].sites_have_path;
    fprintf(table->out, "\n%-*s %12s %11s", table->name_width, "fabric", "waiting", "of the time");
    fprintf(table->out, has_path ? " %12s  call site\n" : "  call site\n", "of the path");
    for (size_t i = 0; i < sites * table->count; i++) {
        const struct result *result = &table->results[i % table->count];
        const struct result_site *site = &result->sites[shown[i / table->count]];
        fprintf(table->out, "%-*s", table->name_width, result->fabric);
        put_time(table, &times, mean_idle_ps(result, shown[i / table->count]));
        fprintf(table->out, " %9.1f %%", 100 * sites_idle_share(result, site));
        if (has_path)
            fprintf(table->out, " %10.1f %%", 100 * (double)site->path / (double)result->makespan);
        fputs("  ", table->out);
        quote_terminal(table->out, site->name);
        fputc('\n', table->out);
    }
}

static void put_program(const char *program, const struct result *first, FILE *out)
{
    char size[32], mean[32], text[160];
    char *name = quote_terminal_text(program);
    struct wrap line = {.out = out, .indent = 2, .column = strlen(name), .has_words = true};
    fputs(name, out);
    free(name);
    wrap_mark(&line, ":");
    snprintf(text, sizeof text, "%u %s%s, %" PRIu64 " message%s, %s in all, %s on average", first->ranks,
             first->is_openloop ? "node" : "rank", first->ranks == 1 ? "" : "s", first->messages,
             first->messages == 1 ? "" : "s", units_show_size((double)first->bytes, 4, size, sizeof size),
             units_show_size(result_mean_bytes(first), 4, mean, sizeof mean));
    wrap_words(&line, text);
    fputc('\n', out);
}

void report_table(const char *program, const struct result *results, size_t count, FILE *out)
{
    struct report_columns table = table_of(results, count, out);
    put_program(program, &results[0], out);
    put_common(&table);
    put_head(&table);
    for (size_t i = 0; i < count; i++)
        put_row(&table, i);
    put_jobs(&table);
    put_queue(&table);
    put_dimensions(&table);
    put_sites(&table);
    put_networks(&table);
    free(table.reasons);
}

/* ----------------------------------------------------------- for programs */

/* A field that is empty where the result has no such value. */
static void put_number(FILE *out, bool has_value, double value)
{
    fputc(',', out);
    if (has_value)
        fprintf(out, "%.15g", value);
}

/* Why the speedup is not that of the fabrics alone. */
static void put_reason(const struct result *result, const struct result *reference, FILE *out)
{
    struct description_texts reasons;
    network_differs(&reference->network, reference->fabric, &result->network, &reasons);
    char *line = network_reasons_line(&reasons);
    fputc(',', out);
    quote_csv(out, line);
    free(line);
}

static void put_values(const char *program, const struct result *result, const struct result *first,
                       FILE *out)
{
    char bytes[SUM_TEXT];
    double share, speedup = speedup_of(result, first);
    const char *cause = main_cause(result, &share);
    quote_csv(out, program);
    fputc(',', out);
    quote_csv(out, result->fabric);
    /* All twelve decimals, so that each picosecond is kept. */
    fprintf(out, ",%" PRId64 ".%012" PRId64, result->makespan / PS_PER_S, result->makespan % PS_PER_S);
    put_number(out, speedup > 0, speedup);
    put_number(out, !result->is_openloop, result_idle_fraction(result));
    fprintf(out, ",%s", cause ? cause : "");
    put_number(out, cause != NULL, share);
    put_number(out, result->has_software, result_software_fraction(result));
    fprintf(out, ",%" PRIu64 ",%s", result->messages, sum_print(result->bytes, bytes));
    put_number(out, true, result_mean_bytes(result));
    put_number(out, result->is_openloop, result_mean_latency_ps(result) / (double)PS_PER_S);
    put_number(out, result->is_openloop, (double)result->latency_max / (double)PS_PER_S);
    put_number(out, result_bandwidth(result) > 0, result_bandwidth(result));
    put_number(out, result_message_rate(result) > 0, result_message_rate(result));
}

void report_csv(const char *program, const struct result *results, size_t count, FILE *out)
{
    fputs("program,fabric,makespan_s,speedup,idle_fraction,mostly_in,mostly_in_fraction,software_fraction,"
          "messages,bytes,mean_bytes,mean_latency_s,largest_latency_s,bandwidth_bytes_per_s,message_rate_per_"
          "s,differs\n",
          out);
    for (size_t i = 0; i < count; i++) {
        put_values(program, &results[i], &results[0], out);
        put_reason(&results[i], network_reference(results, count), out);
        fputc('\n', out);
    }
}
