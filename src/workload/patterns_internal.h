#ifndef HELIO_WORKLOAD_PATTERNS_INTERNAL_H
#define HELIO_WORKLOAD_PATTERNS_INTERNAL_H

#include "workload/patterns.h"

/* What workload/patterns.c, workload/patterns_walk.c and workload/messages.c share. */

/* Messages from one node to another. */
struct pattern_tally {
    uint32_t source, destination;
    uint64_t messages;
    sum_t bytes;
};

/* Sorts the tallies, and adds up those with the same source and destination. Returns how many are left. */
size_t tallies_unite(struct pattern_tally *tallies, size_t count);

/* Appends `times` equal phases, with the messages of one and the bytes of all. Sorts the tallies. A phase
 * without a message is left out. */
void patterns_add_phase(struct patterns *patterns, struct pattern_tally *tallies, size_t count,
                        uint64_t times, uint64_t skeleton);

/* Sets patterns->iterations and the iterations of each pattern. To be called when all phases are added. */
void patterns_find_main_loop(struct patterns *patterns);

#endif
