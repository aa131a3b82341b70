#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/queue_table.h"
#include "base/time.h"
#include "tolerance/envelope.h"

/* Each operation has two events, its beginning 2 i and its end 2 i + 1. Edges between events of one rank
 * follow from the graph; those of a message are found by its partner. */
struct program_paths {
    const struct program *program;
    const struct graph *graph;
    struct tolerance_costs costs;
    uint32_t *rank_of;              /* of each operation */
    uint32_t *partner;              /* of each send its receive, and of each receive its send */
    uint32_t *order;                /* events, each behind all that it waits for */
    uint32_t *waits;                /* while the order is made: edges that lead to an event */
    struct tolerance_line *longest; /* of each event, in one pass */
    struct tolerance_at at;         /* of this pass */
    bool fewest;
    struct envelope *when; /* of each event, at all latencies of the interval */
    struct interval interval;
    uint32_t events;
};

#define NO_PARTNER UINT32_MAX

static const struct graph_operation *operation_at(const struct program_paths *paths, uint32_t index)
{
    const struct graph_rank *rank = &paths->graph->ranks[paths->rank_of[index]];
    return &rank->operations[index - rank->first];
}

/* ----------------------------------------------------------------- matching */

static enum status refuse(const struct program_paths *paths, uint32_t index, const char *why)
{
    uint32_t rank = paths->rank_of[index];
    graph_report(paths->program, DIAG_ERROR, rank, (uint32_t)(index - paths->graph->ranks[rank].first), why);
    return STATUS_BAD_INPUT;
}

/* Sends and receives of one envelope meet in the order of their numbers. Unmatched sends wait in queues,
 * whose links are in `partner`. */
static void queue_sends(struct program_paths *paths, struct queue_table *sends)
{
    struct queue_links links = {.records = paths->partner, .stride = sizeof *paths->partner, .offset = 0};
    for (uint32_t i = 0; i < paths->graph->operations; i++) {
        const struct graph_operation *operation = operation_at(paths, i);
        if (operation->kind != GRAPH_SEND)
            continue;
        struct queue_key key = {.high = (uint64_t)paths->rank_of[i] << 32 | operation->peer,
                                .low = operation->tag};
        queue_append(&queue_table_at(sends, key)->queue, links, i);
    }
}

static enum status match(struct program_paths *paths)
{
    struct queue_links links = {.records = paths->partner, .stride = sizeof *paths->partner, .offset = 0};
    struct queue_table sends;
    enum status status = STATUS_OK;
    if (paths->graph->has_any) {
        diag_error(
            "%s has receives from any source or with any tag: which message they meet depends on times, "
            "so that no exact answer exists",
            paths->program->name);
        return STATUS_BAD_INPUT;
    }
    queue_table_init(&sends);
    queue_sends(paths, &sends);
    for (uint32_t i = 0; status == STATUS_OK && i < paths->graph->operations; i++) {
        const struct graph_operation *operation = operation_at(paths, i);
        if (operation->kind != GRAPH_RECV)
            continue;
        struct queue_key key = {.high = (uint64_t)operation->peer << 32 | paths->rank_of[i],
                                .low = operation->tag};
        struct queue_table_entry *entry = queue_table_find(&sends, key);
        if (!entry) {
            status = refuse(paths, i, "has no message");
            break;
        }
        uint32_t send = queue_take(&entry->queue, links);
        if (queue_is_empty(&entry->queue))
            queue_table_remove(&sends, entry);
        paths->partner[send] = i;
        paths->partner[i] = send;
    }
    if (status == STATUS_OK && sends.used) {
        for (size_t k = 0; k <= sends.mask; k++)
            if (!queue_is_empty(&sends.entries[k].queue))
                status = refuse(paths, sends.entries[k].queue.head, "has no receive");
    }
    queue_table_free(&sends);
    return status;
}

/* -------------------------------------------------------------------- edges */

static int64_t of_bytes(uint64_t bytes, uint64_t numerator, uint64_t denominator)
{
    unsigned __int128 work = (unsigned __int128)bytes * numerator;
    unsigned __int128 time = (work + denominator - 1) / denominator;
    return time > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)time;
}

/* Of an operation alone: from its beginning to its end. */
static int64_t own_cost(const struct program_paths *paths, const struct graph_operation *operation)
{
    const struct tolerance_costs *costs = &paths->costs;
    if (operation->kind == GRAPH_COMPUTE)
        return operation->amount < INT64_MAX / 4 ? (int64_t)operation->amount : INT64_MAX / 4;
    if (operation->kind == GRAPH_WORK)
        return (int64_t)((double)operation->amount * costs->ps_per_operation + 0.5);
    if (!costs->is_loggops)
        return 0;
    return costs->overhead +
           of_bytes(operation->amount ? operation->amount - 1 : 0, costs->O_numerator, costs->O_denominator);
}

