#ifndef HELIO_SCHEDULE_CIRCUIT_MATCHER_H
#define HELIO_SCHEDULE_CIRCUIT_MATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Matchings of most edges in a bipartite graph of `size` rows and columns, whose edges come and go. Edges are
 * bits, so that a search passes 64 columns in one step. Augmenting paths are found breadth first (Hopcroft
 * and Karp, 1973, without their phases: after a small change few rows are without a column). */
struct edge_matcher {
    uint32_t size;
    size_t words;                 /* of a row */
    uint64_t *edges;              /* [size][words] */
    uint32_t *column_of, *row_of; /* MATCHER_NONE: none */
    uint64_t *unseen;
    uint32_t *queue, *reached_from;
};

#define MATCHER_NONE UINT32_MAX

void matcher_init(struct edge_matcher *matcher, uint32_t size);
void matcher_free(struct edge_matcher *matcher);

/* Removes all edges; the matching is then empty. */
void matcher_clear(struct edge_matcher *matcher);

static inline void matcher_add(struct edge_matcher *matcher, uint32_t row, uint32_t column)
{
    matcher->edges[row * matcher->words + column / 64] |= UINT64_C(1) << column % 64;
}

static inline bool matcher_has(const struct edge_matcher *matcher, uint32_t row, uint32_t column)
{
    return matcher->edges[row * matcher->words + column / 64] >> column % 64 & 1;
}

/* Takes the edge out of the graph, and out of the matching. */
void matcher_remove(struct edge_matcher *matcher, uint32_t row, uint32_t column);

/* Makes the matching as large as it can be, and returns whether every row has a column. With `perfect_only`
 * it ends at the first row that cannot have one. */
bool matcher_match(struct edge_matcher *matcher, bool perfect_only);

#endif
