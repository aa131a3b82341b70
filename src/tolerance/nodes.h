#ifndef HELIO_TOLERANCE_NODES_H
#define HELIO_TOLERANCE_NODES_H

#include "tolerance/paths.h"

/* Makes the nodes of a small graph from the events of a program. */

/* What is known of an event: it happens a + k x after a node, or after the latest of several. */
struct term {
    struct tolerance_line line;
    uint32_t node, message; /* the last message since that node */
    uint32_t next;          /* another one, in `more`; 0: there is none */
    uint32_t waits;         /* of an event: edges that lead to it and have not been followed */
};

struct recent_node {
    uint32_t node, hash;
};

struct node_maker {
    struct program_paths *paths;
    struct term *terms, *more;  /* of each event the first term, and all further ones */
    struct recent_node *recent; /* by a hash of their edges */
    uint32_t unused;            /* in `more`, as a list; 0: none */
    size_t more_count, more_capacity, edge_count, cost_capacity, source_capacity;
    size_t first_capacity, message_capacity;
};

void node_maker_init(struct node_maker *maker, struct program_paths *paths, uint32_t events);
void node_maker_free(struct node_maker *maker);

/* So many edges lead to the event. Comes before the first edge. */
static inline void nodes_begin(struct node_maker *maker, uint32_t event, uint32_t edges)
{
    maker->terms[event].message = PATHS_NO_MESSAGE;
    maker->terms[event].waits = edges;
}

/* What counts the parameter on an edge: a message, by its send, and an operation by itself.
 * PATHS_NO_MESSAGE: none. */
struct nodes_counts {
    uint32_t send, alone;
};

/* `to` happens `cost` after `from`, which is settled. */
void nodes_follow(struct node_maker *maker, uint32_t from, uint32_t to, struct tolerance_line cost,
                  struct nodes_counts counts);
/* All edges to the event have been followed: if it has several causes, it becomes a node. */
void nodes_settle(struct node_maker *maker, uint32_t event);
/* `last` is the end of the program: the last node. Leaves out what is not needed. */
void nodes_finish(struct node_maker *maker, uint32_t last);

#endif
