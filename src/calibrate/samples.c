#include "calibrate/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/word_line.h"

enum { SERIES_AT_MOST = 4096, SAMPLES_AT_MOST = 100000 };

static const char *const kinds[CALIBRATE_KINDS] = {"half",   "send", "receive", "gap",
                                                   "stream", "copy", "compute"};
static const char *const places[CALIBRATE_PLACES] = {"between", "within"};

const char *calibrate_kind_name(enum calibrate_kind kind)
{
    return kinds[kind];
}

const char *calibrate_place_name(enum calibrate_place place)
{
    return places[place];
}

const struct calibrate_series *calibrate_find(const struct calibrate_samples *samples,
                                              enum calibrate_kind kind, enum calibrate_place place,
                                              uint32_t at_once, uint64_t bytes)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct calibrate_series *series = &samples->series[i];
        if (series->kind == kind && series->place == place && series->at_once == at_once &&
            series->bytes == bytes)
            return series;
    }
    return NULL;
}

void calibrate_add_guard(struct calibrate_samples *samples, const char *name, bool passed, const char *reason)
{
    if (samples->guard_count == CALIBRATE_GUARDS)
        return;
    struct calibrate_guard *guard = &samples->guards[samples->guard_count++];
    guard->passed = passed;
    snprintf(guard->name, sizeof guard->name, "%s", name);
    snprintf(guard->reason, sizeof guard->reason, "%s", reason);
}

void calibrate_free(struct calibrate_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        free(samples->series[i].ns);
    free(samples->series);
    samples->series = NULL;
    samples->count = 0;
}

/* -------------------------------------------------------------------- words */

struct sample_reader {
    struct calibrate_samples *samples;
    struct word_line at;
};

static enum status take_name(const struct sample_reader *reader, char **text, const char *const *names,
                             size_t count, size_t *index, const char *what)
{
    char *word = word_take(text);
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names[*index], word) == 0)
            return STATUS_OK;
    return word_fail(&reader->at, word, what);
}

static enum status take_count(const struct sample_reader *reader, char **text, uint64_t least, uint64_t most,
                              uint64_t *count)
{
    char *word = word_take(text), *end;
    *count = strtoull(word, &end, 10);
    bool is_count = *word >= '0' && *word <= '9' && !*end && *count >= least && *count <= most;
    return is_count ? STATUS_OK
                    : word_fail(&reader->at, word, "a whole number is expected here, and not one so large");
}

/* -------------------------------------------------------------------- lines */

static struct calibrate_series *series_of(struct calibrate_samples *samples, enum calibrate_kind kind,
                                          enum calibrate_place place, uint32_t at_once, uint64_t bytes)
{
    const struct calibrate_series *found = calibrate_find(samples, kind, place, at_once, bytes);
    if (found)
        return &samples->series[found - samples->series];
    if (samples->count == SERIES_AT_MOST)
        return NULL;
    samples->series = mem_grow(samples->series, &samples->capacity, samples->count + 1, "samples");
    struct calibrate_series *series = &samples->series[samples->count++];
    *series = (struct calibrate_series){.kind = kind, .place = place, .at_once = at_once, .bytes = bytes};
    return series;
}

static enum status read_sample(struct sample_reader *reader, char *text)
{
    size_t kind, place;
    uint64_t at_once, bytes;
    enum status status = take_name(reader, &text, kinds, CALIBRATE_KINDS, &kind,
                                   "a sample is of half, send, receive, gap, stream, copy or compute");
    if (status == STATUS_OK)
        status = take_name(reader, &text, places, CALIBRATE_PLACES, &place, "a place is between or within");
    if (status == STATUS_OK)
        status = take_count(reader, &text, 1, 1 << 20, &at_once);
    if (status == STATUS_OK)
        status = take_count(reader, &text, 0, UINT64_C(1) << 40, &bytes);
    if (status != STATUS_OK)
        return status;
    char *word = word_take(&text), *end;
    double ns = strtod(word, &end);
    if (end == word || *end || !isfinite(ns) || fabs(ns) > 1e15)
        return word_fail(&reader->at, word, "a number of nanoseconds is expected here");
    struct calibrate_series *series = series_of(reader->samples, (enum calibrate_kind)kind,
                                                (enum calibrate_place)place, (uint32_t)at_once, bytes);
    if (!series || series->count == SAMPLES_AT_MOST)
        return word_fail(&reader->at, word, "there are more samples than the probe takes");
    series->ns = mem_grow(series->ns, &series->capacity, series->count + 1, "samples");
    series->ns[series->count++] = ns;
    return STATUS_OK;
}

