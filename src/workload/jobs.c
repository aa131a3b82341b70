#include "workload/jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/rng.h"
#include "workload/list.h"

enum { PLACE_LINEAR, PLACE_INTERLEAVED, PLACE_BLOCKS, PLACE_RANDOM };
static const char *const placements[] = {"linear", "interleaved", "blocks", "random", NULL};
static const char *const no_yes[] = {"no", "yes", NULL};

struct jobs_config {
    const char *file; /* NULL: not given */
    int placement, alone;
    uint64_t block, seed;
};

PARAM_TABLE(
    jobs_params, "jobs", struct jobs_config, "several programs on one machine",
    {.name = "file",
     .type = PARAM_TEXT,
     .offset = offsetof(struct jobs_config, file),
     .find_path = param_find_whole,
     .doc = "YAML with the list of jobs; `file=` may be left out"},
    {.name = "placement",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct jobs_config, placement),
     .default_text = "linear",
     .choices = placements,
     .doc = "linear: one job behind the other; interleaved: a rank of each in turn; blocks: `block` ranks "
            "of each in turn; random: drawn with `seed`"},
    {.name = "block",
     .type = PARAM_COUNT,
     .offset = offsetof(struct jobs_config, block),
     .default_text = "8",
     .min = "1",
     .max = "1000000000",
     .doc = "ranks of a block, such as those of a switch"},
    {.name = "seed",
     .type = PARAM_COUNT,
     .offset = offsetof(struct jobs_config, seed),
     .default_text = "1",
     .doc = "of the random placement"},
    {.name = "alone",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct jobs_config, alone),
     .default_text = "yes",
     .choices = no_yes,
     .doc = "yes: run each job alone too, at the same place, to know its slowdown"});

static bool jobs_prepare(const struct workload *workload, void *self, struct program *program,
                         struct workload_problem *problem)
{
    (void)workload, (void)program;
    const struct jobs_config *config = self;
    if (config->file)
        return true;
    problem->param = "file";
    snprintf(problem->text, sizeof problem->text, "a list of jobs is needed: jobs:FILE.yaml");
    return false;
}

/* ---------------------------------------------------------------- placement */

/* `size` ranks of each job in turn, as long as it has some. */
static void place_in_turn(struct jobs *jobs, uint64_t size)
{
    uint32_t *next = mem_alloc(jobs->about.count, sizeof *next, "jobs");
    for (uint32_t rank = 0; rank < jobs->program.ranks;) {
        for (size_t i = 0; i < jobs->about.count; i++) {
            for (uint64_t k = 0; k < size && next[i] < jobs->about.list[i].ranks; k++, rank++) {
                jobs->job_of[rank] = (uint32_t)i;
                jobs->rank_of[rank] = next[i]++;
            }
        }
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
}

static enum status place(struct jobs *jobs, const struct jobs_config *config)
{
    uint64_t ranks = 0;
    for (size_t i = 0; i < jobs->about.count; i++)
        ranks += jobs->about.list[i].ranks;
    if (ranks > INT32_MAX) {
        diag_error("%s: the jobs have %" PRIu64 " ranks together; a run has at most %d", config->file, ranks,
                   INT32_MAX);
        return STATUS_BAD_INPUT;
    }
    jobs->program.ranks = (uint32_t)ranks;
    jobs->job_of = mem_alloc((size_t)ranks, sizeof *jobs->job_of, "jobs");
    jobs->rank_of = mem_alloc((size_t)ranks, sizeof *jobs->rank_of, "jobs");
    const uint64_t in_turn[] = {[PLACE_LINEAR] = UINT64_MAX,
                                [PLACE_INTERLEAVED] = 1,
                                [PLACE_BLOCKS] = config->block,
                                [PLACE_RANDOM] = UINT64_MAX};
    place_in_turn(jobs, in_turn[config->placement]);
    if (config->placement == PLACE_RANDOM)
        shuffle(jobs, config->seed);
    return STATUS_OK;
}

static enum status jobs_open(const void *self, const char *spec, struct program **program)
{
    const struct jobs_config *config = self;
    struct jobs *jobs = mem_alloc(1, sizeof *jobs, "jobs");
    jobs->program.name = arena_text(&jobs->texts, spec, strlen(spec));
    jobs->program.file = arena_text(&jobs->texts, config->file, strlen(config->file));
    jobs->about.only = PROGRAM_JOBS_ALL;
    jobs->about.alone = config->alone;
    enum status status = jobs_read(jobs, jobs->program.file);
    if (status == STATUS_OK)
        status = place(jobs, config);
    if (status == STATUS_OK)
        status = jobs_make_program(jobs);
    if (status == STATUS_OK)
        *program = &jobs->program;
    else
        jobs_free(jobs);
    return status;
}

const struct workload jobs_workload = {
    .name = "jobs",
    .doc = "several programs on one machine: jobs:FILE.yaml,placement=interleaved",
    .params = &jobs_params,
    .unnamed = "file",
    .prepare = jobs_prepare,
    .open = jobs_open,
};
