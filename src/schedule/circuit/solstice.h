#ifndef HELIO_SCHEDULE_CIRCUIT_SOLSTICE_H
#define HELIO_SCHEDULE_CIRCUIT_SOLSTICE_H

#include "schedule/circuit/player.h"

/* Plays the slots of Solstice ("Scheduling techniques for hybrid circuit/packet networks", Liu et al., CoNEXT
 * 2015): a perfect matching of entries of the stuffed demand above a threshold, as long as its smallest
 * entry. The threshold starts at the largest power of two that the largest entry reaches, and is halved when
 * there is no perfect matching. Ends when it falls below `least_bytes`; 0: everything is carried then. */
void solstice_slots(struct player *player, uint64_t least_bytes);

double solstice_cost(const struct circuit_problem *problem);

#endif
