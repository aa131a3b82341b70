#include "coll/told.h"
#include "graph/internal.h"

/* The messages of a phase all begin after `before`, and `after` gets their ends. */
struct converter_sink {
    struct coll_sink base;
    struct converter *converter;
    const struct call *call;
    const struct after_list *before;
    struct after_list after;
    uint32_t tag;
    uint8_t core;
};

static void add_message(struct converter_sink *sink, enum graph_kind kind, uint32_t peer, uint64_t bytes)
{
    struct converter *converter = sink->converter;
    const struct group *group = &converter->source->groups[sink->call->group];
    const struct graph_operation operation = {.kind = (uint8_t)kind,
                                              .amount = bytes,
                                              .peer = group_world(group, peer),
                                              .tag = sink->tag,
                                              .core = sink->core};
    after_list_add(&sink->after,
                   (struct after){.operation = converter_add(converter, &operation, sink->before)});
}

static void sink_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    add_message((struct converter_sink *)sink, GRAPH_SEND, peer, from.bytes);
}

static void sink_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    add_message((struct converter_sink *)sink, GRAPH_RECV, peer, into.bytes);
}

static void refuse_shared(struct coll_sink *base)
{
    struct converter *converter = ((struct converter_sink *)base)->converter;
    if (converter->status == STATUS_OK)
        converter_fail(
            converter,
            "the algorithm of this call uses memory that ranks of a node share, which a graph does "
            "not have; choose another one");
}

static void refuse_flag(struct coll_sink *sink, uint32_t flag)
{
    (void)flag;
    refuse_shared(sink);
}

static void refuse_recv_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)peer, (void)into, (void)flag;
    refuse_shared(sink);
}

static void ignore_local(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    (void)sink, (void)from, (void)into;
}

static const struct coll_nodes *nodes_of(struct converter *converter, uint32_t group)
{
    const struct program *source = converter->source;
    const struct group *members = &source->groups[group];
    if (!converter->nodes)
        converter->nodes = mem_alloc(source->group_count, sizeof *converter->nodes, "nodes of groups");
    struct converter_nodes *made = &converter->nodes[group];
    if (!made->storage) {
        made->storage =
            mem_alloc(coll_nodes_storage(members->size), sizeof *made->storage, "nodes of a group");
        group_places(source, members, converter->options->patterns.ranks_per_node, true, made->storage);
        coll_nodes_init(&made->nodes, members->size, made->storage, made->storage);
    }
    return &made->nodes;
}

void converter_free_nodes(struct converter *converter)
{
    for (uint32_t group = 0; converter->nodes && group < converter->source->group_count; group++)
        free(converter->nodes[group].storage);
    free(converter->nodes);
}

/* One operation that stands for many, so that those after it do not each depend on all. */
void converter_join(struct converter *converter, struct after_list *list, uint8_t core)
{
    enum { FEW = 4 };
    if (list->count <= FEW)
        return;
    uint32_t operation =
        converter_add(converter, &(struct graph_operation){.kind = GRAPH_COMPUTE, .core = core}, list);
    go_on_after(list, operation, false);
}

/* `before` becomes what the last phase has left. */
static void emit_phases(struct converter_sink *sink, const struct coll_algorithm *algorithm,
                        const struct coll_call *call, struct after_list *before)
{
    struct converter *converter = sink->converter;
    for (uint32_t phase = 0; converter->status == STATUS_OK; phase++) {
        sink->after.count = 0;
        if (!coll_emit(algorithm, call, phase, &sink->base))
            break;
        if (!sink->after.count)
            continue;
        converter_join(converter, &sink->after, sink->core);
        struct after_list done = *before;
        *before = sink->after;
        sink->after = done;
    }
}

/* Rank 0 of the group says for all which algorithm the call has. */
static void tell_algorithm(const struct converter *converter, const struct coll_call *call,
                           const struct coll_algorithm *algorithm)
{
    const struct tap *tap = converter->options->tap;
    if (!tap || call->rank != 0)
        return;
    const struct tap_collective told = coll_told(call, algorithm);
    tap_emit(tap, &(struct tap_record){.kind = TAP_COLLECTIVE, .rank = converter->rank, .collective = &told});
}

/* Returns what the end of the call is: the list is the caller's to free. */
struct after_list converter_phases(struct converter *converter, const struct call *call, uint8_t core)
{
    struct coll_call described =
        patterns_coll_call(converter->source, &converter->options->patterns, converter->rank, call);
    const struct coll_algorithm *algorithm = patterns_algorithm(&converter->options->patterns, &described);
    uint64_t sequence = converter->sequences[call->group]++;
    struct after_list before = {.at = NULL};
    for (size_t i = 0; i < converter->front.count; i++)
        after_list_add(&before, converter->front.at[i]);
    if (algorithm->node_aware)
        described.nodes = nodes_of(converter, call->group);
    tell_algorithm(converter, &described, algorithm);
    struct converter_sink sink = {
        .base = {.send = sink_send,
                 .recv = sink_recv,
                 .recv_raise = refuse_recv_raise,
                 .barrier = refuse_shared,
                 .raise = refuse_flag,
                 .await = refuse_flag,
                 .copy = ignore_local,
                 .reduce = ignore_local},
        .converter = converter,
        .call = call,
        .before = &before,
        .tag = converter_new_tag(converter, (uint64_t)call->group << 32 | call->context, sequence + 1),
        .core = core};
    const struct coll_call whole = described;
    uint32_t parts = coll_parts(algorithm, &whole, converter->options->patterns.splits);
    for (uint32_t part = 0; part < parts; part++) {
        described.bytes = coll_part_bytes(&whole, parts, part);
        emit_phases(&sink, algorithm, &described, &before);
    }
    free(sink.after.at);
    return before;
}
