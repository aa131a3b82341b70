#ifndef HELIO_SIM_COMPONENTS_H
#define HELIO_SIM_COMPONENTS_H

#include <stddef.h>

#include "base/param.h"

/* The parameter tables of everything there is, in the order of the manual; those of fabrics that were added
 * come last. The array lives as long as the process, and grows at its end. */
const struct param_table *const *components_params(size_t *count);

/* One more table, for the rest of the process. */
void components_add_params(const struct param_table *table);

#endif
