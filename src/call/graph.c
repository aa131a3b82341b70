#include "call/graph.h"

#include <stdio.h>

#include "base/lines.h"
#include "base/mem.h"

/* --------------------------------------------------------------- describing */

static const char *show_peer(uint32_t peer, char *buffer, size_t size)
{
    if (peer == GRAPH_ANY)
        snprintf(buffer, size, "any rank");
    else
        snprintf(buffer, size, "rank %u", peer);
    return buffer;
}

const char *graph_describe(const struct graph_operation *operation, char *buffer, size_t size)
{
    char peer[32], tag[32] = "any tag";
    if (operation->tag != GRAPH_ANY)
        snprintf(tag, sizeof tag, "tag %u", operation->tag);
    switch ((enum graph_kind)operation->kind) {
    case GRAPH_SEND:
    case GRAPH_RECV:
        snprintf(buffer, size, "%s of %llu bytes %s %s, %s", operation->kind == GRAPH_SEND ? "send" : "recv",
                 (unsigned long long)operation->amount, operation->kind == GRAPH_SEND ? "to" : "from",
                 show_peer(operation->peer, peer, sizeof peer), tag);
        break;
    case GRAPH_COMPUTE:
        snprintf(buffer, size, "calc of %llu ps", (unsigned long long)operation->amount);
        break;
    case GRAPH_WORK:
        snprintf(buffer, size, "calc of %llu operations", (unsigned long long)operation->amount);
        break;
    default:
        snprintf(buffer, size, "collective call");
        break;
    }
    return buffer;
}

void graph_report(const struct program *program, enum diag_level level, uint32_t rank, uint32_t operation,
                  const char *why)
{
    const struct graph *graph = program->graph;
    struct call_place place = graph->place(program, rank, operation);
    char text[128];
    diag_report(level, &(struct diag_place){.file = place.file, .line = place.line}, "%s of rank %u, %s, %s",
                graph->label(program, rank, operation), rank,
                graph_describe(&graph->ranks[rank].operations[operation], text, sizeof text), why);
}

/* ----------------------------------------------------------- without calls */

const struct call *graph_program_next(struct program *program, uint32_t rank, struct call *scratch)
{
    (void)program, (void)rank, (void)scratch;
    return NULL;
}

const struct call *graph_program_read(const struct program *program, uint32_t rank,
                                      struct program_cursor *cursor, struct call *scratch)
{
    (void)program, (void)rank, (void)cursor, (void)scratch;
    return NULL;
}

uint32_t graph_program_slots(const struct program *program, uint32_t rank)
{
    (void)program, (void)rank;
    return SLOT_FIRST;
}

void graph_program_rewind(struct program *program)
{
    (void)program;
}

/* ----------------------------------------------------------------- building */

static struct graph_rank *present_rank(const struct graph_builder *builder)
{
    return &builder->ranks[builder->rank_count - 1];
}

void graph_builder_reserve(struct graph_builder *builder, uint32_t ranks, size_t operations)
{
    builder->ranks = lines_alloc(ranks, sizeof *builder->ranks, "ranks of a graph");
    builder->rank_capacity = ranks;
    builder->operations = lines_alloc(operations + 1, sizeof *builder->operations, "operations of a graph");
    builder->capacity = operations + 1;
}

void graph_builder_rank(struct graph_builder *builder)
{
    builder->ranks =
        mem_grow(builder->ranks, &builder->rank_capacity, builder->rank_count + 1, "ranks of a graph");
    builder->ranks[builder->rank_count++] = (struct graph_rank){.first = builder->count};
    builder->rank_first = builder->count;
    builder->edge_count = 0;
}

uint32_t graph_builder_add(struct graph_builder *builder, const struct graph_operation *operation)
{
    builder->operations =
        mem_grow(builder->operations, &builder->capacity, builder->count + 1, "operations of a graph");
    struct graph_operation *added = &builder->operations[builder->count++];
    *added = *operation;
    added->needs = added->on_end = added->on_begin = 0;
    builder->graph.operations++;
    return present_rank(builder)->count++;
}

