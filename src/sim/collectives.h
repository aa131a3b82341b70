#ifndef HELIO_SIM_COLLECTIVES_H
#define HELIO_SIM_COLLECTIVES_H

#include "base/tap.h"
#include "output/json.h"
#include "sim/result.h"

/* Which algorithm each collective call has, from now on, in the result. */
void collectives_collect(struct result *result, struct tap *tap);

/* Joins sizes that are next to each other and have one algorithm. Call it when the run has ended. */
void collectives_join(struct result *result);

void collectives_free(struct result_collectives *collectives);

/* The field collectives of --json. */
json_t *collectives_json(const struct result_collectives *collectives);

#endif
