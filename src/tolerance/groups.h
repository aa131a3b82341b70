#ifndef HELIO_TOLERANCE_GROUPS_H
#define HELIO_TOLERANCE_GROUPS_H

#include "tolerance/lanes.h"

/* Takes the stretches between the points, each with the part of the graph that matters in it. A pass to and
 * one fro find the parts of up to seven stretches. */
void groups_take(struct lanes *lanes, struct lanes_point *points, size_t count,
                 const struct coarse_take *take);

#endif
