#include "sim/components.h"

#include "engine/params.h"
#include "engine/simplecomm/simplecomm.h"
#include "fabric/fabric.h"
#include "fabric/tdm.h"
#include "fabric/topology.h"
#include "host/host.h"
#include "host/rnic.h"
#include "sim/experiment.h"

enum { TABLES_AT_MOST = 64 };

const struct param_table *const *components_params(size_t *count)
{
    static const struct param_table *tables[TABLES_AT_MOST];
    static size_t filled;
    if (!filled) {
        const struct param_table *const first[] = {
            &experiment_params, &compute_params, &node_params,     &protocol_params,   &collective_params,
            &host_params,       &rnic_params,    &topology_params, &simplecomm_params, &tdm_params};
        for (size_t i = 0; i < sizeof first / sizeof *first; i++)
            tables[filled++] = first[i];
        for (size_t i = 0; fabrics[i]; i++)
            if (fabrics[i]->params)
                tables[filled++] = fabrics[i]->params;
    }
    *count = filled;
    return tables;
}
