#ifndef HELIO_ENGINE_OPENLOOP_FLOWS_H
#define HELIO_ENGINE_OPENLOOP_FLOWS_H

#include "engine/rank/machine.h"

/* The driver of open-loop traffic: program->openloop over a fabric, as machine_run is that of ranks. Every
 * node counts as a rank that ends when the last message from or to it has arrived; it neither computes nor
 * waits. */

/* Sets the program's ranks to the nodes that send, all of the topology unless its text says how many. Fails,
 * reported, where there is no topology, or one that has fewer. */
enum status flows_settle(struct program *program, const struct config *config);

/* One run; as machine_run. */
enum status flows_run(const struct machine_params *plan, struct machine_usage *usage,
                      void (*visit_fabric)(void *self, struct fabric *fabric), void *self);

#endif
