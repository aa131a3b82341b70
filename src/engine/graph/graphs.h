#ifndef HELIO_ENGINE_GRAPH_GRAPHS_H
#define HELIO_ENGINE_GRAPH_GRAPHS_H

#include "engine/engine.h"

/* Ranks that execute a graph of operations, on the same layers as ranks that execute calls (engine/rank).
 * docs/models/graphs.md
 *
 *   scheduler.c  operations, cores, dependences
 *   causes.c     what the critical path is told
 *   graphs.c     the engine: makes the layers and runs the program, or says what blocks it */
extern const struct engine engine_graphs;

#endif
