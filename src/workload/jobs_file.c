#include <ctype.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/hash.h"
#include "trace/trace.h"
#include "workload/jobs.h"
#include "workload/text.h"

/* The file that lists jobs:
 *
 *     jobs:
 *       - {name: climate, trace: cg.S.4.tar.zst}
 *       - {name: noise, workload: "alltoall:ranks=4,bytes=64KiB", start: 2 ms, copies: 3}
 *       - {name: coupler, workload: pingpong, ranks: [0-3, 8]} */
struct job_entry {
    const char *name, *trace, *workload; /* NULL: not given */
    ps_t start, estimate;
    uint64_t copies;
    const struct config_node *ranks; /* NULL: not given */
    uint32_t *places;                /* ranks of the machine, of all copies */
    size_t place_count, place_capacity;
};

PARAM_TABLE(job_params, "job", struct job_entry, "a job",
            {.name = "name", .type = PARAM_TEXT, .offset = offsetof(struct job_entry, name)},
            {.name = "trace",
             .type = PARAM_TEXT,
             .offset = offsetof(struct job_entry, trace),
             .find_path = param_find_whole},
            {.name = "workload",
             .type = PARAM_TEXT,
             .offset = offsetof(struct job_entry, workload),
             .find_path = workload_find_path},
            {.name = "start",
             .type = PARAM_TIME,
             .offset = offsetof(struct job_entry, start),
             .default_text = "0 s",
             .min = "0 s"},
            {.name = "estimate",
             .type = PARAM_TIME,
             .offset = offsetof(struct job_entry, estimate),
             .default_text = "0 s",
             .min = "0 s"},
            {.name = "copies",
             .type = PARAM_COUNT,
             .offset = offsetof(struct job_entry, copies),
             .default_text = "1",
             .min = "1",
             .max = "256"});

/* ------------------------------------------------------------------- ranks */

/* A rank of the machine, at *at, which moves behind it. False: there is no number. */
static bool read_rank(const char **at, uint64_t *rank)
{
    *rank = 0;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); ++*at)
        *rank = *rank <= JOBS_MOST_RANK ? 10 * *rank + (uint64_t)(**at - '0') : *rank;
    return true;
}

/* The job takes these ranks of the machine. False, reported: another one has one of them. */
static bool take_ranks(struct jobs *jobs, struct config_reader *reader, const struct config_node *node,
                       struct job_entry *entry, uint64_t first, uint64_t last)
{
    const size_t known = jobs->taken_count;
    if (last >= known) {
        jobs->taken = mem_grow(jobs->taken, &jobs->taken_capacity, (size_t)last + 1, "ranks of jobs");
        memset(jobs->taken + known, 0, (size_t)last + 1 - known);
        jobs->taken_count = (size_t)last + 1;
    }
    for (uint64_t rank = first; rank <= last; rank++) {
        if (jobs->taken[rank]) {
            config_node_error(reader, node, "rank %llu is given twice: a rank of the machine is of one job",
                              (unsigned long long)rank);
            return false;
        }
        jobs->taken[rank] = 1;
        entry->places =
            mem_grow(entry->places, &entry->place_capacity, entry->place_count + 1, "ranks of jobs");
        entry->places[entry->place_count++] = (uint32_t)rank;
    }
    return true;
}

/* "0-3,8": false, reported. */
static bool read_ranges(struct jobs *jobs, struct config_reader *reader, const struct config_node *node,
                        struct job_entry *entry)
{
    const char *at = node->kind == CONFIG_SCALAR ? node->text : "";
    do {
        uint64_t first, last;
        at += strspn(at, " ");
        bool good = read_rank(&at, &first);
        last = first;
        if (good && *at == '-' && at++)
            good = read_rank(&at, &last);
        at += strspn(at, " ");
        if (!good || (*at && *at != ',')) {
            config_node_error(reader, node, "ranks are numbers and ranges of them, such as [0-3, 8]");
            return false;
        }
        if (first > last) {
            config_node_error(reader, node, "a range goes up; this one is from %llu to %llu",
                              (unsigned long long)first, (unsigned long long)last);
            return false;
        }
        if (last > JOBS_MOST_RANK) {
            config_node_error(reader, node, "the ranks of a machine are 0 to %d", JOBS_MOST_RANK);
            return false;
        }
        if (!take_ranks(jobs, reader, node, entry, first, last))
            return false;
    } while (*at++ == ',');
    return true;
}

