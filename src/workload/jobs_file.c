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
 *       - {name: noise, workload: "alltoall:ranks=4,bytes=64KiB", start: 2 ms, copies: 3} */
struct job_entry {
    const char *name, *trace, *workload; /* NULL: not given */
    ps_t start;
    uint64_t copies;
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
            {.name = "copies",
             .type = PARAM_COUNT,
             .offset = offsetof(struct job_entry, copies),
             .default_text = "1",
             .min = "1",
             .max = "256"});

/* False, reported. */
static bool read_field(struct jobs *jobs, struct config_reader *reader, const struct config_node *node,
                       struct job_entry *entry)
{
    const struct param *param = param_find(&job_params, node->key);
    struct param_problem problem;
    if (!param) {
        config_key_error(reader, node, "a job has a name, a trace or a workload, a start, and copies");
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
    if (program->graph)
        return "a graph of operations";
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
    config_node_error(reader, node, "a job is a program of calls, and this is %s", why);
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
    for (size_t i = 0; i < 2; i++)
        jobs->program.key[i] = hash_add(jobs->program.key[i], program->key[i]);
    jobs->jobs[index].program = program;
    jobs->about.list[index] =
        (struct program_job){.name = name, .ranks = program->ranks, .start = entry->start};
    return true;
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
    for (uint64_t copy = 0; good && copy < entry.copies; copy++)
        good = add_job(jobs, reader, node, &entry, copy);
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
