#ifndef HELIO_WORKLOAD_PATTERNS_INTERNAL_H
#define HELIO_WORKLOAD_PATTERNS_INTERNAL_H

#include "workload/patterns.h"

/* What workload/patterns.c and workload/patterns_walk.c share. */

/* Messages from one node to another. */
struct pattern_tally {
    uint32_t source, destination;
    uint64_t messages;
    uint64_t bytes;
};

/* Sorts, and sums up what has the same source and destination. Returns how many are left. */
size_t tallies_unite(struct pattern_tally *tallies, size_t count);

/* Appends `times` equal phases: messages of one time, bytes of all times. Sorts the tallies. Phases without a
 * message are none. */
void patterns_add_phase(struct patterns *patterns, struct pattern_tally *tallies, size_t count,
                        uint64_t times, uint64_t skeleton);

/* Once all phases are there: patterns->iterations and those of each pattern. */
void patterns_find_main_loop(struct patterns *patterns);

#endif
