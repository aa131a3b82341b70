#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "host/node.h"
#include "sim/result.h"

/* Up to this many ranks are listed one by one; more are described by quantiles. */
enum { RANKS_LISTED = 4096, DIGITS = 15 };

static json_t *seconds(sum_t time)
{
    return json_real((double)time / (double)PS_PER_S);
}

/* JSON integers have 64 bits here; a greater sum is a real number of DIGITS digits. */
static json_t *whole_number(sum_t number)
{
    return number > INT64_MAX ? json_real((double)number) : json_integer((json_int_t)number);
}

static json_t *series_json(const struct metric *metric, const struct metric_series *series)
{
    json_t *list = json_array();
    for (size_t i = 0; i < series->count; i++)
        json_array_append_new(list, metric->type == METRIC_TIMES ? seconds(metric_series_at(series, i))
                                                                 : whole_number(metric_series_at(series, i)));
    return list;
}

static json_t *metric_json(const struct metric *metric, const void *statistics)
{
    const void *field = (const char *)statistics + metric->offset;
    switch (metric->type) {
    case METRIC_COUNT:
    case METRIC_BYTES:
        return whole_number(*(const uint64_t *)field);
    case METRIC_COUNT_SUM:
    case METRIC_BYTES_SUM:
        return whole_number(*(const sum_t *)field);
    case METRIC_TIME:
        return seconds(*(const ps_t *)field);
    case METRIC_TIME_SUM:
        return seconds(*(const sum_t *)field);
    case METRIC_RATIO:
        return json_real(*(const double *)field);
    case METRIC_TIMES:
    case METRIC_COUNTS:
        return series_json(metric, field);
    }
    return json_null();
}

static json_t *statistics_json(const struct metric_table *metrics, const void *statistics)
{
    json_t *object = json_object();
    for (size_t i = 0; metrics && i < metrics->count; i++)
        json_object_set_new(object, metrics->metrics[i].name, metric_json(&metrics->metrics[i], statistics));
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
    json_t *object = json_object();
    json_object_set_new(object, "mean", json_real(sum / result->ranks / (double)PS_PER_S));
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        json_object_set_new(object, quantiles[i].name,
                            seconds(times[stats_lower_rank(result->ranks, quantiles[i].percent)]));
    free(times);
    return object;
}

static json_t *ranks_json(const struct result *result)
{
    if (result->ranks > RANKS_LISTED)
        return json_pack("{s:i, s:o, s:o, s:o, s:o*}", "count", (int)result->ranks, "finish_s",
                         quantiles_json(result, offsetof(struct rank_row, finish)), "compute_s",
                         quantiles_json(result, offsetof(struct rank_row, compute)), "idle_s",
                         quantiles_json(result, offsetof(struct rank_row, idle)), "software_s",
                         result->has_host ? quantiles_json(result, offsetof(struct rank_row, software))
                                          : NULL);
    json_t *list = json_array();
    for (uint32_t i = 0; i < result->ranks; i++) {
        const struct rank_row *row = &result->rows[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o, s:o*}", "finish_s", seconds(row->finish),
                                        "compute_s", seconds(row->compute), "idle_s", seconds(row->idle),
                                        "software_s", result->has_host ? seconds(row->software) : NULL));
    }
    return list;
}

/* Idle time by cause, summed over ranks: p2p, then each collective that caused any. */
static json_t *idle_causes_json(const struct result *result)
{
    json_t *object = json_object();
    sum_t point_to_point = 0;
    for (int op = 0; op < CALL_BARRIER; op++)
        point_to_point += result->idle_by_cause[op];
    if (point_to_point)
        json_object_set_new(object, "p2p", seconds(point_to_point));
    for (int op = CALL_BARRIER; op < CALL_OPS; op++)
        if (result->idle_by_cause[op])
            json_object_set_new(object, call_op_name((enum call_op)op), seconds(result->idle_by_cause[op]));
    return object;
}