static enum status read_eager(struct sample_reader *reader, char *text)
{
    size_t place;
    uint64_t bytes;
    enum status status =
        take_name(reader, &text, places, CALIBRATE_PLACES, &place, "a place is between or within");
    if (status == STATUS_OK)
        status = take_count(reader, &text, 0, UINT64_C(1) << 40, &bytes);
    if (status == STATUS_OK) {
        reader->samples->has_eager[place] = true;
        reader->samples->eager[place] = bytes;
    }
    return status;
}

static enum status read_world(struct sample_reader *reader, char *text)
{
    struct calibrate_samples *samples = reader->samples;
    uint32_t *const counts[] = {&samples->nodes, &samples->ranks, &samples->most, &samples->processors};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t count;
        enum status status = take_count(reader, &text, 1, 1 << 24, &count);
        if (status != STATUS_OK)
            return status;
        *counts[i] = (uint32_t)count;
    }
    return STATUS_OK;
}

static enum status read_guard(struct sample_reader *reader, char *text)
{
    char *name = word_take(&text), *verdict = word_take(&text);
    bool passed = strcmp(verdict, "ok") == 0;
    if (!passed && strcmp(verdict, "failed") != 0)
        return word_fail(&reader->at, verdict, "a guard is ok or failed");
    /* Some places are for the guards that the samples themselves give. */
    if (reader->samples->guard_count >= CALIBRATE_GUARDS / 2)
        return word_fail(&reader->at, name, "there are more guards than the probe has");
    calibrate_add_guard(reader->samples, name, passed, text);
    return STATUS_OK;
}

static enum status read_mpi(struct sample_reader *reader, char *text)
{
    static const char *const mpis[] = {"openmpi", "mpich"};
    size_t mpi;
    enum status status = take_name(reader, &text, mpis, 2, &mpi, "an MPI is openmpi or mpich");
    if (status == STATUS_OK)
        snprintf(reader->samples->mpi, sizeof reader->samples->mpi, "%s", mpis[mpi]);
    return status;
}

static enum status read_library(struct sample_reader *reader, char *text)
{
    snprintf(reader->samples->library, sizeof reader->samples->library, "%s", text);
    return STATUS_OK;
}

static enum status read_end(struct sample_reader *reader, char *text)
{
    (void)text;
    reader->samples->is_done = true;
    return STATUS_OK;
}

static const struct {
    const char *word;
    enum status (*read)(struct sample_reader *reader, char *text);
} words[] = {{"sample", read_sample}, {"eager", read_eager},     {"world", read_world}, {"guard", read_guard},
             {"mpi", read_mpi},       {"library", read_library}, {"end", read_end}};

enum { WORDS = sizeof words / sizeof *words };

static size_t word_of(const char *line)
{
    size_t length = strcspn(line, " "), i = 0;
    while (i < WORDS && (strlen(words[i].word) != length || strncmp(words[i].word, line, length) != 0))
        i++;
    return i;
}

static const char head[] = "heliocalibrate 1";

/* Before the first line of the probe, and between its lines, an MPI may print lines of its own. */
static enum status read_line(struct sample_reader *reader, bool *has_head, void (*pass)(const char *line))
{
    size_t word = word_of(reader->at.text);
    if (!*has_head && strcmp(reader->at.text, head) == 0) {
        *has_head = true;
        return STATUS_OK;
    }
    if (*has_head && word < WORDS) {
        char *text = reader->at.text;
        word_take(&text);
        return words[word].read(reader, text);
    }
    if (!pass)
        return word_fail(
            &reader->at, reader->at.text,
            *has_head ? "a line of the probe begins with sample, eager, world, guard, mpi, library or end"
                      : "the output of the probe begins with 'heliocalibrate 1'");
    pass(reader->at.text);
    return STATUS_OK;
}

enum status calibrate_read(struct calibrate_samples *samples, FILE *file, const char *name,
                           void (*pass)(const char *line))
{
    *samples = (struct calibrate_samples){.count = 0};
    struct sample_reader reader = {.samples = samples, .at.name = name};
    struct file_line line = {.length = 0};
    enum status status = STATUS_OK;
    bool has_head = false;
    while (status == STATUS_OK && !samples->is_done && file_next_line(file, &line)) {
        reader.at.text = line.text;
        if (line.text[line.length - 1] != '\n')
            break; /* cut off, also where a pipe could not be read: its numbers are not whole */
        reader.at.text[strcspn(reader.at.text, "\r\n")] = '\0';
        reader.at.number++;
        status = read_line(&reader, &has_head, pass);
    }
    if (line.is_too_long) {
        diag_error("%s: a line has more than 1 MiB, so it is not the output of the probe", name);
        status = STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && !samples->is_done) {
        diag_error("%s: the measurement did not come to its end", name);
        status = STATUS_FAILED;
    }
    samples->lines = reader.at.number;
    free(line.text);
    return status;
}
