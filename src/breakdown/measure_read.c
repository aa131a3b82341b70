#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/stats.h"
#include "base/word_line.h"
#include "breakdown/measure.h"

/* The lines that a probe prints:
 *
 *   helioprobe 1
 *   kind WORD             stack TEXT             timer NS NS
 *   note TEXT             guard NAME ok|failed TEXT
 *   samples NAME NS...    delay LAYER NS NS...
 *   end */

enum { SAMPLES_AT_MOST = 10000000 };

struct probe_reader {
    struct measurement *measurement;
    struct word_line at;
    bool ended;
};

static enum status read_number(const struct probe_reader *reader, char **text, double *value)
{
    char *from = *text + strspn(*text, " "), *end;
    *value = strtod(from, &end);
    if (end == from || (*end && *end != ' ') || !isfinite(*value) || fabs(*value) > 1e12)
        return word_fail(&reader->at, from, "a number of nanoseconds is expected here");
    *text = end;
    return STATUS_OK;
}

static enum status read_series(const struct probe_reader *reader, char *text, struct measure_series *series)
{
    while (text[strspn(text, " ")]) {
        double ns;
        if (read_number(reader, &text, &ns) != STATUS_OK)
            return STATUS_BAD_INPUT;
        if (series->count == SAMPLES_AT_MOST)
            return word_fail(&reader->at, text, "there are more samples than a probe takes");
        series->ns = mem_grow(series->ns, &series->capacity, series->count + 1, "samples");
        series->ns[series->count++] = ns;
    }
    return STATUS_OK;
}

static enum status read_samples(const struct probe_reader *reader, char *text)
{
    char *name = word_take(&text);
    for (enum measure_quantity i = 0; i < MEASURED_QUANTITIES; i++)
        if (!strcmp(name, measure_name(i)))
            return read_series(reader, text, &reader->measurement->series[i]);
    return word_fail(&reader->at, name, "no quantity has this name");
}

static enum status read_delay(const struct probe_reader *reader, char *text)
{
    struct measurement *measurement = reader->measurement;
    char *name = word_take(&text);
    double delay_ns;
    if (read_number(reader, &text, &delay_ns) != STATUS_OK)
        return STATUS_BAD_INPUT;
    size_t i = 0;
    while (i < measurement->layer_count && strcmp(measurement->layers[i].name, name) != 0)
        i++;
    if (i == MEASURE_LAYERS ||
        (i < measurement->layer_count && measurement->layers[i].count == MEASURE_DELAYS))
        return word_fail(&reader->at, name, "there are more layers or delays than a probe has");
    struct measure_layer *layer = &measurement->layers[i];
    if (i == measurement->layer_count) {
        measurement->layer_count++;
        snprintf(layer->name, sizeof layer->name, "%s", name);
    }
    struct measure_delay *delay = &layer->delays[layer->count++];
    delay->delay_ns = delay_ns;
    enum status status = read_series(reader, text, &delay->half_trips);
    if (status == STATUS_OK && delay->half_trips.count == 0)
        status = word_fail(&reader->at, name, "this delay has no half round trips");
    return status;
}

static enum status read_guard(const struct probe_reader *reader, char *text)
{
    struct measurement *measurement = reader->measurement;
    char *name = word_take(&text), *verdict = word_take(&text);
    bool passed = !strcmp(verdict, "ok");
    if (!passed && strcmp(verdict, "failed") != 0)
        return word_fail(&reader->at, verdict, "a guard is ok or failed");
    if (measurement->guard_count == MEASURE_LINES)
        return word_fail(&reader->at, name, "there are more guards than a probe has");
    struct measure_guard *guard = &measurement->guards[measurement->guard_count++];
    guard->passed = passed;
    snprintf(guard->name, sizeof guard->name, "%s", name);
    snprintf(guard->reason, sizeof guard->reason, "%s", text);
    return STATUS_OK;
}

static enum status read_timer(const struct probe_reader *reader, char *text)
{
    struct measurement *measurement = reader->measurement;
    enum status status = read_number(reader, &text, &measurement->timer_ns);
    return status == STATUS_OK ? read_number(reader, &text, &measurement->resolution_ns) : status;
}

