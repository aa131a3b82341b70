#ifndef HELIO_ENGINE_RANK_ENDPOINT_HOST_H
#define HELIO_ENGINE_RANK_ENDPOINT_HOST_H

#include "engine/rank/endpoint.h"

/* The host model as an endpoint: cores, PCIe and NICs with the times of a system file. docs/models/host.md */
extern const struct endpoint_ops endpoint_host;

#endif
