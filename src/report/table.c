#include "report/table.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "output/quote.h"

/* The call that caused most idle time, and its share of all idle time in percent. */
static const char *main_cause(const struct result *result, double *percent)
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
    *percent = all > 0 ? 100.0 * (double)most / (double)all : 0;
    return all > 0 ? name : "-";
}

/* A speedup over a network with another rate or other parts in its latency is marked. */
static bool is_marked(const struct result *result, const struct result *reference)
{
    struct description_texts reasons;
    network_differs(&reference->network, reference->fabric, &result->network, &reasons);
    return reasons.count > 0;
}

static void put_row(const struct result *result, const struct result *first, const struct result *reference,
                    FILE *out)
{
    char time[32], cause[48];
    double percent;
    const char *mark = is_marked(result, reference) ? " *" : "  ";
    const char *name = main_cause(result, &percent);
    snprintf(cause, sizeof cause, percent > 0 ? "%s (%.0f %%)" : "%s", name, percent);
    fprintf(out, "%-12s %12s", result->fabric, units_show_time(result->makespan, 5, time, sizeof time));
    if (result->makespan > 0 && first->makespan > 0)
        fprintf(out, " %8.3fx%s", (double)first->makespan / (double)result->makespan, mark);
    else
        fprintf(out, " %9s  ", "-");
    if (first->has_software)
        fprintf(out, " %8.2f %%", 100 * result_software_fraction(result));
    fprintf(out, " %8.2f %%  %s\n", 100 * result_idle_fraction(result), cause);
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
static void put_network(const struct result *result, FILE *out)
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
        units_show_time(network->latency_ps, 4, latency, sizeof latency);
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
    fprintf(out, "\n%-12s %12s %12s  it includes\n", "network", "rate", "latency");
    for (size_t i = 0; i < count; i++)
        put_network(&results[i], out);
    put_reasons(results, count, out);
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
        fputc('\n', out);
    }
    if (count > 1 && (first->has_host || !has_machine))
        fprintf(out, "hosts: %s\n", first->has_host ? "one model for all" : "each as published");
    fputc('\n', out);
}

void report_table(const char *program, const struct result *results, size_t count, FILE *out)
{
    const struct result *first = &results[0], *reference = network_reference(results, count);
    char size[32], mean[32];
    double mean_bytes = first->messages ? (double)first->bytes / (double)first->messages : 0;
    quote_terminal(out, program);
    fprintf(out, ": %u ranks, %" PRIu64 " messages, %s in all, %s on average\n", first->ranks,
            first->messages, units_show_size((double)first->bytes, 4, size, sizeof size),
            units_show_size(mean_bytes, 4, mean, sizeof mean));
    put_common(results, count, out);
    fprintf(out, "%-12s %12s %9s  %s %10s  %s\n", "fabric", "time", "speedup",
            first->has_software ? "   software" : "", "idle", "mostly in");
    for (size_t i = 0; i < count; i++)
        put_row(&results[i], first, reference, out);
    put_networks(results, count, out);
}
