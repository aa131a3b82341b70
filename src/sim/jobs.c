#include "sim/jobs.h"

#include "base/mem.h"
#include "call/jobs.h"

/* From the start of the job to the end of its last rank. */
static ps_t time_of(const struct result *result, const struct program_jobs *jobs, uint32_t job)
{
    ps_t end = jobs->list[job].start;
    for (uint32_t rank = 0; rank < result->ranks; rank++)
        if (jobs->job_of[rank] == job && result->rows[rank].finish > end)
            end = result->rows[rank].finish;
    return end - jobs->list[job].start;
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
                                              .start = jobs->list[i].start,
                                              .time = time_of(result, jobs, i)};
    for (uint32_t i = 0; status == STATUS_OK && jobs->alone && i < jobs->count; i++) {
        result->jobs[i].ran_alone = true;
        status = run_alone(experiment, fabric, watch, i, &result->jobs[i].alone);
    }
    return status;
}
