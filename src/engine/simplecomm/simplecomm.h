#ifndef HELIO_ENGINE_SIMPLECOMM_SIMPLECOMM_H
#define HELIO_ENGINE_SIMPLECOMM_SIMPLECOMM_H

#include <stdbool.h>

#include "base/param.h"
#include "engine/engine.h"

/* The engine that computes what SimpleComm computes; engine_simplecomm below says more. Its files:
 *
 *   simplecomm.c  the engine: steps every rank, then finishes one match; results
 *   step.c        one step of one rank: one call, the next layer of a collective, or a look at a wait
 *   layers.c      collectives as layers of sends and receives
 *   match.c       which send meets which receive
 *   network.c     KAHUNA: InfiniBand whose ports share their bandwidth in windows of time
 *   fmu.c         FMU: every message is a write and then a read
 *   fmu_choose.c  which FMU a write goes to
 *   stops.c       where SimpleComm itself stops, and this engine goes on
 *   ini.c         SimpleComm's configuration files, which no other file needs */

/* The parameters that only SimpleComm has. */
struct simplecomm_config {
    uint64_t booster_factor, booster_every;
    int allreduce; /* enum simplecomm_allreduce */
    int alltoallv; /* enum simplecomm_alltoallv */
};
enum simplecomm_allreduce { ALLREDUCE_BINOMIAL, ALLREDUCE_TO_ROOT };
enum simplecomm_alltoallv { ALLTOALLV_ALL, ALLTOALLV_WITHOUT_EMPTY };

extern const struct param_table simplecomm_params; /* struct simplecomm_config */

/* Whether SimpleComm has a topology like this fabric. */
bool simplecomm_has(const struct fabric_ops *fabric);

/* Computes what the published Python simulator SimpleComm computes (Palma et al.,
 * github.com/Dragonslair5/SimpleComm), with its known faults, so that results obtained with it can be
 * compared and continued. It shares no code with the models of the other engines. docs/simplecomm.md
 *
 * The fabric names the topology: packet is KAHUNA (InfiniBand), fmu its FMU, hybrid its HYBRID. On the tap
 * the times of a message are SimpleComm's own columns: send_posted = SbaseCycle, send_released = SendCycle,
 * recv_posted = RbaseCycle, delivered = RendCycle. */
extern const struct engine engine_simplecomm;

#endif
