#ifndef HELIO_ENGINE_RANK_ENDPOINT_LIST_H
#define HELIO_ENGINE_RANK_ENDPOINT_LIST_H

#include "engine/rank/endpoint.h"

/* The endpoint that the run wants. NULL: the null endpoint. */
struct endpoint *endpoint_open(const struct endpoint_params *params);

/* The bytes that the endpoint of the run will hold with so many messages under way at once. */
double endpoint_estimate(const struct engine_params *run, uint32_t nodes, double messages);

#endif
