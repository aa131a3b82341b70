#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "workload/jobs.h"

/* -------------------------------------------------------------------- calls */

static uint32_t world_of(const struct job *job, int32_t rank)
{
    return rank < 0 ? (uint32_t)rank : job->world[rank];
}

/* Ranks, channels and communicators of a job become those of the machine. */
void jobs_translate(const struct job *job, struct call *call)
{
    if (call->op == CALL_SEND || call->op == CALL_RECV || call->op == CALL_SENDRECV) {
        call->peer = (int32_t)world_of(job, call->peer);
        if (call->op == CALL_SENDRECV)
            call->source = (int32_t)world_of(job, call->source);
        if (call->channel < CHANNEL_MAILBOX)
            call->channel += job->first_channel;
        if (call->source_channel < CHANNEL_MAILBOX)
            call->source_channel += job->first_channel;
        call->context += job->first_group;
    }
    if (!call_is_collective(call))
        return;
    call->context += job->first_group;
    call->group += job->first_group;
    if (call->send_counts)
        call->send_counts += job->first_count;
    if (call->recv_counts)
        call->recv_counts += job->first_count;
}

/* A rank of a job that starts later sleeps first; traces begin with MPI_Init. With a queue it begins later.
 */
static bool sleeps(struct jobs *jobs, uint32_t rank)
{
    const uint32_t job = jobs->job_of[rank], at = jobs->jobs[job].begins_with_init ? 1 : 0;
    if (jobs->about.queue || jobs->calls_made[rank] > at)
        return false;
    return jobs->calls_made[rank]++ == at && jobs->about.list[job].start > 0;
}

static const struct call *next_call(struct program *program, uint32_t rank, struct call *scratch)
{
    struct jobs *jobs = (struct jobs *)program;
    const uint32_t number = jobs->job_of[rank];
    const struct job *job = &jobs->jobs[number];
    if (number == JOBS_NONE || job->program->graph ||
        (jobs->about.only != PROGRAM_JOBS_ALL && jobs->about.only != (int)number))
        return NULL;
    if (sleeps(jobs, rank)) {
        jobs_note_site(jobs, rank, NULL);
        *scratch = (struct call){.op = CALL_SLEEP,
                                 .flags = CALL_START,
                                 .amount = (double)jobs->about.list[number].start / (double)PS_PER_S};
        return scratch;
    }
    const struct call *call = program_next(job->program, jobs->rank_of[rank], scratch);
    if (!call) {
        if (program->status == STATUS_OK)
            program->status = job->program->status;
        return NULL;
    }
    jobs_note_site(jobs, rank, call);
    jobs->last = call;
    if (call != scratch)
        *scratch = *call;
    jobs_translate(job, scratch);
    return scratch;
}

static uint32_t slots(const struct program *program, uint32_t rank)
{
    const struct jobs *jobs = (const struct jobs *)program;
    if (jobs->job_of[rank] == JOBS_NONE)
        return SLOT_FIRST;
    const struct program *of_job = jobs->jobs[jobs->job_of[rank]].program;
    return of_job->ops->slots(of_job, jobs->rank_of[rank]);
}

static struct call_place place(const struct program *program, uint32_t rank)
{
    const struct jobs *jobs = (const struct jobs *)program;
    if (jobs->job_of[rank] == JOBS_NONE)
        return (struct call_place){.file = program->file};
    const struct program *of_job = jobs->jobs[jobs->job_of[rank]].program;
    return of_job->ops->place(of_job, jobs->rank_of[rank]);
}

static void rewind_program(struct program *program)
{
    struct jobs *jobs = (struct jobs *)program;
    for (size_t i = 0; i < jobs->about.count; i++)
        jobs->jobs[i].program->ops->rewind(jobs->jobs[i].program);
    memset(jobs->calls_made, 0, program->ranks * sizeof *jobs->calls_made);
    jobs_choose_graph(jobs);
}

void jobs_free(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->about.count; i++) {
        jobs->jobs[i].program->ops->close(jobs->jobs[i].program);
        free(jobs->jobs[i].world);
    }
    free(jobs->jobs);
    free(jobs->about.list);
    free(jobs->job_of);
    free(jobs->rank_of);
    free(jobs->calls_made);
    free(jobs->groups);
    free(jobs->members);
    free(jobs->counts);
    free(jobs->taken);
    free(jobs->alone_ranks);
    jobs_free_sites(jobs);
    graph_builder_free(&jobs->builder);
    arena_free(&jobs->texts);
    free(jobs);
}

static void close_program(struct program *program)
{
    jobs_free((struct jobs *)program);
}

static const struct program_ops ops = {
    .next = next_call, .slots = slots, .place = place, .rewind = rewind_program, .close = close_program};

/* ------------------------------------------------------------------- making */

static size_t members_of_groups(const struct program *program)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < program->group_count; i++)
        sum += program->groups[i].size;
    return sum;
}

