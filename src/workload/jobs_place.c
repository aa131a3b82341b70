#include <inttypes.h>

#include "base/diag.h"
#include "base/rng.h"
#include "workload/jobs.h"

/* ------------------------------------------------------------------- orders */

/* `size` ranks of each job in turn, as long as it has some. */
static void place_in_turn(struct jobs *jobs, uint64_t size, uint32_t ranks)
{
    uint32_t *next = mem_alloc(jobs->about.count, sizeof *next, "jobs");
    for (uint32_t rank = 0; rank < ranks;) {
        for (size_t i = 0; i < jobs->about.count; i++)
            for (uint64_t k = 0; k < size && next[i] < jobs->about.list[i].ranks; k++)
                jobs->jobs[i].world[next[i]++] = rank++;
    }
    free(next);
}

static void swap(uint32_t *list, uint32_t i, uint32_t k)
{
    uint32_t value = list[i];
    list[i] = list[k];
    list[k] = value;
}

static void shuffle(struct jobs *jobs, uint64_t seed)
{
    struct rng rng = rng_init(seed, "jobs");
    for (uint32_t i = jobs->program.ranks; i > 1; i--) {
        uint32_t other = (uint32_t)rng_below(&rng, i);
        swap(jobs->job_of, i - 1, other);
        swap(jobs->rank_of, i - 1, other);
    }
    for (uint32_t rank = 0; rank < jobs->program.ranks; rank++)
        jobs->jobs[jobs->job_of[rank]].world[jobs->rank_of[rank]] = rank;
}

/* ------------------------------------------------------------------- groups */

/* Groups of the machine that remainders of jobs share. */
struct shared_groups {
    uint64_t size, next; /* ranks of a group; the first group that is empty */
    uint64_t first[JOBS_MOST], used[JOBS_MOST];
    size_t count;
};

/* The fullest of the shared groups that has room, or an empty one. */
static size_t group_for(struct shared_groups *groups, uint64_t ranks)
{
    size_t best = groups->count;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->used[i] + ranks <= groups->size &&
            (best == groups->count || groups->used[i] > groups->used[best]))
            best = i;
    if (best == groups->count) {
        groups->first[groups->count] = groups->next++ * groups->size;
        groups->used[groups->count++] = 0;
    }
    return best;
}

/* The job with the most ranks left; the first of equals. `count`: none has any. */
static size_t largest_rest(const uint64_t *rest, size_t count)
{
    size_t largest = count;
    for (size_t i = 0; i < count; i++)
        if (rest[i] && (largest == count || rest[i] > rest[largest]))
            largest = i;
    return largest;
}

/* Each job fills whole groups, in the order of the file. What is left of the jobs, less than a group each,
 * shares groups, the largest first. So every job is in as few groups as its ranks need. Returns how many
 * ranks the machine has. */
static uint64_t place_groups(struct jobs *jobs, uint64_t size)
{
    struct shared_groups groups = {.size = size};
    uint64_t rest[JOBS_MOST], end = 0;
    const size_t count = jobs->about.count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t ranks = jobs->about.list[i].ranks, first = groups.next * size;
        rest[i] = ranks % size;
        for (uint64_t k = 0; k < ranks - rest[i]; k++)
            jobs->jobs[i].world[k] = (uint32_t)(first + k);
        groups.next += ranks / size;
    }
    end = groups.next * size;
    for (size_t i; (i = largest_rest(rest, count)) < count; rest[i] = 0) {
        const size_t group = group_for(&groups, rest[i]);
        const uint64_t first = groups.first[group] + groups.used[group],
                       before = jobs->about.list[i].ranks - rest[i];
        for (uint64_t k = 0; k < rest[i]; k++)
            jobs->jobs[i].world[before + k] = (uint32_t)(first + k);
        groups.used[group] += rest[i];
        end = first + rest[i] > end ? first + rest[i] : end;
    }
    return end;
}

/* ---------------------------------------------------------------- placement */

/* The machine has the ranks up to the last one of a job. */
static void make_maps(struct jobs *jobs, uint64_t ranks)
{
    jobs->program.ranks = (uint32_t)ranks;
    jobs->job_of = mem_alloc((size_t)ranks, sizeof *jobs->job_of, "jobs");
    jobs->rank_of = mem_alloc((size_t)ranks, sizeof *jobs->rank_of, "jobs");
    for (uint64_t rank = 0; rank < ranks; rank++)
        jobs->job_of[rank] = JOBS_NONE;
    for (size_t i = 0; i < jobs->about.count; i++) {
        for (uint32_t k = 0; k < jobs->about.list[i].ranks; k++) {
            jobs->job_of[jobs->jobs[i].world[k]] = (uint32_t)i;
            jobs->rank_of[jobs->jobs[i].world[k]] = k;
        }
    }
}

/* With a queue the ranks are in the order of jobs, and nodes come when a job starts. */
static uint64_t place(struct jobs *jobs, const struct jobs_config *config, uint64_t ranks)
{
    const uint64_t in_turn[] = {[JOBS_LINEAR] = UINT64_MAX,
                                [JOBS_INTERLEAVED] = 1,
                                [JOBS_BLOCKS] = config->block,
                                [JOBS_RANDOM] = UINT64_MAX};
    if (jobs->taken_count)
        return jobs->taken_count;
    for (size_t i = 0; i < jobs->about.count; i++)
        jobs->jobs[i].world = mem_alloc(jobs->about.list[i].ranks, sizeof(uint32_t), "jobs");
    if (config->placement == JOBS_GROUPS && !jobs->about.queue)
        return place_groups(jobs, config->group);
    place_in_turn(jobs, jobs->about.queue ? UINT64_MAX : in_turn[config->placement], (uint32_t)ranks);
    return ranks;
}

enum status jobs_place(struct jobs *jobs, const struct jobs_config *config)
{
    uint64_t ranks = 0;
    for (size_t i = 0; i < jobs->about.count; i++)
        ranks += jobs->about.list[i].ranks;
    if (ranks <= INT32_MAX)
        ranks = place(jobs, config, ranks);
    if (ranks > INT32_MAX) {
        diag_error("%s: the jobs have %" PRIu64 " ranks together; a run has at most %d", config->file, ranks,
                   INT32_MAX);
        return STATUS_BAD_INPUT;
    }
    make_maps(jobs, ranks);
    if (config->placement == JOBS_RANDOM && !jobs->about.queue)
        shuffle(jobs, config->seed);
    return STATUS_OK;
}
