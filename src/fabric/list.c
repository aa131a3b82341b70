#include "fabric/list.h"

#include <string.h>

#include "base/diag.h"

#define FABRIC(name) extern const struct fabric_ops name##_fabric;
#define PARAMS(name) extern const struct param_table name;
#include "fabric/list.def"
#undef FABRIC
#undef PARAMS

#define FABRIC(name) &name##_fabric,
#define PARAMS(name)
const struct fabric_ops *fabrics[FABRICS_AT_MOST + 1] = {
#include "fabric/list.def"
};
#undef FABRIC
#undef PARAMS

/* The lines of list.def. */
static const struct listed {
    const struct fabric_ops *ops;     /* NULL: a line of parameters */
    const struct param_table *params; /* that several share */
} listed[] = {
#define FABRIC(name) {&name##_fabric, NULL},
#define PARAMS(name) {NULL, &name},
#include "fabric/list.def"
};
enum { LISTED = sizeof listed / sizeof *listed };

const struct fabric_ops *fabric_find(const char *name)
{
    for (size_t i = 0; fabrics[i]; i++)
        if (strcmp(fabrics[i]->name, name) == 0)
            return fabrics[i];
    return NULL;
}

static const char *name_at(const void *list, size_t index)
{
    return ((const struct fabric_ops *const *)list)[index]->name;
}

static size_t fabric_count(void)
{
    size_t count = 0;
    while (fabrics[count])
        count++;
    return count;
}

const char *fabric_nearest(const char *name)
{
    return diag_nearest(name, fabrics, fabric_count(), name_at);
}

enum status fabric_add(const struct fabric_ops *ops)
{
    size_t count = fabric_count();
    if (fabric_find(ops->name))
        diag_error("there is a fabric %s already", ops->name);
    else if (count == FABRICS_AT_MOST)
        diag_error("there are %d fabrics already; no more can be added", FABRICS_AT_MOST);
    else
        fabrics[count] = ops;
    return fabrics[count] == ops ? STATUS_OK : STATUS_BAD_INPUT;
}

const struct param_table *fabric_param_table(size_t index)
{
    size_t own = 0; /* fabrics of list.def, which those that were added follow */
    for (size_t i = 0; i < LISTED; i++) {
        const struct param_table *params = listed[i].ops ? listed[i].ops->params : listed[i].params;
        own += listed[i].ops != NULL;
        if (params && index-- == 0)
            return params;
    }
    for (size_t i = own; fabrics[i]; i++)
        if (fabrics[i]->params && index-- == 0)
            return fabrics[i]->params;
    return NULL;
}
