#include "sweep/sweep.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/text_index.h"
#include "output/interrupt.h"
#include "output/json.h"
#include "sim/memory.h"
#include "sweep/definition.h"
#include "sweep/plan.h"
#include "sweep/process_pool.h"
#include "sweep/worker.h"

/* Workers that run a plan. */
struct running {
    const struct sweep_plan *plan;
    struct worker_pool *worker_pool;
    struct store *store;
    const struct sweep_options *options;
    size_t *point_of; /* of each worker: the point that it runs */
    size_t submitted, ended;
    size_t failed;
    struct text_index warnings; /* the different ones of runs that did not fail */
    size_t repeated;            /* runs with a warning that another run had before */
    size_t kept;                /* runs with a result, which the store has */
    bool stop;                  /* the store takes no more results, so no more points are submitted */
    bool interrupted;
};

static void report_failure(struct running *running, size_t point, const char *cause)
{
    char *label = sweep_label(&running->plan->points[point]);
    diag_cite(DIAG_ERROR, cause, "the run %s failed:", label);
    free(label);
    running->failed++;
}

/* Reports the warnings of a run that did not fail. Warnings that many runs have are reported once. */
static void report_warnings(struct running *running, size_t point, const char *messages)
{
    size_t known = running->warnings.count;
    if (text_index_add(&running->warnings, messages) < known) {
        running->repeated++;
        return;
    }
    char *label = sweep_label(&running->plan->points[point]);
    diag_cite(DIAG_NOTE, messages, "of the run %s:", label);
    free(label);
}

static void store_outcome(struct running *running, size_t point, struct sweep_outcome *outcome)
{
    if (outcome->status != STATUS_OK) {
        report_failure(running, point, outcome->messages);
        return;
    }
    if (*outcome->messages)
        report_warnings(running, point, outcome->messages);
    outcome->run.id = running->plan->ids[running->plan->run_of[point]];
    if (store_finish(running->store, &outcome->run) == STATUS_OK)
        running->kept++;
    else
        running->stop = true;
}

/* A shard's share of the plan is what it has to do. */
static struct sweep_progress progress_of(const struct running *running)
{
    const struct sweep_plan *plan = running->plan;
    size_t before = running->options->shards ? 0 : plan->runs - plan->todo_count;
    return (struct sweep_progress){.ended = running->ended,
                                   .to_run = plan->todo_count,
                                   .kept = before + running->kept,
                                   .runs = before + plan->todo_count};
}

/* "fmu, 2 of 12 runs" */
static void name_progress(const struct running *running, char *name, size_t size)
{
    const char *title = running->options->title;
    snprintf(name, size, "%s%s%zu of %zu runs", title ? title : "", title ? ", " : "", running->ended,
             running->plan->todo_count);
}

static void show_progress(const struct running *running)
{
    char name[64];
    name_progress(running, name, sizeof name);
    progress_rename(name);
    if (!running->worker_pool->parts_done)
        progress_tell((uint64_t)running->ended * SWEEP_POINT_PARTS);
}

static void tell_progress(const struct running *running)
{
    const struct sweep_progress at = progress_of(running);
    if (running->options->progress)
        running->options->progress(running->options->self, &at);
}

/* The worker's point has ended, with a result or a failure. */
static void take_answer(struct running *running, struct worker_answer *answer)
{
    struct sweep_outcome outcome;
    size_t point = running->point_of[answer->worker];
    if (!answer->bytes && interrupt_wanted())
        running->interrupted = true; /* the signal may have ended the worker, too */
    else if (!answer->bytes)
        report_failure(running, point, answer->cause);
    else if (sweep_outcome_unpack(answer->bytes, answer->length, &outcome))
        store_outcome(running, point, &outcome);
    else
        report_failure(running, point, "its results did not arrive whole");
    free(answer->bytes);
    running->ended++;
    show_progress(running);
    tell_progress(running);
}

/* Submits points to the worker until it takes one, or none is left. */
static void submit_next(struct running *running, size_t worker)
{
    struct worker_answer answer;
    while (!running->stop && !interrupt_wanted() && running->submitted < running->plan->todo_count) {
        running->point_of[worker] = running->plan->todo[running->submitted++];
        if (running->worker_pool->submit(running->worker_pool, worker, running->point_of[worker], &answer))
            return;
        take_answer(running, &answer);
    }
}

