#ifndef HELIO_ENGINE_SIMPLECOMM_SIMPLECOMM_H
#define HELIO_ENGINE_SIMPLECOMM_SIMPLECOMM_H

#include <stdbool.h>

#include "base/status.h"
#include "engine/rank/machine.h"

/* What only SimpleComm can be told. */
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

/* What the published Python simulator SimpleComm (Palma et al., github.com/Dragonslair5/SimpleComm) computes,
 * its known faults included, so that results obtained with it can be compared and continued: an engine of its
 * own, which shares no line with the model of the other rooms. docs/simplecomm.md
 *
 * Takes the place of machine_run. The plan's fabric names its topology: packet is KAHUNA (InfiniBand), fmu
 * its FMU, hybrid its HYBRID; others are refused. On the tap, a message's times are SimpleComm's own columns:
 * send_posted = SbaseCycle, send_released = SendCycle, recv_posted = RbaseCycle, delivered = RendCycle. */
enum status simplecomm_run(const struct machine_params *plan, struct machine_usage *usage,
                           void (*visit_fabric)(void *self, struct fabric *fabric), void *self);

#endif
