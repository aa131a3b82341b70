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

static void put_row(const struct result *result, const struct result *first, FILE *out)
{
    char time[32], cause[48];
    double percent;
    const char *name = main_cause(result, &percent);
    snprintf(cause, sizeof cause, percent > 0 ? "%s (%.0f %%)" : "%s", name, percent);
    fprintf(out, "%-10s %12s", result->fabric, units_show_time(result->makespan, 5, time, sizeof time));
    if (result->makespan > 0 && first->makespan > 0)
        fprintf(out, " %8.3fx", (double)first->makespan / (double)result->makespan);
    else
        fprintf(out, " %9s", "-");
    if (first->has_host)
        fprintf(out, " %8.2f %%", 100 * result_software_fraction(result));
    fprintf(out, " %8.2f %%  %s\n", 100 * result_idle_fraction(result), cause);
}

/* Some published latencies contain the hosts (8 us end to end), others do not. Only with a host model do
 * hosts cost the same on all fabrics. A table that compares fabrics says which case it is. */
static void put_costs_of_hosts(const struct result *results, size_t count, FILE *out)
{
    if (count > 1)
        fprintf(out, "hosts: %s\n", results[0].has_host ? "one model for all" : "each as published");
    fputc('\n', out);
}

void report_table(const char *program, const struct result *results, size_t count, FILE *out)
{
    const struct result *first = &results[0];
    char size[32], mean[32];
    double mean_bytes = first->messages ? (double)first->bytes / (double)first->messages : 0;
    quote_terminal(out, program);
    fprintf(out, ": %u ranks, %" PRIu64 " messages, %s in all, %s on average\n", first->ranks,
            first->messages, units_show_size((double)first->bytes, 4, size, sizeof size),
            units_show_size(mean_bytes, 4, mean, sizeof mean));
    put_costs_of_hosts(results, count, out);
    fprintf(out, "%-10s %12s %9s%s %10s  %s\n", "fabric", "time", "speedup",
            first->has_host ? "   software" : "", "idle", "mostly in");
    for (size_t i = 0; i < count; i++)
        put_row(&results[i], first, out);
}
