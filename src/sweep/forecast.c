#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/text_index.h"
#include "sim/experiment.h"
#include "sim/memory.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"

/* Estimates the cost of a sweep from the finished runs of its store. */

/* The cost of finished runs on one fabric. A message is work at both of its ends. */
struct fabric_cost {
    const char *fabric;
    double wall_s, work;
};

struct forecaster {
    struct fabric_cost *list;
    size_t count, capacity;
    struct text_index programs; /* keys of programs whose work is known */
    struct experiment_work *works;
    size_t work_capacity;
    struct sweep_forecast *forecast;
};

static double work_of(double calls, double messages)
{
    return calls + 2 * messages;
}

static struct fabric_cost *cost_on(struct forecaster *forecaster, const char *fabric)
{
    for (size_t i = 0; i < forecaster->count; i++)
        if (strcmp(forecaster->list[i].fabric, fabric) == 0)
            return &forecaster->list[i];
    forecaster->list = mem_grow(forecaster->list, &forecaster->capacity, forecaster->count + 1, "a forecast");
    forecaster->list[forecaster->count] = (struct fabric_cost){.fabric = mem_text(fabric)};
    return &forecaster->list[forecaster->count++];
}

static enum status add_cost(void *self, const struct store_run *run)
{
    struct forecaster *forecaster = self;
    if (!run->done)
        return STATUS_OK;
    struct fabric_cost *cost = cost_on(forecaster, run->fabric);
    cost->wall_s += run->wall_s;
    cost->work += work_of((double)run->calls, (double)run->messages);
    return STATUS_OK;
}

/* --------------------------------------------------------------------- work */

/* A text that is the same for runs of the same work: the program, and how collectives are carried out. */
struct work_key {
    char *text;
    size_t length, capacity;
};

static void add_to_key(void *self, const struct param *param, const char *value, const char *origin)
{
    static const char *const others[] = {"trace", "workload", "ranks_per_node", "placement"};
    struct work_key *key = self;
    bool matters = strncmp(param->name, "mpi.", 4) == 0;
    (void)origin;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        matters |= strcmp(param->name, others[i]) == 0;
    if (!matters || !value)
        return;
    size_t added = strlen(param->name) + strlen(value) + 2;
    key->text = mem_grow(key->text, &key->capacity, key->length + added + 1, "a forecast");
    key->length += (size_t)snprintf(key->text + key->length, added + 1, "%s=%s\n", param->name, value);
}

/* The work of the experiment, which takes long to find and is the same on all fabrics. */
static struct experiment_work work_of_experiment(struct forecaster *forecaster,
                                                 const struct experiment *experiment)
{
    struct work_key key = {.text = NULL};
    config_each(experiment->config, &key, add_to_key);
    size_t known = forecaster->programs.count, number = text_index_add(&forecaster->programs, key.text);
    free(key.text);
    if (number == known) {
        forecaster->works = mem_grow(forecaster->works, &forecaster->work_capacity, known + 1, "a forecast");
        forecaster->works[number] = experiment_work(experiment);
    }
    return forecaster->works[number];
}

/* Adds a run of this work to the forecast. */
static void add_estimate(struct forecaster *forecaster, const char *fabric,
                         const struct experiment_work *about)
{
    enum { WORK_PER_S = 1000000 }; /* assumed of a fabric without finished runs: docs/speed.md */
    struct sweep_forecast *forecast = forecaster->forecast;
    const struct fabric_cost *cost = cost_on(forecaster, fabric);
    bool is_known = cost->work > 0 && cost->wall_s > 0;
    double work = work_of((double)about->calls, (double)about->messages);
    double run_s = work * (is_known ? cost->wall_s / cost->work : 1.0 / WORK_PER_S);
    forecast->assumed += !is_known;
    forecast->calls += (double)about->calls;
    forecast->messages += (double)about->messages;
    forecast->most_messages = fmax(forecast->most_messages, (double)about->messages);
    forecast->work_s += run_s;
    forecast->longest_s = fmax(forecast->longest_s, run_s);
}

/* Estimates the work and the memory of a point. */
static enum status estimate_point(struct forecaster *forecaster, const struct sweep_point *point)
{
    struct config *config = sweep_config(point);
    struct experiment experiment = {0};
    struct estimate estimate;
    enum status status = config ? experiment_init(&experiment, config) : STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = memory_estimate(&experiment, 0, &estimate);
    if (status == STATUS_OK) {
        struct sweep_forecast *forecast = forecaster->forecast;
        const struct experiment_work about = work_of_experiment(forecaster, &experiment);
        forecast->memory_bytes = fmax(forecast->memory_bytes, estimate_total(&estimate));
        add_estimate(forecaster, point->fabric, &about);
    }
    if (config) {
        experiment_free(&experiment);
        config_close(config);
    }
    return status;
}

static enum status forecast_plan(const struct sweep_plan *plan, struct store *store,
                                 struct sweep_forecast *forecast)
{
    struct forecaster forecaster = {.forecast = forecast};
    *forecast = (struct sweep_forecast){.runs = plan->runs, .to_run = plan->todo_count};
    enum status status = store_each(store, &forecaster, add_cost);
    progress_begin("estimating the runs", plan->todo_count);
    for (size_t i = 0; status == STATUS_OK && i < plan->todo_count; i++) {
        status = estimate_point(&forecaster, &plan->points[plan->todo[i]]);
        progress_tell(i + 1);
    }
    progress_end();
    for (size_t i = 0; i < forecaster.count; i++)
        free((char *)forecaster.list[i].fabric);
    free(forecaster.list);
    free(forecaster.works);
    text_index_free(&forecaster.programs);
    return status;
}

enum status sweep_forecast(struct store *store, const struct sweep_point *points, size_t count,
                           const struct sweep_options *options, struct sweep_findings *findings,
                           struct sweep_forecast *forecast)
{
    struct sweep_plan plan;
    enum status status = sweep_plan_init(&plan, points, count, findings);
    if (status == STATUS_OK)
        status = sweep_plan_compare(&plan, store, options);
    if (status == STATUS_OK)
        status = forecast_plan(&plan, store, forecast);
    sweep_plan_free(&plan);
    return status;
}

double sweep_forecast_time_s(const struct sweep_forecast *forecast, unsigned workers)
{
    double time_s = forecast->work_s / workers;
    return time_s < forecast->longest_s ? forecast->longest_s : time_s;
}