static enum status read_text(const struct probe_reader *reader, char *text)
{
    snprintf(reader->measurement->stack, sizeof reader->measurement->stack, "%s", text);
    return STATUS_OK;
}

static enum status read_kind(const struct probe_reader *reader, char *text)
{
    snprintf(reader->measurement->kind, sizeof reader->measurement->kind, "%s", text);
    return STATUS_OK;
}

static enum status read_note(const struct probe_reader *reader, char *text)
{
    struct measurement *measurement = reader->measurement;
    if (measurement->note_count < MEASURE_LINES)
        snprintf(measurement->notes[measurement->note_count++], MEASURE_TEXT, "%s", text);
    return STATUS_OK;
}

static enum status read_line(struct probe_reader *reader)
{
    static const struct {
        const char *word;
        enum status (*read)(const struct probe_reader *reader, char *text);
    } kinds[] = {{"samples", read_samples}, {"delay", read_delay}, {"guard", read_guard}, {"note", read_note},
                 {"timer", read_timer},     {"stack", read_text},  {"kind", read_kind}};
    char *text = reader->at.text, *word = word_take(&text);
    if (!strcmp(word, "end")) {
        reader->ended = true;
        return STATUS_OK;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(word, kinds[i].word))
            return kinds[i].read(reader, text);
    return word_fail(&reader->at, word,
                     "a line of a probe begins with samples, delay, guard, note, timer, stack or kind");
}

/* ---------------------------------------------------------------- summaries */

static double percentile(const struct measure_series *series, unsigned percent)
{
    return series->ns[stats_nearest_rank(series->count, percent)];
}

static void fill_bins(const struct measure_series *series, struct measure_summary *summary)
{
    double span = summary->p99 - summary->least;
    summary->bin_width = span / MEASURE_BINS;
    for (size_t i = 0; i < series->count && series->ns[i] <= summary->p99; i++) {
        double place = span > 0 ? (series->ns[i] - summary->least) / summary->bin_width : 0;
        size_t bin = place < MEASURE_BINS ? (size_t)place : MEASURE_BINS - 1;
        summary->bins[bin]++;
    }
}

static void summarise(struct measure_series *series, struct measure_summary *summary)
{
    if (series->count == 0)
        return;
    stats_sort(series->ns, series->count);
    size_t cut = series->count / 100;
    *summary = (struct measure_summary){.count = series->count,
                                        .mean = stats_mean(series->ns, series->count),
                                        .trimmed = stats_mean(series->ns + cut, series->count - 2 * cut),
                                        .median = percentile(series, 50),
                                        .p95 = percentile(series, 95),
                                        .p99 = percentile(series, 99),
                                        .least = series->ns[0]};
    fill_bins(series, summary);
}

static void summarise_all(struct measurement *measurement)
{
    for (size_t i = 0; i < MEASURED_QUANTITIES; i++)
        summarise(&measurement->series[i], &measurement->summaries[i]);
    for (size_t i = 0; i < measurement->layer_count; i++)
        for (size_t j = 0; j < measurement->layers[i].count; j++) {
            struct measure_series *half_trips = &measurement->layers[i].delays[j].half_trips;
            stats_sort(half_trips->ns, half_trips->count);
        }
}

enum status measure_read(struct measurement *measurement, FILE *file, const char *name)
{
    *measurement = (struct measurement){.timer_ns = 0};
    struct probe_reader reader = {.measurement = measurement, .at.name = name};
    struct file_line line = {.length = 0};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !reader.ended && file_next_line(file, &line)) {
        reader.at.text = line.text;
        reader.at.text[strcspn(reader.at.text, "\r\n")] = '\0';
        if (++reader.at.number > 1)
            status = read_line(&reader);
        else if (strcmp(reader.at.text, "helioprobe 1") != 0)
            status =
                word_fail(&reader.at, reader.at.text, "the output of a probe begins with 'helioprobe 1'");
    }
    free(line.text);
    if (line.is_too_long) {
        diag_error("%s: a line has more than 1 MiB, so it is not the output of a probe", name);
        status = STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && !reader.ended) {
        diag_error("%s: the output of the probe has no end; it was cut off", name);
        status = STATUS_FAILED;
    }
    if (status == STATUS_OK)
        summarise_all(measurement);
    return status;
}
