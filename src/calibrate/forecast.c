#include "calibrate/forecast.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stats.h"

enum { RANKS_AT_MOST = 1 << 20, CALL_NAME = 63 };

/* -------------------------------------------------------------------- kinds */

static const char *const kind_names[FORECAST_KINDS] = {
    "computation", "p2p",       "barrier",       "bcast",      "reduce", "allreduce",
    "alltoall",    "alltoallv", "allgather",     "allgatherv", "gather", "gatherv",
    "scatter",     "scatterv",  "reducescatter", "scan",       "exscan", "other"};

/* Names that are not those of their kinds. */
static const struct {
    const char *name, *kind;
} other_names[] = {{"compute", "computation"},
                   {"sleep", "computation"},
                   {"reduce_scatter", "reducescatter"},
                   {"reduce_scatter_block", "reducescatter"},
                   {"alltoallw", "alltoallv"}};

/* Begins of names of calls of messages, and of waits for them. */
static const char *const of_messages[] = {"send",  "recv",     "rsend",  "ssend",   "bsend",
                                          "mrecv", "probe",    "mprobe", "start",   "wait",
                                          "test",  "neighbor", "cancel", "request", "buffer"};

const char *forecast_kind_name(size_t kind)
{
    return kind_names[kind];
}

static size_t kind_named(const char *name)
{
    for (size_t kind = 0; kind < FORECAST_KINDS; kind++)
        if (strcmp(kind_names[kind], name) == 0)
            return kind;
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].name, name) == 0)
            return kind_named(other_names[i].kind);
    for (size_t i = 0; i < sizeof of_messages / sizeof *of_messages; i++)
        if (strncmp(of_messages[i], name, strlen(of_messages[i])) == 0)
            return kind_named("p2p");
    return FORECAST_OTHER;
}

/* Without the endings of large counts and of persistent collectives, and perhaps without the I of calls that
 * do not wait. */
size_t forecast_kind(const char *name)
{
    char plain[CALL_NAME + 1];
    size_t length = strnlen(name, CALL_NAME);
    for (size_t i = 0; i < length; i++)
        plain[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 'a' - 'A') : name[i];
    plain[length] = '\0';
    if (length > 2 && strcmp(plain + length - 2, "_c") == 0)
        plain[length -= 2] = '\0';
    if (length > 5 && strcmp(plain + length - 5, "_init") == 0)
        plain[length - 5] = '\0';
    const size_t kind = kind_named(plain);
    return kind == FORECAST_OTHER && plain[0] == 'i' ? kind_named(plain + 1) : kind;
}

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

/* The rank has said before how long it ran. */
static enum status take_call(struct forecast_times *times, const char *line, const char *name)
{
    char function[CALL_NAME + 1];
    uint64_t number, count;
    double seconds;
    int end = 0;
    int found = sscanf(line, "call %" SCNu64 " %63[A-Za-z_] %" SCNu64 " %lf%n", &number, function, &count,
                       &seconds, &end);
    if (found != 4 || strcmp(line + end, "\n") != 0 || number >= times->count ||
        !times->ranks[number].is_known || !isfinite(seconds) || seconds < 0 || seconds > 1e9) {
        diag_error("%s: this is not what a rank writes about its calls", name);
        return STATUS_BAD_INPUT;
    }
    times->ranks[number].kinds_s[forecast_kind(function)] += seconds;
    return STATUS_OK;
}

void forecast_add_phase(struct forecast_phases *phases, int number, double seconds)
{
    size_t i = 0;
    while (i < phases->count && phases->list[i].number != number)
        i++;
    if (i == FORECAST_PHASES)
        return;
    if (i == phases->count)
        phases->list[phases->count++] = (struct forecast_phase){.number = number};
    phases->list[i].seconds += seconds;
}

static enum status take_phase(struct forecast_times *times, const char *line, const char *name)
{
    uint64_t rank;
    int phase, end = 0;
    double seconds;
    int found = sscanf(line, "phase %" SCNu64 " %d %lf%n", &rank, &phase, &seconds, &end);
    if (found != 3 || strcmp(line + end, "\n") != 0 || rank >= times->count || !times->ranks[rank].is_known ||
        !isfinite(seconds) || seconds < 0 || seconds > 1e9) {
        diag_error("%s: this is not what a rank writes about its phases", name);
        return STATUS_BAD_INPUT;
    }
    forecast_add_phase(&times->phases, phase, seconds);
    return STATUS_OK;
}

static enum status take_half(struct forecast_times *times, const char *line, const char *name)
{
    int end = 0;
    double seconds;
    if (sscanf(line, "half %lf%n", &seconds, &end) != 1 || strcmp(line + end, "\n") != 0 ||
        !isfinite(seconds) || seconds <= 0 || seconds > 1e9 || times->half_s > 0) {
        diag_error("%s: this is not what a rank writes about its first message", name);
        return STATUS_BAD_INPUT;
    }
    times->half_s = seconds;
    return STATUS_OK;
}

enum status forecast_read(struct forecast_times *times, FILE *file, const char *name)
{
    struct file_line line = {.length = 0};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && file_next_line(file, &line))
        status = strncmp(line.text, "call ", 5) == 0    ? take_call(times, line.text, name)
                 : strncmp(line.text, "phase ", 6) == 0 ? take_phase(times, line.text, name)
                 : strncmp(line.text, "half ", 5) == 0  ? take_half(times, line.text, name)
                                                        : take(times, line.text, name);
    free(line.text);
    return status;
}

