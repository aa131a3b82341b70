#include "graph/internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/diag.h"
#include "call/sites.h"

void converter_fail(struct converter *converter, const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = converter->place.file, .line = converter->place.line}, "%s",
                text);
    converter->status = STATUS_BAD_INPUT;
}

/* --------------------------------------------------------------- operations */

void after_list_add(struct after_list *list, struct after after)
{
    list->at = mem_grow(list->at, &list->capacity, list->count + 1, "dependences");
    list->at[list->count++] = after;
}

/* What has begun before something has ended goes on only when it has: the rank waits for `operation` too. */
static void wait_for(struct converter *converter, uint32_t operation)
{
    after_list_add(&converter->front, (struct after){.operation = operation});
}

uint32_t converter_add(struct converter *converter, const struct graph_operation *operation,
                       const struct after_list *after)
{
    size_t index = (size_t)converter->builder.graph.operations;
    uint32_t number = graph_builder_add(&converter->builder, operation);
    converter->lines =
        mem_grow(converter->lines, &converter->line_capacity, index + 1, "places of operations");
    converter->lines[index] = converter->place.line;
    converter->ops = mem_grow(converter->ops, &converter->op_capacity, index + 1, "calls of operations");
    converter->ops[index] = (uint8_t)converter->op;
    if (converter->source->sites) {
        converter->sites =
            mem_grow(converter->sites, &converter->site_capacity, index + 1, "call sites of operations");
        converter->sites[index] = converter->site;
    }
    for (size_t i = 0; after && i < after->count; i++)
        graph_builder_depend(&converter->builder, after->at[i].operation, number, after->at[i].on_begin);
    return number;
}

/* The rank goes on after this operation alone. */
void go_on_after(struct after_list *front, uint32_t operation, bool on_begin)
{
    front->count = 0;
    after_list_add(front, (struct after){.operation = operation, .on_begin = on_begin});
}

uint64_t converter_time(struct converter *converter, double picoseconds)
{
    if (!converter->options->whole_ns)
        return picoseconds < 0x1p62 ? (uint64_t)(picoseconds + 0.5) : (uint64_t)PS_NEVER;
    double wanted = picoseconds + converter->left_over;
    uint64_t ns = wanted > 0 && wanted < 0x1p62 ? (uint64_t)(wanted / 1000 + 0.5) : 0;
    converter->left_over = wanted - (double)ns * 1000;
    return ns * 1000;
}

static void compute(struct converter *converter, double picoseconds, enum graph_time time)
{
    const struct graph_operation operation = {
        .kind = GRAPH_COMPUTE, .amount = converter_time(converter, picoseconds), .time = (uint8_t)time};
    if (operation.amount)
        go_on_after(&converter->front, converter_add(converter, &operation, &converter->front), false);
}

static void sleep_for(struct converter *converter, const struct call *call)
{
    const double picoseconds = call->amount * (double)PS_PER_S;
    if (call->flags & CALL_START)
        compute(converter, picoseconds, GRAPH_TIME_OF_START);
    else
        compute(converter, picoseconds * converter->options->scale, GRAPH_TIME_GIVEN);
}

/* -------------------------------------------------------------------- tags */

uint32_t converter_new_tag(struct converter *converter, uint64_t what, uint64_t which)
{
    uint64_t key = (what ^ which * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xD6E8FEB86659FD93);
    uint32_t *slot = hashmap_slot(&converter->tags, key ^ key >> 32);
    if (!*slot)
        *slot = ++converter->new_tags;
    return FIRST_NEW_TAG + *slot - 1;
}

static uint32_t tag_of(struct converter *converter, const struct call *call, int32_t tag)
{
    if (tag == CALL_ANY_TAG) {
        if (converter->new_tags || call->context)
            converter_fail(
                converter,
                "a receive with any tag would take messages of other communicators and of collective "
                "calls too: a graph has tags only");
        return GRAPH_ANY;
    }
    if (!call->context && tag >= 0 && tag < FIRST_NEW_TAG)
        return (uint32_t)tag;
    return converter_new_tag(converter, (uint64_t)call->context << 32 | (uint32_t)tag, 0);
}

uint32_t converter_keep(struct converter *converter, const struct call *call, uint8_t core)
{
    struct graph_builder *builder = &converter->builder;
    if (!converter->options->keeps || !converter->options->keeps(converter->source, call))
        return NO_OPERATION;
    builder->calls =
        mem_grow(builder->calls, &builder->call_capacity, builder->call_count + 1, "collective calls");
    builder->calls[builder->call_count] = *call;
    const struct graph_operation operation = {
        .kind = GRAPH_CALL, .amount = builder->call_count++, .core = core};
    return converter_add(converter, &operation, &converter->front);
}