/* Group 0 has all ranks of the machine; the groups of the jobs follow, with the ranks of the machine. */
static void make_groups(struct jobs *jobs)
{
    size_t members = 0, used = 0;
    uint32_t groups = 1;
    for (size_t i = 0; i < jobs->about.count; i++) {
        jobs->jobs[i].first_group = groups;
        groups += jobs->jobs[i].program->group_count;
        members += members_of_groups(jobs->jobs[i].program);
    }
    jobs->groups = mem_alloc(groups, sizeof *jobs->groups, "groups of jobs");
    jobs->members = mem_alloc(members, sizeof *jobs->members, "groups of jobs");
    jobs->groups[0].size = jobs->program.ranks;
    for (size_t i = 0; i < jobs->about.count; i++) {
        const struct job *job = &jobs->jobs[i];
        for (uint32_t g = 0; g < job->program->group_count; g++) {
            const struct group *group = &job->program->groups[g];
            jobs->groups[job->first_group + g] =
                (struct group){.size = group->size, .world = &jobs->members[used]};
            for (uint32_t k = 0; k < group->size; k++)
                jobs->members[used++] = job->world[group_world(group, k)];
        }
    }
    jobs->program.groups = jobs->groups;
    jobs->program.group_count = groups;
}

/* Behind the last of the counts that calls of the job use. Programs do not say how many they have. */
static uint64_t end_of_counts(const struct program *program, const struct call *call)
{
    const uint64_t last = call->send_counts > call->recv_counts ? call->send_counts : call->recv_counts;
    return last && call_is_collective(call) ? last + program->groups[call->group].size : 1;
}

/* Reads the job's calls. */
static enum status look_at(struct job *job, uint64_t *counts_end)
{
    struct program *program = job->program;
    struct call scratch;
    const struct call *call;
    *counts_end = 1;
    program->ops->rewind(program);
    call = program_next(program, 0, &scratch);
    job->begins_with_init = call && call->op == CALL_INIT;
    for (uint32_t rank = 0; program->counts && rank < program->ranks; rank++) {
        while ((call = program_next(program, rank, &scratch))) {
            const uint64_t end = end_of_counts(program, call);
            *counts_end = end > *counts_end ? end : *counts_end;
        }
    }
    program->ops->rewind(program);
    return program->status;
}

static enum status make_counts(struct jobs *jobs)
{
    uint64_t total = 1, end[JOBS_MOST];
    for (size_t i = 0; i < jobs->about.count; i++) {
        enum status status = look_at(&jobs->jobs[i], &end[i]);
        if (status != STATUS_OK)
            return status;
        jobs->jobs[i].first_count = total - 1;
        total += end[i] - 1;
    }
    jobs->counts = mem_alloc((size_t)total, sizeof *jobs->counts, "counts of jobs");
    for (size_t i = 0; i < jobs->about.count; i++)
        if (end[i] > 1)
            memcpy(jobs->counts + jobs->jobs[i].first_count + 1, jobs->jobs[i].program->counts + 1,
                   (size_t)(end[i] - 1) * sizeof *jobs->counts);
    jobs->program.counts = jobs->counts;
    return STATUS_OK;
}

static enum status make_channels(struct jobs *jobs)
{
    uint64_t channels = 0;
    for (size_t i = 0; i < jobs->about.count; i++) {
        jobs->jobs[i].first_channel = (uint32_t)channels;
        channels += jobs->jobs[i].program->channels;
    }
    jobs->program.channels = (uint32_t)channels;
    if (channels < CHANNEL_MAILBOX)
        return STATUS_OK;
    diag_error("the jobs have too many pairs of sends and receives together");
    return STATUS_BAD_INPUT;
}

enum status jobs_make_program(struct jobs *jobs)
{
    uint64_t calls = 0;
    bool known = true;
    jobs->program.ops = &ops;
    jobs->program.jobs = &jobs->about;
    jobs->about.job_of = jobs->job_of;
    for (size_t i = 0; i < jobs->about.count; i++) {
        const struct program *of_job = jobs->jobs[i].program;
        known &= of_job->total_calls != 0;
        calls += of_job->total_calls + (jobs->about.list[i].start && !jobs->about.queue ? of_job->ranks : 0);
        jobs->program.bytes_mapped += of_job->bytes_mapped;
    }
    jobs->program.total_calls = known ? calls : 0;
    jobs->calls_made = mem_alloc(jobs->program.ranks, sizeof *jobs->calls_made, "jobs");
    make_groups(jobs);
    enum status status = make_channels(jobs);
    if (status == STATUS_OK)
        status = make_counts(jobs);
    if (status == STATUS_OK) {
        jobs_make_graph(jobs);
        jobs_make_sites(jobs);
        jobs_make_bursts(jobs);
        jobs_make_lost(jobs);
    }
    return status;
}
