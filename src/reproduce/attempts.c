#include "reproduce/attempts.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/memory_stream.h"
#include "output/quote.h"
#include "reproduce/csv.h"
#include "reproduce/folder.h"

/* ------------------------------------------------------------------ judging */

/* In tolerances. */
static double distance_of(const struct published_item *item, double ours)
{
    enum { FARTHEST = 10 };
    double tolerance = fabs(item->value) * item->tolerance_percent / 100;
    double distance = fabs(ours - item->value);
    if (isnan(ours) || (tolerance == 0 && distance > 0))
        return FARTHEST;
    return tolerance == 0 ? 0 : fmin(distance / tolerance, FARTHEST);
}

void attempt_judge(const struct attempts *attempts, struct attempt *attempt)
{
    double sum = 0;
    attempt->met = attempt->predicted = 0;
    for (size_t i = 0; i < attempts->item_count; i++) {
        const struct published_item *item = attempts->items[i];
        bool is_met = published_is_met(item, attempt->ours[i]);
        if (published_is_held_out(&attempts->of->published, item)) {
            attempt->predicted += is_met;
        } else {
            attempt->met += is_met;
            sum += distance_of(item, attempt->ours[i]);
        }
    }
    attempt->distance = sum / (double)attempts->chosen_count;
}

static void take_numbers(const struct attempts *attempts, struct attempt *attempt)
{
    const struct reproduction *reproduction = attempts->of;
    for (size_t i = 0; i < attempts->item_count; i++)
        for (size_t k = 0; k < reproduction->row_count; k++)
            if (reproduction->rows[k].published == attempts->items[i] && !reproduction->rows[k].variant)
                attempt->ours[i] = reproduction->rows[k].ours;
}

void attempt_compute(const struct attempts *attempts, struct attempt *attempt)
{
    struct reproduction *reproduction = attempts->of;
    size_t missing = runs_missing(reproduction->runs);
    rows_clear(reproduction);
    reproduction_compute(reproduction, &attempt->configuration);
    take_numbers(attempts, attempt);
    attempt_judge(attempts, attempt);
    attempt->is_known = runs_missing(reproduction->runs) == missing && !reproduction->broken;
}

bool attempt_is_better(const struct attempt *a, const struct attempt *b)
{
    return a->met != b->met ? a->met > b->met : a->distance < b->distance;
}

/* ----------------------------------------------------------------- the list */

size_t attempts_find(const struct attempts *attempts, const char *const *choices)
{
    size_t unknowns = attempts->of->configurations.unknown_count, i = 0;
    for (; i < attempts->count; i++) {
        size_t same = 0;
        while (same < unknowns && strcmp(attempts->list[i].configuration.choices[same], choices[same]) == 0)
            same++;
        if (same == unknowns)
            break;
    }
    return i;
}

size_t attempts_add(struct attempts *attempts, const char *const *choices)
{
    struct configurations *configurations = &attempts->of->configurations;
    struct arena *texts = &configurations->texts;
    attempts->list = mem_grow(attempts->list, &attempts->capacity, attempts->count + 1, "tries");
    struct attempt *attempt = &attempts->list[attempts->count];
    *attempt = (struct attempt){
        .configuration = {.name = "found", .is_found = true}, .from = attempts->count, .place = SIZE_MAX};
    attempt->configuration.choices =
        arena_alloc(texts, (configurations->unknown_count + 1) * sizeof *attempt->configuration.choices);
    for (size_t i = 0; i < configurations->unknown_count; i++)
        attempt->configuration.choices[i] = unknown_value(&configurations->unknowns[i], choices[i]);
    configuration_settle(configurations, &attempt->configuration);
    attempt->ours = arena_alloc(texts, attempts->item_count * sizeof *attempt->ours);
    for (size_t i = 0; i < attempts->item_count; i++)
        attempt->ours[i] = NAN;
    return attempts->count++;
}

static void find_items(struct attempts *attempts)
{
    const struct published *published = &attempts->of->published;
    attempts->items = mem_alloc(published->count, sizeof(struct published_item *), "items");
    for (size_t i = 0; i < published->count; i++) {
        const struct published_item *item = &published->items[i];
        if (!published_is_searched(published, item))
            continue;
        attempts->items[attempts->item_count++] = item;
        attempts->chosen_count += !published_is_held_out(published, item);
    }
}

/* ----------------------------------------------------------------- the file */

static const char *ending(const struct attempts *attempts)
{
    return attempts->of->quick ? "-search-quick.csv" : "-search.csv";
}

static void write_header(const struct attempts *attempts, FILE *out)
{
    const struct configurations *configurations = &attempts->of->configurations;
    fputs("version", out);
    for (size_t i = 0; i < configurations->unknown_count; i++) {
        fputc(',', out);
        quote_csv(out, configurations->unknowns[i].name);
    }
    for (size_t i = 0; i < attempts->item_count; i++) {
        fputc(',', out);
        quote_csv(out, attempts->items[i]->item);
    }
    fputc('\n', out);
}

size_t attempts_known(const struct attempts *attempts)
{
    size_t known = 0;
    for (size_t k = 0; k < attempts->count; k++)
        known += attempts->list[k].is_known;
    return known;
}

