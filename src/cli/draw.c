#include "cli/draw.h"

#include <stdlib.h>

#include "base/mem.h"
#include "report/timeline/timeline.h"
#include "sim/slack.h"

static int by_name(const void *a, const void *b)
{
    const struct timeline_step *first = a, *second = b;
    if (first->source != second->source)
        return first->source < second->source ? -1 : 1;
    return (first->number > second->number) - (first->number < second->number);
}

/* The messages of the path, which the caller frees. */
static struct timeline_step *steps_of(const struct critical_path *path, size_t *count)
{
    struct timeline_step *steps = mem_alloc(path->count, sizeof *steps, "the timeline");
    *count = 0;
    for (size_t i = 0; i < path->count; i++) {
        const struct critical_step *step = &path->steps[i];
        if (step->is_signal)
            continue;
        steps[*count] =
            (struct timeline_step){.source = step->source, .number = step->number, .place = *count};
        ++*count;
    }
    qsort(steps, *count, sizeof *steps, by_name);
    return steps;
}

/* Writes the timeline of the run, whose result is known. An engine that tells no causes has no path. */
static enum status draw_known(const struct experiment *experiment, size_t index,
                              const struct experiment_watch *watch, const struct result *result)
{
    const struct experiment_watch quiet = {.progress = watch->progress,
                                           .self = watch->self,
                                           .listen = watch->listen,
                                           .listener = watch->listener};
    struct experiment again = *experiment;
    struct result drawn;
    struct timeline_known known = {.slack = result->slack ? result->slack->of.of_messages : NULL};
    struct timeline_step *steps = result->path ? steps_of(result->path, &known.step_count) : NULL;
    known.steps = steps;
    again.path = EXPERIMENT_PATH_NONE;
    timeline_know(watch->listener, &known);
    const enum status status = experiment_run(&again, index, &quiet, &drawn);
    timeline_know(watch->listener, NULL);
    result_free(&drawn);
    free(steps);
    return status;
}

enum status draw_run(struct experiment *experiment, size_t index, const struct experiment_watch *watch,
                     struct result *result)
{
    const bool comes_later = watch->listener && timeline_shows_known(watch->listener) &&
                             experiment->path >= EXPERIMENT_PATH_LISTED;
    struct experiment_watch first = *watch;
    if (comes_later)
        first.listen = NULL;
    const enum status status = experiment_run(experiment, index, &first, result);
    return status == STATUS_OK && comes_later ? draw_known(experiment, index, watch, result) : status;
}
