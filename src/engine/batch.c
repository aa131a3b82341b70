#include "engine/batch.h"

#include <string.h>

#include "base/mem.h"

/* ------------------------------------------------------------------- nodes */

static void give(struct batch *batch, uint32_t job, uint32_t node, uint32_t *count)
{
    batch->job_at[node] = job;
    batch->given[(*count)++] = node;
}

/* The free nodes with the lowest numbers, from `first` to before `end`. */
static void give_first(struct batch *batch, uint32_t job, uint32_t first, uint32_t end, uint32_t *count)
{
    for (uint32_t node = first; node < end && *count < batch->jobs[job].nodes; node++)
        if (batch->job_at[node] == BATCH_NONE)
            give(batch, job, node, count);
}

/* Each free node is as likely as any other, in each place. */
static void give_random(struct batch *batch, uint32_t job)
{
    uint32_t *list = batch->given, count = 0;
    for (uint32_t node = 0; node < batch->nodes; node++)
        if (batch->job_at[node] == BATCH_NONE)
            list[count++] = node;
    for (uint32_t i = 0; i < batch->jobs[job].nodes; i++) {
        const uint32_t other = i + (uint32_t)rng_below(&batch->rng, count - i), node = list[other];
        list[other] = list[i];
        list[i] = node;
        batch->job_at[node] = job;
    }
}

static uint32_t end_of_group(const struct batch *batch, uint32_t first)
{
    return batch->nodes - first > batch->queue->group ? first + batch->queue->group : batch->nodes;
}

static uint32_t free_between(const struct batch *batch, uint32_t first, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t node = first; node < end; node++)
        count += batch->job_at[node] == BATCH_NONE;
    return count;
}

/* The first node of the group that has room for `wanted` and fewest free nodes; if none has, of the group
 * with most free nodes. The first of equals. */
static uint32_t best_group(const struct batch *batch, uint32_t wanted)
{
    uint32_t best = 0, best_free = 0;
    for (uint32_t first = 0, end; first < batch->nodes; first = end) {
        end = end_of_group(batch, first);
        const uint32_t here = free_between(batch, first, end);
        const bool is_better = best_free >= wanted ? here >= wanted && here < best_free : here > best_free;
        if (is_better) {
            best = first;
            best_free = here;
        }
    }
    return best;
}

/* The emptiest groups first, so that the job is in as few groups as possible; its rest leaves the least room
 * in the last one. */
static void give_groups(struct batch *batch, uint32_t job)
{
    for (uint32_t count = 0; count < batch->jobs[job].nodes;) {
        const uint32_t first = best_group(batch, batch->jobs[job].nodes - count);
        give_first(batch, job, first, end_of_group(batch, first), &count);
    }
}

static void give_nodes(struct batch *batch, uint32_t job)
{
    uint32_t count = 0;
    if (batch->queue->choice == QUEUE_RANDOM)
        give_random(batch, job);
    else if (batch->queue->choice == QUEUE_GROUPS)
        give_groups(batch, job);
    else
        give_first(batch, job, 0, batch->nodes, &count);
    batch->free -= batch->jobs[job].nodes;
}

/* -------------------------------------------------------------------- order */

/* When a job that runs is expected to end. One that takes longer than its estimate may end at any time. */
static ps_t expected_end(const struct batch *batch, uint32_t job, ps_t now)
{
    return ps_max(ps_add(batch->started[job], batch->jobs[job].estimate), now);
}

/* The nodes that are expected to be free at `at`, if no other job starts. */
static uint32_t expected_free(const struct batch *batch, ps_t at, ps_t now)
{
    uint32_t count = batch->free;
    for (size_t i = 0; i < batch->running_count; i++)
        if (expected_end(batch, batch->running[i], now) <= at)
            count += batch->jobs[batch->running[i]].nodes;
    return count;
}

/* When so many nodes are expected to be free, which they are not now. */
static ps_t expected_start(const struct batch *batch, uint32_t nodes, ps_t now)
{
    ps_t start = PS_NEVER;
    for (size_t i = 0; i < batch->running_count; i++) {
        const ps_t end = expected_end(batch, batch->running[i], now);
        if (end < start && expected_free(batch, end, now) >= nodes)
            start = end;
    }
    return start;
}

/* The place in the queue of the first job that fits behind the first one, and does not delay that. It ends
 * before the first one is expected to start, or leaves it enough nodes. waiting_count: there is none. */
static size_t find_backfill(const struct batch *batch, ps_t now)
{
    const uint32_t first = batch->jobs[batch->waiting[0]].nodes;
    const ps_t start = expected_start(batch, first, now);
    const uint32_t spare = expected_free(batch, start, now) - first;
    size_t place = 1;
    for (; place < batch->waiting_count; place++) {
        const struct batch_job *job = &batch->jobs[batch->waiting[place]];
        if (job->nodes <= batch->free && (ps_add(now, job->estimate) <= start || job->nodes <= spare))
            break;
    }
    return place;
}

uint32_t batch_start(struct batch *batch, ps_t now)
{
    size_t place = 0;
    if (batch->waiting_count && batch->jobs[batch->waiting[0]].nodes > batch->free)
        place = batch->queue->backfills ? find_backfill(batch, now) : batch->waiting_count;
    if (place >= batch->waiting_count)
        return BATCH_NONE;
    const uint32_t job = batch->waiting[place];
    batch->waiting_count--;
    memmove(&batch->waiting[place], &batch->waiting[place + 1],
            (batch->waiting_count - place) * sizeof *batch->waiting);
    batch->running[batch->running_count++] = job;
    batch->started[job] = now;
    give_nodes(batch, job);
    return job;
}

void batch_submit(struct batch *batch, uint32_t job)
{
    batch->waiting[batch->waiting_count++] = job;
}

void batch_end(struct batch *batch, uint32_t job)
{
    size_t place = 0;
    while (batch->running[place] != job)
        place++;
    batch->running[place] = batch->running[--batch->running_count];
    for (uint32_t node = 0; node < batch->nodes; node++)
        if (batch->job_at[node] == job)
            batch->job_at[node] = BATCH_NONE;
    batch->free += batch->jobs[job].nodes;
}

void batch_open(struct batch *batch, const struct program_queue *queue, uint32_t nodes,
                const struct batch_job *jobs, size_t count)
{
    *batch = (struct batch){.queue = queue,
                            .jobs = jobs,
                            .nodes = nodes,
                            .free = nodes,
                            .job_at = mem_alloc(nodes, sizeof *batch->job_at, "a queue of jobs"),
                            .given = mem_alloc(nodes, sizeof *batch->given, "a queue of jobs"),
                            .waiting = mem_alloc(count, sizeof *batch->waiting, "a queue of jobs"),
                            .running = mem_alloc(count, sizeof *batch->running, "a queue of jobs"),
                            .started = mem_alloc(count, sizeof *batch->started, "a queue of jobs"),
                            .rng = rng_init(queue->seed, "queue")};
    for (uint32_t node = 0; node < nodes; node++)
        batch->job_at[node] = BATCH_NONE;
}

void batch_close(struct batch *batch)
{
    free(batch->job_at);
    free(batch->given);
    free(batch->waiting);
    free(batch->running);
    free(batch->started);
}
