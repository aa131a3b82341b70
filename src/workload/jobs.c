#include "workload/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/list.h"

static const char *const placements[] = {
    [JOBS_LINEAR] = "linear", [JOBS_INTERLEAVED] = "interleaved", [JOBS_BLOCKS] = "blocks",
    [JOBS_GROUPS] = "groups", [JOBS_RANDOM] = "random",           NULL};
static const char *const queues[] = {
    [JOBS_NO_QUEUE] = "none", [JOBS_FCFS] = "fcfs", [JOBS_EASY] = "easy", NULL};
static const char *const no_yes[] = {"no", "yes", NULL};

#define RANKS_DEFAULT "8" /* of `block` and `group` */
#define SEED_DEFAULT  "1"

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
            "of each in turn; groups: each in as few groups of `group` ranks as possible; random: drawn with "
            "`seed`"},
    {.name = "block",
     .type = PARAM_COUNT,
     .offset = offsetof(struct jobs_config, block),
     .default_text = RANKS_DEFAULT,
     .min = "1",
     .max = "1000000000",
     .doc = "ranks of a block, such as those of a switch"},
    {.name = "group",
     .type = PARAM_COUNT,
     .offset = offsetof(struct jobs_config, group),
     .default_text = RANKS_DEFAULT,
     .min = "1",
     .max = "1000000000",
     .doc =
         "ranks of a group of the machine: of a dragonfly's group, or below a leaf switch; with a queue its "
         "nodes"},
    {.name = "seed",
     .type = PARAM_COUNT,
     .offset = offsetof(struct jobs_config, seed),
     .default_text = SEED_DEFAULT,
     .doc = "of the random placement"},
    {.name = "queue",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct jobs_config, queue),
     .default_text = "none",
     .choices = queues,
     .doc =
         "none: all jobs have their nodes for the whole run; fcfs: jobs wait for free nodes, in the order of "
         "`start`; easy: others start before the first one if that does not delay it (backfilling)"},
    {.name = "nodes",
     .type = PARAM_COUNT,
     .offset = offsetof(struct jobs_config, nodes),
     .default_text = "0",
     .max = "1000000000",
     .doc = "of the machine, with a queue; 0: as many as the topology has"},
    {.name = "alone",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct jobs_config, alone),
     .default_text = "yes",
     .choices = no_yes,
     .doc = "yes: run each job alone too, at the same place, to know its slowdown"});

/* Jobs of a queue are placed one after another, each among the nodes that are free. */
static bool can_place(const struct jobs_config *config, struct workload_problem *problem)
{
    if (config->queue == JOBS_NO_QUEUE ||
        (config->placement != JOBS_INTERLEAVED && config->placement != JOBS_BLOCKS))
        return true;
    problem->param = "placement";
    snprintf(
        problem->text, sizeof problem->text,
        "placement=%s places all jobs together; with a queue a job gets its nodes when it starts: linear, "
        "groups or random",
        placements[config->placement]);
    return false;
}

static bool jobs_prepare(const struct workload *workload, void *self, struct program *program,
                         struct workload_problem *problem)
{
    (void)workload, (void)program;
    const struct jobs_config *config = self;
    if (config->file)
        return can_place(config, problem);
    problem->param = "file";
    snprintf(problem->text, sizeof problem->text, "a list of jobs is needed: jobs:FILE.yaml");
    return false;
}

static void open_queue(struct jobs *jobs, const struct jobs_config *config)
{
    static const enum queue_choice choices[] = {
        [JOBS_LINEAR] = QUEUE_LINEAR, [JOBS_GROUPS] = QUEUE_GROUPS, [JOBS_RANDOM] = QUEUE_RANDOM};
    if (config->queue == JOBS_NO_QUEUE)
        return;
    jobs->queue = (struct program_queue){.backfills = config->queue == JOBS_EASY,
                                         .choice = choices[config->placement],
                                         .group = (uint32_t)config->group,
                                         .seed = config->seed,
                                         .nodes = (uint32_t)config->nodes};
    jobs->about.queue = &jobs->queue;
}

/* What differs from its default, and has no effect with this placement or without a queue. */
static void find_unused(struct program_jobs *about, const struct jobs_config *config)
{
    const uint64_t ranks = strtoull(RANKS_DEFAULT, NULL, 10), seed = strtoull(SEED_DEFAULT, NULL, 10);
    const struct {
        const char *name;
        bool is_unused;
    } params[] = {{"jobs.block", config->placement != JOBS_BLOCKS && config->block != ranks},
                  {"jobs.group", config->placement != JOBS_GROUPS && config->group != ranks},
                  {"jobs.seed", config->placement != JOBS_RANDOM && config->seed != seed}};
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        if (!params[i].is_unused)
            continue;
        if (about->unused[0])
            strcat(about->unused, ", ");
        strcat(about->unused, params[i].name);
    }
    about->placement = placements[config->placement];
    about->has_unused_nodes = config->queue == JOBS_NO_QUEUE && config->nodes != 0;
}

static enum status jobs_open(const void *self, const char *spec, struct program **program)
{
    const struct jobs_config *config = self;
    struct jobs *jobs = mem_alloc(1, sizeof *jobs, "jobs");
    jobs->program.name = arena_text(&jobs->texts, spec, strlen(spec));
    jobs->program.file = arena_text(&jobs->texts, config->file, strlen(config->file));
    jobs->about.only = PROGRAM_JOBS_ALL;
    jobs->about.alone = config->alone;
    find_unused(&jobs->about, config);
    jobs->placement = config->placement == JOBS_LINEAR ? NULL : placements[config->placement];
    open_queue(jobs, config);
    enum status status = jobs_read(jobs, jobs->program.file);
    if (status == STATUS_OK)
        status = jobs_place(jobs, config);
    if (status == STATUS_OK)
        status = jobs_make_program(jobs);
    if (status == STATUS_OK)
        *program = &jobs->program;
    else
        jobs_free(jobs);
    return status;
}

enum status jobs_beside(struct program *const *programs, size_t count, struct program **program)
{
    static const struct jobs_config config = {.file = "the traces", .placement = JOBS_LINEAR};
    struct jobs *jobs = mem_alloc(1, sizeof *jobs, "jobs");
    jobs->program.name = config.file;
    jobs->about.only = PROGRAM_JOBS_ALL;
    jobs->about.list = mem_alloc(count, sizeof *jobs->about.list, "jobs");
    jobs->jobs = mem_alloc(count, sizeof *jobs->jobs, "jobs");
    jobs->about.count = count;
    for (size_t i = 0; i < count; i++) {
        jobs->jobs[i].program = programs[i];
        jobs->about.list[i] = (struct program_job){.name = programs[i]->name, .ranks = programs[i]->ranks};
    }
    enum status status = jobs_place(jobs, &config);
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
