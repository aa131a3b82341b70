#include "graph/replicas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"

/* The program with more replicas. */
struct replica_program {
    struct program program;
    struct graph graph;
    struct graph_builder builder;
    const struct program *source;
    struct group *groups;
    uint32_t *members; /* of all groups but the first */
};

/* What is known while it is made. */
struct replica_maker {
    const struct program *source;
    struct replicas *found;
    uint32_t *first_of; /* of each rank: the first one of its group of replicas; itself if it has none */
    uint32_t *group_of; /* of each group of the source: its first copy in the new program */
    bool joins;         /* a call is among replicas, or among all */
    struct replica_program *made;
};

/* ------------------------------------------------------------------- groups */

static bool is_of_all(const struct program *program, uint32_t group)
{
    return program->groups[group].size == program->ranks;
}

/* The distance of neighbours, if it is the same for all; 0: it is not, or they are all ranks, or one. */
static uint32_t apart_in(const struct program *program, uint32_t index)
{
    const struct group *group = &program->groups[index];
    if (is_of_all(program, index) || group->size < 2)
        return 0;
    const uint32_t apart = group->world[1] - group->world[0];
    for (uint32_t i = 1; i < group->size; i++)
        if (group->world[i] <= group->world[i - 1] || group->world[i] - group->world[i - 1] != apart)
            return 0;
    return apart;
}

