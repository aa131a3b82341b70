#include "sim/result.h"

#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "fabric/message.h"
#include "sim/collectives.h"
#include "sim/slack.h"

static uint32_t class_of(uint64_t bytes)
{
    return bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
}

uint64_t result_size_from(uint32_t size_class)
{
    return size_class ? UINT64_C(1) << (size_class - 1) : 0;
}

static void count_message(struct result *result, uint64_t bytes)
{
    struct size_class *sizes = &result->sizes[class_of(bytes)];
    sizes->count++;
    sizes->bytes += bytes;
    result->messages++;
    result->bytes += bytes;
}

static void count_latency(struct result *result, const struct message *message)
{
    ps_t latency = message_received(message) - message->send_posted;
    result->latency_sum += latency;
    result->latency_max = ps_max(result->latency_max, latency);
}

/* A rank of several cores computes while one of them does. Until it ends, `finish` is how long it has
 * computed.
 */
static void count_computed(struct rank_row *row, ps_t since, ps_t at)
{
    since = ps_max(since, row->finish);
    if (at <= since)
        return;
    row->compute += at - since;
    row->finish = at;
}

static void collect(void *self, const struct tap_record *record)
{
    struct result *result = self;
    switch (record->kind) {
    case TAP_FINISHED:
        count_message(result, record->message->bytes);
        result->in_nodes += record->message->source_node == record->message->destination_node;
        if (result->is_openloop)
            count_latency(result, record->message);
        break;
    case TAP_IDLE:
        result->rows[record->rank].idle += record->at - record->since;
        result->idle_by_cause[record->cause] += record->at - record->since;
        break;
    case TAP_COMPUTED:
        result->has_operations |= record->call == CALL_COMPUTE;
        result->has_times |= record->call == CALL_SLEEP;
        count_computed(&result->rows[record->rank], record->since, record->at);
        break;
    case TAP_SOFTWARE:
        result->rows[record->rank].software = record->at;
        break;
    case TAP_BEGAN:
        result->before_ranks += record->at;
        break;
    case TAP_ENDED:
        result->rows[record->rank].finish = record->at;
        result->makespan = ps_max(result->makespan, record->at);
        break;
    default:
        break;
    }
}

void result_collect(struct result *result, uint32_t ranks, struct tap *tap)
{
    result->ranks = ranks;
    result->rows = lines_alloc(ranks, sizeof *result->rows, "results per rank");
    memset(result->rows, 0, ranks * sizeof *result->rows);
    uint32_t wanted = TAP_BIT(TAP_FINISHED) | TAP_BIT(TAP_IDLE) | TAP_BIT(TAP_COMPUTED) | TAP_BIT(TAP_ENDED) |
                      TAP_BIT(TAP_SOFTWARE) | TAP_BIT(TAP_BEGAN);
    tap_handle(tap, wanted, collect, result);
}

static int64_t *copy_of(const int64_t *values, size_t count)
{
    int64_t *copy = mem_alloc(count, sizeof *copy, "statistics");
    if (count)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

/* The statistics point to series that belong to the fabric, so these are copied too. */
void result_keep_statistics(struct result *result, const struct metric_table *metrics, const void *statistics)
{
    if (!metrics)
        return;
    result->metrics = metrics;
    result->statistics = mem_alloc(1, metrics->size, "statistics");
    memcpy(result->statistics, statistics, metrics->size);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->metrics[i];
        if (!metric_is_series(metric))
            continue;
        struct metric_series *series = (struct metric_series *)((char *)result->statistics + metric->offset);
        series->values = copy_of(series->values, series->count);
        if (series->high)
            series->high = copy_of(series->high, series->count);
    }
}

void result_free(struct result *result)
{
    for (size_t i = 0; result->metrics && i < result->metrics->count; i++) {
        const struct metric *metric = &result->metrics->metrics[i];
        if (!metric_is_series(metric))
            continue;
        struct metric_series *series = (struct metric_series *)((char *)result->statistics + metric->offset);
        free((void *)series->values);
        free((void *)series->high);
    }
    collectives_free(&result->collectives);
    free(result->statistics);
    free(result->rows);
    if (result->path)
        critical_path_free(result->path);
    free(result->path);
    free(result->path_summary);
    slack_summary_free(result->slack);
    free(result->what_if);
    for (size_t i = 0; i < result->job_count; i++)
        free(result->jobs[i].name), free(result->jobs[i].nodes);
    free(result->jobs);
    free(result->dimensions);
    for (uint32_t site = 0; site < result->site_count; site++)
        free(result->sites[site].name);
    free(result->sites);
    *result = (struct result){0};
}

/* The sum of one column of the rows over the sum of the ranks' times, from their beginning to their end. */
static double share_of_time(const struct result *result, size_t column_offset)
{
    double sum = 0, finish = 0;
    for (uint32_t i = 0; i < result->ranks; i++) {
        sum += (double)*(const ps_t *)((const char *)&result->rows[i] + column_offset);
        finish += (double)result->rows[i].finish;
    }
    finish -= (double)result->before_ranks;
    return finish > 0 ? sum / finish : 0;
}

double result_idle_fraction(const struct result *result)
{
    return share_of_time(result, offsetof(struct rank_row, idle));
}

double result_software_fraction(const struct result *result)
{
    return share_of_time(result, offsetof(struct rank_row, software));
}

double result_mean_latency_ps(const struct result *result)
{
    return result->messages ? (double)result->latency_sum / (double)result->messages : 0;
}

static double per_second(const struct result *result, double quantity)
{
    return result->makespan > 0 ? quantity / ((double)result->makespan / (double)PS_PER_S) : 0;
}

double result_message_rate(const struct result *result)
{
    return per_second(result, result->rate_messages);
}

double result_bandwidth(const struct result *result)
{
    return per_second(result, result->rate_bytes);
}

double result_slowdown(const struct result_job *job)
{
    return job->ran_alone && job->alone > 0 ? (double)job->time / (double)job->alone : 0;
}

double result_utilisation(const struct result *result)
{
    const double all = (double)result->queue.nodes * (double)result->makespan;
    return all > 0 ? (double)result->queue.used / all : 0;
}

double result_mean_idle_ps(const struct result *result, const struct result_dimension *dimension)
{
    return result->ranks ? (double)dimension->idle / (double)result->ranks : 0;
}

double result_mean_bytes(const struct result *result)
{
    return result->messages ? (double)result->bytes / (double)result->messages : 0;
}
