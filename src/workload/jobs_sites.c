#include "workload/jobs.h"

/* The call sites of each job, with the name of the job in front: "solver: halo.c:112", its bursts and its
 * lost calls. */

/* The number of a call site of the job among those of all jobs. */
static uint32_t number_of(const struct job *job, uint32_t site)
{
    return site ? job->first_site + site : 0;
}

/* Calls of jobs are copies, with the ranks of the machine. So the number is found when a call is made. */
void jobs_note_site(struct jobs *jobs, uint32_t rank, const struct call *call)
{
    const struct job *job = &jobs->jobs[jobs->job_of[rank]];
    const struct program_sites *sites = job->program->sites;
    if (jobs->site_of)
        jobs->site_of[rank] =
            call && sites && sites->of ? number_of(job, sites->of(sites, jobs->rank_of[rank], call)) : 0;
}

static const struct jobs *jobs_of(const struct program_sites *sites)
{
    return (const void *)((const char *)sites - offsetof(struct jobs, sites));
}

static uint32_t of_call(const struct program_sites *sites, uint32_t rank, const struct call *call)
{
    (void)call; /* it is the last one */
    return jobs_of(sites)->site_of[rank];
}

static uint32_t of_operation(const struct program_sites *sites, uint32_t rank, uint32_t operation)
{
    const struct jobs *jobs = jobs_of(sites);
    if (jobs->job_of[rank] == JOBS_NONE)
        return 0;
    const struct job *job = &jobs->jobs[jobs->job_of[rank]];
    const struct program *of_job = job->program;
    if (!of_job->sites || !of_job->graph || operation >= of_job->graph->ranks[jobs->rank_of[rank]].count)
        return 0;
    return number_of(job, of_job->sites->of_operation(of_job->sites, jobs->rank_of[rank], operation));
}

void jobs_make_sites(struct jobs *jobs)
{
    uint32_t count = 0;
    for (size_t i = 0; i < jobs->about.count; i++) {
        const struct program_sites *sites = jobs->jobs[i].program->sites;
        jobs->jobs[i].first_site = count;
        count += sites ? sites->count - 1 : 0;
    }
    if (!count)
        return;
    jobs->site_names = mem_alloc((size_t)count + 1, sizeof *jobs->site_names, "call sites of jobs");
    jobs->site_of = mem_alloc(jobs->program.ranks, sizeof *jobs->site_of, "call sites of jobs");
    for (size_t i = 0; i < jobs->about.count; i++) {
        const struct program_sites *sites = jobs->jobs[i].program->sites;
        for (uint32_t site = 1; sites && site < sites->count; site++)
            jobs->site_names[number_of(&jobs->jobs[i], site)] =
                mem_format("%s: %s", jobs->about.list[i].name, sites->names[site]);
    }
    jobs->sites = (struct program_sites){.names = (const char *const *)jobs->site_names,
                                         .count = count + 1,
                                         .of = of_call,
                                         .of_operation = of_operation};
    jobs->program.sites = &jobs->sites;
}

/* ------------------------------------------------------------------- bursts */

static const struct job *job_of(const struct program_bursts *bursts, uint32_t rank, uint32_t *rank_of)
{
    const struct jobs *jobs = (const void *)((const char *)bursts - offsetof(struct jobs, bursts));
    const uint32_t number = jobs->job_of[rank];
    *rank_of = jobs->rank_of[rank];
    return number == JOBS_NONE || !jobs->jobs[number].program->bursts ? NULL : &jobs->jobs[number];
}

static void translate(const struct job *job, struct call_burst *burst)
{
    burst->after = number_of(job, burst->after);
    burst->before = number_of(job, burst->before);
}

static bool last_burst(const struct program_bursts *bursts, uint32_t rank, struct call_burst *burst)
{
    uint32_t rank_of;
    const struct job *job = job_of(bursts, rank, &rank_of);
    if (!job || !job->program->bursts->last(job->program->bursts, rank_of, burst))
        return false;
    translate(job, burst);
    return true;
}

struct burst_passing {
    const struct job *job;
    bursts_take *take;
    void *self;
};

static void pass(void *self, const struct call_burst *burst)
{
    const struct burst_passing *passing = self;
    struct call_burst translated = *burst;
    translate(passing->job, &translated);
    passing->take(passing->self, &translated);
}

static void each_burst(const struct program_bursts *bursts, uint32_t rank, bursts_take *take, void *self)
{
    uint32_t rank_of;
    struct burst_passing passing = {.job = job_of(bursts, rank, &rank_of), .take = take, .self = self};
    if (passing.job)
        passing.job->program->bursts->each(passing.job->program->bursts, rank_of, pass, &passing);
}

void jobs_make_bursts(struct jobs *jobs)
{
    jobs->bursts = (struct program_bursts){.last = last_burst, .each = each_burst};
    for (size_t i = 0; i < jobs->about.count; i++)
        if (jobs->jobs[i].program->bursts)
            jobs->program.bursts = &jobs->bursts;
}

/* --------------------------------------------------------------- lost calls */

static const char *lost_name(const struct program_lost *lost, uint32_t rank, const struct call *call,
                             size_t *length)
{
    const struct jobs *jobs = (const void *)((const char *)lost - offsetof(struct jobs, lost));
    const uint32_t number = jobs->job_of[rank];
    const struct program_lost *of_job = number == JOBS_NONE ? NULL : jobs->jobs[number].program->lost;
    (void)call; /* a copy of the last one */
    return of_job ? of_job->name(of_job, jobs->rank_of[rank], jobs->last, length) : NULL;
}

void jobs_make_lost(struct jobs *jobs)
{
    jobs->lost.name = lost_name;
    for (size_t i = 0; i < jobs->about.count; i++)
        if (jobs->jobs[i].program->lost) {
            jobs->lost.calls += jobs->jobs[i].program->lost->calls;
            jobs->program.lost = &jobs->lost;
        }
}

void jobs_free_sites(struct jobs *jobs)
{
    for (uint32_t site = 1; site < jobs->sites.count; site++)
        free(jobs->site_names[site]);
    free(jobs->site_names);
    free(jobs->site_of);
}