static void put_attempt(FILE *out, const struct attempts *attempts, const struct attempt *attempt)
{
    fputs(HELIO_VERSION, out);
    for (size_t i = 0; i < attempts->of->configurations.unknown_count; i++) {
        fputc(',', out);
        quote_csv(out, attempt->configuration.choices[i]);
    }
    for (size_t i = 0; i < attempts->item_count; i++)
        isnan(attempt->ours[i]) ? fputc(',', out) : fprintf(out, ",%.17g", attempt->ours[i]);
    fputc('\n', out);
}

static int compare_places(const void *a, const void *b)
{
    const struct attempt *left = *(const struct attempt *const *)a,
                         *right = *(const struct attempt *const *)b;
    if (left->place != right->place)
        return left->place < right->place ? -1 : 1;
    return left < right ? -1 : left > right;
}

void attempts_put(FILE *out, const void *what)
{
    const struct attempts *attempts = what;
    const struct attempt **sorted = mem_alloc(attempts->count, sizeof(const struct attempt *), "tries");
    for (size_t k = 0; k < attempts->count; k++)
        sorted[k] = &attempts->list[k];
    if (attempts->count)
        qsort(sorted, attempts->count, sizeof(const struct attempt *), compare_places);
    write_header(attempts, out);
    for (size_t k = 0; k < attempts->count; k++)
        if (sorted[k]->is_known)
            put_attempt(out, attempts, sorted[k]);
    free(sorted);
}

enum status attempts_write(const struct attempts *attempts, const char *folder)
{
    return folder_put_file(folder, attempts->of->paper->name, ending(attempts), attempts_put, attempts);
}

static bool are_values(const struct configurations *configurations, const char *const *choices)
{
    for (size_t i = 0; i < configurations->unknown_count; i++)
        if (!unknown_value(&configurations->unknowns[i], choices[i]))
            return false;
    return true;
}

/* A line of the file. One of another version, or of a value that is not declared, is left out. */
static const char *take_attempt(void *self, const char *const *fields)
{
    struct attempts *attempts = self;
    const char *const *choices = fields + 1;
    const char *const *numbers = choices + attempts->of->configurations.unknown_count;
    if (strcmp(fields[0], HELIO_VERSION) != 0 || !are_values(&attempts->of->configurations, choices) ||
        attempts_find(attempts, choices) < attempts->count)
        return NULL;
    size_t index = attempts_add(attempts, choices);
    struct attempt *attempt = &attempts->list[index];
    for (size_t i = 0; i < attempts->item_count; i++) {
        char *end;
        double value = strtod(numbers[i], &end);
        if (*end)
            return "a number is expected for each item";
        attempt->ours[i] = end > numbers[i] ? value : NAN;
    }
    attempt_judge(attempts, attempt);
    attempt->is_known = true;
    return NULL;
}

enum status attempts_read(struct attempts *attempts, const char *path, const char *text, size_t length)
{
    char *header = NULL;
    size_t header_length = 0;
    FILE *stream = memory_stream_open(&header, &header_length);
    write_header(attempts, stream);
    fclose(stream);
    enum status status = STATUS_OK;
    struct csv_table table = {header, 1 + attempts->of->configurations.unknown_count + attempts->item_count,
                              take_attempt};
    struct embedded_file file = {path, text, length};
    if (length >= header_length && memcmp(text, header, header_length) == 0)
        status = csv_read(&file, &table, &attempts->of->configurations.texts, attempts);
    free(header);
    return status;
}

/* What is held out names some of the searched items, or says that there are none. */
static bool is_held_out_well(const struct attempts *attempts)
{
    const struct published *published = &attempts->of->published;
    const char *held_out = published->held_out;
    if (!held_out || strcmp(held_out, "none") == 0)
        return true;
    for (size_t i = 0; i < attempts->item_count; i++)
        if (fnmatch(held_out, attempts->items[i]->item, 0) == 0)
            return true;
    diag_error("--hold-out: a search of %s has no number '%s'", attempts->of->paper->name, held_out);
    return false;
}

enum status attempts_init(struct attempts *attempts, struct reproduction *reproduction)
{
    *attempts = (struct attempts){.of = reproduction};
    find_items(attempts);
    if (attempts->item_count && !is_held_out_well(attempts))
        return STATUS_BAD_INPUT;
    if (attempts->chosen_count)
        return STATUS_OK;
    if (attempts->item_count && reproduction->published.held_out) {
        diag_error("--hold-out leaves a search of %s no number that chooses", reproduction->paper->name);
        return STATUS_BAD_INPUT;
    }
    diag_error("papers/%s/roles.csv has no items with the role 'searched'", reproduction->paper->name);
    return STATUS_FAILED;
}

enum status attempts_open(struct attempts *attempts, struct reproduction *reproduction, const char *folder)
{
    enum { FILE_AT_MOST = 1 << 26 };
    enum status status = attempts_init(attempts, reproduction);
    if (status != STATUS_OK)
        return status;
    char *path = mem_format("%s/%s%s", folder, reproduction->paper->name, ending(attempts)), *text;
    size_t length;
    if (access(path, F_OK) == 0) {
        status = file_load(path, FILE_AT_MOST, "the tries of a search", &text, &length);
        if (status == STATUS_OK) {
            status = attempts_read(attempts, path, text, length);
            free(text);
        }
    }
    free(path);
    return status;
}

void attempts_close(struct attempts *attempts)
{
    free(attempts->items);
    free(attempts->list);
    *attempts = (struct attempts){.count = 0};
}
