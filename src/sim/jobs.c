#include "sim/jobs.h"

#include "base/diag.h"
#include "base/mem.h"
#include "call/jobs.h"

enum status jobs_refuse_queue(const struct program *program, const char *command)
{
    if (!program->jobs || !program->jobs->queue)
        return STATUS_OK;
    diag_error(
        "%s: with a queue jobs start when nodes are free, which only a run finds out; leave out queue=%s",
        command, program->jobs->queue->backfills ? "easy" : "fcfs");
    return STATUS_BAD_INPUT;
}

/* When the ranks of the job began. */
static ps_t start_of(const struct program_jobs *jobs, uint32_t job)
{
    return jobs->queue ? jobs->list[job].started : jobs->list[job].start;
}

/* From the start of the job to the end of its last rank. */
static ps_t time_of(const struct result *result, const struct program_jobs *jobs, uint32_t job)
{
    ps_t end = start_of(jobs, job);
    for (uint32_t rank = 0; rank < result->ranks; rank++)
        if (jobs->job_of[rank] == job && result->rows[rank].finish > end)
            end = result->rows[rank].finish;
    return end - start_of(jobs, job);
}

static enum status run_alone(struct experiment *experiment, size_t fabric,
                             const struct experiment_watch *watch, uint32_t job, ps_t *time)
{
    struct program_jobs *jobs = experiment->program->jobs;
    const struct experiment_watch quiet = {.progress = watch->progress, .self = watch->self};
    const enum experiment_path path = experiment->path;
    struct result result;
    experiment->path = EXPERIMENT_PATH_NONE;
    jobs->only = (int)job;
    enum status status = experiment_run(experiment, fabric, &quiet, &result);
    jobs->only = PROGRAM_JOBS_ALL;
    experiment->path = path;
    if (status == STATUS_OK)
        *time = time_of(&result, jobs, job);
    result_free(&result);
    return status;
}

/* The nodes that the job got, each once. `first`: its first rank. */
static void keep_nodes(const struct program_queue *queue, uint32_t first, struct result_job *job)
{
    job->nodes = mem_alloc(job->ranks, sizeof *job->nodes, "jobs of a result");
    for (uint32_t rank = first; rank < first + job->ranks; rank++)
        if (!job->node_count || job->nodes[job->node_count - 1] != queue->node_of[rank])
            job->nodes[job->node_count++] = queue->node_of[rank];
}

static void keep_queue(const struct experiment *experiment, struct result *result)
{
    const struct program_jobs *jobs = experiment->program->jobs;
    result->queue = (struct result_queue){.order = jobs->queue->backfills ? "easy" : "fcfs",
                                          .nodes = experiment->program->nodes};
    for (uint32_t i = 0, first = 0; i < jobs->count; first += jobs->list[i++].ranks) {
        struct result_job *job = &result->jobs[i];
        const ps_t waited = job->start - jobs->list[i].start;
        job->submitted = jobs->list[i].start;
        keep_nodes(jobs->queue, first, job);
        result->queue.used += (sum_t)job->node_count * (sum_t)job->time;
        result->queue.waited += (sum_t)waited;
        result->queue.longest = ps_max(result->queue.longest, waited);
    }
}

enum status jobs_measure(struct experiment *experiment, size_t fabric, const struct experiment_watch *watch,
                         struct result *result)
{
    const struct program_jobs *jobs = experiment->program->jobs;
    enum status status = STATUS_OK;
    result->jobs = mem_alloc(jobs->count, sizeof *result->jobs, "jobs of a result");
    result->job_count = jobs->count;
    for (uint32_t i = 0; i < jobs->count; i++)
        result->jobs[i] = (struct result_job){.name = mem_text(jobs->list[i].name),
                                              .ranks = jobs->list[i].ranks,
                                              .start = start_of(jobs, i),
                                              .time = time_of(result, jobs, i)};
    if (jobs->queue)
        keep_queue(experiment, result);
    for (uint32_t i = 0; status == STATUS_OK && jobs->alone && i < jobs->count; i++) {
        result->jobs[i].ran_alone = true;
        status = run_alone(experiment, fabric, watch, i, &result->jobs[i].alone);
    }
    return status;
}
