#include "calibrate/forecast.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stats.h"

enum { RANKS_AT_MOST = 1 << 20 };

/* ------------------------------------------------------------------ reading */

static bool is_sane(const struct forecast_rank *rank)
{
    const double seconds[] = {rank->seconds, rank->machine_s, rank->own_s};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        if (!isfinite(seconds[i]) || seconds[i] < 0 || seconds[i] > 1e9)
            return false;
    return rank->seconds > 0 && rank->processors > 0;
}

static enum status take(struct forecast_times *times, const char *line, const char *name)
{
    struct forecast_rank rank = {.is_known = true};
    uint64_t number;
    int end = 0;
    int found =
        sscanf(line, "time %" SCNu64 " %lf %" SCNu64 " %" SCNu64 " %" SCNu64 " %lf %lf%n", &number,
               &rank.seconds, &rank.kernel, &rank.node, &rank.processors, &rank.machine_s, &rank.own_s, &end);
    if (found != 7 || strcmp(line + end, "\n") != 0 || number >= RANKS_AT_MOST || !is_sane(&rank)) {
        diag_error("%s: this is not what a rank writes about its time", name);
        return STATUS_BAD_INPUT;
    }
    while (times->count <= number) {
        times->ranks = mem_grow(times->ranks, &times->capacity, times->count + 1, "ranks");
        times->ranks[times->count++] = (struct forecast_rank){.is_known = false};
    }
    if (times->ranks[number].is_known) {
        diag_error("%s: rank %" PRIu64 " has ended twice", name, number);
        return STATUS_BAD_INPUT;
    }
    times->ranks[number] = rank;
    return STATUS_OK;
}

enum status forecast_read(struct forecast_times *times, FILE *file, const char *name)
{
    struct file_line line = {.length = 0};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && file_next_line(file, &line))
        status = take(times, line.text, name);
    free(line.text);
    return status;
}

void forecast_free(struct forecast_times *times)
{
    free(times->ranks);
    *times = (struct forecast_times){.count = 0};
}

enum status forecast_measure(struct forecast_times *times, size_t ranks)
{
    times->longest_s = 0;
    if (times->count > ranks) {
        diag_error("rank %zu was not captured", ranks);
        return STATUS_FAILED;
    }
    for (size_t i = 0; i < ranks; i++) {
        if (i >= times->count || !times->ranks[i].is_known) {
            diag_error("rank %zu has not said how long it ran", i);
            return STATUS_FAILED;
        }
        times->longest_s = fmax(times->longest_s, times->ranks[i].seconds);
    }
    return STATUS_OK;
}

uint32_t forecast_ranks_per_node(const struct forecast_times *times)
{
    size_t each = 1;
    while (each < times->count && times->ranks[each].node == times->ranks[0].node)
        each++;
    for (size_t i = 0; i < times->count; i++) {
        bool begins = i % each == 0;
        if (i > 0 && (times->ranks[i].node != times->ranks[i - 1].node) != begins)
            return 0;
    }
    return (uint32_t)each;
}

/* ------------------------------------------------------------------- guards */

static void put_guard(struct forecast *forecast, size_t index, const char *name, bool passed,
                      const char *format, double number)
{
    struct calibrate_guard *guard = &forecast->guards[index];
    guard->passed = passed;
    snprintf(guard->name, sizeof guard->name, "%s", name);
    snprintf(guard->reason, sizeof guard->reason, format, number);
    forecast->is_sound = forecast->is_sound && passed;
}

/* The kernel of a rank: how many ranks it has, and the share of its processors that other work used. */
static void look_at_kernel(const struct forecast_times *times, size_t rank, size_t *ranks,
                           double *others_percent)
{
    double own = 0, machine = 0, seconds = 0;
    *ranks = 0;
    for (size_t i = 0; i < times->count; i++)
        if (times->ranks[i].kernel == times->ranks[rank].kernel) {
            ++*ranks;
            own += times->ranks[i].own_s;
            machine = fmax(machine, times->ranks[i].machine_s);
            seconds = fmax(seconds, times->ranks[i].seconds);
        }
    *others_percent = fmax(100 * (machine - own) / (seconds * (double)times->ranks[rank].processors), 0);
}

enum { BUSY_PERCENT = 5, SPREAD_PERCENT = 10 };
static const double shortest_s = 0.2; /* the processor time of a machine has steps of 10 ms */

/* The busiest machine, and the one with most ranks that share processors. */
static void look_at_kernels(const struct forecast_times *times, double *busiest_percent, double *missing)
{
    for (size_t rank = 0; rank < times->count; rank++) {
        size_t ranks;
        double others_percent;
        look_at_kernel(times, rank, &ranks, &others_percent);
        *busiest_percent = fmax(*busiest_percent, others_percent);
        *missing = fmax(*missing, (double)ranks - (double)times->ranks[rank].processors);
    }
}

static void put_guards(const struct forecast_run *runs, size_t count, struct forecast *forecast)
{
    double busiest = 0, missing = 0, low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        look_at_kernels(&runs[i].plain, &busiest, &missing);
        look_at_kernels(&runs[i].captured, &busiest, &missing);
        low = fmin(low, runs[i].plain.longest_s);
        high = fmax(high, runs[i].plain.longest_s);
    }
    put_guard(forecast, 0, "cores", missing <= 0,
              missing <= 0 ? "each rank had a processor"
                           : "%.0f ranks of a machine had no processor of their own",
              missing);
    put_guard(forecast, 1, "busy", busiest <= BUSY_PERCENT,
              busiest <= BUSY_PERCENT
                  ? "other work used at most %.1f %% of the processors' time"
                  : "other work used up to %.1f %% of the processors' time, more than 5 %%",
              busiest);
    double spread = 100 * (high - low) / low;
    put_guard(forecast, 2, "spread", spread <= SPREAD_PERCENT,
              spread <= SPREAD_PERCENT
                  ? "the longest run took %.1f %% more than the shortest"
                  : "the longest run took %.1f %% more than the shortest, more than 10 %%",
              spread);
    put_guard(forecast, 3, "length", low >= shortest_s,
              low >= shortest_s ? "the shortest run took %.3g s"
                                : "the shortest run took %.3g s; other work shows in 0.2 s and more",
              low);
}

static struct calibrate_value median_of(double *values, size_t count)
{
    stats_sort(values, count);
    struct median_estimate estimate = stats_estimate_median(values, count);
    return (struct calibrate_value){estimate.median, estimate.low, estimate.high};
}

void forecast_judge(const struct forecast_run *runs, size_t count, struct forecast *forecast)
{
    double *values = mem_alloc(count, sizeof *values, "runs");
    *forecast = (struct forecast){.is_sound = true};
    for (size_t i = 0; i < count; i++)
        values[i] = runs[i].plain.longest_s;
    forecast->measured_s = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = runs[i].captured.longest_s;
    forecast->captured_s = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = runs[i].forecast_s;
    forecast->forecast_s = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = 100 * (runs[i].forecast_s / runs[i].plain.longest_s - 1);
    forecast->error_percent = median_of(values, count);
    put_guards(runs, count, forecast);
    free(values);
}
