#include "calibrate/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"

enum { RESAMPLES = 400 };

static double *sorted_copy(const double *values, size_t count)
{
    double *sorted = mem_alloc(count, sizeof *sorted, "samples");
    memcpy(sorted, values, count * sizeof *sorted);
    stats_sort(sorted, count);
    return sorted;
}

static double median_of(const double *values, size_t count)
{
    double *sorted = sorted_copy(values, count);
    double median = stats_median(sorted, count);
    free(sorted);
    return median;
}

struct calibrate_value calibrate_median(const struct calibrate_series *series)
{
    double *sorted = sorted_copy(series->ns, series->count);
    struct median_estimate estimate = stats_estimate_median(sorted, series->count);
    free(sorted);
    return (struct calibrate_value){estimate.median, estimate.low, estimate.high};
}

/* ------------------------------------------------------------------- points */

/* The series of half round trips of a place, in ascending order of bytes. Returns how many. */
static size_t find_sizes(const struct calibrate_samples *samples, enum calibrate_place place,
                         const struct calibrate_series *found[POINTS_AT_MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < samples->count && count < POINTS_AT_MOST; i++) {
        const struct calibrate_series *series = &samples->series[i];
        if (series->kind != CALIBRATE_HALF || series->place != place || series->at_once != 1 ||
            median_of(series->ns, series->count) <= 0)
            continue;
        size_t at = count++;
        for (; at > 0 && found[at - 1]->bytes > series->bytes; at--)
            found[at] = found[at - 1];
        found[at] = series;
    }
    return count;
}

/* ---------------------------------------------------------------- intervals */

/* What is computed of one set of medians. */
struct outcome {
    double at_zero[PIECES_AT_MOST], slope[PIECES_AT_MOST], rate, jump;
};

/* The difference, at the threshold, of the line of the last size that is eager and that of the next size; 0
 * where one line goes through both. */
static double jump_of(const struct pieces *fit, const double *x, size_t count, double eager)
{
    size_t next = 0;
    while (next < count && x[next] <= eager)
        next++;
    if (next == 0 || next == count)
        return 0;
    const struct piece *left = &fit->list[pieces_find(fit, x, x[next - 1])],
                       *right = &fit->list[pieces_find(fit, x, x[next])];
    return fmax(piece_value(right, eager) - piece_value(left, eager), 0);
}

static struct outcome outcome_of(const struct pieces *fit, const double *x, size_t count, double eager)
{
    struct outcome outcome = {.rate = 1e9 / fit->list[fit->count - 1].slope};
    for (size_t i = 0; i < fit->count; i++) {
        outcome.at_zero[i] = fit->list[i].at_zero;
        outcome.slope[i] = fit->list[i].slope;
    }
    outcome.jump = jump_of(fit, x, count, eager);
    return outcome;
}

/* The middle 95 % of the resampled values around the value itself. */
static struct calibrate_value interval_of(double value, const struct outcome *outcomes, size_t offset)
{
    double values[RESAMPLES];
    for (size_t i = 0; i < RESAMPLES; i++)
        memcpy(&values[i], (const char *)&outcomes[i] + offset, sizeof values[i]);
    stats_sort(values, RESAMPLES);
    return (struct calibrate_value){value, fmin(value, values[RESAMPLES * 25 / 1000]),
                                    fmax(value, values[RESAMPLES - 1 - RESAMPLES * 25 / 1000])};
}

static double resampled_median(struct rng *rng, const struct calibrate_series *series, double *room)
{
    for (size_t i = 0; i < series->count; i++)
        room[i] = series->ns[rng_below(rng, series->count)];
    stats_sort(room, series->count);
    return stats_median(room, series->count);
}

/* The bootstrap: samples of each size are drawn again, with replacement, and the lines are fitted to their
 * medians with the breaks that were found. The draws are the same for the same samples. */
static void resample(const struct calibrate_series *const *sizes, const struct calibrate_messages *messages,
                     double eager, struct outcome outcomes[RESAMPLES])
{
    struct rng rng = rng_init(1, "calibrate");
    double y[POINTS_AT_MOST];
    size_t most = 0;
    for (size_t i = 0; i < messages->sizes; i++)
        most = sizes[i]->count > most ? sizes[i]->count : most;
    double *room = mem_alloc(most, sizeof *room, "samples");
    for (size_t drawn = 0; drawn < RESAMPLES; drawn++) {
        struct pieces fit;
        for (size_t i = 0; i < messages->sizes; i++) {
            double median = resampled_median(&rng, sizes[i], room);
            y[i] = median > 0 ? median : messages->half_ns[i].value;
        }
        pieces_refit(messages->bytes, y, &messages->pieces, &fit);
        outcomes[drawn] = outcome_of(&fit, messages->bytes, messages->sizes, eager);
    }
    free(room);
}

