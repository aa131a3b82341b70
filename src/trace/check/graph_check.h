#ifndef HELIO_TRACE_CHECK_GRAPH_CHECK_H
#define HELIO_TRACE_CHECK_GRAPH_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sum.h"
#include "call/graph.h"

/* What a graph consists of, and what can be wrong with it though each operation is right: sends and receives
 * that never match. */

enum { GRAPH_SIZES = 65 }; /* class 0: messages of 0 bytes, class k > 0: of 2^(k-1) to 2^k - 1 bytes */

struct graph_summary {
    uint64_t kinds[GRAPH_KINDS];
    uint64_t on_begin; /* of the dependences */
    uint64_t roots;    /* operations that wait for nothing */
    uint64_t alone;    /* of these, those that nothing waits for either */
    uint64_t to_itself;
    uint64_t wildcards; /* receives that match any rank or any tag */
    sum_t bytes;        /* of sends */
    sum_t compute_ps;   /* of GRAPH_COMPUTE */
    double work;        /* of GRAPH_WORK */
    uint64_t sizes[GRAPH_SIZES];
    uint32_t depth; /* operations of the longest chain of dependences within a rank */
    uint32_t width; /* operations of a rank with equally long chains before them, at most */
};

void graph_summary_of(const struct program *program, struct graph_summary *summary);

struct graph_check {
    uint64_t channels;  /* (source, destination, tag) */
    uint64_t mailboxes; /* ranks whose receives match any: only the numbers of messages are compared */
    uint64_t unmatched; /* channels and mailboxes whose sends and receives differ in number */
    uint64_t unequal;   /* channels whose sends and receives are as many, but differ in bytes */
};

/* Reports each difference in number as an error, up to a limit. True: nothing is wrong. GOAL does not compare
 * sizes, so that those that differ are no error. */
bool graph_check(const struct program *program, struct graph_check *check);

#endif
