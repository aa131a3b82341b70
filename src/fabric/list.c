#include "fabric/list.h"

#include <string.h>

#include "base/diag.h"

const struct fabric_ops *fabrics[FABRICS_AT_MOST + 1] = {
    &ideal_fabric,   &hockney_fabric,    &packet_fabric,  &fmu_fabric,          &hybrid_fabric,
    &circuit_fabric, &packetised_fabric, &segment_fabric, &tdm_compiled_fabric, &tdm_dynamic_fabric,
};

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

const char *fabric_nearest(const char *name)
{
    size_t count = 0;
    while (fabrics[count])
        count++;
    return diag_nearest(name, fabrics, count, name_at);
}

enum status fabric_add(const struct fabric_ops *ops)
{
    size_t count = 0;
    while (fabrics[count])
        count++;
    if (fabric_find(ops->name))
        diag_error("there is a fabric %s already", ops->name);
    else if (count == FABRICS_AT_MOST)
        diag_error("there are %d fabrics already; no more can be added", FABRICS_AT_MOST);
    else
        fabrics[count] = ops;
    return fabrics[count] == ops ? STATUS_OK : STATUS_BAD_INPUT;
}
