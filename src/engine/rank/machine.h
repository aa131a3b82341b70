#ifndef HELIO_ENGINE_RANK_MACHINE_H
#define HELIO_ENGINE_RANK_MACHINE_H

#include "engine/engine.h"

/* Executes a program on a fabric: one run. Ranks follow the four-state machine of the FMU paper (section V):
 * Norm, Comm (blocked in a call), Wait (blocked by requests), Fin. docs/models/ranks.md */
extern const struct engine engine_ranks;

#endif