static bool read_ranks(struct jobs *jobs, struct config_reader *reader, const struct config_node *node,
                       struct job_entry *entry)
{
    entry->ranks = node;
    if (jobs->about.queue) {
        config_key_error(reader, node,
                         "with a queue a job gets its nodes when it starts; leave out ranks, or "
                         "the queue");
        return false;
    }
    if (jobs->placement) {
        config_key_error(reader, node, "placement=%s gives the jobs their ranks; leave out one of the two",
                         jobs->placement);
        return false;
    }
    if (node->kind != CONFIG_LIST)
        return read_ranges(jobs, reader, node, entry);
    bool good = true;
    for (size_t i = 0; i < node->count; i++)
        good &= read_ranges(jobs, reader, &node->items[i], entry);
    return good;
}

/* ------------------------------------------------------------------ entries */

/* False, reported. */
static bool read_field(struct jobs *jobs, struct config_reader *reader, const struct config_node *node,
                       struct job_entry *entry)
{
    const struct param *param = param_find(&job_params, node->key);
    struct param_problem problem;
    if (strcmp(node->key, "ranks") == 0)
        return read_ranks(jobs, reader, node, entry);
    if (!param) {
        config_key_error(reader, node,
                         "a job has a name, a trace or a workload, a start, an estimate, copies, and "
                         "ranks");
        return false;
    }
    if (node->kind != CONFIG_SCALAR || !*node->text) {
        config_node_error(reader, node, "one value is expected here");
        return false;
    }
    char *text = config_node_text(reader, node, param);
    bool good = param_parse(param, text, (char *)entry + param->offset, &jobs->texts, &problem);
    free(text);
    if (!good)
        config_node_problem(reader, node, &problem);
    return good;
}

/* Why the program cannot be a job; NULL: it can be one. */
static const char *refusal(const struct program *program)
{
    if (program->openloop)
        return "traffic without ranks";
    return program->setting.parameter ? "a program that chooses the algorithms of the whole run" : NULL;
}

/* Reports a problem of a job, at its entry of the file. */
static enum status open_program(struct config_reader *reader, const struct config_node *node,
                                const struct job_entry *entry, struct program **program)
{
    if (entry->workload && strncmp(entry->workload, "jobs:", strlen("jobs:")) == 0) {
        config_node_error(reader, node, "a job cannot be a list of jobs");
        return STATUS_BAD_INPUT;
    }
    enum status status =
        entry->trace ? trace_open(entry->trace, program) : workload_open(entry->workload, program);
    if (status != STATUS_OK) {
        config_node_error(reader, node, "this job cannot be opened, as said above");
        return status;
    }
    const char *why = refusal(*program);
    if (!why)
        return STATUS_OK;
    config_node_error(reader, node, "a job is a program of calls or a graph, and this is %s", why);
    (*program)->ops->close(*program);
    return STATUS_BAD_INPUT;
}

static const char *name_of(struct jobs *jobs, const struct job_entry *entry, uint64_t copy)
{
    const size_t number = jobs->about.count + 1;
    char *text = !entry->name        ? mem_format("job-%zu", number)
                 : entry->copies > 1 ? mem_format("%s-%llu", entry->name, (unsigned long long)copy + 1)
                                     : mem_text(entry->name);
    const char *name = arena_text(&jobs->texts, text, strlen(text));
    free(text);
    return name;
}

static bool name_is_taken(const struct jobs *jobs, const char *name)
{
    for (size_t i = 0; i < jobs->about.count; i++)
        if (strcmp(jobs->about.list[i].name, name) == 0)
            return true;
    return false;
}

/* The ranks of a copy; those that are not there are 0. */
static uint32_t *places_of(const struct job_entry *entry, uint64_t copy, uint32_t ranks)
{
    uint32_t *world = mem_alloc(ranks, sizeof *world, "ranks of jobs");
    for (uint32_t i = 0; i < ranks && copy * ranks + i < entry->place_count; i++)
        world[i] = entry->places[copy * ranks + i];
    return world;
}

/* False, reported: the copies of the job have more ranks than places, or fewer. */
static bool has_places(struct config_reader *reader, const struct job_entry *entry, uint32_t ranks)
{
    const unsigned long long wanted = (unsigned long long)entry->copies * ranks;
    if (wanted == entry->place_count)
        return true;
    if (entry->copies > 1)
        config_node_error(reader, entry->ranks,
                          "%llu copies of %u ranks need %llu ranks of the machine; here are %zu",
                          (unsigned long long)entry->copies, ranks, wanted, entry->place_count);
    else
        config_node_error(reader, entry->ranks, "the job needs %llu ranks of the machine; here are %zu",
                          wanted, entry->place_count);
    return false;
}

