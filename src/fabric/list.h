#ifndef HELIO_FABRIC_LIST_H
#define HELIO_FABRIC_LIST_H

#include "fabric/fabric.h"

/* All fabrics there are: those of list.def, and then those that were added. Ends with NULL. */
enum { FABRICS_AT_MOST = 64 };
extern const struct fabric_ops *fabrics[FABRICS_AT_MOST + 1];

/* One more, for the rest of the process. STATUS_BAD_INPUT, reported: there is one of its name, or no room. */
enum status fabric_add(const struct fabric_ops *ops);

const struct fabric_ops *fabric_find(const char *name); /* NULL when there is none */
const char *fabric_nearest(const char *name);           /* a name that may be meant; NULL: none is near */

/* The parameter tables of all fabrics, in the order of the manual; NULL behind the last. */
const struct param_table *fabric_param_table(size_t index);

#endif
