#ifndef HELIO_TOLERANCE_PATHS_H
#define HELIO_TOLERANCE_PATHS_H

#include "tolerance/tolerance.h"

/* The paths of a program as a small graph. Its nodes are the events with more than one cause, each behind its
 * causes; node 0 is the beginning, and the last node is the end of the program. Operations that follow each
 * other are one edge, with the sum of their costs. */
struct paths_edges {
    uint32_t nodes;
    size_t *first; /* of each node: its edges, up to those of the next node; one more than nodes */
    uint32_t *source;
    struct tolerance_line *cost;
};

/* What counts the parameter on an edge: a message, by its send, or with PATHS_ALONE an operation by itself;
 * and what counts it before that on the same edge. */
struct paths_message {
    uint32_t send, before; /* the send counts all operations; PATHS_NO_MESSAGE: none */
};

#define PATHS_NO_MESSAGE UINT32_MAX
#define PATHS_ALONE      (UINT32_C(1) << 31) /* there are fewer operations */

struct program_paths {
    const struct program *program;
    struct tolerance_costs costs;
    struct paths_edges edges;
    uint32_t *last_message; /* of each edge */
    struct paths_message *messages;
    size_t messages_capacity, message_count;
    struct tolerance_line *longest; /* to each node, in one pass: */
    struct tolerance_at longest_at; /* the last one, at this value */
    bool longest_fewest, has_longest;
};

/* A path takes at most this, and counts the parameter at most as often: products fit 128 bits. */
#define PATHS_MOST (INT64_C(1) << 60)

static inline struct tolerance_line paths_plus(struct tolerance_line a, struct tolerance_line b)
{
    struct tolerance_line sum = {a.a + b.a, a.k + b.k};
    return (struct tolerance_line){sum.a < PATHS_MOST ? sum.a : PATHS_MOST,
                                   sum.k < PATHS_MOST ? sum.k : PATHS_MOST};
}

/* How often the operation, which counts all operations of its rank, counts the parameter: its message, or
 * `alone` what it takes itself. */
int64_t paths_counted(const struct program_paths *paths, const struct graph_operation *operation, bool alone);

/* The longest path to each node at `at`; returns that to the last one. Room for `edges->nodes` lines. */
struct tolerance_line paths_longest(const struct paths_edges *edges, struct tolerance_at at, bool fewest,
                                    struct tolerance_line *longest);

#endif
