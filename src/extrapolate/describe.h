#ifndef HELIO_EXTRAPOLATE_DESCRIBE_H
#define HELIO_EXTRAPOLATE_DESCRIBE_H

#include <stdio.h>

#include "extrapolate/model.h"

/* A model as loops of calls with their rules, for people:
 *
 *   76 times
 *     send to (x + 1, y), 720 bytes
 *
 * `held_back`: the number of ranks on which the computation was tested; 0: none. */
void describe_model(const struct program_model *model, uint32_t ranks, uint32_t held_back, FILE *to);

#endif
