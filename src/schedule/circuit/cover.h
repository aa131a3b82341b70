#ifndef HELIO_SCHEDULE_CIRCUIT_COVER_H
#define HELIO_SCHEDULE_CIRCUIT_COVER_H

#include "schedule/circuit/player.h"

/* Plays what is left in as few slots as there can be: the largest degree D. Entries that are left are the
 * edges of a graph, to which others are added until every port has degree D; it then falls apart into D
 * perfect matchings (König 1916). Each begins with the largest entries that fit, and lasts until its last
 * entry is carried ("An efficient heuristic for traffic assignment", Gopal and Wong 1985, lists entries this
 * way). */
void cover_rest(struct player *player);

#endif
