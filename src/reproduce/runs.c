#include "reproduce/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/hash.h"
#include "base/hashmap.h"
#include "base/mem.h"
#include "output/json.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sweep/sweep.h"

enum { SETTINGS_AT_MOST = 48 };

enum run_state { RUN_WANTED, RUN_DONE, RUN_FAILED };

struct requested_run {
    size_t number; /* its place in the list */
    char *fabric, *workload, *settings;
    enum run_state state;
    struct run_facts facts;
    char *reason; /* why it failed */
};

struct runs {
    struct requested_run **list; /* facts must not move: they have been handed out */
    size_t count, capacity;
    struct hashmap index; /* from the hash of a run's texts to its place in the list */
    struct store *store;
    struct config *base;
    unsigned jobs;
    size_t missing;
};

const struct run_facts run_unknown = {
    .makespan_s = NAN, .idle_fraction = NAN, .messages = NAN, .bytes = NAN, .mean_bytes = NAN};

/* The number of that name in a JSON object, else NaN. */
static double number_in(const char *text, const char *name)
{
    json_t *object = text ? json_read_object(text) : NULL;
    const json_t *number = json_object_get(object, name);
    double value = json_is_number(number) ? json_number_value(number) : NAN;
    json_decref(object);
    return value;
}

double run_metric(const struct run_facts *facts, const char *name)
{
    return number_in(facts->metrics, name);
}

double run_host_metric(const struct run_facts *facts, const char *name)
{
    return number_in(facts->host, name);
}

double run_idle_share(const struct run_facts *facts, const char *cause)
{
    json_t *causes = facts->causes ? json_read_object(facts->causes) : NULL;
    double all = 0, of_cause = 0;
    const char *name;
    json_t *seconds;
    json_object_foreach(causes, name, seconds)
    {
        all += json_number_value(seconds);
        of_cause += strcmp(name, cause) == 0 ? json_number_value(seconds) : 0;
    }
    json_decref(causes);
    return facts->causes && all > 0 ? of_cause / all : NAN;
}

double run_idles_most_in(const struct run_facts *facts, const char *cause)
{
    json_t *causes = facts->causes ? json_read_object(facts->causes) : NULL;
    double of_cause = json_number_value(json_object_get(causes, cause)), most = 0;
    const char *name;
    json_t *seconds;
    json_object_foreach(causes, name, seconds)
    {
        most = fmax(most, json_number_value(seconds));
    }
    json_decref(causes);
    return most > 0 ? of_cause == most : NAN;
}

enum status runs_open(const char *path, unsigned jobs, struct runs **runs)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct store *store;
    enum status status = store_open(path, STORE_WRITE, &store);
    if (status != STATUS_OK)
        return status;
    struct config *base = config_open(tables, count);
    if (!base) {
        store_close(store);
        return STATUS_FAILED;
    }
    config_assign(base, "machine", MACHINE_AS_PUBLISHED, "reproduce"); /* the papers' own numbers */
    *runs = mem_alloc(1, sizeof **runs, "runs");
    **runs = (struct runs){.store = store, .base = base, .jobs = jobs};
    return STATUS_OK;
}

static void run_free(struct requested_run *run)
{
    free(run->facts.metrics);
    free(run->facts.host);
    free(run->facts.causes);
    free(run->fabric);
    free(run->workload);
    free(run->settings);
    free(run->reason);
    free(run);
}

void runs_close(struct runs *runs)
{
    store_close(runs->store);
    config_close(runs->base);
    for (size_t i = 0; i < runs->count; i++)
        run_free(runs->list[i]);
    free(runs->list);
    hashmap_free(&runs->index);
    free(runs);
}

static bool has_texts(const struct requested_run *run, const char *const texts[static 3])
{
    return strcmp(run->fabric, texts[0]) == 0 && strcmp(run->workload, texts[1]) == 0 &&
           strcmp(run->settings, texts[2]) == 0;
}

/* Where the index of the run with these texts plus 1 is kept; 0 there: the run is new. A hash that another
 * run has is counted up. */
static uint32_t *find(struct runs *runs, const char *const texts[static 3])
{
    for (uint64_t hash = hash_texts(texts, 3);; hash++) {
        uint32_t *known = hashmap_slot(&runs->index, hash);
        if (!*known || has_texts(runs->list[*known - 1], texts))
            return known;
    }
}

