#ifndef HELIO_ENGINE_RANK_ENDPOINT_LIST_H
#define HELIO_ENGINE_RANK_ENDPOINT_LIST_H

#include "engine/rank/endpoint.h"

/* The endpoint that the run wants. NULL: the null endpoint. */
struct endpoint *endpoint_open(const struct endpoint_params *params);

#endif
