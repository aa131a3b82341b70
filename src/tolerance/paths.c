#include "tolerance/paths.h"

#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/queue_table.h"
#include "base/time.h"
#include "tolerance/nodes.h"

/* Each operation has two events, its beginning 2 i and its end 2 i + 1; one more is the end of the program.
 */
struct maker {
    const struct program *program;
    const struct graph *graph;
    const struct tolerance_costs *costs;
    struct node_maker nodes;
    uint32_t *rank_of;   /* of each operation */
    uint32_t *partner;   /* of each send its receive, and of each receive its send */
    bool *is_large;      /* of each send and receive: the message waits for its receive */
    struct cause *ready; /* events whose edges can be followed, the next one last */
    size_t ready_count, ready_capacity;
    uint32_t events;
};

static const struct graph_operation *operation_at(const struct maker *maker, uint32_t index)
{
    const struct graph_rank *rank = &maker->graph->ranks[maker->rank_of[index]];
    return &rank->operations[index - rank->first];
}

/* ----------------------------------------------------------------- matching */

static enum status refuse(const struct maker *maker, uint32_t index, const char *why)
{
    uint32_t rank = maker->rank_of[index];
    graph_report(maker->program, DIAG_ERROR, rank, (uint32_t)(index - maker->graph->ranks[rank].first), why);
    return STATUS_BAD_INPUT;
}

/* Sends and receives of one envelope meet in the order of their numbers. Unmatched sends wait in queues,
 * whose links are in `partner`. */
static void queue_sends(struct maker *maker, struct queue_table *sends)
{
    struct queue_links links = {.records = maker->partner, .stride = sizeof *maker->partner, .offset = 0};
    for (uint32_t i = 0; i < maker->graph->operations; i++) {
        const struct graph_operation *operation = operation_at(maker, i);
        if (operation->kind != GRAPH_SEND)
            continue;
        struct queue_key key = {.high = (uint64_t)maker->rank_of[i] << 32 | operation->peer,
                                .low = operation->tag};
        queue_append(&queue_table_at(sends, key)->queue, links, i);
        maker->is_large[i] = operation->amount > maker->costs->eager_bytes && !operation->is_eager;
    }
}

static enum status match_receive(struct maker *maker, struct queue_table *sends, uint32_t index)
{
    struct queue_links links = {.records = maker->partner, .stride = sizeof *maker->partner, .offset = 0};
    const struct graph_operation *operation = operation_at(maker, index);
    struct queue_key key = {.high = (uint64_t)operation->peer << 32 | maker->rank_of[index],
                            .low = operation->tag};
    struct queue_table_entry *entry = queue_table_find(sends, key);
    if (!entry)
        return refuse(maker, index, "has no message");
    uint32_t send = queue_take(&entry->queue, links);
    if (queue_is_empty(&entry->queue))
        queue_table_remove(sends, entry);
    maker->partner[send] = index;
    maker->partner[index] = send;
    maker->is_large[index] = maker->is_large[send];
    return STATUS_OK;
}

static enum status match(struct maker *maker)
{
    struct queue_table sends;
    enum status status = STATUS_OK;
    if (maker->graph->has_any) {
        diag_error("%s has receives from any source or with any tag: which message they meet depends on "
                   "times, so that no exact answer exists",
                   maker->program->name);
        return STATUS_BAD_INPUT;
    }
    queue_table_init(&sends);
    queue_sends(maker, &sends);
    for (uint32_t i = 0; status == STATUS_OK && i < maker->graph->operations; i++)
        if (operation_at(maker, i)->kind == GRAPH_RECV)
            status = match_receive(maker, &sends, i);
    for (size_t i = 0; status == STATUS_OK && sends.used && i <= sends.mask; i++)
        if (!queue_is_empty(&sends.entries[i].queue))
            status = refuse(maker, sends.entries[i].queue.head, "has no receive");
    queue_table_free(&sends);
    return status;
}

/* -------------------------------------------------------------------- costs */

