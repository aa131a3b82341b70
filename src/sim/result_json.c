#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "base/units.h"
#include "fabric/fabric.h"
#include "host/node.h"
#include "output/json.h"
#include "sim/bursts.h"
#include "sim/collectives.h"
#include "sim/insight.h"
#include "sim/path_summary.h"
#include "sim/result.h"
#include "sim/sites.h"
#include "sim/slack.h"

/* Up to this many ranks are listed one by one; more are described by quantiles. */
enum { RANKS_LISTED = 4096 };

static json_t *seconds(sum_t time)
{
    return json_make_number((double)time / (double)PS_PER_S);
}

static json_t *series_json(const struct metric *metric, const struct metric_series *series)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < series->count; i++)
        json_add(list, metric->type == METRIC_TIMES ? seconds(metric_series_at(series, i))
                                                    : json_make_count(metric_series_at(series, i)));
    return list;
}

static json_t *metric_json(const struct metric *metric, const void *statistics)
{
    const void *field = (const char *)statistics + metric->offset;
    switch (metric->type) {
    case METRIC_COUNT:
    case METRIC_BYTES:
        return json_make_count(*(const uint64_t *)field);
    case METRIC_COUNT_SUM:
    case METRIC_BYTES_SUM:
        return json_make_count(*(const sum_t *)field);
    case METRIC_TIME:
        return seconds(*(const ps_t *)field);
    case METRIC_TIME_SUM:
        return seconds(*(const sum_t *)field);
    case METRIC_RATIO:
        return json_make_number(*(const double *)field);
    case METRIC_TIMES:
    case METRIC_COUNTS:
        return series_json(metric, field);
    }
    return json_make_text(NULL);
}

static json_t *statistics_json(const struct metric_table *metrics, const void *statistics)
{
    json_t *object = json_make_object();
    for (size_t i = 0; metrics && i < metrics->count; i++)
        json_put(object, metrics->metrics[i].name, metric_json(&metrics->metrics[i], statistics));
    return object;
}

/* -------------------------------------------------------------------- ranks */

/* The quantiles of one column of the rows by lower rank (base/stats.h), and its mean. */
static json_t *quantiles_json(const struct result *result, size_t column_offset)
{
    static const struct {
        const char *name;
        unsigned percent;
    } quantiles[] = {{"min", 0}, {"p05", 5}, {"median", 50}, {"p95", 95}, {"max", 100}};
    ps_t *times = mem_alloc(result->ranks, sizeof *times, "quantiles");
    for (uint32_t i = 0; i < result->ranks; i++)
        times[i] = *(const ps_t *)((const char *)&result->rows[i] + column_offset);
    stats_sort_int64(times, result->ranks);
    double sum = 0;
    for (uint32_t i = 0; i < result->ranks; i++)
        sum += (double)times[i];
    json_t *object = json_make_object();
    json_put_number(object, "mean", sum / result->ranks / (double)PS_PER_S);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        json_put(object, quantiles[i].name,
                 seconds(times[stats_lower_rank(result->ranks, quantiles[i].percent)]));
    free(times);
    return object;
}

static json_t *all_ranks_json(const struct result *result)
{
    json_t *object = json_make_object();
    json_put_count(object, "count", result->ranks);
    json_put(object, "finish_s", quantiles_json(result, offsetof(struct rank_row, finish)));
    json_put(object, "compute_s", quantiles_json(result, offsetof(struct rank_row, compute)));
    json_put(object, "idle_s", quantiles_json(result, offsetof(struct rank_row, idle)));
    if (result->has_software)
        json_put(object, "software_s", quantiles_json(result, offsetof(struct rank_row, software)));
    if (result->slack)
        json_put(object, "slack_s", quantiles_json(result, offsetof(struct rank_row, slack)));
    return object;
}

static json_t *ranks_json(const struct result *result)
{
    if (result->ranks > RANKS_LISTED)
        return all_ranks_json(result);
    json_t *list = json_make_list();
    for (uint32_t i = 0; i < result->ranks; i++) {
        const struct rank_row *row = &result->rows[i];
        json_t *rank = json_make_object();
        json_put(rank, "finish_s", seconds(row->finish));
        json_put(rank, "compute_s", seconds(row->compute));
        json_put(rank, "idle_s", seconds(row->idle));
        if (result->has_software)
            json_put(rank, "software_s", seconds(row->software));
        if (result->slack)
            json_put(rank, "slack_s", seconds(row->slack));
        json_add(list, rank);
    }
    return list;
}