static void collective(struct converter *converter, const struct call *call)
{
    bool immediate = call->flags & CALL_IMMEDIATE;
    uint32_t slot = call->slot;
    uint8_t core = immediate ? (uint8_t)(1 + (slot - SLOT_FIRST) % (MOST_CORES - 1)) : 0;
    uint32_t kept = converter_keep(converter, call, 0);
    if (kept != NO_OPERATION) {
        go_on_after(&converter->front, kept, immediate);
        if (immediate)
            converter->slots[slot] = (struct after){.operation = kept};
        return;
    }
    struct after_list after = converter_phases(converter, call, core);
    if (!immediate) {
        free(converter->front.at);
        converter->front = after;
        return;
    }
    if (after.count) { /* a wait for it requires one operation */
        uint32_t end = after.at[0].operation;
        if (after.count > 1 || after.at[0].on_begin)
            end = converter_add(converter, &(struct graph_operation){.kind = GRAPH_COMPUTE, .core = core},
                                &after);
        converter->slots[slot] = (struct after){.operation = end};
    }
    free(after.at);
}

/* ----------------------------------------------------------------- messages */

static uint32_t add_point(struct converter *converter, enum graph_kind kind, const struct call *call,
                          int32_t peer, int32_t tag, uint64_t bytes)
{
    const struct graph_operation operation = {.kind = (uint8_t)kind,
                                              .amount = bytes,
                                              .peer = peer == CALL_ANY_SOURCE ? GRAPH_ANY : (uint32_t)peer,
                                              .tag = tag_of(converter, call, tag)};
    return converter_add(converter, &operation, &converter->front);
}

static void check_flags(struct converter *converter, const struct call *call)
{
    if (call->flags & (CALL_SYNCHRONOUS | CALL_BUFFERED))
        converter_fail(converter, "a graph has no synchronous or buffered sends");
}

static void point_to_point(struct converter *converter, const struct call *call)
{
    bool is_send = call->op == CALL_SEND;
    uint32_t operation = add_point(converter, is_send ? GRAPH_SEND : GRAPH_RECV, call, call->peer, call->tag,
                                   is_send ? call->bytes : call->recv_bytes);
    bool immediate = call->flags & CALL_IMMEDIATE;
    check_flags(converter, call);
    go_on_after(&converter->front, operation, immediate);
    if (immediate)
        converter->slots[call->slot] = (struct after){.operation = operation};
}

static void sendrecv(struct converter *converter, const struct call *call)
{
    uint32_t receive = NO_OPERATION, send = NO_OPERATION;
    if (call->source != CALL_PROC_NULL) {
        receive =
            add_point(converter, GRAPH_RECV, call, call->source, call_source_tag(call), call->recv_bytes);
        go_on_after(&converter->front, receive, true);
    }
    if (call->peer != CALL_PROC_NULL)
        send = add_point(converter, GRAPH_SEND, call, call->peer, call->tag, call->bytes);
    check_flags(converter, call);
    if (send != NO_OPERATION)
        go_on_after(&converter->front, send, false);
    else if (receive != NO_OPERATION)
        converter->front.count = 0;
    if (receive != NO_OPERATION)
        wait_for(converter, receive);
}

static void wait_slot(struct converter *converter, uint32_t slot)
{
    struct after *request = &converter->slots[slot];
    if (request->operation != NO_OPERATION)
        wait_for(converter, request->operation);
    request->operation = NO_OPERATION;
}

static void convert_call(struct converter *converter, const struct call *call)
{
    switch ((enum call_op)call->op) {
    case CALL_COMPUTE:
        compute(converter, call->amount * converter->options->ps_per_operation, GRAPH_TIME_OF_WORK);
        break;
    case CALL_SLEEP:
        sleep_for(converter, call);
        break;
    case CALL_SEND:
    case CALL_RECV:
        point_to_point(converter, call);
        break;
    case CALL_SENDRECV:
        sendrecv(converter, call);
        break;
    case CALL_WAIT:
        wait_slot(converter, call->slot);
        break;
    case CALL_WAITALL:
    case CALL_FINALIZE:
        for (uint32_t slot = SLOT_FIRST; slot < converter->slot_count; slot++)
            wait_slot(converter, slot);
        break;
    case CALL_TEST:
    case CALL_INIT:
    case CALL_NOTHING:
        break;
    default:
        collective(converter, call);
        break;
    }
    converter_join(converter, &converter->front, 0);
}

static void convert_rank(struct converter *converter)
{
    struct program *source = converter->source;
    struct call scratch;
    const struct call *call;
    converter->slot_count = source->ops->slots(source, converter->rank);
    converter->slots = mem_alloc(converter->slot_count, sizeof *converter->slots, "requests");
    converter->sequences = mem_alloc(source->group_count, sizeof *converter->sequences, "groups of ranks");
    converter->front.count = 0;
    converter->left_over = 0;
    for (uint32_t i = 0; i < converter->slot_count; i++)
        converter->slots[i].operation = NO_OPERATION;
    graph_builder_rank(&converter->builder);
    while (converter->status == STATUS_OK && (call = program_next(source, converter->rank, &scratch))) {
        converter->place = source->ops->place(source, converter->rank);
        converter->op = (enum call_op)call->op;
        converter->site = source->sites ? source->sites->of(source->sites, converter->rank, call) : 0;
        convert_call(converter, call);
    }
    graph_builder_end(&converter->builder);
    if (converter->status == STATUS_OK)
        converter->status = source->status;
    free(converter->slots);
    free(converter->sequences);
}

