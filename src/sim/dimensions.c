#include "sim/dimensions.h"

#include "base/mem.h"
#include "fabric/message.h"

static void collect(void *self, const struct tap_record *record)
{
    struct result *result = self;
    const struct program_dimensions *dimensions = result->program_dimensions;
    if (record->kind == TAP_FINISHED) {
        const struct message *message = record->message;
        struct result_dimension *dimension =
            &result
                 ->dimensions[dimensions->of(dimensions, message->source, message->destination, message->op)];
        dimension->messages++;
        dimension->bytes += message->bytes;
    } else if (record->peer != TAP_NOBODY) {
        const size_t number = dimensions->of(dimensions, record->peer, record->rank, (uint8_t)record->cause);
        result->dimensions[number].idle += record->at - record->since;
    }
}

void dimensions_collect(struct result *result, const struct program_dimensions *dimensions, struct tap *tap)
{
    result->dimensions = mem_alloc(dimensions->count, sizeof *result->dimensions, "dimensions of a result");
    result->dimension_count = dimensions->count;
    result->program_dimensions = dimensions;
    for (size_t i = 0; i < dimensions->count; i++)
        result->dimensions[i].name = dimensions->names[i];
    tap_handle(tap, TAP_BIT(TAP_FINISHED) | TAP_BIT(TAP_IDLE), collect, result);
}

void dimensions_add_path(struct result *result, const struct program_dimensions *dimensions)
{
    const struct critical_path *path = result->path;
    if (!path || !path->steps)
        return;
    for (size_t i = 0; i < path->count; i++) {
        const struct critical_step *step = &path->steps[i];
        if (step->is_signal)
            continue;
        const size_t number = dimensions->of(dimensions, step->source, step->destination, step->op);
        result->dimensions[number].path += step->end - step->start;
    }
    result->dimensions_have_path = true;
}
