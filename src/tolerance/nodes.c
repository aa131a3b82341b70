#include "tolerance/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of an event that waits for nothing. */
static const struct term no_term = {.message = PATHS_NO_MESSAGE};

static inline bool is_nothing(const struct term *term)
{
    return !term->node && !term->line.a && !term->line.k;
}

/* True: one of them is not above the other anywhere, and *old has the higher one. */
static inline bool replaces(struct term *old, const struct term *next)
{
    if (is_nothing(next) ||
        (old->node == next->node && old->line.a >= next->line.a && old->line.k >= next->line.k))
        return true;
    if (!is_nothing(old) &&
        (old->node != next->node || old->line.a > next->line.a || old->line.k > next->line.k))
        return false;
    uint32_t others = old->next, waits = old->waits;
    *old = *next;
    old->next = others;
    old->waits = waits;
    return true;
}

static uint32_t take_term(struct node_maker *maker)
{
    uint32_t index = maker->unused;
    if (index) {
        maker->unused = maker->terms[index].next;
        return index;
    }
    maker->terms = mem_grow(maker->terms, &maker->term_capacity, maker->term_count + 1, "paths");
    return (uint32_t)maker->term_count++;
}

static void add_term(struct node_maker *maker, uint32_t first, const struct term *term)
{
    struct term *of_event = &maker->terms[first];
    if (replaces(of_event, term) || (of_event->next && replaces(&maker->terms[of_event->next], term)))
        return;
    uint32_t index = take_term(maker);
    maker->terms[index] = *term;
    maker->terms[index].next = maker->terms[first].next;
    maker->terms[first].next = index;
}

static void add_edge(struct node_maker *maker, const struct term *term)
{
    struct program_paths *paths = maker->paths;
    size_t count = maker->edge_count + 1;
    paths->edges.source = mem_grow(paths->edges.source, &maker->source_capacity, count, "paths");
    paths->edges.cost = mem_grow(paths->edges.cost, &maker->cost_capacity, count, "paths");
    paths->last_message = mem_grow(paths->last_message, &maker->message_capacity, count, "paths");
    paths->edges.source[maker->edge_count] = term->node;
    paths->edges.cost[maker->edge_count] = term->line;
    paths->last_message[maker->edge_count++] = term->message;
}

/* The next node, whose edges are those added since the last one. */
static uint32_t add_node(struct node_maker *maker)
{
    struct paths_edges *edges = &maker->paths->edges;
    edges->first = mem_grow(edges->first, &maker->first_capacity, (size_t)edges->nodes + 2, "paths");
    edges->first[edges->nodes + 1] = maker->edge_count;
    return edges->nodes++;
}

/* Whether a path by way of `other` is at least as long as `term`: the node of `other` comes behind that of
 * `term`. */
static inline bool is_covered(const struct paths_edges *edges, const struct term *term,
                              const struct term *other)
{
    const size_t end = edges->first[other->node + 1];
    for (size_t i = edges->first[other->node]; i < end; i++)
        if (edges->source[i] == term->node && edges->cost[i].a + other->line.a >= term->line.a &&
            edges->cost[i].k + other->line.k >= term->line.k)
            return true;
    return false;
}

enum { FEW_TERMS = 6, FEW_EDGES = 3, RECENT_NODES = 1 << 12, BY_EDGE = 1 };

/* Some terms, in the order of their nodes. Here `waits` of a term is BY_EDGE if it has the messages of an
 * edge only. */
struct few {
    struct term terms[FEW_TERMS];
    size_t count;
    bool overflows;
};

/* Which of two terms are needed: both, the old one only, or the next one only. */
enum few_order { FEW_BOTH, FEW_OLD, FEW_NEXT };

static inline enum few_order compare_terms(const struct paths_edges *edges, const struct term *old,
                                           const struct term *next)
{
    if (next->node < old->node)
        return is_covered(edges, next, old) ? FEW_OLD : FEW_BOTH;
    if (old->node < next->node)
        return is_covered(edges, old, next) ? FEW_NEXT : FEW_BOTH;
    if (old->line.a >= next->line.a && old->line.k >= next->line.k)
        return FEW_OLD;
    return old->line.a <= next->line.a && old->line.k <= next->line.k ? FEW_NEXT : FEW_BOTH;
}