const struct run_facts *runs_ask(struct runs *runs, const char *fabric, const char *workload,
                                 const char *settings, const char **reason)
{
    const char *const texts[] = {fabric, workload, settings ? settings : ""};
    uint32_t *known = find(runs, texts);
    if (!*known) {
        struct requested_run *run = mem_alloc(1, sizeof *run, "a run");
        *run = (struct requested_run){.number = runs->count,
                                      .fabric = mem_text(fabric),
                                      .workload = mem_text(workload),
                                      .settings = mem_text(texts[2]),
                                      .facts = run_unknown};
        runs->list = mem_grow(runs->list, &runs->capacity, runs->count + 1, "runs");
        runs->list[runs->count++] = run;
        *known = (uint32_t)runs->count;
    }
    struct requested_run *run = runs->list[*known - 1];
    if (run->state == RUN_FAILED)
        *reason = run->reason;
    runs->missing += run->state == RUN_WANTED;
    return &run->facts;
}

size_t runs_series(struct runs *runs, const struct run_facts *facts, const char *name, double **values)
{
    struct store_run stored;
    *values = NULL;
    if (!facts->id || store_get(runs->store, facts->id, &stored) != STATUS_OK)
        return 0;
    json_t *whole = json_read_object(stored.run);
    const json_t *list = json_object_get(json_object_get(whole, "fabric_stats"), name);
    size_t count = json_array_size(list);
    *values = mem_alloc(count + 1, sizeof **values, "a series");
    for (size_t i = 0; i < count; i++)
        (*values)[i] = json_number_value(json_array_get(list, i));
    json_decref(whole);
    store_run_free(&stored);
    return count;
}

size_t runs_missing(const struct runs *runs)
{
    return runs->missing;
}

/* ---------------------------------------------------------------------- run */

/* Error messages of runs become notes of the items that the runs were for. */
struct run_errors {
    char *text;
    size_t length, capacity;
};

static void keep_errors(void *self, enum diag_level level, const char *message)
{
    struct run_errors *said = self;
    size_t length = strlen(message);
    if (level != DIAG_ERROR)
        return;
    said->text = mem_grow(said->text, &said->capacity, said->length + length + 1, "messages");
    memcpy(said->text + said->length, message, length + 1);
    said->length += length;
}

static const char trace_prefix[] = "trace:";

/* A run as a point of a sweep, with the texts that it consists of. */
struct run_point {
    struct requested_run *run;
    struct sweep_point sweep;
    struct sweep_setting settings[SETTINGS_AT_MOST];
    char *text;
};

static void point_make(struct run_point *point, const struct runs *runs, struct requested_run *run)
{
    *point = (struct run_point){.run = run, .text = mem_text(run->settings)};
    size_t count = 0;
    bool is_trace = strncmp(run->workload, trace_prefix, strlen(trace_prefix)) == 0;
    point->settings[count++] =
        (struct sweep_setting){.name = is_trace ? "trace" : "workload",
                               .value = run->workload + (is_trace ? strlen(trace_prefix) : 0)};
    char *rest = point->text;
    for (char *setting; count < SETTINGS_AT_MOST && (setting = strsep(&rest, " "));) {
        char *value = strchr(setting, '=');
        if (!value)
            continue;
        *value++ = '\0';
        point->settings[count++] = (struct sweep_setting){.name = setting, .value = value};
    }
    point->sweep = (struct sweep_point){
        .base = runs->base, .settings = point->settings, .count = count, .fabric = run->fabric};
}

static void fail(struct requested_run *run, const char *reason)
{
    size_t length = strcspn(reason, "\n");
    run->state = RUN_FAILED;
    run->reason = length ? mem_format("%.*s", (int)length, reason) : mem_text("the run failed");
}

/* The sweep reports a failed run by its label, and the cause on the next line. */
static void fail_as_reported(struct run_point *point, const struct run_errors *said)
{
    char *label = sweep_label(&point->sweep), *title = mem_format("the run %s failed:\n", label);
    const char *at = said->text ? strstr(said->text, title) : NULL;
    fail(point->run, at ? at + strlen(title) : said->text ? said->text : "");
    free(title);
    free(label);
}

static void fail_as_damaged(const struct runs *runs, struct requested_run *run, int64_t id)
{
    char *reason = store_damage_text(runs->store, id, "results");
    fail(run, reason);
    free(reason);
}

/* A member of the object as a line of text, "{}" if it has none of that name. */
static char *member_line(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);
    return member ? json_line(member, JSON_EXACT) : mem_text("{}");
}