static void put_intervals(const struct calibrate_series *const *sizes, double eager,
                          struct calibrate_messages *messages)
{
    struct outcome *outcomes = mem_alloc(RESAMPLES, sizeof *outcomes, "resampled values"),
                   outcome = outcome_of(&messages->pieces, messages->bytes, messages->sizes, eager);
    resample(sizes, messages, eager, outcomes);
    for (size_t i = 0; i < messages->pieces.count; i++) {
        messages->at_zero_ns[i] =
            interval_of(outcome.at_zero[i], outcomes, offsetof(struct outcome, at_zero) + i * sizeof(double));
        messages->ns_per_byte[i] =
            interval_of(outcome.slope[i], outcomes, offsetof(struct outcome, slope) + i * sizeof(double));
    }
    messages->latency_ns = messages->at_zero_ns[0];
    /* A machine has at most 1 TB/s. */
    messages->has_rate = messages->ns_per_byte[messages->pieces.count - 1].low > 0 && outcome.rate <= 1e12;
    if (messages->has_rate)
        messages->rate = interval_of(outcome.rate, outcomes, offsetof(struct outcome, rate));
    messages->jump_ns = interval_of(outcome.jump, outcomes, offsetof(struct outcome, jump));
    free(outcomes);
}

/* ----------------------------------------------------------------- messages */

/* The smallest size that was measured. */
static bool put_smallest(const struct calibrate_samples *samples, enum calibrate_kind kind,
                         enum calibrate_place place, struct calibrate_value *value)
{
    const struct calibrate_series *smallest = NULL;
    for (size_t i = 0; i < samples->count; i++) {
        const struct calibrate_series *series = &samples->series[i];
        if (series->kind == kind && series->place == place && series->at_once == 1 &&
            (!smallest || series->bytes < smallest->bytes))
            smallest = series;
    }
    if (smallest)
        *value = calibrate_median(smallest);
    return smallest != NULL;
}

/* A control message crosses the network and costs no core; within a node the latency is one number. */
static double control_ns(const struct calibrate_messages *messages, enum calibrate_place place)
{
    double cores = place == CALIBRATE_BETWEEN && messages->has_ends
                       ? messages->send_ns.value + messages->receive_ns.value
                       : 0;
    return messages->latency_ns.value - cores;
}

static unsigned handshakes_of(const struct calibrate_messages *messages, enum calibrate_place place)
{
    double control = control_ns(messages, place), jump = messages->jump_ns.value;
    return control <= 0 || jump < control / 2 ? 0 : jump < 1.5 * control ? 1 : 2;
}

static void compare_with_medians(struct calibrate_messages *messages, enum calibrate_place place,
                                 double eager)
{
    double off[POINTS_AT_MOST];
    messages->handshake_ns = messages->handshakes * control_ns(messages, place);
    messages->worst_percent = -1;
    for (size_t i = 0; i < messages->sizes; i++) {
        double bytes = messages->bytes[i], median = messages->half_ns[i].value;
        double line = messages->latency_ns.value + bytes * 1e9 / messages->rate.value +
                      (bytes > eager ? messages->handshake_ns : 0);
        size_t piece = pieces_find(&messages->pieces, messages->bytes, bytes);
        double time = place == CALIBRATE_WITHIN && messages->pieces.count > 1
                          ? piece_value(&messages->pieces.list[piece], bytes)
                          : line;
        off[i] = 100 * fabs(time - median) / median;
        if (off[i] > messages->worst_percent) {
            messages->worst_percent = off[i];
            messages->worst_bytes = bytes;
        }
    }
    stats_sort(off, messages->sizes);
    messages->off_percent = stats_median(off, messages->sizes);
}

/* Of a median, relative: the root of the mean square of the sizes. An interval of 95 % has 1.96 standard
 * errors on each side. */
static double standard_error(const struct calibrate_messages *messages)
{
    double sum = 0;
    for (size_t i = 0; i < messages->sizes; i++) {
        const struct calibrate_value *half = &messages->half_ns[i];
        double error = (half->high - half->low) / (2 * 1.96 * half->value);
        sum += error * error;
    }
    return sqrt(sum / (double)messages->sizes);
}

static void judge_messages(const struct calibrate_samples *samples, enum calibrate_place place,
                           struct calibrate_messages *messages)
{
    const struct calibrate_series *sizes[POINTS_AT_MOST];
    /* Where the threshold is not known there is no jump. */
    double y[POINTS_AT_MOST], eager = samples->has_eager[place] ? (double)samples->eager[place] : INFINITY;
    *messages = (struct calibrate_messages){.sizes = find_sizes(samples, place, sizes)};
    messages->is_known = messages->sizes >= PIECE_POINTS;
    if (!messages->is_known)
        return;
    for (size_t i = 0; i < messages->sizes; i++) {
        messages->bytes[i] = (double)sizes[i]->bytes;
        messages->half_ns[i] = calibrate_median(sizes[i]);
        y[i] = messages->half_ns[i].value;
    }
    pieces_fit(messages->bytes, y, messages->sizes, standard_error(messages), &messages->pieces);
    put_intervals(sizes, eager, messages);
    messages->has_ends = put_smallest(samples, CALIBRATE_SEND, place, &messages->send_ns) &&
                         put_smallest(samples, CALIBRATE_RECEIVE, place, &messages->receive_ns);
    messages->has_gap = put_smallest(samples, CALIBRATE_GAP, place, &messages->gap_ns);
    messages->handshakes = handshakes_of(messages, place);
    if (messages->has_rate)
        compare_with_medians(messages, place, eager);
}