static inline int64_t at_most(uint64_t ps)
{
    return ps < (uint64_t)PATHS_MOST ? (int64_t)ps : PATHS_MOST;
}

static int64_t of_bytes(uint64_t bytes, uint64_t numerator, uint64_t denominator)
{
    uint64_t work;
    if (!__builtin_mul_overflow(bytes, numerator, &work) && work <= UINT64_MAX - denominator)
        return at_most((work + denominator - 1) / denominator);
    unsigned __int128 time = ((unsigned __int128)bytes * numerator + denominator - 1) / denominator;
    return at_most(time > UINT64_MAX ? UINT64_MAX : (uint64_t)time);
}

/* What the bytes behind the first, or all, take. */
static struct tolerance_line bytes_cost(const struct tolerance_costs *costs, uint64_t bytes)
{
    if (costs->variable == TOLERANCE_PER_BYTE)
        return (struct tolerance_line){.k = at_most(bytes)};
    return (struct tolerance_line){.a = of_bytes(bytes, costs->G_numerator, costs->G_denominator)};
}

/* Of an operation alone: from its beginning to its end. */
static struct tolerance_line own_cost(const struct tolerance_costs *costs,
                                      const struct graph_operation *operation)
{
    struct tolerance_line cost = {.a = 0};
    uint64_t bytes = operation->amount ? operation->amount - 1 : 0;
    if (operation->kind == GRAPH_COMPUTE && (costs->scale == 1 || operation->time != GRAPH_TIME_GIVEN))
        cost.a = at_most(operation->amount);
    else if (operation->kind == GRAPH_COMPUTE || operation->kind == GRAPH_WORK) {
        double each = operation->kind == GRAPH_WORK ? costs->ps_per_operation : costs->scale;
        double time = (double)operation->amount * each + 0.5;
        cost.a = time < (double)PATHS_MOST ? (int64_t)time : PATHS_MOST;
    } else if (costs->is_loggops) {
        bool varies_o = costs->variable == TOLERANCE_OVERHEAD;
        bool varies_O = costs->variable == TOLERANCE_OVERHEAD_PER_BYTE;
        cost = varies_o ? (struct tolerance_line){.k = 1} : (struct tolerance_line){.a = costs->overhead};
        cost = paths_plus(cost, varies_O ? (struct tolerance_line){.k = at_most(bytes)}
                                         : (struct tolerance_line){.a = of_bytes(bytes, costs->O_numerator,
                                                                                 costs->O_denominator)});
    }
    return cost;
}

/* `end` is the send or the receive of a message. */
static bool is_within_node(const struct maker *maker, uint32_t end)
{
    uint32_t ranks = maker->costs->ranks_per_node;
    return !maker->costs->is_loggops &&
           program_node(maker->program, maker->rank_of[end], ranks) ==
               program_node(maker->program, operation_at(maker, end)->peer, ranks);
}

/* What the core of this end works for a message, with Hockney. */
static struct tolerance_line core_cost(const struct maker *maker, uint32_t end, bool is_send)
{
    const struct tolerance_costs *costs = maker->costs;
    if (is_within_node(maker, end))
        return (struct tolerance_line){.a = 0};
    return (struct tolerance_line){.a = is_send ? costs->host_send : costs->host_receive};
}

/* Of a message between nodes: from the beginning of its send until it is there; with Hockney, until its
 * receiver has it. */
static struct tolerance_line between_nodes(const struct tolerance_costs *costs,
                                           const struct graph_operation *send)
{
    uint64_t bytes = send->amount;
    struct tolerance_line latency = costs->variable == TOLERANCE_LATENCY
                                        ? (struct tolerance_line){.k = 1}
                                        : (struct tolerance_line){.a = costs->latency};
    if (costs->is_loggops)
        return paths_plus(paths_plus(own_cost(costs, send), latency),
                          bytes_cost(costs, bytes ? bytes - 1 : 0));
    struct tolerance_line hosts = {.a = costs->host_send + 2 * costs->nic + costs->host_receive};
    return paths_plus(paths_plus(latency, bytes_cost(costs, bytes)), hosts);
}