/* Idle time by cause, summed over ranks: p2p, then each collective that caused any. */
static json_t *idle_causes_json(const struct result *result)
{
    json_t *object = json_make_object();
    sum_t point_to_point = 0;
    for (int op = 0; op < CALL_BARRIER; op++)
        point_to_point += result->idle_by_cause[op];
    if (point_to_point)
        json_put(object, "p2p", seconds(point_to_point));
    for (int op = CALL_BARRIER; op < CALL_OPS; op++)
        if (result->idle_by_cause[op])
            json_put(object, call_op_name((enum call_op)op), seconds(result->idle_by_cause[op]));
    return object;
}

static json_t *messages_json(const struct result *result)
{
    json_t *object = json_make_object();
    json_put_count(object, "count", result->messages);
    json_put_count(object, "bytes", result->bytes);
    json_put_number(object, "mean_bytes", result_mean_bytes(result));
    return object;
}

/* The size classes that have messages, by their smallest size. */
static json_t *message_sizes_json(const struct result *result)
{
    json_t *list = json_make_list();
    for (uint32_t i = 0; i < RESULT_SIZE_CLASSES; i++) {
        if (!result->sizes[i].count)
            continue;
        json_t *class = json_make_object();
        json_put_count(class, "from_bytes", result_size_from(i));
        json_put_count(class, "count", result->sizes[i].count);
        json_put_count(class, "bytes", result->sizes[i].bytes);
        json_add(list, class);
    }
    return list;
}

static json_t *nodes_json(const struct result_job *job)
{
    json_t *list = json_make_list();
    for (uint32_t i = 0; i < job->node_count; i++)
        json_add(list, json_make_count(job->nodes[i]));
    return list;
}

/* The times of jobs alone are there only where they have run so, and what a queue adds where there is one. */
static json_t *jobs_json(const struct result *result)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < result->job_count; i++) {
        const struct result_job *job = &result->jobs[i];
        const double slowdown = result_slowdown(job);
        json_t *object = json_make_object();
        json_put_text(object, "name", job->name);
        json_put_count(object, "ranks", job->ranks);
        if (job->nodes)
            json_put(object, "submitted_s", seconds(job->submitted));
        if (job->nodes)
            json_put(object, "waited_s", seconds(job->start - job->submitted));
        json_put(object, "start_s", seconds(job->start));
        if (job->nodes)
            json_put(object, "end_s", seconds(job->start + job->time));
        json_put(object, "time_s", seconds(job->time));
        if (job->ran_alone)
            json_put(object, "alone_s", seconds(job->alone));
        if (slowdown > 0)
            json_put_number(object, "slowdown", slowdown);
        if (job->nodes)
            json_put(object, "nodes", nodes_json(job));
        json_add(list, object);
    }
    return list;
}

static json_t *queue_json(const struct result *result)
{
    const struct result_queue *queue = &result->queue;
    json_t *object = json_make_object();
    json_put_text(object, "order", queue->order);
    json_put_count(object, "nodes", queue->nodes);
    json_put_number(object, "utilisation", result_utilisation(result));
    json_put_number(object, "mean_wait_s",
                    (double)queue->waited / (double)result->job_count / (double)PS_PER_S);
    json_put(object, "longest_wait_s", seconds(queue->longest));
    return object;
}

/* The dimensions that have messages. Idle time is over all ranks. */
static json_t *dimensions_json(const struct result *result)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < result->dimension_count; i++) {
        const struct result_dimension *dimension = &result->dimensions[i];
        if (!dimension->messages)
            continue;
        json_t *object = json_make_object();
        json_put_text(object, "name", dimension->name);
        json_put_count(object, "messages", dimension->messages);
        json_put_count(object, "bytes", dimension->bytes);
        json_put(object, "idle_s", seconds(dimension->idle));
        if (result->dimensions_have_path)
            json_put(object, "critical_path_s", seconds(dimension->path));
        json_add(list, object);
    }
    return list;
}