/* ------------------------------------------------------------------- guards */

/* Half of the samples lie within a quarter of each other: the machine did nothing else. */
static void guard_spread(struct calibrate_samples *samples, const struct calibrate_series *series)
{
    char reason[CALIBRATE_TEXT];
    double *sorted = sorted_copy(series->ns, series->count);
    double low = sorted[series->count / 4], high = sorted[series->count - 1 - series->count / 4];
    free(sorted);
    snprintf(reason, sizeof reason,
             "half of the round trips of %llu B %s nodes take %.0f to %.0f ns, at most 25 %% apart",
             (unsigned long long)series->bytes, series->place == CALIBRATE_BETWEEN ? "between" : "within",
             2 * low, 2 * high);
    bool passed = high <= 1.25 * low;
    if (!passed)
        snprintf(strstr(reason, ", at most"), 32, ", more than 25 %% apart");
    calibrate_add_guard(samples, "spread", passed, reason);
}

/* The first rounds and the last ones take equally long. */
static void guard_steady(struct calibrate_samples *samples, const struct calibrate_series *series)
{
    char reason[CALIBRATE_TEXT];
    size_t half = series->count / 2;
    if (half < 3)
        return;
    double before = median_of(series->ns, half), after = median_of(series->ns + half, series->count - half);
    double percent = 100 * (after - before) / before;
    snprintf(reason, sizeof reason,
             "messages of %llu B %s nodes take %+.1f %% in the second half of the rounds, %s 10 %%",
             (unsigned long long)series->bytes, series->place == CALIBRATE_BETWEEN ? "between" : "within",
             percent, fabs(percent) <= 10 ? "at most" : "more than");
    calibrate_add_guard(samples, "steady", fabs(percent) <= 10, reason);
}

static void guard_overlap(struct calibrate_samples *samples, const struct calibrate_messages *messages)
{
    char reason[CALIBRATE_TEXT];
    if (!messages->is_known || !messages->has_ends)
        return;
    double ends = messages->send_ns.value + messages->receive_ns.value, whole = messages->latency_ns.value;
    bool passed = ends <= whole && messages->send_ns.value >= 0 && messages->receive_ns.value >= 0;
    snprintf(reason, sizeof reason, "MPI_Send (%.0f ns) and MPI_Recv (%.0f ns) are %s the latency of %.0f ns",
             messages->send_ns.value, messages->receive_ns.value,
             passed ? "parts of" : "negative or longer than", whole);
    calibrate_add_guard(samples, "overlap", passed, reason);
}

static void guard_line(struct calibrate_samples *samples, const struct calibrate_messages *messages)
{
    bool has_latency = messages->latency_ns.value > 0;
    if (messages->is_known)
        calibrate_add_guard(samples, "line", messages->has_rate && has_latency,
                            !messages->has_rate ? "the largest messages take no longer than smaller ones"
                            : has_latency       ? "large messages take longer than small ones"
                                                : "messages of no bytes take no time");
}

static void add_guards(struct calibrate_samples *samples, const struct calibration *calibration)
{
    for (enum calibrate_place place = 0; place < CALIBRATE_PLACES; place++) {
        const struct calibrate_series *sizes[POINTS_AT_MOST];
        size_t count = find_sizes(samples, place, sizes);
        if (count < PIECE_POINTS)
            continue;
        guard_spread(samples, sizes[0]);
        guard_steady(samples, sizes[0]);
        guard_line(samples, &calibration->places[place]);
    }
    guard_overlap(samples, &calibration->places[CALIBRATE_BETWEEN]);
}

enum status calibrate_judge(struct calibrate_samples *samples, struct calibration *calibration)
{
    bool any = false;
    *calibration = (struct calibration){.is_sound = true};
    for (enum calibrate_place place = 0; place < CALIBRATE_PLACES; place++) {
        judge_messages(samples, place, &calibration->places[place]);
        any = any || calibration->places[place].is_known;
    }
    if (!any || !samples->nodes || !*samples->mpi) {
        diag_error("nothing can be calibrated: the probe's output has %s",
                   any ? "no line 'world' or 'mpi'" : "fewer than three sizes of messages");
        return STATUS_FAILED;
    }
    add_guards(samples, calibration);
    for (size_t i = 0; i < samples->guard_count; i++)
        calibration->is_sound = calibration->is_sound && samples->guards[i].passed;
    return STATUS_OK;
}