struct graph_operation *graph_builder_add_all(struct graph_builder *builder, uint32_t count)
{
    builder->operations = mem_grow(builder->operations, &builder->capacity, builder->count + count + 1,
                                   "operations of a graph");
    struct graph_operation *added = &builder->operations[builder->count];
    builder->count += count;
    builder->graph.operations += count;
    present_rank(builder)->count += count;
    return added;
}

void graph_builder_depend(struct graph_builder *builder, uint32_t before, uint32_t after, bool on_begin)
{
    builder->edges =
        mem_grow(builder->edges, &builder->edge_capacity, builder->edge_count + 1, "dependences of a rank");
    builder->edges[builder->edge_count++] =
        (struct graph_edge){.before = before, .after = after, .on_begin = on_begin};
}

/* Counts the dependents of each operation, then puts them in their places, in the order in which they were
 * added. The sums are in on_end and on_begin of the operation behind, so that filling leaves the firsts. */
static void make_lists(struct graph_builder *builder, struct graph_operation *operations, uint32_t count)
{
    const uint32_t begin = (uint32_t)builder->dependent_count;
    uint32_t *dependents = builder->dependents, sum = begin;
    for (size_t i = 0; i < builder->edge_count; i++) {
        const struct graph_edge *edge = &builder->edges[i];
        operations[edge->after].needs++;
        if (edge->on_begin)
            operations[edge->before].on_begin++;
        else
            operations[edge->before].on_end++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t on_end = operations[i].on_end, on_begin = operations[i].on_begin;
        operations[i].on_end = sum;
        operations[i].on_begin = sum + on_end;
        sum += on_end + on_begin;
    }
    for (size_t i = 0; i < builder->edge_count; i++) {
        const struct graph_edge *edge = &builder->edges[i];
        struct graph_operation *before = &operations[edge->before];
        dependents[edge->on_begin ? before->on_begin++ : before->on_end++] = edge->after;
    }
    /* on_begin is now where the next operation's list starts, and on_end where its own on_begin does. */
    for (uint32_t i = count; i-- > 0;) {
        operations[i].on_begin = operations[i].on_end;
        operations[i].on_end = i ? operations[i - 1].on_begin : begin;
    }
}

/* From an operation of a circle on, where before[i] is one that i waits for. */
static void name_circle(struct graph_circle *circle, const uint32_t *before, uint32_t first)
{
    uint32_t operation = first;
    do {
        if (circle->count < GRAPH_CIRCLE_SHOWN)
            circle->operations[circle->count] = operation;
        circle->count++;
        operation = before[operation];
    } while (operation != first);
}

/* Takes operations off as a run would. What is left waits in a circle, or for one. */
static void find_circle(const struct graph_operation *operations, const uint32_t *dependents, uint32_t count,
                        struct graph_circle *circle)
{
    uint32_t *left = mem_alloc(count, sizeof *left, "dependences of a rank");
    uint32_t *ready = mem_alloc(count, sizeof *ready, "operations of a rank");
    uint32_t ready_count = 0, taken = 0, first = 0;
    for (uint32_t i = 0; i < count; i++) {
        left[i] = operations[i].needs;
        if (!left[i])
            ready[ready_count++] = i;
    }
    while (taken < ready_count) {
        const struct graph_operation *operation = &operations[ready[taken++]];
        for (uint32_t i = operation->on_end; i < operation[1].on_end; i++)
            if (!--left[dependents[i]])
                ready[ready_count++] = dependents[i];
    }
    /* Each one that is left waits for one that is left: so many steps back lead into the circle. */
    if (taken < count) {
        uint32_t *before = ready;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = operations[i].on_end; left[i] && k < operations[i + 1].on_end; k++)
                before[dependents[k]] = i;
        while (!left[first])
            first++;
        for (uint32_t steps = 0; steps < count; steps++)
            first = before[first];
        name_circle(circle, before, first);
    }
    free(left);
    free(ready);
}

/* Where each dependence leads to a later operation, there is no circle. */
static bool lead_forward(const uint32_t *dependents, uint32_t from, uint32_t to, uint32_t operation)
{
    bool forward = true;
    for (uint32_t i = from; i < to; i++)
        forward &= dependents[i] > operation;
    return forward;
}