static void run_points(struct running *running)
{
    struct worker_pool *worker_pool = running->worker_pool;
    struct worker_answer answer;
    char name[64];
    running->point_of = mem_alloc(worker_pool->workers, sizeof *running->point_of, "workers");
    tell_progress(running);
    name_progress(running, name, sizeof name);
    progress_begin_elsewhere(name, (uint64_t)running->plan->todo_count * SWEEP_POINT_PARTS,
                             worker_pool->parts_done);
    interrupt_accept();
    for (size_t i = 0; i < worker_pool->workers; i++)
        submit_next(running, i);
    while (running->ended < running->submitted && !running->interrupted) {
        running->interrupted = !worker_pool->wait(worker_pool, &answer);
        if (running->interrupted)
            break;
        take_answer(running, &answer);
        submit_next(running, answer.worker);
    }
    if (running->interrupted)
        worker_pool->cancel(worker_pool);
    running->interrupted |= interrupt_wanted() && running->ended < running->plan->todo_count;
    interrupt_refuse();
    progress_end();
    free(running->point_of);
}

static enum status report_interruption(const struct running *running)
{
    const struct sweep_progress at = progress_of(running);
    diag_error("interrupted: %zu of %zu runs are kept in %s; run it again to go on", at.kept, at.runs,
               store_path(running->store));
    return STATUS_CANCELLED;
}

static enum status run_plan(struct running *running)
{
    const struct sweep_plan *plan = running->plan;
    run_points(running);
    if (running->repeated)
        diag_note("%zu more runs have the same warnings", running->repeated);
    text_index_free(&running->warnings);
    if (running->failed)
        diag_error("%zu of %zu runs failed; the others are in %s", running->failed, plan->todo_count,
                   store_path(running->store));
    if (running->failed || running->stop)
        return STATUS_FAILED;
    return running->interrupted ? report_interruption(running) : STATUS_OK;
}

/* The result of each point that has one. */
static enum status fetch(const struct sweep_plan *plan, struct store *store, struct store_run *runs)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->count; i++) {
        status = store_get(store, plan->ids[plan->run_of[i]], &runs[i]);
        if (status == STATUS_OK && !runs[i].done)
            store_run_free(&runs[i]);
    }
    return status;
}

static enum status run_planned(struct sweep_plan *plan, struct worker_pool *worker_pool, struct store *store,
                               const struct sweep_options *options, struct store_run *runs)
{
    struct running running = {.plan = plan, .worker_pool = worker_pool, .store = store, .options = options};
    enum status status = plan->todo_count ? run_plan(&running) : STATUS_OK;
    if (runs) {
        enum status fetched = fetch(plan, store, runs);
        status = status == STATUS_OK ? fetched : status;
    }
    return status;
}

/* Adds the runs and the definition's metadata to the store, in one transaction. */
static enum status enter(struct sweep_plan *plan, struct store *store, const struct sweep_options *options)
{
    enum status status = store_begin(store);
    if (status != STATUS_OK)
        return status;
    status = sweep_plan_enter(plan, store, options);
    if (status == STATUS_OK && options->definition)
        status = definition_store(options->definition, store);
    if (status == STATUS_OK)
        status = store_commit(store);
    if (status != STATUS_OK)
        store_rollback(store);
    return status;
}

/* Those that a batch system, or taskset, allows this process. */
static unsigned processors(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return (unsigned)CPU_COUNT(&allowed);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

struct memory_room sweep_room(const struct sweep_options *options, unsigned workers)
{
    return options->force ? memory_room_unlimited : memory_room_share(memory_room_find(), workers);
}

unsigned sweep_jobs(const struct sweep_options *options)
{
    return options->jobs ? options->jobs : processors();
}

enum status sweep_run_plan(struct sweep_plan *plan, struct worker_pool *worker_pool, struct store *store,
                           const struct sweep_options *options, struct store_run *runs)
{
    struct worker_pool own;
    if (!worker_pool) {
        unsigned jobs = sweep_jobs(options);
        unsigned at_once = plan->runs < jobs && plan->runs ? (unsigned)plan->runs : jobs;
        process_pool_init(&own, jobs, plan->points, sweep_room(options, at_once));
        worker_pool = &own;
    }
    enum status status = enter(plan, store, options);
    if (status == STATUS_OK)
        status = run_planned(plan, worker_pool, store, options, runs);
    worker_pool->shutdown(worker_pool);
    return status;
}

enum status sweep_run(struct store *store, const struct sweep_point *points, size_t count,
                      const struct sweep_options *options, struct store_run *runs)
{
    struct sweep_plan plan;
    if (runs)
        memset(runs, 0, count * sizeof *runs);
    enum status status = sweep_plan_init(&plan, points, count, NULL);
    if (status == STATUS_OK)
        status = sweep_run_plan(&plan, NULL, store, options, runs);
    sweep_plan_free(&plan);
    return status;
}

void sweep_free(struct store_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_run_free(&runs[i]);
}

bool sweep_metric(const struct store_run *run, const char *name, double *value)
{
    json_t *metrics = run->metrics ? json_read_object(run->metrics) : NULL;
    const json_t *number = json_object_get(metrics, name);
    bool found = json_is_number(number);
    if (found)
        *value = json_number_value(number);
    json_decref(metrics);
    return found;
}
