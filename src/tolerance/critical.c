#include <stdlib.h>

#include "engine/params.h"
#include "tolerance/answer.h"
#include "tolerance/shares.h"

/* Where no longest path is known, the messages of the critical path of a run stand for it. */

static void count_path(const struct experiment *experiment, const struct result *result,
                       struct tolerance_shares *shares)
{
    const struct program *program = experiment->program;
    const uint32_t ranks_per_node = node_config_ranks(config_of(experiment->config, &node_params));
    const struct critical_path *path = result->path;
    struct share_counter counter;
    share_counter_init(&counter, result->ranks, result->sites ? program->sites : NULL);
    for (size_t i = 0; i < path->count; i++) {
        const struct critical_step *step = &path->steps[i];
        if (step->is_signal || program_node(program, step->source, ranks_per_node) ==
                                   program_node(program, step->destination, ranks_per_node))
            continue;
        share_counter_add(&counter, &(struct share_of){.rank = step->source,
                                                       .call = (enum call_op)step->op,
                                                       .site = step->sent_site,
                                                       .bytes = step->bytes,
                                                       .is_message = true});
    }
    share_counter_finish(&counter, shares);
    shares->is_between_nodes = ranks_per_node > 1;
    shares->listed_since = path->listed_since;
}

enum status tolerance_find_critical(struct tolerance_question *question)
{
    struct config *copy = config_copy(question->config);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    if (!copy)
        return STATUS_FAILED;
    enum status status = experiment_init_with(&experiment, copy, question->experiment->program);
    if (status == STATUS_OK) {
        experiment.path = EXPERIMENT_PATH_LISTED;
        status = experiment_run(&experiment, 0, &watch, &result);
        if (status == STATUS_OK && result.path)
            count_path(&experiment, &result, &question->critical);
        result_free(&result);
    }
    experiment_free(&experiment);
    config_close(copy);
    question->has_critical = status == STATUS_OK;
    return status;
}
