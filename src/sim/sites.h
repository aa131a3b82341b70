#ifndef HELIO_SIM_SITES_H
#define HELIO_SIM_SITES_H

#include "base/tap.h"
#include "call/sites.h"
#include "output/json.h"
#include "sim/result.h"

/* Adds up how long ranks wait at each call site of a program from now on, in the result. */
void sites_collect(struct result *result, const struct program_sites *sites, struct tap *tap);

/* Adds the time of the critical path by the call sites that wait for its messages, if the result lists it.
 * Call it when the run has ended. */
void sites_add_path(struct result *result);

/* The share of the ranks' time in which they wait at this call site. */
double sites_idle_share(const struct result *result, const struct result_site *site);

/* The call sites at which ranks wait longest, at most `most`, longest first, as indices of result.sites.
 * Returns how many have waits. */
size_t sites_longest(const struct result *result, size_t most, uint32_t *longest);

/* The field sites of --json. */
json_t *sites_json(const struct result *result);

#endif
