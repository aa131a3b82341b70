#ifndef HELIO_ENGINE_LOGGOPS_LOGGOPS_H
#define HELIO_ENGINE_LOGGOPS_LOGGOPS_H

#include "engine/engine.h"

/* Programs on LogGOPS, the fabric loggops. There are three sets of rules: LogGOPSim's as published
 * (compat=loggopsim), those of its fork in ATLAHS (compat=atlahs), and LogGOPSim's without its faults, which
 * are the default. docs/models/loggops.md
 *
 *   loggops.c    the engine: the loop over events, what becomes ready, the end
 *   queue.c      events in order, and those that wait for a cpu or a NIC
 *   match.c      which message meets which receive
 *   published.c  the rules of LogGOPSim, with and without its faults
 *   atlahs.c     the rules of its fork
 *   causes.c     what the critical path is told
 *   report.c     what is told to the tap, and why a run cannot go on */
extern const struct engine engine_loggops;

#endif
