#ifndef HELIO_TOLERANCE_NODES_H
#define HELIO_TOLERANCE_NODES_H

#include "tolerance/paths.h"

/* Makes the nodes of a small graph from the events of a program. */

/* What is known of an event: it happens a + k x after a node, or after the latest of several. Only events
 * that some edges have reached, and not yet all, have terms: few at a time. */
struct term {
    struct tolerance_line line;
    uint32_t node, message; /* the last message since that node */
    uint32_t next;          /* another one; 0: there is none */
    uint32_t waits;         /* of the first: edges that lead to the event and have not been followed */
};

struct recent_node {
    uint32_t node, hash;
};

struct node_maker {
    struct program_paths *paths;
    struct term *terms;         /* of all events */
    uint32_t *term_of;          /* of each event: the first; 0: no edge has reached it; NODES_SETTLED */
    struct recent_node *recent; /* by a hash of their edges */
    uint32_t unused;            /* terms, as a list; 0: none */
    size_t term_count, term_capacity, edge_count, cost_capacity, source_capacity;
    size_t first_capacity, message_capacity;
};

#define NODES_SETTLED UINT32_MAX

void node_maker_init(struct node_maker *maker, struct program_paths *paths, uint32_t events);
void node_maker_free(struct node_maker *maker);

static inline bool nodes_is_settled(const struct node_maker *maker, uint32_t event)
{
    return maker->term_of[event] == NODES_SETTLED;
}

/* What counts the parameter on an edge: a message, by its send, and an operation by itself.
 * PATHS_NO_MESSAGE: none. */
struct nodes_counts {
    uint32_t send, alone;
};

/* An event, and when it happens. */
struct cause {
    struct term when;
    uint32_t event;
};

/* Adds what counts the parameter to the messages of a term. */
void nodes_count(struct node_maker *maker, struct term *term, struct nodes_counts counts);
/* The event happens when *term says, and several edges lead to it. True: this is the last one, and *term is
 * when it happens after all of them. */
bool nodes_join(struct node_maker *maker, struct term *term, uint32_t event, uint32_t edges);

/* `to` happens `cost` after `from`, which has settled. `edges` lead to it in all. True: this is the last one,
 * so that it settles in *settled. If it has several causes, it becomes a node. */
static inline bool nodes_follow(struct node_maker *maker, const struct cause *from, uint32_t to,
                                uint32_t edges, struct tolerance_line cost, struct nodes_counts counts,
                                struct cause *settled)
{
    struct term term = from->when;
    term.line = paths_plus(term.line, cost);
    if ((counts.send & counts.alone) != PATHS_NO_MESSAGE)
        nodes_count(maker, &term, counts);
    if (edges > 1 && !nodes_join(maker, &term, to, edges))
        return false;
    maker->term_of[to] = NODES_SETTLED;
    *settled = (struct cause){term, to};
    return true;
}

/* Nothing leads to the event. */
void nodes_begin(struct node_maker *maker, uint32_t event, struct cause *settled);
/* `last` is the end of the program: the last node. Leaves out what is not needed. */
void nodes_finish(struct node_maker *maker, uint32_t last);

#endif
