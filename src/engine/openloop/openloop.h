#ifndef HELIO_ENGINE_OPENLOOP_OPENLOOP_H
#define HELIO_ENGINE_OPENLOOP_OPENLOOP_H

#include "engine/engine.h"

/* Runs open-loop traffic, program->openloop, over a fabric. Every node counts as a rank that neither computes
 * nor waits. It ends when the last message from it or to it has arrived. */
extern const struct engine engine_openloop;

#endif
