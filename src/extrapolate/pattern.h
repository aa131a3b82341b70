#ifndef HELIO_EXTRAPOLATE_PATTERN_H
#define HELIO_EXTRAPOLATE_PATTERN_H

#include "base/mem.h"
#include "extrapolate/peer.h"
#include "extrapolate/rank_events.h"

/* The calls of one rank as loops: 250 x { send north, receive south, ... }. A leaf is a call. Every other
 * rank of every trace is read as the same loops; it may leave out calls for which it has no partner. */
struct pattern_node {
    /* A loop's body; NULL for a leaf. */
    struct pattern_node **body;
    uint32_t body_count;
    bool stages;     /* a loop: partners change from pass to pass */
    uint64_t passes; /* of the rank that the pattern is from */

    struct rank_event event; /* of a leaf */
    size_t at;               /* of a leaf: the number of its first event of the rank */
    struct peer_rule *rules[2];
    uint32_t rule_count[2];
    uint32_t possible[2]; /* bit i: rules[.][i] has held so far */
    int tag_step;         /* the difference of its tags from stage to stage */

    uint32_t index;         /* among the leaves, or among the loops, of the pattern */
    uint32_t place, places; /* of a leaf: its first place, and their number */
    uint64_t hash;
};

/* A place of computation is before a leaf, after as many loops have been entered since the leaf before: what
 * comes before a loop is computed once, and what is at the end of its body before each other pass. A leaf has
 * as many places as it is deep, from leaf->place on. */
struct call_pattern {
    struct arena arena;
    struct pattern_node root; /* a loop of one pass */
    struct pattern_node **leaves, **loops;
    uint32_t leaf_count, loop_count;
    uint32_t place_count;
    uint32_t depth; /* of the nested loops, with the root */
    bool edges;     /* struct hypothesis */
};

static inline uint32_t pattern_place(const struct pattern_node *leaf, uint32_t entered)
{
    return leaf->place + (entered < leaf->places ? entered : leaf->places - 1);
}

/* Finds the loops in the calls of `rank`. With `stages`, it also finds loops whose partners change by a rule
 * from pass to pass. */
void call_pattern_build(struct call_pattern *pattern, const struct rank_events *events,
                        const struct grid *grid, uint32_t rank, bool stages);
void call_pattern_free(struct call_pattern *pattern);

#endif