/* Of a message: the time that it takes beside the latency, and how often it counts. */
static struct tolerance_line message_cost(const struct program_paths *paths, uint32_t send)
{
    const struct tolerance_costs *costs = &paths->costs;
    const struct graph_operation *operation = operation_at(paths, send);
    uint64_t bytes = operation->amount;
    if (costs->is_loggops)
        return (struct tolerance_line){.a = own_cost(paths, operation) + of_bytes(bytes ? bytes - 1 : 0,
                                                                                  costs->G_numerator,
                                                                                  costs->G_denominator),
                                       .k = 1};
    if (paths->rank_of[send] / costs->ranks_per_node == operation->peer / costs->ranks_per_node)
        return (struct tolerance_line){.a = costs->node_latency +
                                            service_ps(bytes, costs->node_rate_bytes_per_s)};
    return (struct tolerance_line){.a = of_bytes(bytes, costs->G_numerator, costs->G_denominator), .k = 1};
}

typedef void take_edge(struct program_paths *paths, uint32_t from, uint32_t to, struct tolerance_line cost);

/* LogGOPS: a receive begins when its message is there, and then costs o. The send of a large message ends
 * with its receive. */
static void loggops_edges(struct program_paths *paths, uint32_t event, take_edge *take)
{
    uint32_t index = event / 2, partner = paths->partner[index];
    const struct graph_operation *operation = operation_at(paths, index);
    const struct tolerance_line nothing = {.a = 0};
    bool is_large = operation->amount > paths->costs.eager_bytes && !operation->is_eager;
    if (operation->kind == GRAPH_SEND && event % 2 == 0)
        take(paths, event, 2 * partner, message_cost(paths, index));
    else if (operation->kind == GRAPH_RECV && event % 2) {
        const struct graph_operation *sent = operation_at(paths, partner);
        is_large = sent->amount > paths->costs.eager_bytes && !sent->is_eager;
        if (is_large)
            take(paths, event, 2 * partner + 1, nothing);
    }
}

/* Hockney: a large message leaves when its receive is posted too, and both ends end when it is there. */
static void hockney_edges(struct program_paths *paths, uint32_t event, take_edge *take)
{
    uint32_t index = event / 2, partner = paths->partner[index];
    bool is_send = operation_at(paths, index)->kind == GRAPH_SEND;
    uint32_t send = is_send ? index : partner, receive = is_send ? partner : index;
    const struct graph_operation *operation = operation_at(paths, send);
    bool is_large = operation->amount > paths->costs.eager_bytes && !operation->is_eager;
    if (event % 2)
        return;
    if (is_send || is_large)
        take(paths, event, 2 * receive + 1, message_cost(paths, send));
    if (is_large)
        take(paths, event, 2 * send + 1, message_cost(paths, send));
}

/* Every edge that leaves an event. */
static void edges_of(struct program_paths *paths, uint32_t event, take_edge *take)
{
    uint32_t index = event / 2, rank_index = paths->rank_of[index];
    const struct graph_rank *rank = &paths->graph->ranks[rank_index];
    const struct graph_operation *operation = operation_at(paths, index);
    const struct tolerance_line nothing = {.a = 0};
    bool is_end = event % 2;
    uint32_t first = is_end ? operation->on_end : operation->on_begin;
    uint32_t end = is_end ? operation->on_begin : operation[1].on_end;
    for (uint32_t i = first; i < end; i++)
        take(paths, event, 2 * ((uint32_t)rank->first + rank->dependents[i]), nothing);
    if (!is_end)
        take(paths, event, event + 1, (struct tolerance_line){.a = own_cost(paths, operation)});
    if (operation->kind != GRAPH_SEND && operation->kind != GRAPH_RECV)
        return;
    if (paths->costs.is_loggops)
        loggops_edges(paths, event, take);
    else
        hockney_edges(paths, event, take);
}

/* -------------------------------------------------------------------- order */

static void count_edge(struct program_paths *paths, uint32_t from, uint32_t to, struct tolerance_line cost)
{
    (void)from, (void)cost;
    paths->waits[to]++;
}

/* `waits[events]` is how many events are in the order so far. */
static void take_off(struct program_paths *paths, uint32_t from, uint32_t to, struct tolerance_line cost)
{
    (void)from, (void)cost;
    if (--paths->waits[to] == 0)
        paths->order[paths->waits[paths->events]++] = to;
}

