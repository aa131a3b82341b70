#include <string.h>

#include "base/mem.h"
#include "sim/experiment.h"
#include "sim/memory.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"

/* Estimates the cost of a sweep from the finished runs of its store. */

/* The cost of finished runs on one fabric. */
struct fabric_cost {
    const char *fabric;
    double wall_s;
    uint64_t calls;
};

struct forecaster {
    bool *is_todo; /* of each run */
    struct fabric_cost *list;
    size_t count, capacity;
    struct sweep_forecast *forecast;
};

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
    cost->calls += run->calls;
    return STATUS_OK;
}

/* Adds a run of the plan, if it is to be run, to the forecast. */
static enum status add_estimate(void *self, const struct store_run *run)
{
    enum { CALLS_PER_S = 1000000 }; /* assumed of a fabric without finished runs: docs/speed.md */
    struct forecaster *forecaster = self;
    struct sweep_forecast *forecast = forecaster->forecast;
    if (!forecaster->is_todo[run->id - 1])
        return STATUS_OK;
    const struct fabric_cost *cost = cost_on(forecaster, run->fabric);
    bool is_known = cost->calls && cost->wall_s > 0;
    double run_s = (double)run->calls * (is_known ? cost->wall_s / (double)cost->calls : 1.0 / CALLS_PER_S);
    forecast->assumed += !is_known;
    forecast->work_s += run_s;
    if (run_s > forecast->longest_s)
        forecast->longest_s = run_s;
    return STATUS_OK;
}

static enum status estimate_point(const struct sweep_point *point, double *bytes)
{
    struct config *config = sweep_config(point);
    struct experiment experiment = {0};
    struct estimate estimate;
    enum status status = config ? experiment_init(&experiment, config) : STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = memory_estimate(&experiment, 0, &estimate);
    if (status == STATUS_OK)
        *bytes = estimate_total(&estimate);
    if (config) {
        experiment_free(&experiment);
        config_close(config);
    }
    return status;
}

static enum status forecast_memory(const struct sweep_plan *plan, struct sweep_forecast *forecast)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->todo_count; i++) {
        double bytes = 0;
        status = estimate_point(&plan->points[plan->todo[i]], &bytes);
        if (bytes > forecast->memory_bytes)
            forecast->memory_bytes = bytes;
    }
    return status;
}

static enum status forecast_plan(const struct sweep_plan *plan, struct store *store,
                                 struct sweep_forecast *forecast)
{
    struct forecaster forecaster = {.is_todo = mem_alloc(plan->runs, sizeof(bool), "a forecast"),
                                    .forecast = forecast};
    for (size_t i = 0; i < plan->todo_count; i++)
        forecaster.is_todo[plan->run_of[plan->todo[i]]] = true;
    *forecast = (struct sweep_forecast){.runs = plan->runs, .to_run = plan->todo_count};
    enum status status = store_each(store, &forecaster, add_cost);
    if (status == STATUS_OK)
        status = store_each(plan->drafts, &forecaster, add_estimate);
    for (size_t i = 0; i < forecaster.count; i++)
        free((char *)forecaster.list[i].fabric);
    free(forecaster.list);
    free(forecaster.is_todo);
    return status;
}

enum status sweep_forecast(struct store *store, const struct sweep_point *points, size_t count,
                           const struct sweep_options *options, struct sweep_forecast *forecast)
{
    struct sweep_plan plan;
    enum status status = sweep_plan_init(&plan, points, count);
    if (status == STATUS_OK)
        status = sweep_plan_compare(&plan, store, options);
    if (status == STATUS_OK)
        status = forecast_plan(&plan, store, forecast);
    if (status == STATUS_OK)
        status = forecast_memory(&plan, forecast);
    sweep_plan_free(&plan);
    return status;
}

double sweep_forecast_time_s(const struct sweep_forecast *forecast, unsigned workers)
{
    double time_s = forecast->work_s / workers;
    return time_s < forecast->longest_s ? forecast->longest_s : time_s;
}
