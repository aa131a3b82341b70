#ifndef HELIO_SIM_TRAFFIC_H
#define HELIO_SIM_TRAFFIC_H

#include "base/status.h"
#include "call/call.h"
#include "engine/params.h"
#include "fabric/fabric.h"
#include "workload/patterns.h"

/* How a run that has these parameters makes its collective calls. The options point into `collective`. */
struct patterns_options traffic_options(const struct config *config, struct collective_config *collective);

/* What a program will send, for fabrics that are scheduled before the run. Rewinds the program. */
struct traffic {
    struct fabric_traffic traffic;
    struct fabric_phase *phases;
    struct fabric_pair *pairs; /* of all phases */
};

enum status traffic_init(struct traffic *traffic, struct program *program, const struct config *config);
void traffic_free(struct traffic *traffic);
/* Bytes that it takes to find so many pairs of ranks, and to keep them. */
double traffic_estimate(double pairs);

#endif
