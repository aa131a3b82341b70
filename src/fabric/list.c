#include "fabric/list.h"

#include <string.h>

const struct fabric_ops *const fabrics[] = {
    &ideal_fabric,
    &hockney_fabric,
    &packet_fabric,
    &fmu_fabric,
    &hybrid_fabric,
    &circuit_fabric,
    &packetised_fabric,
    &segment_fabric,
    &tdm_compiled_fabric,
    &tdm_dynamic_fabric,
    NULL,
};

const struct fabric_ops *fabric_find(const char *name)
{
    for (size_t i = 0; fabrics[i]; i++)
        if (strcmp(fabrics[i]->name, name) == 0)
            return fabrics[i];
    return NULL;
}