/* Groups with this distance are groups of replicas if they are equally large and each rank is in one. */
static bool take_family(struct replica_maker *maker, uint32_t apart)
{
    const struct program *source = maker->source;
    uint32_t members = 0, groups = 0, size = 0;
    for (uint32_t rank = 0; rank < source->ranks; rank++)
        maker->first_of[rank] = UINT32_MAX;
    for (uint32_t i = 0; i < source->group_count; i++) {
        const struct group *group = &source->groups[i];
        if (apart_in(source, i) != apart || (size && group->size != size))
            continue;
        for (uint32_t k = 0; k < group->size; k++) {
            if (maker->first_of[group->world[k]] != UINT32_MAX)
                return false;
            maker->first_of[group->world[k]] = group->world[0];
        }
        size = group->size;
        members += size;
        groups++;
    }
    if (!groups || members != source->ranks)
        return false;
    maker->found->groups = groups;
    maker->found->size = size;
    maker->found->apart = apart;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The distances of all families, in order. The caller frees them. */
static uint32_t *find_families(struct replica_maker *maker, size_t *count)
{
    const struct program *source = maker->source;
    uint32_t *distances = mem_alloc(source->group_count, sizeof *distances, "groups of replicas");
    size_t all = 0;
    *count = 0;
    for (uint32_t i = 0; i < source->group_count; i++)
        if (apart_in(source, i))
            distances[all++] = apart_in(source, i);
    qsort(distances, all, sizeof *distances, compare_numbers);
    for (size_t i = 0; i < all; i++)
        if ((i == 0 || distances[i] != distances[i - 1]) && take_family(maker, distances[i]))
            distances[(*count)++] = distances[i];
    return distances;
}

static enum status refuse(const struct program *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static enum status refuse(const struct program *source, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    diag_error("%s cannot grow: %s", source->name, text);
    return STATUS_BAD_INPUT;
}

static enum status refuse_choice(const struct replica_maker *maker, const uint32_t *distances, size_t count,
                                 uint32_t apart)
{
    char list[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", i ? ", " : "", distances[i]);
    if (!count && apart)
        return refuse(maker->source, "it has no groups of equally many ranks that are %u apart", apart);
    if (apart)
        return refuse(maker->source, "its groups of ranks are %s apart, not %u", list, apart);
    return refuse(maker->source,
                  "it has groups of ranks that are %s apart; --apart says which of them have replicas", list);
}

static enum status choose_family(struct replica_maker *maker, uint32_t apart)
{
    size_t count;
    uint32_t *distances = find_families(maker, &count);
    bool is_there = !apart && count <= 1;
    for (size_t i = 0; i < count; i++)
        is_there |= distances[i] == apart;
    enum status status = is_there ? STATUS_OK : refuse_choice(maker, distances, count, apart);
    const uint32_t chosen = apart ? apart : count ? distances[0] : 0;
    free(distances);
    if (status == STATUS_OK && (!chosen || !take_family(maker, chosen))) {
        maker->found->groups = maker->found->size = maker->found->apart = 0;
        for (uint32_t rank = 0; rank < maker->source->ranks; rank++)
            maker->first_of[rank] = rank;
    }
    return status;
}

static bool has_replicas(const struct replica_maker *maker, uint32_t group)
{
    return is_of_all(maker->source, group) ||
           (maker->found->apart && apart_in(maker->source, group) == maker->found->apart);
}

/* --------------------------------------------------------------- regularity */

/* Of rank `other`, which must do what `rank` does. */
struct replica_pair {
    const struct replica_maker *maker;
    uint32_t rank, other;
};

/* The group of `other` is that of `rank`, or as far from it as the ranks are. */
static bool groups_agree(const struct replica_pair *pair, uint32_t a, uint32_t b)
{
    const struct program *source = pair->maker->source;
    const struct group *of = &source->groups[a], *to = &source->groups[b];
    const uint32_t shift = pair->other - pair->rank;
    if (a == b || of->size != to->size)
        return a == b;
    for (uint32_t i = 0; i < of->size; i++)
        if (group_world(of, i) + shift != group_world(to, i))
            return false;
    return true;
}

static bool calls_agree(const struct replica_pair *pair, const struct call *a, const struct call *b)
{
    return a->op == b->op && a->bytes == b->bytes && a->recv_bytes == b->recv_bytes && a->peer == b->peer &&
           a->flags == b->flags && groups_agree(pair, a->group, b->group);
}

static bool is_message(const struct graph_operation *operation)
{
    return operation->kind == GRAPH_SEND || operation->kind == GRAPH_RECV;
}

static bool operations_agree(const struct replica_pair *pair, const struct graph_operation *a,
                             const struct graph_operation *b)
{
    const struct call *calls = pair->maker->source->graph->calls;
    const uint32_t shift = pair->other - pair->rank;
    if (a->kind != b->kind || a->core != b->core || a->nic != b->nic || a->needs != b->needs ||
        a->is_eager != b->is_eager || graph_on_end(a) != graph_on_end(b) ||
        graph_on_begin(a) != graph_on_begin(b))
        return false;
    if (a->kind == GRAPH_CALL)
        return calls_agree(pair, &calls[a->amount], &calls[b->amount]);
    return !is_message(a) || (a->amount == b->amount && a->tag == b->tag &&
                              (a->peer == GRAPH_ANY ? b->peer == GRAPH_ANY : a->peer + shift == b->peer));
}

static enum status compare_ranks(const struct replica_pair *pair)
{
    const struct program *source = pair->maker->source;
    const struct graph_rank *a = &source->graph->ranks[pair->rank];
    const struct graph_rank *b = &source->graph->ranks[pair->other];
    char why[96];
    if (a->count != b->count)
        return refuse(source, "rank %u has %u operations, and its replica, rank %u, has %u", pair->rank,
                      a->count, pair->other, b->count);
    snprintf(why, sizeof why, "differs from the same operation of its replica, rank %u", pair->rank);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct graph_operation *x = &a->operations[i], *y = &b->operations[i];
        bool agree = operations_agree(pair, x, y);
        for (uint32_t k = 0; agree && k < graph_on_end(x) + graph_on_begin(x); k++)
            agree = a->dependents[x->on_end + k] == b->dependents[y->on_end + k];
        if (!agree) {
            graph_report(source, DIAG_ERROR, pair->other, i, why);
            return refuse(source, "ranks %u apart are no replicas", pair->maker->found->apart);
        }
    }
    return STATUS_OK;
}

/* What a rank does with its replicas is known for some calls only. */
static const char *why_not(const struct replica_maker *maker, uint32_t rank,
                           const struct graph_operation *operation)
{
    const struct program *source = maker->source;
    if (is_message(operation) && operation->peer != GRAPH_ANY)
        return operation->peer != rank && maker->first_of[operation->peer] == maker->first_of[rank]
                   ? "is a message between replicas: how more of them do this is not known"
                   : NULL;
    if (operation->kind != GRAPH_CALL)
        return NULL;
    const struct call *call = &source->graph->calls[operation->amount];
    if (!has_replicas(maker, call->group))
        return NULL;
    switch (call->op) {
    case CALL_ALLREDUCE:
    case CALL_REDUCE:
    case CALL_BCAST:
    case CALL_BARRIER:
        return NULL;
    case CALL_ALLGATHER:
    case CALL_REDUCE_SCATTER:
        return call->bytes % maker->found->copies || call->recv_bytes % maker->found->copies
                   ? "has blocks whose bytes cannot be divided by the number of copies"
                   : NULL;
    default:
        return "is a call between replicas of which it is not known how many bytes more of them have";
    }
}

static void note_call(struct replica_maker *maker, const struct call *call)
{
    maker->joins |= has_replicas(maker, call->group);
    maker->found->has_calls_of_all |= is_of_all(maker->source, call->group);
}

static enum status check_rank(struct replica_maker *maker, uint32_t rank)
{
    const struct program *source = maker->source;
    const struct graph_rank *of = &source->graph->ranks[rank];
    const struct replica_pair pair = {maker, maker->first_of[rank], rank};
    enum status status = rank == maker->first_of[rank] ? STATUS_OK : compare_ranks(&pair);
    for (uint32_t i = 0; status == STATUS_OK && i < of->count; i++) {
        const char *why = why_not(maker, rank, &of->operations[i]);
        if (of->operations[i].kind == GRAPH_CALL)
            note_call(maker, &source->graph->calls[of->operations[i].amount]);
        if (!why)
            continue;
        graph_report(source, DIAG_ERROR, rank, i, why);
        status = refuse(source, "its replicas would need a guess");
    }
    return status;
}

static enum status check(struct replica_maker *maker)
{
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < maker->source->ranks; rank++)
        status = check_rank(maker, rank);
    if (status == STATUS_OK && !maker->joins)
        status =
            refuse(maker->source, "no collective call joins replicas, so that copies would be other jobs");
    return status;
}

/* -------------------------------------------------------------- the program */

static struct call_place place(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct program *source = ((const struct replica_program *)program)->source;
    return source->graph->place(source, rank % source->ranks, operation);
}

static struct call_place place_of_rank(const struct program *program, uint32_t rank)
{
    const struct program *source = ((const struct replica_program *)program)->source;
    return source->ops->place(source, rank % source->ranks);
}

static const char *label(const struct program *program, uint32_t rank, uint32_t operation)
{
    const struct program *source = ((const struct replica_program *)program)->source;
    return source->graph->label(source, rank % source->ranks, operation);
}

static void close_program(struct program *program)
{
    struct replica_program *made = (struct replica_program *)program;
    graph_builder_free(&made->builder);
    free(made->groups);
    free(made->members);
    free(made);
}

/* The members of a group in the copies from `begin` to `end`. */
static uint32_t *put_group(struct group *to, const struct group *from, uint32_t *members, uint32_t begin,
                           uint32_t end, uint32_t ranks)
{
    to->world = members;
    to->size = from->size * (end - begin);
    for (uint32_t copy = begin; copy < end; copy++)
        for (uint32_t i = 0; i < from->size; i++)
            *members++ = copy * ranks + group_world(from, i);
    return members;
}

/* Group 0 is all ranks, as before. */
static void make_groups(struct replica_maker *maker)
{
    const struct program *source = maker->source;
    struct replica_program *made = maker->made;
    const uint32_t copies = maker->found->copies;
    size_t members = 0;
    for (uint32_t i = 1; i < source->group_count; i++)
        members += (size_t)source->groups[i].size * copies;
    made->groups = mem_alloc((size_t)source->group_count * copies, sizeof *made->groups, "groups of ranks");
    made->members = mem_alloc(members, sizeof *made->members, "groups of ranks");
    made->groups[0].size = made->program.ranks;
    made->program.group_count = 1;
    uint32_t *next = made->members;
    for (uint32_t i = 1; i < source->group_count; i++) {
        const bool joins = has_replicas(maker, i);
        maker->group_of[i] = made->program.group_count;
        maker->found->others += !joins;
        for (uint32_t copy = 0; copy < copies; copy += joins ? copies : 1)
            next = put_group(&made->groups[made->program.group_count++], &source->groups[i], next, copy,
                             joins ? copies : copy + 1, source->ranks);
    }
    made->program.groups = made->groups;
}

/* The call of a copy. Returns its number. */
static uint64_t add_call(struct replica_maker *maker, const struct call *of, uint32_t copy)
{
    struct graph_builder *builder = &maker->made->builder;
    const bool joins = has_replicas(maker, of->group);
    struct call call = *of;
    if (call.group)
        call.group = maker->group_of[of->group] + (joins ? 0 : copy);
    if (of->context == of->group)
        call.context = call.group;
    if (joins && (of->op == CALL_ALLGATHER || of->op == CALL_REDUCE_SCATTER)) {
        call.bytes /= maker->found->copies;
        call.recv_bytes /= maker->found->copies;
    }
    builder->calls =
        mem_grow(builder->calls, &builder->call_capacity, builder->call_count + 1, "collective calls");
    builder->calls[builder->call_count] = call;
    return builder->call_count++;
}

static void add_rank(struct replica_maker *maker, uint32_t copy, uint32_t rank)
{
    const struct program *source = maker->source;
    const struct graph_rank *of = &source->graph->ranks[rank];
    struct graph_builder *builder = &maker->made->builder;
    graph_builder_rank(builder);
    for (uint32_t i = 0; i < of->count; i++) {
        struct graph_operation operation = of->operations[i];
        if (is_message(&operation) && operation.peer != GRAPH_ANY)
            operation.peer += copy * source->ranks;
        if (operation.kind == GRAPH_CALL)
            operation.amount = add_call(maker, &source->graph->calls[operation.amount], copy);
        graph_builder_add(builder, &operation);
    }
    for (uint32_t i = 0; i < of->count; i++) {
        const struct graph_operation *operation = &of->operations[i];
        for (uint32_t k = operation->on_end; k < operation[1].on_end; k++)
            graph_builder_depend(builder, i, of->dependents[k], k >= operation->on_begin);
    }
    graph_builder_end(builder);
}

static void make(struct replica_maker *maker)
{
    static const struct program_ops ops = {.next = graph_program_next,
                                           .slots = graph_program_slots,
                                           .place = place_of_rank,
                                           .rewind = graph_program_rewind,
                                           .read = graph_program_read,
                                           .close = close_program};
    struct replica_program *made = maker->made;
    const struct program *source = maker->source;
    made->source = source;
    made->program = (struct program){.ops = &ops,
                                     .name = source->name,
                                     .ranks = source->ranks * maker->found->copies,
                                     .nodes_per_server = source->nodes_per_server,
                                     .graph = &made->graph};
    make_groups(maker);
    for (uint32_t copy = 0; copy < maker->found->copies; copy++)
        for (uint32_t rank = 0; rank < source->ranks; rank++)
            add_rank(maker, copy, rank);
    made->graph = graph_builder_finish(&made->builder);
    made->graph.place = place;
    made->graph.label = label;
    made->program.total_calls = made->graph.operations;
    made->program.bytes_mapped = graph_builder_bytes(&made->builder);
}

static enum status check_size(const struct program *source, uint32_t ranks, uint32_t copies)
{
    if (ranks % source->ranks)
        return refuse(source, "%u ranks are no multiple of its %u", ranks, source->ranks);
    if (source->graph->dependences * copies >= UINT32_MAX || source->graph->has_calls_too)
        return refuse(source, source->graph->has_calls_too ? "some of its ranks have calls and no operations"
                                                           : "its graph would have over 2^32 dependences");
    return STATUS_OK;
}

enum status replicas_add(const struct program *source, uint32_t ranks, uint32_t apart, struct replicas *found,
                         struct program **program)
{
    *found = (struct replicas){.copies = ranks / source->ranks};
    enum status status = check_size(source, ranks, found->copies);
    if (status != STATUS_OK)
        return status;
    struct replica_maker maker = {
        .source = source,
        .found = found,
        .first_of = mem_alloc(source->ranks, sizeof *maker.first_of, "groups of replicas"),
        .group_of = mem_alloc(source->group_count, sizeof *maker.group_of, "groups of replicas")};
    status = choose_family(&maker, apart);
    if (status == STATUS_OK)
        status = check(&maker);
    if (status == STATUS_OK) {
        maker.made = mem_alloc(1, sizeof *maker.made, "a program of replicas");
        make(&maker);
        *program = &maker.made->program;
    }
    free(maker.first_of);
    free(maker.group_of);
    return status;
}
