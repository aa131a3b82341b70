#ifndef HELIO_SIM_BURSTS_H
#define HELIO_SIM_BURSTS_H

#include "call/bursts.h"
#include "call/sites.h"
#include "output/json.h"

/* The field bursts of --json: what was recorded of the computation between calls. `sites`: of the program, or
 * NULL. */
json_t *bursts_json(const struct bursts_summary *summary, const struct program_sites *sites);

#endif
