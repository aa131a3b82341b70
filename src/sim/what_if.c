#include "sim/what_if.h"

#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "call/jobs.h"
#include "engine/free.h"

/* Beside the messages that are free already. */
static enum status set_free(struct config *config, const struct critical_step *step)
{
    const struct free_config *given = config_of(config, &free_params);
    char name[32];
    char *text = mem_text(path_message_name(step, name, sizeof name));
    for (uint32_t i = 0; i < given->count; i++) {
        free_name_print(given->names[i].rank, given->names[i].number, name, sizeof name);
        char *longer = mem_format("%s,%s", text, name);
        free(text);
        text = longer;
    }
    enum status status = config_assign(config, "free", text, "--what-if");
    free(text);
    return status;
}

/* Runs the experiment with another config, without its critical path, and without its jobs alone, which say
 * nothing about the makespan. */
static enum status run_with(const struct experiment *experiment, const struct config *config, size_t index,
                            const struct experiment_watch *watch, ps_t *makespan)
{
    const struct experiment_watch quiet = {.progress = watch->progress, .self = watch->self};
    struct experiment other = *experiment;
    struct program_jobs *jobs = experiment->program ? experiment->program->jobs : NULL;
    const bool alone = jobs && jobs->alone;
    struct result result;
    other.config = config;
    other.path = EXPERIMENT_PATH_NONE;
    if (jobs)
        jobs->alone = false;
    enum status status = experiment_run(&other, index, &quiet, &result);
    if (jobs)
        jobs->alone = alone;
    *makespan = result.makespan;
    result_free(&result);
    return status;
}

enum status what_if_run(const struct experiment *experiment, size_t index,
                        const struct experiment_watch *watch, size_t count, struct result *result)
{
    enum status status = STATUS_OK;
    if (!result->path_summary) {
        diag_warning("--what-if: runs on %s have no critical path, so no message is left out",
                     result->fabric);
        return STATUS_OK;
    }
    const struct path_list *longest = &result->path_summary->messages;
    if (count > longest->count)
        count = longest->count;
    result->what_if = mem_alloc(count, sizeof *result->what_if, "what-if runs");
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct result_what_if *answer = &result->what_if[i];
        struct config *config = config_copy(experiment->config);
        answer->step = longest->groups[i].first;
        status = config ? set_free(config, answer->step) : STATUS_FAILED;
        if (status == STATUS_OK)
            status = run_with(experiment, config, index, watch, &answer->makespan);
        result->what_if_count += status == STATUS_OK;
        if (config)
            config_close(config);
    }
    return status;
}