static json_t *memory_json(const struct result *result)
{
    json_t *object = json_make_object();
    json_put_count(object, "bytes", result->usage.bytes);
    json_put_number(object, "bytes_per_rank", (double)result->usage.bytes / result->ranks);
    json_put_count(object, "peak_messages", result->usage.peak_messages);
    json_put_count(object, "peak_events", result->usage.peak_events);
    return object;
}

/* ------------------------------------------------------------------ network */

static json_t *texts_json(const struct description_texts *texts)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < texts->count; i++)
        json_add_text(list, texts->text[i]);
    return list;
}

/* A rate without a limit is null. */
static void put_rate(json_t *object, const char *name, uint64_t rate_bytes_per_s)
{
    if (rate_bytes_per_s)
        json_put_count(object, name, rate_bytes_per_s);
    else
        json_put_value(object, name, NULL);
}

/* null if the fabric does not say what it is. */
static json_t *network_json(const struct result *result, const struct result *reference)
{
    const struct result_network *network = &result->network;
    struct description_texts differs;
    if (!network->is_described)
        return json_make_text(NULL);
    network_differs(&reference->network, reference->fabric, network, &differs);
    json_t *object = json_make_object();
    put_rate(object, "rate_bytes_per_s", network->rate_bytes_per_s);
    put_rate(object, "message_rate_bytes_per_s", network->message_rate_bytes_per_s);
    json_put(object, "latency_s", seconds(network->latency_ps));
    json_put(object, "includes", texts_json(&network->includes));
    json_put(object, "notes", texts_json(&network->notes));
    json_put(object, "differs", texts_json(&differs));
    json_put(object, "ignores", texts_json(&network->ignores));
    return object;
}

/* How fast the run is, in words; null if one of the times is zero. */
static json_t *compared_json(const struct result *result, const struct result *reference)
{
    if (result->makespan <= 0 || reference->makespan <= 0)
        return json_make_text(NULL);
    const double ratio = (double)reference->makespan / (double)result->makespan;
    return json_make_text(units_speed_of(ratio).text);
}

static json_t *what_if_json(const struct result *result)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < result->what_if_count; i++) {
        const struct result_what_if *answer = &result->what_if[i];
        char name[32];
        json_t *object = json_make_object();
        json_put_text(object, "free", path_message_name(answer->step, name, sizeof name));
        json_put(object, "makespan_s", seconds(answer->makespan));
        json_put(object, "saved_s", seconds(result->makespan - answer->makespan));
        json_add(list, object);
    }
    return list;
}

/* What some workloads measure beside their time. The rates of a run that took no time are null. */
static void put_measures(json_t *object, const struct result *result)
{
    if (result->rate_messages > 0) {
        const bool took_time = result->makespan > 0;
        json_put_number(object, "bandwidth_bytes_per_s", took_time ? result_bandwidth(result) : NAN);
        json_put_number(object, "message_rate_per_s", took_time ? result_message_rate(result) : NAN);
    }
    if (result->is_openloop) {
        json_put_number(object, "mean_latency_s", result_mean_latency_ps(result) / (double)PS_PER_S);
        json_put(object, "largest_latency_s", seconds(result->latency_max));
    }
}

