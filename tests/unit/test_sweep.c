/* Sweeps: the rows are the same for any number of workers, no run is repeated, and a failure affects one run
 * only. */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sweep/merge.h"
#include "sweep/results_table.h"
#include "sweep/sweep.h"

static char folder[] = "/tmp/heliograph-sweep-XXXXXX";
static char said[8192];

static void collect_messages(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    size_t length = strlen(said);
    snprintf(said + length, sizeof said - length, "%s", message);
}

static int make_folder(void **state)
{
    (void)state;
    diag_set_sink(collect_messages, NULL);
    return mkdtemp(folder) ? setenv("XDG_CACHE_HOME", folder, 1) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    diag_set_sink(NULL, NULL);
    char *command = mem_format("rm -r %s", folder);
    int left = system(command);
    free(command);
    return left;
}

static struct config *config_with(const char *const *settings, size_t count)
{
    size_t table_count;
    const struct param_table *const *tables = components_params(&table_count);
    struct config *config = config_open(tables, table_count);
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    assert_non_null(config);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    said[0] = '\0';
    return config;
}

static struct config *pingpong(void)
{
    return config_with((const char *const[]){"workload=pingpong:bytes=64KiB,iterations=3"}, 1);
}

/* Latencies times fabrics: eight points. ideal's four do not depend on the latency, but count as points. */
enum { POINTS = 8 };
static const struct sweep_setting latencies[] = {{.name = "hockney.latency", .value = "1 us"},
                                                 {.name = "hockney.latency", .value = "2 us"},
                                                 {.name = "hockney.latency", .value = "3us"},
                                                 {.name = "hockney.latency", .value = "4 us"}};

static void fill(struct sweep_point *points, const struct config *base)
{
    for (size_t i = 0; i < POINTS; i++)
        points[i] = (struct sweep_point){
            .base = base, .settings = &latencies[i / 2], .count = 1, .fabric = i % 2 ? "hockney" : "ideal"};
}

struct counted {
    size_t calls, to_run;
};

static void count(void *self, const struct sweep_progress *at)
{
    struct counted *counted = self;
    assert_int_equal(at->ended, counted->calls);
    assert_int_equal(at->runs - at->kept, at->to_run - at->ended);
    counted->calls++;
    counted->to_run = at->to_run;
}

static void same_run(const struct store_run *a, const struct store_run *b)
{
    assert_true(a->done && b->done);
    assert_int_equal(a->id, b->id);
    assert_string_equal(a->key, b->key);
    assert_string_equal(a->fabric, b->fabric);
    assert_string_equal(a->program, b->program);
    assert_string_equal(a->parameters, b->parameters);
    assert_int_equal(a->makespan_ps, b->makespan_ps);
    assert_true(a->idle_fraction == b->idle_fraction && a->mean_bytes == b->mean_bytes);
    assert_int_equal(a->messages, b->messages);
    assert_int_equal(a->bytes, b->bytes);
    assert_string_equal(a->metrics, b->metrics);
    assert_string_equal(a->run, b->run);
}

/* The makespan of one run in this process, without a store. */
static ps_t makespan_of(const struct sweep_point *point)
{
    struct experiment experiment;
    struct result result;
    struct config *config = sweep_config(point);
    assert_non_null(config);
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &(struct experiment_watch){0}, &result), STATUS_OK);
    ps_t makespan = result.makespan;
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
    return makespan;
}

static void any_number_of_workers_gives_the_same_rows(void **state)
{
    (void)state;
    struct config *base = pingpong();
    struct sweep_point points[POINTS];
    struct store_run runs[2][POINTS];
    struct store *stores[2];
    fill(points, base);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(store_open(":memory:", STORE_WRITE, &stores[i]), STATUS_OK);
        assert_int_equal(
            sweep_run(stores[i], points, POINTS, &(struct sweep_options){.jobs = 1 + 2 * i}, runs[i]),
            STATUS_OK);
    }
    for (size_t i = 0; i < POINTS; i++) {
        same_run(&runs[0][i], &runs[1][i]);
        assert_int_equal(runs[0][i].makespan_ps, makespan_of(&points[i]));
        assert_int_equal(runs[0][i].id, i + 1);
    }
    assert_true(runs[0][1].makespan_ps < runs[0][3].makespan_ps);
    assert_int_equal(runs[0][1].messages, 6);
    for (size_t i = 0; i < 2; i++) {
        sweep_free(runs[i], POINTS);
        store_close(stores[i]);
    }
    config_close(base);
    assert_string_equal(said, "");
}

