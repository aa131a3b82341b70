#ifndef HELIO_SIM_ENGINES_H
#define HELIO_SIM_ENGINES_H

#include "engine/engine.h"

/* The engine that runs what `input` describes. NULL, reported: there is none. */
const struct engine *engines_find(const struct engine_input *input);

#endif
