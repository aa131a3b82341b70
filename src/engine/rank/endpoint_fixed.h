#ifndef HELIO_ENGINE_RANK_ENDPOINT_FIXED_H
#define HELIO_ENGINE_RANK_ENDPOINT_FIXED_H

#include "engine/rank/endpoint.h"

/* A fixed time at each end of a message to another node: host.send and host.receive, in which the core of its
 * rank does nothing else, and nic.latency where the fabric has NICs. docs/models/host.md */
extern const struct endpoint_ops endpoint_fixed;

#endif
