#include "report/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "output/quote.h"

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

/* A speedup over a network with another rate or other parts in its latency is marked. */
static bool is_marked(const struct result *result, const struct result *reference)
{
    struct description_texts reasons;
    network_differs(&reference->network, reference->fabric, &result->network, &reasons);
    return reasons.count > 0;
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
    const struct result *results, *reference; /* speedups of what differs from the reference are marked */
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

static void put_row(const struct report_columns *table, const struct result *result)
{
    double speedup = speedup_of(result, &table->results[0]);
    fprintf(table->out, "%-*s", table->name_width, result->fabric);
    put_time(table, &table->times, result->makespan);
    if (speedup > 0)
        fprintf(table->out, " %8.3fx%s", speedup, is_marked(result, table->reference) ? " *" : "  ");
    else
        fprintf(table->out, " %9s  ", "-");
    if (result->is_openloop)
        put_delivery(table, result);
    else
        put_waiting(table, result);
}

static void put_head(const struct report_columns *table)
{
    const struct result *first = &table->results[0];
    fprintf(table->out, "%-*s %12s %9s  ", table->name_width, "fabric", "time", "speedup");
    if (first->is_openloop)
        fprintf(table->out, " %12s %12s %14s\n", "mean latency", "largest", "throughput");
    else
        fprintf(table->out, "%s %10s  %s\n", first->has_software ? "   software" : "", "idle", "mostly in");
}

static struct report_columns table_of(const struct result *results, size_t count, FILE *out)
{
    struct report_columns table = {.results = results,
                                   .reference = network_reference(results, count),
                                   .count = count,
                                   .name_width = 12,
                                   .out = out};
    ps_t *times = mem_alloc(2 * count, sizeof *times, "a table");
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(results[i].fabric);
        table.name_width = length > table.name_width ? length : table.name_width;
        times[i] = results[i].makespan;
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

/* Lines begin in this column and end before the other. */
enum { TEXTS_FROM = 40, TEXTS_TO = 112 };

static void put_texts(const struct description_texts *texts, FILE *out)
{
    size_t column = TEXTS_FROM;
    for (size_t i = 0; i < texts->count; i++) {
        size_t length = strlen(texts->text[i]);
        if (i && column + 2 + length > TEXTS_TO) {
            fprintf(out, ",\n%*s", TEXTS_FROM, "");
            column = TEXTS_FROM;
        } else if (i) {
            fputs(", ", out);
            column += 2;
        }
        fputs(texts->text[i], out);
        column += length;
    }
}

/* Rate, latency and what it includes. */
static void put_network(const struct result *result, const struct units_column *latencies, FILE *out)
{
    const struct result_network *network = &result->network;
    char rate[32], latency[32];
    if (!network->is_described) {
        fprintf(out, "%-12s does not say what its rate and its latency are\n", result->fabric);
        return;
    }
    if (network->is_bound) {
        fprintf(out, "%-12s %12s %12s  ", result->fabric, "-", "-");
    } else {
        units_show_rate((double)network->rate_bytes_per_s, 4, rate, sizeof rate);
        units_show_in(latencies, network->latency_ps, latency, sizeof latency);
        fprintf(out, "%-12s %12s %12s  ", result->fabric, rate, latency);
    }
    put_texts(&network->includes, out);
    fputc('\n', out);
}

/* Why speedups are marked, and which parameters have no effect. */
static void put_reasons(const struct result *results, size_t count, FILE *out)
{
    const struct result *reference = network_reference(results, count);
    struct description_texts reasons;
    for (size_t i = 0; i < count; i++) {
        network_differs(&reference->network, reference->fabric, &results[i].network, &reasons);
        if (!reasons.count)
            continue;
        fprintf(out, "* %s differs in more than the fabric:\n", results[i].fabric);
        for (size_t j = 0; j < reasons.count; j++)
            fprintf(out, "      %s\n", reasons.text[j]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct description_texts *ignores = &results[i].network.ignores;
        if (!ignores->count)
            continue;
        fprintf(out, "%s ignores ", results[i].fabric);
        put_texts(ignores, out);
        fputc('\n', out);
    }
}

static bool has_networks(const struct result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].network.is_described)
            return true;
    return false;
}

static void put_networks(const struct result *results, size_t count, FILE *out)
{
    if (!has_networks(results, count))
        return;
    ps_t *times = mem_alloc(count, sizeof *times, "a table");
    for (size_t i = 0; i < count; i++)
        times[i] = results[i].network.is_bound ? 0 : results[i].network.latency_ps;
    const struct units_column latencies = units_column_of(times, count, 4);
    free(times);
    fprintf(out, "\n%-12s %12s %12s  it includes\n", "network", "rate", "latency");
    for (size_t i = 0; i < count; i++)
        put_network(&results[i], &latencies, out);
    put_reasons(results, count, out);
}

/* Whether several networks are compared, and none differs in more than the fabric. */
static bool is_fair(const struct result *results, size_t count)
{
    const struct result *reference = network_reference(results, count);
    struct description_texts reasons;
    for (size_t i = 0; i < count; i++) {
        network_differs(&reference->network, reference->fabric, &results[i].network, &reasons);
        if (reasons.count || !results[i].network.is_described)
            return false;
    }
    return count > 1;
}

/* What the fabrics have in common. Some published latencies contain the hosts (8 us end to end), others do
 * not. With a machine or with a host model, hosts cost the same on all fabrics. */
static void put_common(const struct result *results, size_t count, FILE *out)
{
    const struct result *first = &results[0];
    bool has_machine = *first->network.machine != '\0';
    if (has_machine) {
        fputs("machine: ", out);
        quote_terminal(out, first->network.machine);
        fputs(is_fair(results, count) ? ", with the same rate, wires and software on all fabrics\n" : "\n",
              out);
    }
    if (count > 1 && (first->has_host || !has_machine))
        fprintf(out, "hosts: %s\n", first->has_host ? "one model for all" : "each as published");
    fputc('\n', out);
}

void report_table(const char *program, const struct result *results, size_t count, FILE *out)
{
    const struct result *first = &results[0];
    struct report_columns table = table_of(results, count, out);
    char size[32], mean[32];
    quote_terminal(out, program);
    fprintf(out, ": %u %s, %" PRIu64 " messages, %s in all, %s on average\n", first->ranks,
            first->is_openloop ? "nodes" : "ranks", first->messages,
            units_show_size((double)first->bytes, 4, size, sizeof size),
            units_show_size(result_mean_bytes(first), 4, mean, sizeof mean));
    put_common(results, count, out);
    put_head(&table);
    for (size_t i = 0; i < count; i++)
        put_row(&table, &results[i]);
    put_networks(results, count, out);
}

/* ----------------------------------------------------------- for programs */

/* A field that is empty where the result has no such value. */
static void put_number(FILE *out, bool has_value, double value)
{
    fputc(',', out);
    if (has_value)
        fprintf(out, "%.15g", value);
}

static void put_line(const char *program, const struct result *result, const struct result *first, FILE *out)
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
    fputc('\n', out);
}

void report_csv(const char *program, const struct result *results, size_t count, FILE *out)
{
    fputs("program,fabric,makespan_s,speedup,idle_fraction,mostly_in,mostly_in_fraction,software_fraction,"
          "messages,bytes,mean_bytes,mean_latency_s,largest_latency_s\n",
          out);
    for (size_t i = 0; i < count; i++)
        put_line(program, &results[i], &results[0], out);
}