/* The same of any message. */
static struct tolerance_line message_cost(const struct maker *maker, uint32_t send)
{
    const struct tolerance_costs *costs = maker->costs;
    const struct graph_operation *operation = operation_at(maker, send);
    if (!is_within_node(maker, send))
        return between_nodes(costs, operation);
    return (struct tolerance_line){
        .a = at_most((uint64_t)costs->node_latency +
                     (uint64_t)service_ps(operation->amount, costs->node_rate_bytes_per_s))};
}

int64_t paths_counted(const struct program_paths *paths, const struct graph_operation *operation, bool alone)
{
    return alone ? own_cost(&paths->costs, operation).k : between_nodes(&paths->costs, operation).k;
}

/* -------------------------------------------------------------------- edges */

static const struct nodes_counts counts_nothing = {PATHS_NO_MESSAGE, PATHS_NO_MESSAGE};

/* What the operation itself takes counts the parameter. */
static inline uint32_t counted_alone(const struct maker *maker, uint32_t index)
{
    bool varies =
        maker->costs->variable == TOLERANCE_OVERHEAD || maker->costs->variable == TOLERANCE_OVERHEAD_PER_BYTE;
    return varies && own_cost(maker->costs, operation_at(maker, index)).k ? index : PATHS_NO_MESSAGE;
}

/* How many edges that are followed lead to the end of an operation, whose message waits for its receive if it
 * is large. */
static inline uint32_t edges_to_end(const struct maker *maker, enum graph_kind kind, bool is_large)
{
    if (kind == GRAPH_SEND)
        return is_large ? 2 : 1; /* its beginning; and that, or the end, of its receive */
    if (kind == GRAPH_RECV)
        return is_large && !maker->costs->is_loggops ? 1 : 2; /* its beginning, and the message */
    return 1;
}

static inline struct cause *next_ready(struct maker *maker)
{
    maker->ready = mem_grow(maker->ready, &maker->ready_capacity, maker->ready_count + 1, "paths");
    return &maker->ready[maker->ready_count];
}

/* In all, `edges` that are followed lead to the event `to`. */
static inline void follow(struct maker *maker, const struct cause *cause, uint32_t to, uint32_t edges,
                          struct tolerance_line cost, struct nodes_counts counts)
{
    maker->ready_count += nodes_follow(&maker->nodes, cause, to, edges, cost, counts, next_ready(maker));
}

/* To the end of a send or a receive. */
static inline void follow_to_end(struct maker *maker, const struct cause *cause, uint32_t index,
                                 enum graph_kind kind, struct tolerance_line cost, struct nodes_counts counts)
{
    follow(maker, cause, 2 * index + 1, edges_to_end(maker, kind, maker->is_large[cause->event / 2]), cost,
           counts);
}

/* LogGOPS: a receive begins when its message is there, and then costs o. The send of a large message ends
 * with its receive. */
static inline void loggops_edges(struct maker *maker, const struct cause *cause, bool is_send, bool waits)
{
    uint32_t index = cause->event / 2, partner = maker->partner[index];
    bool is_end = cause->event % 2;
    if (is_send && !is_end)
        follow_to_end(
            maker, cause, partner, GRAPH_RECV,
            paths_plus(message_cost(maker, index), own_cost(maker->costs, operation_at(maker, partner))),
            (struct nodes_counts){index, counted_alone(maker, partner)});
    else if (!is_send && is_end && waits)
        follow_to_end(maker, cause, partner, GRAPH_SEND, (struct tolerance_line){.a = 0}, counts_nothing);
}

/* Hockney: a large message leaves when its receive is posted too, and both ends end when its receiver has it.
 */
