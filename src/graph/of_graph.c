#include "graph/internal.h"

#include "call/sites.h"

/* Each operation is kept; a collective call becomes an operation that begins it, its messages, and one that
 * ends it. */
struct ends {
    uint32_t begin, end;
};

static struct ends add_call(struct converter *converter, const struct graph_operation *operation)
{
    const struct graph_operation nothing = {.kind = GRAPH_COMPUTE, .core = operation->core};
    const struct call *call = &converter->source->graph->calls[operation->amount];
    converter->front.count = 0;
    const uint32_t kept = converter_keep(converter, call, operation->core);
    if (kept != NO_OPERATION)
        return (struct ends){kept, kept};
    struct ends ends = {.begin = converter_add(converter, &nothing, NULL)};
    go_on_after(&converter->front, ends.begin, false);
    struct after_list after = converter_phases(converter, call, operation->core);
    ends.end = converter_add(converter, &nothing, &after);
    free(after.at);
    return ends;
}

static struct ends add_operation(struct converter *converter, const struct graph_operation *operation)
{
    struct graph_operation kept = *operation;
    if (operation->kind == GRAPH_CALL)
        return add_call(converter, operation);
    if (operation->kind == GRAPH_WORK) {
        kept.kind = GRAPH_COMPUTE;
        kept.time = GRAPH_TIME_OF_WORK;
        kept.amount =
            converter_time(converter, (double)operation->amount * converter->options->ps_per_operation);
    }
    const double scale = operation->time == GRAPH_TIME_GIVEN ? converter->options->scale : 1;
    if (operation->kind == GRAPH_COMPUTE && (converter->options->whole_ns || scale != 1))
        kept.amount = converter_time(converter, (double)operation->amount * scale);
    uint32_t number = converter_add(converter, &kept, NULL);
    return (struct ends){number, number};
}

static void add_dependences(struct converter *converter, const struct graph_rank *rank,
                            const struct ends *ends)
{
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct graph_operation *operation = &rank->operations[i];
        for (uint32_t k = operation->on_end; k < operation[1].on_end; k++) {
            bool on_begin = k >= operation->on_begin;
            graph_builder_depend(&converter->builder, on_begin ? ends[i].begin : ends[i].end,
                                 ends[rank->dependents[k]].begin, on_begin);
        }
    }
}

void converter_graph_rank(struct converter *converter)
{
    const struct program *source = converter->source;
    const struct graph_rank *rank = &source->graph->ranks[converter->rank];
    struct ends *ends = mem_alloc(rank->count, sizeof *ends, "operations of a rank");
    converter->sequences = mem_alloc(source->group_count, sizeof *converter->sequences, "groups of ranks");
    converter->left_over = 0;
    graph_builder_rank(&converter->builder);
    for (uint32_t i = 0; converter->status == STATUS_OK && i < rank->count; i++) {
        converter->place = source->graph->place(source, converter->rank, i);
        converter->op = CALL_SEND;
        converter->site = source->sites ? source->sites->of_operation(source->sites, converter->rank, i) : 0;
        if (rank->operations[i].kind == GRAPH_CALL)
            converter->op = (enum call_op)source->graph->calls[rank->operations[i].amount].op;
        ends[i] = add_operation(converter, &rank->operations[i]);
    }
    if (converter->status == STATUS_OK)
        add_dependences(converter, rank, ends);
    graph_builder_end(&converter->builder);
    free(converter->sequences);
    free(ends);
}