static inline void few_add(const struct paths_edges *edges, struct few *few, const struct term *term)
{
    enum few_order order[FEW_TERMS];
    size_t kept = 0, at;
    if (is_nothing(term) && few->count)
        return;
    for (size_t i = 0; i < few->count; i++) {
        order[i] = is_nothing(&few->terms[i]) ? FEW_NEXT : compare_terms(edges, &few->terms[i], term);
        if (order[i] == FEW_OLD)
            return;
    }
    for (size_t i = 0; i < few->count; i++)
        if (order[i] == FEW_BOTH && kept++ != i)
            few->terms[kept - 1] = few->terms[i];
    few->count = kept;
    if (kept == FEW_TERMS) {
        few->overflows = true;
        return;
    }
    for (at = few->count++; at && few->terms[at - 1].node > term->node; at--)
        few->terms[at] = few->terms[at - 1];
    few->terms[at] = *term;
}

/* The messages of a term behind those of an edge to its node. */
static uint32_t join_messages(struct node_maker *maker, uint32_t of_term, uint32_t of_edge)
{
    struct program_paths *paths = maker->paths;
    if (of_term == PATHS_NO_MESSAGE || of_edge == PATHS_NO_MESSAGE)
        return of_term == PATHS_NO_MESSAGE ? of_edge : of_term;
    struct paths_message last = paths->messages[of_term];
    last.before = join_messages(maker, last.before, of_edge);
    paths->messages = mem_grow(paths->messages, &paths->messages_capacity, paths->message_count + 1, "paths");
    paths->messages[paths->message_count] = last;
    return (uint32_t)paths->message_count++;
}

/* In place of the last term those of its node. False: they would be more. */
static bool expand_last(struct node_maker *maker, const struct few *few, struct few *wide)
{
    const struct paths_edges *edges = &maker->paths->edges;
    const struct term *last = &few->terms[few->count - 1];
    size_t first = edges->first[last->node], end = edges->first[last->node + 1], messages = 0;
    for (uint32_t i = last->message; i != PATHS_NO_MESSAGE && messages <= FEW_EDGES; messages++)
        i = maker->paths->messages[i].before;
    if (!last->node || end - first > FEW_EDGES || messages > FEW_EDGES)
        return false;
    wide->count = few->count - 1;
    wide->overflows = false;
    for (size_t i = 0; i < wide->count; i++) {
        wide->terms[i] = few->terms[i];
        wide->terms[i].waits = 0;
    }
    for (size_t i = first; i < end; i++)
        few_add(
            edges, wide,
            &(struct term){.line = paths_plus(last->line, edges->cost[i]),
                           .node = edges->source[i],
                           .message = join_messages(maker, last->message, maker->paths->last_message[i])});
    return !wide->overflows && wide->count <= few->count;
}

/* The terms that are needed. Nodes that only this event needs go, if it has no more edges without them: of
 * two messages that cross, both ends wait for both. NULL: the terms are many, and all are kept. */
static struct few *find_few(struct node_maker *maker, const struct term *term, struct few few[2])
{
    few->count = 1;
    few->overflows = false;
    few->terms[0] = *term;
    while (term->next && !few->overflows) {
        term = &maker->terms[term->next];
        few_add(&maker->paths->edges, few, term);
    }
    if (few->overflows)
        return NULL;
    return few->count > 1 && expand_last(maker, few, few + 1) ? few + 1 : few;
}

static bool has_edges(const struct node_maker *maker, uint32_t node, const struct term *terms, size_t count)
{
    const struct paths_edges *edges = &maker->paths->edges;
    size_t first = edges->first[node];
    bool is_same = edges->first[node + 1] - first == count;
    for (size_t i = 0; is_same && i < count; i++)
        is_same = edges->source[first + i] == terms[i].node && edges->cost[first + i].a == terms[i].line.a &&
                  edges->cost[first + i].k == terms[i].line.k;
    return is_same;
}

/* A node for these terms: if two ranks wait for the same, they have one node. */
static uint32_t node_of_few(struct node_maker *maker, const struct term *terms, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ terms[i].node ^ (uint64_t)terms[i].line.a << 16 ^ (uint64_t)terms[i].line.k << 48) *
               UINT64_C(0x9E3779B97F4A7C15);
    struct recent_node *recent = &maker->recent[hash >> 52];
    if (recent->node && recent->hash == (uint32_t)hash && has_edges(maker, recent->node, terms, count))
        return recent->node;
    for (size_t i = 0; i < count; i++)
        add_edge(maker, &terms[i]);
    *recent = (struct recent_node){add_node(maker), (uint32_t)hash};
    return recent->node;
}

static void add_edges(struct node_maker *maker, const struct term *term)
{
    for (add_edge(maker, term); term->next; add_edge(maker, term))
        term = &maker->terms[term->next];
}

/* An event with several causes becomes a node. */
static struct term settled(struct node_maker *maker, const struct term *term)
{
    struct few both[2], *few;
    if (!term->next)
        return *term;
    few = find_few(maker, term, both);
    if (few && few->count == 1)
        return few->terms[0];
    struct term node = {.message = PATHS_NO_MESSAGE};
    if (few) {
        node.node = node_of_few(maker, few->terms, few->count);
    } else {
        add_edges(maker, term);
        node.node = add_node(maker);
    }
    return node;
}