static inline void hockney_edges(struct maker *maker, const struct cause *cause, bool is_send, bool waits)
{
    uint32_t index = cause->event / 2, partner = maker->partner[index];
    uint32_t send = is_send ? index : partner, receive = is_send ? partner : index;
    bool is_end = cause->event % 2;
    if (!is_end && (is_send || waits))
        follow_to_end(
            maker, cause, waits ? send : receive, waits ? GRAPH_SEND : GRAPH_RECV, message_cost(maker, send),
            (struct nodes_counts){is_within_node(maker, index) ? PATHS_NO_MESSAGE : send, PATHS_NO_MESSAGE});
    else if (is_end && is_send && waits)
        follow_to_end(maker, cause, receive, GRAPH_RECV, (struct tolerance_line){.a = 0}, counts_nothing);
}

/* Ranks take turns, so that the processor does not see that each of them goes through its operations in
 * order. */
static inline void fetch_soon(const struct maker *maker, uint32_t index,
                              const struct graph_operation *operation)
{
    enum { AHEAD = 6 };
    uint32_t soon = index + AHEAD;
    if (soon >= maker->graph->operations)
        return;
    __builtin_prefetch(operation + AHEAD + 2);
    __builtin_prefetch(&maker->nodes.term_of[2 * maker->partner[soon] + 1]);
}

/* What comes later in the rank. */
static inline void follow_dependents(struct maker *maker, const struct cause *cause,
                                     const struct graph_rank *rank, const struct graph_operation *operation)
{
    const struct tolerance_line nothing = {.a = 0};
    bool is_end = cause->event % 2;
    uint32_t first = is_end ? operation->on_end : operation->on_begin;
    uint32_t end = is_end ? operation->on_begin : operation[1].on_end;
    for (uint32_t i = first; i < end; i++) {
        uint32_t next = rank->dependents[i];
        follow(maker, cause, 2 * ((uint32_t)rank->first + next), rank->operations[next].needs, nothing,
               counts_nothing);
    }
    if (is_end && first == end)
        follow(maker, cause, maker->events - 1, UINT32_MAX, nothing, counts_nothing);
}

/* Every edge that leaves an event; each says how many lead to where it goes. True: *cause is the end of the
 * same operation now. */
static bool follow_edges(struct maker *maker, struct cause *cause)
{
    const uint32_t event = cause->event, index = event / 2;
    const struct graph_rank *rank = &maker->graph->ranks[maker->rank_of[index]];
    const struct graph_operation *operation = &rank->operations[index - rank->first];
    const bool is_end = event % 2, is_send = operation->kind == GRAPH_SEND;
    const bool is_message = is_send || operation->kind == GRAPH_RECV;
    const bool is_loggops = maker->costs->is_loggops, waits = maker->is_large[index];
    fetch_soon(maker, index, operation);
    follow_dependents(maker, cause, rank, operation);
    if (is_message && is_loggops)
        loggops_edges(maker, cause, is_send, waits);
    else if (is_message)
        hockney_edges(maker, cause, is_send, waits);
    if (is_end || (waits && !is_loggops))
        return false;
    return nodes_follow(
        &maker->nodes, cause, event + 1, edges_to_end(maker, (enum graph_kind)operation->kind, waits),
        is_message && !is_loggops ? core_cost(maker, index, is_send) : own_cost(maker->costs, operation),
        (struct nodes_counts){PATHS_NO_MESSAGE, counted_alone(maker, index)}, cause);
}

/* -------------------------------------------------------------------- order */

/* Operations that wait for nothing; from the last to the first, since the last one that is ready is the next
 * one. */
static void find_ready(struct maker *maker)
{
    for (uint32_t index = (maker->events - 1) / 2; index-- > 0;)
        if (!operation_at(maker, index)->needs) {
            nodes_begin(&maker->nodes, 2 * index, next_ready(maker));
            maker->ready_count++;
        }
}

