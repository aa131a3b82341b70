#include "sweep/results_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/steps.h"
#include "sweep/metadata.h"
#include "sweep/results_network.h"
#include "workload/text.h"

/* --------------------------------------------------------------------- read */

struct results_reader {
    struct results_table *results_table;
    const struct store *store;
};

static enum status damaged(const struct results_reader *reader, int64_t id, const char *what)
{
    char *text = store_damage_text(reader->store, id, what);
    diag_error("%s", text);
    free(text);
    return STATUS_BAD_INPUT;
}

static enum status too_many(const struct results_reader *reader, int most, const char *what)
{
    diag_error("%s has more than %d %s, which is the most that is read", store_path(reader->store), most,
               what);
    return STATUS_BAD_INPUT;
}

/* STATUS_BAD_INPUT, reported: the table would pass its limits with this run. */
static enum status check_limits(const struct results_reader *reader, const struct store_run *run)
{
    if (reader->results_table->count == RESULTS_RUNS)
        return too_many(reader, RESULTS_RUNS, "runs");
    if (strlen(run->parameters) > RESULTS_TEXT_BYTES || strlen(run->metrics) > RESULTS_TEXT_BYTES) {
        diag_error("%s#%lld has parameters or metrics of more than 16 MiB, which is the most that is read",
                   store_path(reader->store), (long long)run->id);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

/* A name that is no parameter of the first row is that of a parameter of a workload. */
static void add_split(struct results_table *results_table, const json_t *parameters, const char *name)
{
    if (strchr(name, '.') && !json_object_get(parameters, name))
        text_index_add(&results_table->split, name);
}

static void find_split(struct results_table *results_table, const json_t *parameters)
{
    const char *name;
    size_t index;
    json_t *value;
    json_array_foreach(results_table->varied, index, value)
        add_split(results_table, parameters, json_string_value(value));
    json_object_foreach(results_table->baseline, name, value) add_split(results_table, parameters, name);
}

void results_split_workload(const struct text_index *names, json_t *parameters)
{
    size_t at;
    const char *form = json_string_value(json_object_get(parameters, "workload"));
    if (!form || !names->count)
        return;
    char *text = mem_alloc(strlen(form) + 1, 1, "a workload"), *value;
    if (bytes_from_text(form, text, &at))
        strcpy(text, form); /* somebody else has made the file */
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->texts[i];
        if (!workload_text_is_of(text, name))
            continue;
        char *rest = workload_text_without(text, name, &value);
        json_put_value(parameters, name, value);
        free(value);
        free(text);
        text = rest;
    }
    char *rest_form = bytes_to_text(text);
    json_put_value(parameters, "workload", rest_form);
    free(rest_form);
    free(text);
}

static enum status add_row(void *self, const struct store_run *run)
{
    const struct results_reader *reader = self;
    struct results_table *results_table = reader->results_table;
    if (!run->done) {
        results_table->unfinished++;
        return STATUS_OK;
    }
    enum status status = check_limits(reader, run);
    if (status != STATUS_OK)
        return status;
    struct results_table_row row = {.id = run->id,
                                    .fabric = mem_text(run->fabric),
                                    .program = mem_text(run->program),
                                    .trace_hash = mem_text(run->input_hash),
                                    .parameters = json_read_object(run->parameters),
                                    .metrics = json_read_object(run->metrics),
                                    .ranks = run->ranks,
                                    .makespan_ps = run->makespan_ps,
                                    .idle_fraction = run->idle_fraction,
                                    .mean_bytes = run->mean_bytes,
                                    .messages = run->messages,
                                    .bytes = run->bytes};
    results_table->rows = mem_grow(results_table->rows, &results_table->capacity, results_table->count + 1,
                                   "the table of results");
    results_table->rows[results_table->count++] = row;
    if (!row.parameters || !row.metrics)
        return damaged(reader, run->id, row.parameters ? "metrics" : "parameters");
    if (results_table->count == 1)
        find_split(results_table, row.parameters);
    results_split_workload(&results_table->split, row.parameters);
    const char *name;
    json_t *value;
    json_object_foreach(row.metrics, name, value) text_index_add(&results_table->metrics, name);
    if (results_table->metrics.count > RESULTS_METRICS)
        return too_many(reader, RESULTS_METRICS, "different metrics");
    return STATUS_OK;
}

/* ------------------------------------------------------------------- groups */

/* A row with the hash of its parameters, to sort and search rows by it. Rows with the same hash stay in
 * order. */
struct keyed_row {
    XXH128_hash_t key;
    size_t row;
};

static int compare_keyed_rows(const void *a, const void *b)
{
    const struct keyed_row *left = a, *right = b;
    int order = XXH128_cmp(&left->key, &right->key);
    return order ? order : (left->row > right->row) - (left->row < right->row);
}

/* The hash of the row's parameters without those of `without` and with the values of `over`, which may be
 * NULL. */
static XXH128_hash_t key_of(const struct results_table_row *row, const struct text_index *without,
                            json_t *over)
{
    json_t *parameters = json_copy_members(row->parameters), *value;
    const char *name;
    for (size_t i = 0; i < without->count; i++)
        json_object_del(parameters, without->texts[i]);
    json_object_foreach(over, name, value) json_put(parameters, name, json_incref(value));
    char *text = json_sorted_line(parameters, JSON_EXACT);
    XXH128_hash_t key = XXH3_128bits(text, strlen(text));
    free(text);
    json_decref(parameters);
    return key;
}

static struct keyed_row *keyed_rows_of(const struct results_table *results_table,
                                       const struct text_index *without)
{
    struct keyed_row *keyed = mem_alloc(results_table->count, sizeof *keyed, "the table of results");
    for (size_t i = 0; i < results_table->count; i++)
        keyed[i] = (struct keyed_row){key_of(&results_table->rows[i], without, NULL), i};
    qsort(keyed, results_table->count, sizeof *keyed, compare_keyed_rows);
    return keyed;
}

/* The first of the keyed rows that has the key; SIZE_MAX: none has. */
static size_t find_keyed(const struct keyed_row *keyed, size_t count, XXH128_hash_t wanted)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (XXH128_cmp(&keyed[middle].key, &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && XXH128_isEqual(keyed[low].key, wanted) ? keyed[low].row : SIZE_MAX;
}

/* ----------------------------------------------------------- the same again */

/* Whether a path of a trace stands for several contents: it has changed between two sweeps, or sweeps of
 * several machines were merged. */
static bool have_traces_changed(const struct results_table *results_table)
{
    struct text_index paths = {.count = 0};
    const char **hashes = mem_alloc(results_table->count + 1, sizeof *hashes, "the table of results");
    bool changed = false;
    for (size_t i = 0; !changed && i < results_table->count; i++) {
        const struct results_table_row *row = &results_table->rows[i];
        const char *path = results_table_value(row, "trace");
        if (!path)
            continue;
        size_t number = text_index_add(&paths, path);
        if (!hashes[number])
            hashes[number] = row->trace_hash;
        changed = strcmp(hashes[number], row->trace_hash) != 0;
        if (changed)
            diag_warning("%s has had several contents: %s tells its runs apart", path,
                         RESULTS_TRACE_CONTENTS);
    }
    free(hashes);
    text_index_free(&paths);
    return changed;
}

/* What else the key of a run contains is not known here: files beside the trace, plug-ins, the version. */
static void number_executions(struct results_table *results_table)
{
    struct text_index none = {.count = 0};
    struct keyed_row *keyed = keyed_rows_of(results_table, &none);
    size_t repeated = 0, number = 0;
    for (size_t i = 1; i < results_table->count; i++)
        repeated += XXH128_isEqual(keyed[i].key, keyed[i - 1].key);
    for (size_t i = 0; repeated && i < results_table->count; i++) {
        char text[24];
        number = i && XXH128_isEqual(keyed[i].key, keyed[i - 1].key) ? number + 1 : 1;
        snprintf(text, sizeof text, "%zu", number);
        json_put_text(results_table->rows[keyed[i].row].parameters, RESULTS_EXECUTION, text);
    }
    if (repeated)
        diag_warning(
            "%zu %s of earlier ones: a file that they read, a plug-in or helio has changed since; %s tells "
            "them apart",
            repeated, repeated == 1 ? "run has the parameters" : "runs have the parameters",
            RESULTS_EXECUTION);
    free(keyed);
}

/* Runs of other contents are no other seeds of a point, and no baseline of each other. */
static void tell_apart(struct results_table *results_table)
{
    bool changed = have_traces_changed(results_table);
    for (size_t i = 0; changed && i < results_table->count; i++)
        json_put_text(results_table->rows[i].parameters, RESULTS_TRACE_CONTENTS,
                      results_table->rows[i].trace_hash);
    number_executions(results_table);
}

enum { EXECUTIONS_TRIED = 16 }; /* a hostile store costs little */

/* The baseline of a row is the run whose parameters are those of the row, overridden by those of the
 * baseline. What follows from the machine or the tuning of an MPI is not compared. A baseline that does not
 * read what has changed was not executed again: then it is the one before. */
static size_t find_baseline(const struct results_table *results_table, const struct keyed_row *keyed,
                            const struct results_table_row *row)
{
    const char *execution = results_table_value(row, RESULTS_EXECUTION);
    unsigned long number = execution ? strtoul(execution, NULL, 10) : 1;
    json_t *over = json_copy_members(results_table->baseline);
    size_t found = find_keyed(keyed, results_table->count, key_of(row, &results_table->followers, over));
    for (int tried = 1; found == SIZE_MAX && --number > 0 && tried < EXECUTIONS_TRIED; tried++) {
        char text[24];
        snprintf(text, sizeof text, "%lu", number);
        json_put_text(over, RESULTS_EXECUTION, text);
        found = find_keyed(keyed, results_table->count, key_of(row, &results_table->followers, over));
    }
    json_decref(over);
    return found;
}

static void compare_with_baseline(struct results_table *results_table)
{
    struct keyed_row *keyed = keyed_rows_of(results_table, &results_table->followers);
    size_t *versus = mem_alloc(results_table->count, sizeof *versus, "the table of results");
    for (size_t i = 0; i < results_table->count; i++) {
        struct results_table_row *row = &results_table->rows[i];
        versus[i] = find_baseline(results_table, keyed, row);
        if (versus[i] != SIZE_MAX && row->makespan_ps > 0)
            row->speedup = (double)results_table->rows[versus[i]].makespan_ps / (double)row->makespan_ps;
    }
    results_network_compare(results_table, versus);
    free(versus);
    free(keyed);
}

/* Groups are numbered in the order of their first rows. */
static void group_rows(struct results_table *results_table)
{
    struct text_index seed = {.count = 0};
    text_index_add(&seed, "seed");
    struct keyed_row *keyed = keyed_rows_of(results_table, &seed);
    text_index_free(&seed);
    size_t *first = mem_alloc(results_table->count, sizeof *first, "the table of results");
    for (size_t i = 0; i < results_table->count; i++) {
        bool same = i && XXH128_isEqual(keyed[i].key, keyed[i - 1].key);
        first[keyed[i].row] = same ? first[keyed[i - 1].row] : keyed[i].row;
    }
    results_table->groups =
        mem_alloc(results_table->count, sizeof *results_table->groups, "the table of results");
    for (size_t i = 0; i < results_table->count; i++) {
        if (first[i] == i)
            results_table->groups[results_table->group_count++].first = i;
        results_table->rows[i].group =
            first[i] == i ? results_table->group_count - 1 : results_table->rows[first[i]].group;
    }
    free(first);
    free(keyed);
}

/* The rows ordered by their groups, those of a group in their own order. */
static size_t *rows_by_group(const struct results_table *results_table)
{
    size_t *order = mem_alloc(results_table->count, sizeof *order, "the table of results");
    size_t *next = mem_alloc(results_table->group_count + 1, sizeof *next, "the table of results");
    for (size_t i = 0; i < results_table->count; i++)
        next[results_table->rows[i].group + 1]++;
    for (size_t i = 0; i < results_table->group_count; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < results_table->count; i++)
        order[next[results_table->rows[i].group]++] = i;
    free(next);
    return order;
}

/* False: the row has no such number. */
static bool number_of(const struct results_table_row *row, const char *name, double *number)
{
    const json_t *metric = json_object_get(row->metrics, name);
    *number = strcmp(name, "makespan_s") == 0      ? (double)row->makespan_ps / (double)PS_PER_S
              : strcmp(name, "speedup") == 0       ? row->speedup
              : strcmp(name, "idle_fraction") == 0 ? row->idle_fraction
              : strcmp(name, "messages") == 0      ? (double)row->messages
              : strcmp(name, "bytes") == 0         ? (double)row->bytes
              : strcmp(name, "mean_bytes") == 0    ? row->mean_bytes
              : json_is_number(metric)             ? json_number_value(metric)
                                                   : NAN;
    return !isnan(*number) && !(*number == 0 && strcmp(name, "speedup") == 0);
}

struct mean_estimate *results_table_estimate(const struct results_table *results_table, const char *name)
{
    double *numbers = mem_alloc(results_table->count, sizeof *numbers, "the table of results");
    struct mean_estimate *estimates =
        mem_alloc(results_table->group_count, sizeof *estimates, "the table of results");
    size_t *order = rows_by_group(results_table), at = 0;
    for (size_t i = 0; i < results_table->group_count; i++) {
        size_t count = 0;
        for (; at < results_table->count && results_table->rows[order[at]].group == i; at++) {
            steps_add(1);
            count += number_of(&results_table->rows[order[at]], name, &numbers[count]);
        }
        estimates[i] = stats_estimate_mean(numbers, count);
    }
    free(order);
    free(numbers);
    return estimates;
}

static void estimate_groups(struct results_table *results_table)
{
    struct mean_estimate *times = results_table_estimate(results_table, "makespan_s");
    struct mean_estimate *speedups = results_table_estimate(results_table, "speedup");
    for (size_t i = 0; i < results_table->group_count; i++) {
        results_table->groups[i].makespan_s = times[i];
        results_table->groups[i].speedup = speedups[i];
    }
    free(times);
    free(speedups);
}

/* An index of the texts in the list. */
static void index_texts(json_t *list, struct text_index *texts)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        text_index_add(texts, json_string_value(json_array_get(list, i)));
}

static bool differs(const struct results_table *results_table, const char *parameter)
{
    const json_t *first = json_object_get(results_table->rows[0].parameters, parameter);
    for (size_t i = 1; i < results_table->count; i++) {
        const json_t *other = json_object_get(results_table->rows[i].parameters, parameter);
        if (first && other && !json_equal(first, other))
            return true;
    }
    return false;
}

/* Parameters from which others follow: a machine gives values, and fabrics derive more from them; the tuning
 * of an MPI chooses the algorithms of collectives. */
static const char *const leaders[] = {"machine", "mpi.tuning"};
enum { LEADERS = sizeof leaders / sizeof *leaders };

/* The values of such a parameter in all rows. */
struct row_leader {
    struct text_index texts;
    size_t *of_row;         /* the number of its text */
    const json_t **follows; /* for each text the value of another parameter */
};

static void find_leader(const struct results_table *results_table, const char *name,
                        struct row_leader *leader)
{
    leader->of_row = mem_alloc(results_table->count, sizeof *leader->of_row, "the table of results");
    for (size_t i = 0; i < results_table->count; i++) {
        const char *text = results_table_value(&results_table->rows[i], name);
        leader->of_row[i] = text_index_add(&leader->texts, text ? text : "");
    }
    leader->follows = mem_alloc(leader->texts.count, sizeof *leader->follows, "the table of results");
}

/* Whether all rows that have the same leader have the same value. */
static bool follows_leader(const struct results_table *results_table, const struct row_leader *leader,
                           const char *parameter)
{
    size_t known = 0; /* texts are numbered in the order of their first rows */
    bool follows = leader->texts.count > 1;
    for (size_t i = 0; follows && i < results_table->count; i++) {
        const json_t *value = json_object_get(results_table->rows[i].parameters, parameter);
        size_t text = leader->of_row[i];
        if (text == known)
            leader->follows[known++] = value;
        follows = value && leader->follows[text] && json_equal(value, leader->follows[text]);
    }
    return follows;
}

/* A leader follows those before it. */
static bool follows_any(const struct results_table *results_table, const struct row_leader *of_leaders,
                        const char *parameter)
{
    bool follows = false;
    for (size_t i = 0; !follows && i < LEADERS && strcmp(parameter, leaders[i]) != 0; i++)
        follows = follows_leader(results_table, &of_leaders[i], parameter);
    return follows;
}

/* Parameters that no sweep varies, but that differ because several sweeps are in one store, or because a
 * sweep varies what they follow from. */
static void add_differing(struct results_table *results_table, struct text_index *varied)
{
    struct row_leader of_leaders[LEADERS] = {{.of_row = NULL}};
    const char *name;
    json_t *value;
    if (!results_table->count)
        return;
    for (size_t i = 0; i < LEADERS; i++)
        find_leader(results_table, leaders[i], &of_leaders[i]);
    json_object_foreach(results_table->rows[0].parameters, name, value)
    {
        if (text_index_find(varied, name) != SIZE_MAX || !differs(results_table, name))
            continue;
        if (follows_any(results_table, of_leaders, name))
            text_index_add(&results_table->followers, name);
        else
            json_add_value(results_table->varied, name);
    }
    for (size_t i = 0; i < LEADERS; i++) {
        text_index_free(&of_leaders[i].texts);
        free(of_leaders[i].of_row);
        free(of_leaders[i].follows);
    }
}

enum status results_table_read(struct results_table *results_table, struct store *store)
{
    *results_table = (struct results_table){.count = 0};
    enum status status = metadata_read_varied(store, &results_table->varied);
    if (status == STATUS_OK)
        status = metadata_read_baseline(store, &results_table->baseline);
    if (status == STATUS_OK)
        status = store_each(store, &(struct results_reader){results_table, store}, add_row);
    if (status != STATUS_OK)
        return status;
    progress_begin("comparing the results", 0);
    tell_apart(results_table);
    struct text_index varied = {.count = 0};
    index_texts(results_table->varied, &varied);
    add_differing(results_table, &varied);
    text_index_free(&varied);
    if (json_object_size(results_table->baseline))
        compare_with_baseline(results_table);
    else
        results_network_compare(results_table, NULL);
    group_rows(results_table);
    estimate_groups(results_table);
    progress_end();
    return STATUS_OK;
}

void results_note_unfinished(size_t unfinished, size_t all)
{
    if (unfinished)
        diag_note("%zu of %zu runs %s no result: failed, or not run yet", unfinished, all,
                  unfinished == 1 ? "has" : "have");
}

void results_table_free(struct results_table *results_table)
{
    for (size_t i = 0; i < results_table->count; i++) {
        free((char *)results_table->rows[i].fabric);
        free((char *)results_table->rows[i].program);
        free((char *)results_table->rows[i].trace_hash);
        json_decref(results_table->rows[i].parameters);
        json_decref(results_table->rows[i].metrics);
    }
    text_index_free(&results_table->metrics);
    text_index_free(&results_table->split);
    text_index_free(&results_table->followers);
    text_index_free(&results_table->reasons);
    free(results_table->rows);
    free(results_table->groups);
    json_decref(results_table->varied);
    json_decref(results_table->baseline);
    *results_table = (struct results_table){.count = 0};
}

const char *results_table_value(const struct results_table_row *row, const char *parameter)
{
    return json_string_value(json_object_get(row->parameters, parameter));
}

const char *results_table_reason(const struct results_table *results_table,
                                 const struct results_table_row *row)
{
    return results_table->reasons.texts[row->reason];
}