/* Leaves out nodes from which no edge leads to the end. */
static void compact(struct program_paths *paths)
{
    struct paths_edges *edges = &paths->edges;
    uint32_t *number = mem_alloc(edges->nodes, sizeof *number, "paths"), nodes = 1;
    size_t count = 0, begin = 0, end;
    number[edges->nodes - 1] = 1;
    for (uint32_t node = edges->nodes; node-- > 1;)
        for (size_t i = edges->first[node]; number[node] && i < edges->first[node + 1]; i++)
            number[edges->source[i]] = 1;
    number[0] = 0;
    for (uint32_t node = 1; node < edges->nodes; node++, begin = end) {
        end = edges->first[node + 1];
        if (!number[node])
            continue;
        for (size_t i = begin; i < end; i++, count++) {
            edges->source[count] = number[edges->source[i]];
            edges->cost[count] = edges->cost[i];
            paths->last_message[count] = paths->last_message[i];
        }
        number[node] = nodes++;
        edges->first[nodes] = count;
    }
    edges->nodes = nodes;
    free(number);
}

/* --------------------------------------------------------------- interface */

static inline void add_message(struct program_paths *paths, struct term *term, uint32_t what)
{
    paths->messages = mem_grow(paths->messages, &paths->messages_capacity, paths->message_count + 1, "paths");
    paths->messages[paths->message_count] = (struct paths_message){what, term->message};
    term->message = (uint32_t)paths->message_count++;
}

static struct term settle(struct node_maker *maker, uint32_t first)
{
    uint32_t last = first;
    struct term term = settled(maker, &maker->terms[first]);
    while (maker->terms[last].next)
        last = maker->terms[last].next;
    maker->terms[last].next = maker->unused;
    maker->unused = first;
    return term;
}

void nodes_count(struct node_maker *maker, struct term *term, struct nodes_counts counts)
{
    if (counts.send != PATHS_NO_MESSAGE)
        add_message(maker->paths, term, counts.send);
    if (counts.alone != PATHS_NO_MESSAGE)
        add_message(maker->paths, term, counts.alone | PATHS_ALONE);
}

bool nodes_join(struct node_maker *maker, struct term *term, uint32_t event, uint32_t edges)
{
    uint32_t first = maker->term_of[event];
    term->next = 0;
    if (!first) {
        first = maker->term_of[event] = take_term(maker);
        term->waits = edges - 1;
        maker->terms[first] = *term;
        return false;
    }
    add_term(maker, first, term);
    if (--maker->terms[first].waits)
        return false;
    *term = settle(maker, first);
    return true;
}

void nodes_begin(struct node_maker *maker, uint32_t event, struct cause *settled)
{
    maker->term_of[event] = NODES_SETTLED;
    *settled = (struct cause){no_term, event};
}

void nodes_finish(struct node_maker *maker, uint32_t last)
{
    uint32_t first = maker->term_of[last];
    add_edges(maker, first ? &maker->terms[first] : &no_term);
    add_node(maker);
    compact(maker->paths);
}

/* Room for two edges and two messages for each message of the program, since arrays that grow are copied into
 * memory that is used for the first time. */
static void reserve(struct node_maker *maker, size_t messages)
{
    struct program_paths *paths = maker->paths;
    const size_t count = 2 * messages;
    paths->edges.first = mem_grow(paths->edges.first, &maker->first_capacity, messages, "paths");
    paths->edges.source = mem_grow(paths->edges.source, &maker->source_capacity, count, "paths");
    paths->edges.cost = mem_grow(paths->edges.cost, &maker->cost_capacity, count, "paths");
    paths->last_message = mem_grow(paths->last_message, &maker->message_capacity, count, "paths");
    paths->messages = mem_grow(paths->messages, &paths->messages_capacity, count, "paths");
}

void node_maker_init(struct node_maker *maker, struct program_paths *paths, uint32_t events)
{
    maker->paths = paths;
    maker->term_of = mem_alloc(events, sizeof *maker->term_of, "paths");
    maker->recent = mem_alloc(RECENT_NODES, sizeof *maker->recent, "paths");
    maker->terms = mem_grow(maker->terms, &maker->term_capacity, 1, "paths");
    maker->term_count = 1; /* 0 is none */
    reserve(maker, (size_t)paths->program->graph->sends);
    add_node(maker);
    paths->edges.first[0] = 0;
}

void node_maker_free(struct node_maker *maker)
{
    free(maker->terms);
    free(maker->term_of);
    free(maker->recent);
}
