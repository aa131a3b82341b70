#ifndef HELIO_EXTRAPOLATE_PATTERN_H
#define HELIO_EXTRAPOLATE_PATTERN_H

#include "base/mem.h"
#include "extrapolate/event.h"
#include "extrapolate/peer.h"

/* What one rank does, as loops: 250 x { send north, receive south, ... }. A leaf is a call; every other rank
 * of every size is then read as the same loops, with calls left out where a rank has no partner. */
struct pattern_node {
    /* A loop's body; NULL for a leaf. */
    struct pattern_node **body;
    uint32_t body_count;
    bool stages;     /* its partners change from pass to pass */
    uint64_t passes; /* here */

    struct event event; /* a leaf's */
    size_t at;          /* and the first that it stands for, among the rank's events */
    struct peer_rule *rules[2];
    uint32_t rule_count[2];
    uint32_t possible[2]; /* bit i: rules[.][i] has held so far */
    int tag_step;         /* what its tag grows by from stage to stage */

    uint32_t index; /* among the leaves, or among the loops, of the pattern */
    uint64_t hash;
};

struct pattern {
    struct arena arena;
    struct pattern_node root; /* a loop of one pass */
    struct pattern_node **leaves, **loops;
    uint32_t leaf_count, loop_count;
    uint32_t depth; /* loops within loops, the root included */
};

/* Finds the loops in what `rank` does on the grid. With `stages`, also loops whose partners change by a rule;
 * without, each of their passes stands for itself. */
void pattern_build(struct pattern *pattern, const struct events *events, const struct grid *grid,
                   uint32_t rank, bool stages);
void pattern_free(struct pattern *pattern);

#endif