static void nothing_is_run_twice(void **state)
{
    (void)state;
    struct config *base = pingpong();
    struct sweep_point points[POINTS];
    struct store_run half[POINTS / 2], runs[POINTS];
    struct store *store;
    struct counted counted = {0};
    const struct sweep_options options = {.jobs = 2, .progress = count, .self = &counted};
    char *path = mem_format("%s/twice.db", folder);
    fill(points, base);
    assert_int_equal(store_open(path, STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(sweep_run(store, points, POINTS / 2, &options, half), STATUS_OK);
    assert_int_equal(counted.to_run, POINTS / 2);
    store_close(store);

    counted = (struct counted){0};
    assert_int_equal(store_open(path, STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(sweep_run(store, points, POINTS, &options, runs), STATUS_OK);
    assert_int_equal(counted.to_run, POINTS / 2);
    for (size_t i = 0; i < POINTS / 2; i++)
        same_run(&half[i], &runs[i]);

    counted = (struct counted){0};
    points[1].settings =
        &(struct sweep_setting){.name = "hockney.latency", .value = "0.001 ms"}; /* 1 us in another unit */
    points[3] = points[1];
    assert_int_equal(sweep_run(store, points, POINTS, &options, NULL), STATUS_OK);
    assert_int_equal(counted.calls, 0);
    store_close(store);
    sweep_free(half, POINTS / 2);
    sweep_free(runs, POINTS);
    config_close(base);
    free(path);
}

static void shards_are_parts_of_the_whole(void **state)
{
    (void)state;
    struct config *base = pingpong();
    struct sweep_point points[POINTS];
    struct store_run runs[3][POINTS];
    fill(points, base);
    for (unsigned i = 0; i < 3; i++) {
        struct store *store;
        struct sweep_options options = {.jobs = 1, .shard = i, .shards = i == 2 ? 0 : 2};
        assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
        assert_int_equal(sweep_run(store, points, POINTS, &options, runs[i]), STATUS_OK);
        store_close(store);
    }
    for (size_t i = 0; i < POINTS; i++) {
        same_run(&runs[i % 2][i], &runs[2][i]);
        assert_false(runs[1 - i % 2][i].done);
    }
    for (size_t i = 0; i < 3; i++)
        sweep_free(runs[i], POINTS);
    config_close(base);
}

/* A process that runs points may write for a long time. A process that only reads the plan neither waits nor
 * writes. */
static void a_forecast_does_not_wait_for_a_busy_store(void **state)
{
    (void)state;
    struct config *base = pingpong();
    struct sweep_point points[POINTS];
    struct store *busy, *looked_at;
    struct sweep_forecast forecast;
    const struct sweep_options options = {.jobs = 1};
    char *path = mem_format("%s/busy.db", folder);
    fill(points, base);
    assert_int_equal(store_open(path, STORE_WRITE, &busy), STATUS_OK);
    assert_int_equal(sweep_run(busy, points, POINTS / 2, &options, NULL), STATUS_OK);
    assert_int_equal(store_begin(busy), STATUS_OK);
    assert_int_equal(store_open(path, STORE_READ, &looked_at), STATUS_OK);
    assert_int_equal(sweep_forecast(looked_at, points, POINTS, &options, NULL, &forecast), STATUS_OK);
    assert_int_equal(forecast.runs, POINTS);
    assert_int_equal(forecast.to_run, POINTS / 2);
    assert_int_equal(forecast.assumed, 0);
    points[0].fabric = "packet";
    assert_int_equal(sweep_forecast(looked_at, points, POINTS, &options, NULL, &forecast), STATUS_OK);
    assert_int_equal(forecast.assumed, 1);
    assert_true(forecast.longest_s > 0 && forecast.longest_s < forecast.work_s);
    store_close(looked_at);
    store_rollback(busy);
    store_close(busy);
    config_close(base);
    free(path);
}

/* SQLite deletes the log whenever the last connection closes, and creates it again. */
static void many_open_and_close_one_file(void **state)
{
    (void)state;
    enum { PROCESSES = 8, TIMES = 300 };
    char *path = mem_format("%s/shared.db", folder);
    pid_t processes[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        processes[i] = fork();
        if (processes[i] > 0)
            continue;
        for (int k = 0; k < TIMES; k++) {
            struct store *store;
            if (store_open(path, STORE_WRITE, &store) != STATUS_OK)
                fprintf(stderr, "%s\n", said), _exit(1);
            store_close(store);
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int ended = -1;
        assert_int_equal(waitpid(processes[i], &ended, 0), processes[i]);
        assert_int_equal(ended, 0);
    }
    free(path);
}

static void sweep_has_a_job_for_each_usable_processor(void **state)
{
    (void)state;
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        skip();
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sweep_jobs(&(struct sweep_options){.jobs = 0}), CPU_COUNT(&all));
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(sweep_jobs(&(struct sweep_options){.jobs = 0}), 1);
    assert_int_equal(sweep_jobs(&(struct sweep_options){.jobs = 3}), 3);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void metrics_are_found_by_name(void **state)
{
    (void)state;
    struct config *base = pingpong();
    struct store *store;
    struct store_run run;
    struct sweep_point point = {.base = base, .fabric = "fmu"};
    double switches = -1, none = -1;
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(sweep_run(store, &point, 1, &(struct sweep_options){.jobs = 1}, &run), STATUS_OK);
    assert_true(sweep_metric(&run, "switch_count", &switches));
    assert_true(switches >= 1);
    assert_false(sweep_metric(&run, "swich_count", &none));
    assert_non_null(strstr(run.run, "\"fabric\":\"fmu\""));
    sweep_free(&run, 1);
    store_close(store);
    config_close(base);
}

/* ----------------------------------------------------------------- merging */

static const struct store_run planned = {
    .key = "k", .fabric = "ideal", .program = "p", .parameters = "{}", .input_hash = ""};

/* A store with one run, whose result is `result`, and a note of the baseline. */
static struct store *store_with(const char *result, const char *baseline)
{
    struct store *store;
    struct store_run run = planned;
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(store_plan(store, &run), STATUS_OK);
    run.metrics = "{}", run.run = result;
    assert_int_equal(store_finish(store, &run), STATUS_OK);
    if (baseline)
        assert_int_equal(store_set_metadata(store, STORE_BASELINE, baseline), STATUS_OK);
    return store;
}

/* The baseline after `from` has been added. The caller frees it. */
static char *merged_baseline(const char *into, const char *from)
{
    struct store *stores[] = {store_with("{}", into), store_with("{}", from)};
    char *baseline;
    said[0] = '\0';
    assert_int_equal(store_merge(stores[0], stores[1]), STATUS_OK);
    assert_int_equal(store_get_metadata(stores[0], STORE_BASELINE, &baseline), STATUS_OK);
    store_close(stores[0]);
    store_close(stores[1]);
    return baseline;
}

static void merging_keeps_the_first_baseline_that_is_not_empty(void **state)
{
    (void)state;
    static const struct {
        const char *into, *from, *expected;
        bool warns;
    } cases[] = {{NULL, "{\"fabric\":\"fmu\"}", "{\"fabric\":\"fmu\"}", false},
                 {"{}", "{\"fabric\":\"fmu\"}", "{\"fabric\":\"fmu\"}", false},
                 {"{\"fabric\":\"fmu\"}", "{}", "{\"fabric\":\"fmu\"}", false},
                 {"{\"fabric\":\"fmu\"}", "{\"fabric\":\"packet\"}", "{\"fabric\":\"fmu\"}", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *baseline = merged_baseline(cases[i].into, cases[i].from);
        assert_string_equal(baseline, cases[i].expected);
        assert_int_equal(strstr(said, "has another baseline") != NULL, cases[i].warns);
        free(baseline);
    }
}

static void a_run_with_two_results_is_not_merged(void **state)
{
    (void)state;
    struct store *into = store_with("{\"makespan_s\":1}", NULL),
                 *same = store_with("{\"makespan_s\":1}", NULL),
                 *other = store_with("{\"makespan_s\":2}", NULL);
    assert_int_equal(store_merge(into, same), STATUS_OK);
    said[0] = '\0';
    assert_int_equal(store_merge(into, other), STATUS_FAILED);
    assert_non_null(strstr(said, "are the same run with different results"));
    store_close(into);
    store_close(same);
    store_close(other);
}

/* ---------------------------------------------------------------- failures */

static void a_wrong_point_is_said_before_anything_runs(void **state)
{
    (void)state;
    struct config *base = pingpong();
    struct sweep_point points[POINTS];
    struct store *store;
    struct counted counted = {0};
    const struct sweep_options options = {.jobs = 1, .progress = count, .self = &counted};
    fill(points, base);
    points[5].fabric = "hokney";
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(sweep_run(store, points, POINTS, &options, NULL), STATUS_BAD_INPUT);
    assert_int_equal(counted.calls, 0);
    assert_non_null(strstr(said, "did you mean 'hockney'?"));

    said[0] = '\0';
    points[5] = points[4];
    points[5].settings = &(struct sweep_setting){.name = "hockney.latncy", .value = "1 us"};
    assert_int_equal(sweep_run(store, points, POINTS, &options, NULL), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "did you mean 'hockney.latency'?"));
    store_close(store);
    config_close(base);
}

/* Two ranks that wait for each other. */
static void write_deadlock(const char *path, int rank)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%d init\n%d recv %d 0 8 0\n%d finalize\n", rank, rank, 1 - rank, rank);
    fclose(file);
}

static void a_run_that_fails_is_named_and_the_others_go_on(void **state)
{
    (void)state;
    char *trace = mem_format("%s/stuck", folder), *command = mem_format("mkdir -p %s", trace);
    assert_int_equal(system(command), 0);
    for (int rank = 0; rank < 2; rank++) {
        char *path = mem_format("%s/rank-%d.txt", trace, rank + 1);
        write_deadlock(path, rank);
        free(path);
    }
    free(command);
    struct config *base = config_with(NULL, 0);
    const struct sweep_setting stuck = {.name = "trace", .value = trace},
                               good = {.name = "workload", .value = "pingpong"};
    const struct sweep_point points[] = {
        {base, &good, 1, "ideal"}, {base, &stuck, 1, "ideal"}, {base, &good, 1, "hockney"}};
    struct store_run runs[3];
    struct store *store;
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(sweep_run(store, points, 3, &(struct sweep_options){.jobs = 1}, runs), STATUS_FAILED);
    assert_true(runs[0].done && !runs[1].done && runs[2].done);
    assert_non_null(strstr(said, "error: the run ideal, trace="));
    assert_non_null(strstr(said, "error: 1 of 3 runs failed"));
    sweep_free(runs, 3);
    store_close(store);
    config_close(base);
    free(trace);
}

/* Ends the child of this process that waits for its next point. */
static void end_the_worker(void *self, const struct sweep_progress *at)
{
    (void)self;
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = at->ended == 3 ? fopen(path, "r") : NULL;
    if (!children)
        return;
    assert_int_equal(fscanf(children, "%d", &child), 1);
    fclose(children);
    kill(child, SIGKILL);
}

static void a_worker_that_dies_takes_one_point_with_it(void **state)
{
    (void)state;
    if (access("/proc/self/task", R_OK) != 0)
        skip();
    struct config *base = pingpong();
    struct sweep_point points[POINTS];
    struct store_run runs[POINTS];
    struct store *store;
    struct sweep_options options = {.jobs = 1, .progress = end_the_worker};
    fill(points, base);
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(sweep_run(store, points, POINTS, &options, runs), STATUS_FAILED);
    for (size_t i = 0; i < POINTS; i++)
        assert_int_equal(runs[i].done, i != 3);
    assert_non_null(
        strstr(said, "error: the run hockney, hockney.latency=2 us failed:\nit was ended by signal 9"));
    sweep_free(runs, POINTS);
    assert_int_equal(sweep_run(store, points, POINTS, &(struct sweep_options){.jobs = 1}, runs), STATUS_OK);
    assert_true(runs[3].done);
    sweep_free(runs, POINTS);
    store_close(store);
    config_close(base);
}

static void a_file_that_is_no_store_is_left_alone(void **state)
{
    (void)state;
    char *path = mem_format("%s/notes.txt", folder);
    struct store *store;
    FILE *file = fopen(path, "w");
    fputs("these are my notes, longer than the head of a database would be, and I would like to keep them",
          file);
    fclose(file);
    said[0] = '\0';
    assert_int_equal(store_open(path, STORE_WRITE, &store), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "is not a file of results"));
    assert_int_equal(store_open("/nowhere/at/all.db", STORE_READ, &store), STATUS_BAD_INPUT);
    assert_int_equal(store_open("/nowhere/at/all.db", STORE_WRITE, &store), STATUS_FAILED);
    free(path);
}

static void merging_would_refuse(struct store *store, const char *what)
{
    said[0] = '\0';
    assert_int_equal(store_check(store), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, what));
}

/* What reading a store says whose only run has these texts. */
static void damage_is_named(const char *parameters, const char *metrics, const char *what)
{
    struct results_table table;
    struct store *store;
    struct store_run run = planned;
    run.parameters = parameters;
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(store_plan(store, &run), STATUS_OK);
    run.metrics = metrics, run.run = "{}";
    assert_int_equal(store_finish(store, &run), STATUS_OK);
    said[0] = '\0';
    assert_int_equal(results_table_read(&table, store), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, ":memory:#1 is damaged: its "));
    assert_non_null(strstr(said, what));
    results_table_free(&table);
    merging_would_refuse(store, what);
    store_close(store);
}

static void a_damaged_run_is_named(void **state)
{
    (void)state;
    damage_is_named("{\"a\": ", "{}", "parameters are not a JSON object");
    damage_is_named("[]", "{}", "parameters are not a JSON object");
    damage_is_named("{}", "{} {}", "metrics are not a JSON object");
}

/* Of a run that is only planned there are parameters. */
static void merging_refuses_damaged_results(void **state)
{
    (void)state;
    struct store *store = store_with("{\"makespan_s\": ", NULL);
    merging_would_refuse(store, ":memory:#1 is damaged: its results are not a JSON object");
    store_close(store);
    struct store_run run = planned;
    assert_int_equal(store_open(":memory:", STORE_WRITE, &store), STATUS_OK);
    assert_int_equal(store_plan(store, &run), STATUS_OK);
    assert_int_equal(store_check(store), STATUS_OK);
    store_close(store);
}

/* Its triggers make statements that write to it valid. Reading it would take for ever. */
static void a_view_instead_of_the_runs_is_refused(void **state)
{
    (void)state;
    char *path = mem_format("%s/view.db", folder);
    struct store *store = NULL;
    sqlite3 *db;
    assert_int_equal(store_open(path, STORE_WRITE, &store), STATUS_OK);
    store_close(store);
    store = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            db,
            "ALTER TABLE runs RENAME TO old;"
            "CREATE VIEW runs AS WITH RECURSIVE endless(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM "
            "endless) SELECT endless.id, key, fabric, program, parameters, input_hash, calls, ranks, "
            "makespan_ps, idle_fraction, messages, bytes, mean_bytes, metrics, run, wall_s, "
            "memory_bytes FROM endless LEFT JOIN old;"
            "CREATE TRIGGER insertion INSTEAD OF INSERT ON runs BEGIN SELECT 1; END;"
            "CREATE TRIGGER changing INSTEAD OF UPDATE ON runs BEGIN SELECT 1; END;",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    said[0] = '\0';
    assert_int_not_equal(store_open(path, STORE_READ, &store), STATUS_OK);
    assert_null(store);
    assert_non_null(strstr(said, "view"));
    free(path);
}

/* SQLite then has no connection that could say what is wrong, or that could be closed. */
static void a_file_that_cannot_be_opened_for_lack_of_memory_is_named(void **state)
{
    (void)state;
    struct store *store = NULL;
    said[0] = '\0';
    sqlite3_initialize();
    sqlite3_int64 before = sqlite3_hard_heap_limit64(1);
    enum status status = store_open(":memory:", STORE_WRITE, &store);
    sqlite3_hard_heap_limit64(before);
    assert_int_equal(status, STATUS_FAILED);
    assert_null(store);
    assert_non_null(strstr(said, "memory"));
}

static void a_damaged_note_is_named(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[1]", "[\"seed\""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct results_table table;
        struct store *store = store_with("{}", NULL), *into = store_with("{}", NULL);
        assert_int_equal(store_set_metadata(store, STORE_VARIED, texts[i]), STATUS_OK);
        said[0] = '\0';
        assert_int_equal(results_table_read(&table, store), STATUS_BAD_INPUT);
        assert_non_null(strstr(said, ":memory: is damaged: its note 'varied' is not a list of names"));
        assert_int_equal(store_merge(into, store), STATUS_BAD_INPUT);
        merging_would_refuse(store, ":memory: is damaged: its note 'varied' is not a list of names");
        results_table_free(&table);
        store_close(store);
        store_close(into);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_cannot_be_opened_for_lack_of_memory_is_named),
        cmocka_unit_test(any_number_of_workers_gives_the_same_rows),
        cmocka_unit_test(nothing_is_run_twice),
        cmocka_unit_test(shards_are_parts_of_the_whole),
        cmocka_unit_test(a_forecast_does_not_wait_for_a_busy_store),
        cmocka_unit_test(many_open_and_close_one_file),
        cmocka_unit_test(sweep_has_a_job_for_each_usable_processor),
        cmocka_unit_test(metrics_are_found_by_name),
        cmocka_unit_test(merging_keeps_the_first_baseline_that_is_not_empty),
        cmocka_unit_test(a_run_with_two_results_is_not_merged),
        cmocka_unit_test(merging_refuses_damaged_results),
        cmocka_unit_test(a_wrong_point_is_said_before_anything_runs),
        cmocka_unit_test(a_run_that_fails_is_named_and_the_others_go_on),
        cmocka_unit_test(a_worker_that_dies_takes_one_point_with_it),
        cmocka_unit_test(a_file_that_is_no_store_is_left_alone),
        cmocka_unit_test(a_damaged_run_is_named),
        cmocka_unit_test(a_damaged_note_is_named),
        cmocka_unit_test(a_view_instead_of_the_runs_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