/* Follows events in an order in which each one is behind its causes. */
static enum status make_nodes(struct maker *maker)
{
    uint32_t last = maker->events - 1, done = 0;
    find_ready(maker);
    while (maker->ready_count) {
        struct cause cause = maker->ready[--maker->ready_count];
        do
            done++;
        while (follow_edges(maker, &cause));
    }
    for (uint32_t event = 0; done < last && event < last; event++)
        if (!nodes_is_settled(&maker->nodes, event))
            return refuse(maker, event / 2, "waits for itself, by way of others: a deadlock");
    nodes_finish(&maker->nodes, last);
    return STATUS_OK;
}

/* --------------------------------------------------------------- life cycle */

/* The longest times, and the most of the parameter, leave room for products. */
static enum status check_range(struct program_paths *paths)
{
    const struct paths_edges *edges = &paths->edges;
    int64_t *most = mem_alloc((size_t)edges->nodes * 2, sizeof *most, "paths");
    for (uint32_t node = 1; node < edges->nodes; node++)
        for (size_t i = edges->first[node]; i < edges->first[node + 1]; i++) {
            const int64_t *from = &most[2 * (size_t)edges->source[i]];
            struct tolerance_line here =
                paths_plus((struct tolerance_line){from[0], from[1]}, edges->cost[i]);
            int64_t *to = &most[2 * (size_t)node];
            to[0] = to[0] > here.a ? to[0] : here.a;
            to[1] = to[1] > here.k ? to[1] : here.k;
        }
    size_t last = 2 * (size_t)(edges->nodes - 1);
    bool fits = most[last] < PATHS_MOST && most[last + 1] < PATHS_MOST;
    free(most);
    if (!fits)
        diag_error("%s takes more than 13 days: no exact answer exists", paths->program->name);
    return fits ? STATUS_OK : STATUS_BAD_INPUT;
}

static void maker_init(struct maker *maker, const struct program *program)
{
    size_t operations = (size_t)program->graph->operations;
    maker->events = (uint32_t)(2 * operations + 1);
    maker->rank_of = mem_alloc(operations, sizeof *maker->rank_of, "paths");
    maker->partner = mem_alloc(operations, sizeof *maker->partner, "paths");
    maker->is_large = mem_alloc(operations, sizeof *maker->is_large, "paths");
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (uint32_t i = 0; i < program->graph->ranks[rank].count; i++)
            maker->rank_of[program->graph->ranks[rank].first + i] = rank;
}

static void maker_free(struct maker *maker)
{
    free(maker->rank_of);
    free(maker->partner);
    free(maker->is_large);
    free(maker->ready);
}

enum status program_paths_open(const struct program *program, const struct tolerance_costs *costs,
                               struct program_paths **opened)
{
    const struct graph *graph = program->graph;
    *opened = NULL;
    if (graph->operations >= UINT32_MAX / 2 || graph->calls) {
        diag_error(graph->calls ? "%s has collective calls that are no messages yet"
                                : "%s has too many operations: at most 2^31 - 2",
                   program->name);
        return STATUS_BAD_INPUT;
    }
    struct program_paths *paths = mem_alloc(1, sizeof *paths, "paths");
    struct maker maker = {.program = program, .graph = graph, .costs = costs};
    paths->program = program;
    paths->costs = *costs;
    maker_init(&maker, program);
    node_maker_init(&maker.nodes, paths, maker.events);
    enum status status = match(&maker);
    if (status == STATUS_OK)
        status = make_nodes(&maker);
    maker_free(&maker);
    node_maker_free(&maker.nodes);
    if (status == STATUS_OK)
        status = check_range(paths);
    if (status == STATUS_OK) {
        paths->longest = mem_alloc(paths->edges.nodes, sizeof *paths->longest, "paths");
        *opened = paths;
    } else {
        program_paths_close(paths);
    }
    return status;
}

void program_paths_close(struct program_paths *paths)
{
    free(paths->edges.first);
    free(paths->edges.source);
    free(paths->edges.cost);
    free(paths->last_message);
    free(paths->messages);
    free(paths->longest);
    free(paths);
}