static void note(struct graph *graph, const struct graph_operation *operation)
{
    bool is_send = operation->kind == GRAPH_SEND, is_recv = operation->kind == GRAPH_RECV;
    graph->sends += is_send;
    if ((is_send || is_recv) && (operation->tag == GRAPH_ANY || operation->peer == GRAPH_ANY)) {
        graph->has_any = true;
        graph->has_any_sends |= is_send && operation->tag == GRAPH_ANY;
    }
    if (graph->cores <= operation->core)
        graph->cores = operation->core + 1U;
    if (graph->nics <= operation->nic)
        graph->nics = operation->nic + 1U;
}

static void grow_lists(struct graph_builder *builder, size_t count)
{
    if (builder->dependent_count + count > UINT32_MAX)
        mem_exhausted("a graph, which has more than 2^32 - 1 dependences");
    builder->operations =
        mem_grow(builder->operations, &builder->capacity, builder->count + 1, "operations of a graph");
    builder->dependents = mem_grow(builder->dependents, &builder->dependent_capacity,
                                   builder->dependent_count + count, "dependences of a graph");
}

/* The rank has its lists, of `count` dependents. The operation behind its last ends them; it is the first of
 * the next rank. */
static bool end_rank(struct graph_builder *builder, size_t count)
{
    struct graph_operation *operations = builder->operations + builder->rank_first;
    const uint32_t operation_count = present_rank(builder)->count;
    builder->dependent_count += count;
    builder->graph.dependences += count;
    const uint32_t end = (uint32_t)builder->dependent_count;
    operations[operation_count] = (struct graph_operation){.on_end = end, .on_begin = end};
    bool forward = true;
    for (uint32_t i = 0; i < operation_count; i++) {
        note(&builder->graph, &operations[i]);
        forward &= lead_forward(builder->dependents, operations[i].on_end, operations[i + 1].on_end, i);
    }
    builder->circle.count = 0;
    if (!forward)
        find_circle(operations, builder->dependents, operation_count, &builder->circle);
    return !builder->circle.count;
}

bool graph_builder_end(struct graph_builder *builder)
{
    grow_lists(builder, builder->edge_count);
    make_lists(builder, builder->operations + builder->rank_first, present_rank(builder)->count);
    return end_rank(builder, builder->edge_count);
}

uint32_t *graph_builder_lists(struct graph_builder *builder, uint32_t count)
{
    grow_lists(builder, count);
    return builder->dependents;
}

bool graph_builder_end_lists(struct graph_builder *builder, uint32_t count)
{
    return end_rank(builder, count);
}

struct graph graph_builder_finish(struct graph_builder *builder)
{
    builder->ranks = mem_fit(builder->ranks, &builder->rank_capacity, builder->rank_count);
    builder->operations = mem_fit(builder->operations, &builder->capacity, builder->count + 1);
    builder->dependents =
        mem_fit(builder->dependents, &builder->dependent_capacity, builder->dependent_count);
    for (size_t i = 0; i < builder->rank_count; i++) {
        struct graph_rank *rank = &builder->ranks[i];
        rank->operations = builder->operations + rank->first;
        rank->dependents = builder->dependents;
    }
    free(builder->edges);
    builder->edges = NULL;
    builder->edge_count = builder->edge_capacity = 0;
    builder->graph.ranks = builder->ranks;
    builder->graph.calls = builder->calls;
    return builder->graph;
}

void graph_builder_free(struct graph_builder *builder)
{
    free(builder->ranks);
    free(builder->operations);
    free(builder->dependents);
    free(builder->calls);
    free(builder->edges);
    *builder = (struct graph_builder){.rank_count = 0};
}

size_t graph_builder_bytes(const struct graph_builder *builder)
{
    return builder->rank_capacity * sizeof *builder->ranks + builder->capacity * sizeof *builder->operations +
           builder->dependent_capacity * sizeof *builder->dependents +
           builder->call_capacity * sizeof *builder->calls;
}