/* ------------------------------------------------------------------ program */

struct graph_program {
    struct program program; /* first */
    struct graph graph;
    struct graph_builder builder;
    struct program *source;
    uint64_t *lines;
    uint8_t *ops;
    uint32_t *site_of;
    struct program_sites sites; /* if site_of is not NULL */
};

static const struct graph_program *graph_program_of(const struct program *program)
{
    return (const struct graph_program *)program;
}

static struct call_place place_of_operation(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct graph_program *graph = graph_program_of(program);
    struct call_place place = graph->source->ops->place(graph->source, rank);
    place.line = graph->lines[graph->graph.ranks[rank].first + operation];
    return place;
}

static enum call_op call_of(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct graph_program *graph = graph_program_of(program);
    return (enum call_op)graph->ops[graph->graph.ranks[rank].first + operation];
}

static uint32_t site_of_operation(const struct program_sites *sites, uint32_t rank, uint32_t operation)
{
    const struct graph_program *graph =
        (const void *)((const char *)sites - offsetof(struct graph_program, sites));
    return graph->site_of[graph->graph.ranks[rank].first + operation];
}

static const char *label_of(const struct program *program, uint32_t rank, uint32_t operation)
{
    static _Thread_local char label[32];
    (void)program, (void)rank;
    snprintf(label, sizeof label, "operation %u", operation);
    return label;
}

static struct call_place place(const struct program *program, uint32_t rank)
{
    const struct graph_program *graph = graph_program_of(program);
    return graph->source->ops->place(graph->source, rank);
}

static void close_program(struct program *program)
{
    struct graph_program *graph = (struct graph_program *)program;
    graph_builder_free(&graph->builder);
    free(graph->lines);
    free(graph->ops);
    free(graph->site_of);
    free(graph);
}

static const struct program_ops ops = {.next = graph_program_next,
                                       .slots = graph_program_slots,
                                       .place = place,
                                       .read = graph_program_read,
                                       .rewind = graph_program_rewind,
                                       .close = close_program};

static struct program *make_program(struct converter *converter)
{
    struct graph_program *graph = mem_alloc(1, sizeof *graph, "a graph of calls");
    graph->builder = converter->builder;
    graph->graph = graph_builder_finish(&graph->builder);
    graph->graph.place = place_of_operation;
    graph->graph.label = label_of;
    graph->graph.call = call_of;
    graph->source = converter->source;
    graph->lines = converter->lines;
    graph->ops = converter->ops;
    graph->site_of = converter->sites;
    if (graph->site_of)
        graph->sites = (struct program_sites){.names = converter->source->sites->names,
                                              .count = converter->source->sites->count,
                                              .of_operation = site_of_operation};
    graph->program = (struct program){.ops = &ops,
                                      .name = converter->source->name,
                                      .ranks = converter->source->ranks,
                                      .node_of = converter->source->node_of,
                                      .nodes = converter->source->nodes,
                                      .jobs = converter->source->jobs,
                                      .total_calls = graph->graph.operations,
                                      .bytes_mapped = graph_builder_bytes(&graph->builder) +
                                                      graph->graph.operations *
                                                          (sizeof *graph->lines + sizeof *graph->ops),
                                      .groups = converter->source->groups,
                                      .group_count = converter->source->group_count,
                                      .graph = &graph->graph,
                                      .sites = graph->site_of ? &graph->sites : NULL};
    return &graph->program;
}

/* Room for an operation of each call, since arrays that grow are copied into memory that is used for the
 * first time. Many programs have fewer operations; room that is not used takes no memory. */
static void reserve(struct converter *converter)
{
    enum { MOST = 1 << 24 };
    const uint64_t calls = converter->source->total_calls;
    const size_t count = calls < MOST ? (size_t)calls : MOST;
    graph_builder_reserve(&converter->builder, converter->source->ranks, count);
    converter->lines = mem_grow(converter->lines, &converter->line_capacity, count, "places of operations");
    converter->ops = mem_grow(converter->ops, &converter->op_capacity, count, "calls of operations");
}

enum status graph_of_calls(struct program *source, const struct graph_of_calls_options *options,
                           struct program **program)
{
    struct converter converter = {.source = source, .options = options};
    source->ops->rewind(source);
    reserve(&converter);
    for (; converter.status == STATUS_OK && converter.rank < source->ranks; converter.rank++) {
        if (source->graph && (source->graph->ranks[converter.rank].count || !source->graph->has_calls_too))
            converter_graph_rank(&converter);
        else
            convert_rank(&converter);
    }
    source->ops->rewind(source);
    hashmap_free(&converter.tags);
    free(converter.front.at);
    converter_free_nodes(&converter);
    if (converter.status == STATUS_OK) {
        *program = make_program(&converter);
        return STATUS_OK;
    }
    graph_builder_free(&converter.builder);
    free(converter.lines);
    free(converter.ops);
    free(converter.sites);
    return converter.status;
}
