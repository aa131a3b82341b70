#ifndef HELIO_TRACE_EDIT_LOOPS_H
#define HELIO_TRACE_EDIT_LOOPS_H

#include "trace/edit/edit.h"

/* The outermost loop of each rank: the sequence of calls whose repetition is most of its calls
 * (workload/repetition.h), at least half. Two calls are the same if kind, partners, tags and communicator
 * are; sizes may differ. Computation and calls that do nothing are left out. */

struct loop {
    uint64_t start, period; /* in calls that are not left out; period 0: the rank has none */
    uint64_t rest;          /* calls of repeats beyond those of the other ranks */
};

struct loops {
    struct loop *of; /* per rank */
    uint64_t repeats;
};

/* Whether the call is one of those that a loop consists of. */
bool loops_have(const struct call *call);

/* STATUS_BAD_INPUT, and *lacking is a rank that repeats nothing; nothing is reported. */
enum status loops_find(const struct compiled_trace *source, struct loops *loops, uint32_t *lacking);
void loops_free(struct loops *loops);

/* Ranks that repeat more often than others take part from the end on, not from the beginning. False: no rank
 * does. */
bool loops_align_ends(struct loops *loops, uint32_t ranks);

#endif