/* `reference` is what the run is compared with. */
static json_t *run_json(const struct result *result, const struct result *reference)
{
    json_t *object = json_make_object();
    json_put_text(object, "fabric", result->fabric);
    json_put(object, "makespan_s", seconds(result->makespan));
    if (result != reference)
        json_put(object, "compared", compared_json(result, reference));
    json_put(object, "ranks", ranks_json(result));
    json_put_number(object, "idle_fraction", result_idle_fraction(result));
    if (result->has_software)
        json_put_number(object, "software_fraction", result_software_fraction(result));
    json_put(object, "idle_by_cause_s", idle_causes_json(result));
    json_put(object, "messages", messages_json(result));
    if (result->collectives.count)
        json_put(object, "collectives", collectives_json(&result->collectives));
    put_measures(object, result);
    json_put(object, "message_sizes", message_sizes_json(result));
    json_put(object, "fabric_stats", statistics_json(result->metrics, result->statistics));
    if (result->has_host)
        json_put(object, "host_stats", statistics_json(&host_metrics, &result->usage.host));
    json_put(object, "memory", memory_json(result));
    json_put(object, "network", network_json(result, reference));
    if (result->jobs)
        json_put(object, "jobs", jobs_json(result));
    if (result->queue.nodes)
        json_put(object, "queue", queue_json(result));
    if (result->dimensions)
        json_put(object, "dimensions", dimensions_json(result));
    if (result->sites)
        json_put(object, "sites", sites_json(result));
    if (result->path_summary)
        json_put(object, "critical_path", path_summary_json(result->path_summary));
    if (result->no_path)
        json_put_text(object, "no_critical_path", result->no_path);
    if (result->slack)
        json_put(object, "slack", slack_json(result));
    if (result->what_if)
        json_put(object, "what_if", what_if_json(result));
    return object;
}

/* ----------------------------------------------------------------- manifest */

static void add_parameter(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    json_put_value(self, param->name, value);
}

static json_t *inputs_json(const struct manifest *manifest)
{
    json_t *inputs = json_make_list();
    for (size_t i = 0; i < manifest->input_count; i++) {
        const struct manifest_input *input = &manifest->inputs[i];
        json_t *object = json_make_object();
        json_put_text(object, "path", input->path);
        json_put_text(object, "xxh3", input->hash);
        if (*input->programs)
            json_put_text(object, "programs_xxh3", input->programs);
        json_add(inputs, object);
    }
    return inputs;
}

static json_t *manifest_json(const struct manifest *manifest)
{
    json_t *parameters = json_make_object();
    config_each(manifest->config, parameters, add_parameter);
    json_t *object = json_make_object();
    json_put_text(object, "version", HELIO_VERSION);
    json_put_count(object, "seed", manifest->seed);
    json_put_value(object, "program", manifest->program);
    json_put(object, "inputs", inputs_json(manifest));
    json_put(object, "parameters", parameters);
    return object;
}

static json_t *names_of(const struct fabric_ops *const *list, size_t count)
{
    json_t *names = json_make_list();
    for (size_t i = 0; i < count; i++)
        json_add_text(names, list[i]->name);
    return names;
}

json_t *result_json(const struct manifest *manifest, const struct result *results, size_t count)
{
    json_t *runs = json_make_list();
    const struct result *reference = network_reference(results, count);
    for (size_t i = 0; i < count; i++)
        json_add(runs, run_json(&results[i], reference));
    json_t *whole = json_make_object();
    json_put_count(whole, "schema", RESULT_SCHEMA);
    json_put(whole, "manifest", manifest_json(manifest));
    json_put(whole, "runs", runs);
    if (manifest->lost)
        json_put_count(whole, "lost_calls", manifest->lost);
    if (manifest->bursts)
        json_put(whole, "bursts", bursts_json(manifest->bursts, manifest->sites));
    if (manifest->insight)
        json_put(whole, "insight", insight_json(manifest->insight));
    if (manifest->not_run_count)
        json_put(whole, "not_run", names_of(manifest->not_run, manifest->not_run_count));
    return whole;
}

enum status result_print_json(const struct manifest *manifest, const struct result *results, size_t count,
                              FILE *out)
{
    json_t *whole = result_json(manifest, results, count);
    enum status status = json_write(whole, RESULT_DIGITS, out);
    int cause = errno;
    json_decref(whole);
    if (status != STATUS_OK)
        diag_error("cannot write the results: %s", strerror(cause));
    return status;
}

char *result_run_text(const struct result *result)
{
    return json_take_line(run_json(result, result), RESULT_DIGITS);
}

char *result_metrics_text(const struct result *result)
{
    json_t *object = json_make_object();
    put_measures(object, result);
    for (size_t i = 0; result->metrics && i < result->metrics->count; i++) {
        const struct metric *metric = &result->metrics->metrics[i];
        if (!metric_is_series(metric))
            json_put(object, metric->name, metric_json(metric, result->statistics));
    }
    return json_take_line(object, RESULT_DIGITS);
}