/* Either all jobs have ranks, or none has. False, reported. */
static bool is_like_the_others(const struct jobs *jobs, struct config_reader *reader,
                               const struct config_node *node, const struct job_entry *entry)
{
    if (!jobs->about.count || !entry->ranks == !jobs->jobs[0].world)
        return true;
    config_node_error(reader, entry->ranks ? entry->ranks : node,
                      entry->ranks
                          ? "this job has ranks, and those before have none; all have them or none"
                          : "this job has no ranks, and those before have some; all have them or none");
    return false;
}

/* False, reported. */
static bool add_job(struct jobs *jobs, struct config_reader *reader, const struct config_node *node,
                    const struct job_entry *entry, uint64_t copy)
{
    const char *name = name_of(jobs, entry, copy);
    struct program *program;
    if (jobs->about.count == JOBS_MOST) {
        config_node_error(reader, node, "there are more than %d jobs", JOBS_MOST);
        return false;
    }
    if (name_is_taken(jobs, name)) {
        config_node_error(reader, node, "another job has the name %s", name);
        return false;
    }
    if (open_program(reader, node, entry, &program) != STATUS_OK)
        return false;
    const size_t index = jobs->about.count++;
    if (entry->ranks)
        jobs->jobs[index].world = places_of(entry, copy, program->ranks);
    for (size_t i = 0; i < 2; i++)
        jobs->program.key[i] = hash_add(jobs->program.key[i], program->key[i]);
    jobs->jobs[index].program = program;
    jobs->about.list[index] = (struct program_job){
        .name = name, .ranks = program->ranks, .start = entry->start, .estimate = entry->estimate};
    return !entry->ranks || has_places(reader, entry, program->ranks);
}

static void read_job(struct jobs *jobs, struct config_reader *reader, const struct config_node *node)
{
    struct job_entry entry = {.name = NULL};
    struct param_problem problem;
    bool good = param_defaults(&job_params, &entry, &jobs->texts, &problem);
    if (node->kind != CONFIG_MAP) {
        config_node_error(reader, node, "a job is a map, such as {name: noise, workload: alltoall:ranks=4}");
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        good &= read_field(jobs, reader, &node->items[i], &entry);
    if (good && !entry.trace == !entry.workload) {
        config_node_error(reader, node, "a job has either a trace or a workload");
        good = false;
    }
    if (good && !entry.estimate && jobs->about.queue && jobs->about.queue->backfills) {
        config_node_error(reader, node,
                          "with queue=easy each job needs an estimate of its time, such as estimate: 10 ms");
        good = false;
    }
    good = good && is_like_the_others(jobs, reader, node, &entry);
    for (uint64_t copy = 0; good && copy < entry.copies; copy++)
        good = add_job(jobs, reader, node, &entry, copy);
    free(entry.places);
}

static void read_jobs(void *self, struct config_reader *reader, const struct config_node *node)
{
    if (node->kind != CONFIG_LIST || !node->count) {
        config_node_error(reader, node,
                          "jobs is a list, such as [{name: noise, workload: alltoall:ranks=4}]");
        return;
    }
    for (size_t i = 0; i < node->count; i++)
        read_job(self, reader, &node->items[i]);
}

enum status jobs_read(struct jobs *jobs, const char *file)
{
    static const struct config_section sections[] = {{"jobs", read_jobs}};
    size_t length;
    char *text = config_load_file(file, &length);
    if (!text)
        return STATUS_BAD_INPUT;
    jobs->jobs = mem_alloc(JOBS_MOST, sizeof *jobs->jobs, "jobs");
    jobs->about.list = mem_alloc(JOBS_MOST, sizeof *jobs->about.list, "jobs");
    struct config *config = config_open(NULL, 0);
    enum status status =
        config ? config_read_text_with(config, file, text, length, sections, 1, jobs) : STATUS_FAILED;
    free(text);
    if (config)
        config_close(config);
    if (status == STATUS_OK && !jobs->about.count) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = file}, "there is no list of jobs");
        status = STATUS_BAD_INPUT;
    }
    return status;
}