void forecast_free(struct forecast_times *times)
{
    free(times->ranks);
    *times = (struct forecast_times){.count = 0};
}

static void find_means(struct forecast_times *times, size_t ranks)
{
    memset(times->kinds_s, 0, sizeof times->kinds_s);
    for (size_t i = 0; i < ranks; i++) {
        double computed = times->ranks[i].seconds;
        for (size_t kind = 1; kind < FORECAST_KINDS; kind++) {
            computed -= times->ranks[i].kinds_s[kind];
            times->kinds_s[kind] += times->ranks[i].kinds_s[kind] / (double)ranks;
        }
        times->kinds_s[FORECAST_COMPUTATION] += fmax(computed, 0) / (double)ranks;
    }
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
    find_means(times, ranks);
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

__attribute__((format(printf, 5, 6))) static void
put_guard(struct forecast *forecast, size_t index, const char *name, bool passed, const char *format, ...)
{
    struct calibrate_guard *guard = &forecast->guards[index];
    va_list numbers;
    va_start(numbers, format);
    guard->passed = passed;
    snprintf(guard->name, sizeof guard->name, "%s", name);
    vsnprintf(guard->reason, sizeof guard->reason, format, numbers);
    va_end(numbers);
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

/* A host may move virtual processors, and a machine file may be of another time or place: then a message
 * takes several times as long as the file says. */
static void put_guard_of_machine(const struct forecast_run *runs, size_t count, double half_s, double *values,
                                 struct forecast *forecast)
{
    enum { APART_PERCENT = 25, NAME = 4 };
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (runs[i].plain.half_s > 0)
            values[known++] = runs[i].plain.half_s;
    if (known == 0 || half_s <= 0) {
        put_guard(forecast, NAME, "machine", true,
                  "not checked: the first two ranks or the machine have no time of a message");
        return;
    }
    const double measured_s = median_of(values, known).value;
    const double apart = 100 * (fmax(measured_s, half_s) / fmin(measured_s, half_s) - 1);
    put_guard(forecast, NAME, "machine", apart <= APART_PERCENT,
              apart <= APART_PERCENT
                  ? "a message of no bytes took %.4g us, and %.4g us on the machine"
                  : "a message of no bytes took %.4g us, and %.4g us on the machine, more than "
                    "25 %% apart: calibrate again",
              1e6 * measured_s, 1e6 * half_s);
}

static void judge_kind(const struct forecast_run *runs, size_t count, size_t kind, double *values,
                       struct forecast_of_kind *judged)
{
    for (size_t i = 0; i < count; i++)
        values[i] = runs[i].captured.kinds_s[kind];
    judged->measured_s = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = runs[i].kinds_s[kind];
    judged->forecast_s = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] =
            100 * (runs[i].kinds_s[kind] - runs[i].captured.kinds_s[kind]) / runs[i].captured.longest_s;
    judged->off_percent = median_of(values, count);
}

/* The mean of a phase of the ranks. */
static double phase_s(const struct forecast_phases *phases, int number, size_t ranks)
{
    for (size_t i = 0; i < phases->count; i++)
        if (phases->list[i].number == number)
            return phases->list[i].seconds / (double)ranks;
    return 0;
}

static void judge_phase(const struct forecast_run *runs, size_t count, double *values,
                        struct forecast_of_phase *judged)
{
    for (size_t i = 0; i < count; i++)
        values[i] = phase_s(&runs[i].plain.phases, judged->number, runs[i].plain.count);
    judged->measured_s = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = phase_s(&runs[i].phases, judged->number, runs[i].plain.count);
    judged->forecast_s = median_of(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = 100 * (phase_s(&runs[i].phases, judged->number, runs[i].plain.count) /
                               phase_s(&runs[i].plain.phases, judged->number, runs[i].plain.count) -
                           1);
    judged->error_percent = median_of(values, count);
}

static int compare_phases(const void *first, const void *second)
{
    const struct forecast_of_phase *a = first, *b = second;
    return (a->number > b->number) - (a->number < b->number);
}

/* The phases that every run has; one alone is the whole program. */
static void judge_phases(const struct forecast_run *runs, size_t count, double *values,
                         struct forecast *forecast)
{
    const struct forecast_phases *all = &runs[0].plain.phases;
    for (size_t i = 0; all->count > 1 && i < all->count; i++) {
        size_t run = 0;
        while (run < count && phase_s(&runs[run].plain.phases, all->list[i].number, 1) > 0)
            run++;
        if (run < count)
            continue;
        struct forecast_of_phase *judged = &forecast->phases[forecast->phase_count++];
        judged->number = all->list[i].number;
        judge_phase(runs, count, values, judged);
    }
    qsort(forecast->phases, forecast->phase_count, sizeof *forecast->phases, compare_phases);
}

void forecast_judge(const struct forecast_run *runs, size_t count, double half_s, struct forecast *forecast)
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
    for (size_t kind = 0; kind < FORECAST_KINDS; kind++)
        judge_kind(runs, count, kind, values, &forecast->kinds[kind]);
    judge_phases(runs, count, values, forecast);
    put_guards(runs, count, forecast);
    put_guard_of_machine(runs, count, half_s, values, forecast);
    free(values);
}
