#ifndef HELIO_SIM_COMPONENTS_H
#define HELIO_SIM_COMPONENTS_H

#include <stddef.h>

#include "base/param.h"

/* The parameter tables of everything there is, in the order of the manual. The array lives as long as the
 * process. */
const struct param_table *const *components_params(size_t *count);

#endif
