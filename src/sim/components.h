#ifndef HELIO_SIM_COMPONENTS_H
#define HELIO_SIM_COMPONENTS_H

#include <stddef.h>

#include "base/param.h"

/* The parameter tables of all components, in the order of the manual; tables of added fabrics are last. The
 * array is valid until the process ends, and grows only at its end. */
const struct param_table *const *components_params(size_t *count);

/* The parameter of that name; NULL: there is none. */
const struct param *components_param(const char *name);

/* The table that has the parameter; NULL: none has. */
const struct param_table *components_table_of(const struct param *param);

/* Adds a table until the process ends. */
void components_add_params(const struct param_table *table);

#endif