/* The size classes that have messages, by their smallest size. */
static json_t *message_sizes_json(const struct result *result)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < RESULT_SIZE_CLASSES; i++)
        if (result->sizes[i].count)
            json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "from_bytes",
                                                  whole_number(result_size_from(i)), "count",
                                                  whole_number(result->sizes[i].count), "bytes",
                                                  whole_number(result->sizes[i].bytes)));
    return list;
}

static json_t *run_json(const struct result *result)
{
    json_t *object = json_object();
    json_object_set_new(object, "fabric", json_string(result->fabric));
    json_object_set_new(object, "makespan_s", seconds(result->makespan));
    json_object_set_new(object, "ranks", ranks_json(result));
    json_object_set_new(object, "idle_fraction", json_real(result_idle_fraction(result)));
    if (result->has_host)
        json_object_set_new(object, "software_fraction", json_real(result_software_fraction(result)));
    json_object_set_new(object, "idle_by_cause_s", idle_causes_json(result));
    json_object_set_new(object, "messages",
                        json_pack("{s:o, s:o, s:f}", "count", whole_number(result->messages), "bytes",
                                  whole_number(result->bytes), "mean_bytes", result_mean_bytes(result)));
    json_object_set_new(object, "message_sizes", message_sizes_json(result));
    json_object_set_new(object, "fabric_stats", statistics_json(result->metrics, result->statistics));
    if (result->has_host)
        json_object_set_new(object, "host_stats", statistics_json(&host_metrics, &result->usage.host));
    json_object_set_new(object, "memory",
                        json_pack("{s:I, s:f, s:I, s:I}", "bytes", (json_int_t)result->usage.bytes,
                                  "bytes_per_rank", (double)result->usage.bytes / result->ranks,
                                  "peak_messages", (json_int_t)result->usage.peak_messages, "peak_events",
                                  (json_int_t)result->usage.peak_events));
    return object;
}

/* ----------------------------------------------------------------- manifest */

static void add_parameter(void *self, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    json_object_set_new(self, param->name, value ? json_string(value) : json_null());
}

static json_t *manifest_json(const struct manifest *manifest)
{
    json_t *inputs = json_array();
    if (manifest->input)
        json_array_append_new(inputs, json_pack("{s:s, s:s}", "path", manifest->input, "xxh3",
                                                manifest->input_hash ? manifest->input_hash : ""));
    json_t *parameters = json_object();
    config_each(manifest->config, parameters, add_parameter);
    return json_pack("{s:s, s:I, s:s, s:o, s:o}", "version", HELIO_VERSION, "seed",
                     (json_int_t)manifest->seed, "program", manifest->program, "inputs", inputs, "parameters",
                     parameters);
}

enum status result_print_json(const struct manifest *manifest, const struct result *results, size_t count,
                              FILE *out)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(runs, run_json(&results[i]));
    json_t *whole = json_pack("{s:i, s:o, s:o}", "schema", RESULT_SCHEMA, "manifest", manifest_json(manifest),
                              "runs", runs);
    int failed = !whole || json_dumpf(whole, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
    failed |= fputc('\n', out) == EOF || fflush(out);
    json_decref(whole);
    if (failed) {
        diag_error("cannot write the results: %s", strerror(errno));
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* Takes ownership of the object. The caller frees the text. */
static char *one_line(json_t *object)
{
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(DIGITS);
    size_t length = json_dumpb(object, NULL, 0, flags);
    char *text = mem_alloc(length + 1, 1, "JSON");
    json_dumpb(object, text, length, flags);
    json_decref(object);
    return text;
}

char *result_run_text(const struct result *result)
{
    return one_line(run_json(result));
}

char *result_metrics_text(const struct result *result)
{
    json_t *object = json_object();
    for (size_t i = 0; result->metrics && i < result->metrics->count; i++) {
        const struct metric *metric = &result->metrics->metrics[i];
        if (!metric_is_series(metric))
            json_object_set_new(object, metric->name, metric_json(metric, result->statistics));
    }
    return one_line(object);
}