static enum status make_order(struct program_paths *paths)
{
    uint32_t *taken = &paths->waits[paths->events];
    for (uint32_t event = 0; event < paths->events; event++)
        edges_of(paths, event, count_edge);
    for (uint32_t event = 0; event < paths->events; event++)
        if (!paths->waits[event])
            paths->order[(*taken)++] = event;
    for (uint32_t i = 0; i < *taken; i++)
        edges_of(paths, paths->order[i], take_off);
    for (uint32_t event = 0; *taken < paths->events && event < paths->events; event++)
        if (paths->waits[event])
            return refuse(paths, event / 2, "waits for itself, by way of others: a deadlock");
    return STATUS_OK;
}

/* ------------------------------------------------------------------ longest */

static inline bool is_longer(const struct program_paths *paths, struct tolerance_line a,
                             struct tolerance_line b)
{
    __int128 difference =
        (__int128)(a.a - b.a) * paths->at.denominator + (__int128)(a.k - b.k) * paths->at.numerator;
    if (difference)
        return difference > 0;
    return paths->fewest ? a.k < b.k : a.k > b.k;
}

static void push(struct program_paths *paths, uint32_t from, uint32_t to, struct tolerance_line cost)
{
    struct tolerance_line reached = {paths->longest[from].a + cost.a, paths->longest[from].k + cost.k};
    if (is_longer(paths, reached, paths->longest[to]))
        paths->longest[to] = reached;
}

struct tolerance_line program_paths_longest(struct program_paths *paths, struct tolerance_at at, bool fewest)
{
    struct tolerance_line longest = {.a = 0};
    paths->at = at;
    paths->fewest = fewest;
    memset(paths->longest, 0, paths->events * sizeof *paths->longest);
    for (uint32_t i = 0; i < paths->events; i++) {
        uint32_t event = paths->order[i];
        if (is_longer(paths, paths->longest[event], longest))
            longest = paths->longest[event];
        edges_of(paths, event, push);
    }
    return longest;
}

/* The function of each event goes to those behind it, and is then dropped. */
static void raise_next(struct program_paths *paths, uint32_t from, uint32_t to, struct tolerance_line cost)
{
    envelope_raise(&paths->when[to], &paths->when[from], cost, paths->interval);
}

void program_paths_all(struct program_paths *paths, struct interval interval, struct envelope *longest)
{
    const struct tolerance_line nothing = {.a = 0};
    paths->when = mem_alloc(paths->events, sizeof *paths->when, "paths");
    paths->interval = interval;
    *longest = (struct envelope){.is_reached = true};
    for (uint32_t i = 0; i < paths->events; i++) {
        uint32_t event = paths->order[i];
        paths->when[event].is_reached = true;
        edges_of(paths, event, raise_next);
        envelope_raise(longest, &paths->when[event], nothing, interval);
        envelope_drop(&paths->when[event]);
    }
    free(paths->when);
}

/* --------------------------------------------------------------- life cycle */

enum status program_paths_open(const struct program *program, const struct tolerance_costs *costs,
                               struct program_paths **opened)
{
    const struct graph *graph = program->graph;
    if (graph->operations >= UINT32_MAX / 2 || graph->calls) {
        diag_error(graph->calls ? "%s has collective calls that are no messages yet"
                                : "%s has too many operations: at most 2^31 - 2",
                   program->name);
        return STATUS_BAD_INPUT;
    }
    struct program_paths *paths = mem_alloc(1, sizeof *paths, "paths");
    size_t operations = (size_t)graph->operations;
    *paths = (struct program_paths){
        .program = program, .graph = graph, .costs = *costs, .events = (uint32_t)(2 * operations)};
    paths->rank_of = mem_alloc(operations, sizeof *paths->rank_of, "paths");
    paths->partner = mem_alloc(operations, sizeof *paths->partner, "paths");
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (uint32_t i = 0; i < graph->ranks[rank].count; i++)
            paths->rank_of[graph->ranks[rank].first + i] = rank;
    enum status status = match(paths);
    if (status == STATUS_OK) {
        paths->order = mem_alloc(paths->events, sizeof *paths->order, "paths");
        paths->waits = mem_alloc((size_t)paths->events + 1, sizeof *paths->waits, "paths");
        paths->longest = mem_alloc(paths->events, sizeof *paths->longest, "paths");
        status = make_order(paths);
    }
    *opened = paths;
    if (status != STATUS_OK) {
        program_paths_close(paths);
        *opened = NULL;
    }
    return status;
}

void program_paths_close(struct program_paths *paths)
{
    free(paths->rank_of);
    free(paths->partner);
    free(paths->order);
    free(paths->waits);
    free(paths->longest);
    free(paths);
}

size_t program_paths_bytes(const struct program_paths *paths)
{
    return sizeof *paths + paths->events / 2 * (sizeof *paths->rank_of + sizeof *paths->partner) +
           paths->events * (sizeof *paths->order + sizeof *paths->waits + sizeof *paths->longest);
}