/* False: the result that the store has is damaged. */
static bool take_facts(struct requested_run *run, const struct store_run *stored)
{
    json_t *whole = json_read_object(stored->run), *metrics = json_read_object(stored->metrics);
    bool good = whole && metrics;
    if (good) {
        run->state = RUN_DONE;
        run->facts = (struct run_facts){.id = stored->id,
                                        .makespan_s = (double)stored->makespan_ps / (double)PS_PER_S,
                                        .idle_fraction = stored->idle_fraction,
                                        .messages = (double)stored->messages,
                                        .bytes = (double)stored->bytes,
                                        .mean_bytes = stored->mean_bytes,
                                        .metrics = mem_text(stored->metrics),
                                        .host = member_line(whole, "host_stats"),
                                        .causes = member_line(whole, "idle_by_cause_s")};
    }
    json_decref(whole);
    json_decref(metrics);
    return good;
}

/* Makes the runs of the points together. STATUS_BAD_INPUT: one of several is wrong, and none has been made.
 */
static enum status run_points(struct runs *runs, struct run_point *points, size_t count, const char *name)
{
    struct run_errors said = {0};
    struct sweep_options options = {.jobs = runs->jobs, .title = name};
    struct sweep_point *sweep = mem_alloc(count, sizeof *sweep, "runs");
    struct store_run *results = mem_alloc(count, sizeof *results, "runs");
    for (size_t i = 0; i < count; i++)
        sweep[i] = points[i].sweep;
    diag_set_sink(keep_errors, &said);
    enum status status = sweep_run(runs->store, sweep, count, &options, results);
    diag_set_sink(NULL, NULL);
    for (size_t i = 0; i < count && (status != STATUS_BAD_INPUT || count == 1); i++) {
        if (!results[i].done && status == STATUS_CANCELLED)
            continue;
        if (!results[i].done)
            fail_as_reported(&points[i], &said);
        else if (!take_facts(points[i].run, &results[i]))
            fail_as_damaged(runs, points[i].run, results[i].id);
    }
    sweep_free(results, count);
    free(results);
    free(sweep);
    free(said.text);
    return status;
}

/* Runs of one workload stand together, so that a worker opens it once. */
static int compare_workloads(const void *a, const void *b)
{
    const struct requested_run *left = *(struct requested_run *const *)a,
                               *right = *(struct requested_run *const *)b;
    int order = strcmp(left->workload, right->workload);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

/* The runs that are still to be made; the caller frees the list. */
static struct requested_run **wanted_runs(const struct runs *runs, size_t *count)
{
    struct requested_run **wanted = mem_alloc(runs->count, sizeof(struct requested_run *), "runs");
    *count = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->list[i]->state == RUN_WANTED)
            wanted[(*count)++] = runs->list[i];
    if (*count)
        qsort(wanted, *count, sizeof(struct requested_run *), compare_workloads);
    return wanted;
}

/* One wrong point keeps the others from being run. Then the points of each workload are run apart, and where
 * one of these is wrong, each of them alone. */
static enum status run_workloads_apart(struct runs *runs, struct run_point *points, size_t count,
                                       const char *name)
{
    enum status status = STATUS_OK;
    for (size_t first = 0, next; first < count && status != STATUS_CANCELLED; first = next) {
        const char *workload = points[first].run->workload;
        for (next = first + 1; next < count && strcmp(points[next].run->workload, workload) == 0;)
            next++;
        status = run_points(runs, &points[first], next - first, name);
        bool is_wrong = status == STATUS_BAD_INPUT && next - first > 1;
        for (size_t i = first; is_wrong && i < next && status != STATUS_CANCELLED; i++)
            status = run_points(runs, &points[i], 1, name);
    }
    return status;
}

static size_t count_done(const struct runs *runs)
{
    size_t done = 0;
    for (size_t i = 0; i < runs->count; i++)
        done += runs->list[i]->state == RUN_DONE;
    return done;
}

enum status runs_catch_up(struct runs *runs, const char *name, size_t *made)
{
    size_t count;
    struct requested_run **wanted = wanted_runs(runs, &count);
    struct run_point *points = mem_alloc(count, sizeof *points, "runs");
    for (size_t i = 0; i < count; i++)
        point_make(&points[i], runs, wanted[i]);
    free(wanted);
    enum status status = count ? run_points(runs, points, count, name) : STATUS_OK;
    if (status == STATUS_BAD_INPUT && count > 1)
        status = run_workloads_apart(runs, points, count, name);
    for (size_t i = 0; i < count; i++)
        free(points[i].text);
    free(points);
    *made = count;
    if (status != STATUS_CANCELLED)
        return STATUS_OK;
    diag_error("interrupted: %zu of %zu runs of %s are kept in %s; run it again to go on", count_done(runs),
               runs->count, name, store_path(runs->store));
    return status;
}
