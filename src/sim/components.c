#include "sim/components.h"

#include <assert.h>

#include "engine/free.h"
#include "engine/params.h"
#include "engine/simplecomm/simplecomm.h"
#include "fabric/faults.h"
#include "fabric/list.h"
#include "fabric/topology.h"
#include "host/host.h"
#include "host/rnic.h"
#include "sim/experiment.h"

enum { TABLES_AT_MOST = 256 };

static const struct param_table *tables[TABLES_AT_MOST];
static size_t filled;

static void add(const struct param_table *table)
{
    for (size_t i = 0; i < filled; i++)
        if (tables[i] == table)
            return;
    assert(filled < TABLES_AT_MOST);
    tables[filled++] = table;
}

const struct param_table *const *components_params(size_t *count)
{
    const struct param_table *const first[] = {&experiment_params, &compute_params,    &node_params,
                                               &protocol_params,   &collective_params, &kernel_params,
                                               &host_params,       &rnic_params,       &topology_params,
                                               &fault_params,      &free_params,       &simplecomm_params};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add(first[i]);
    for (size_t i = 0; fabric_param_table(i); i++)
        add(fabric_param_table(i));
    *count = filled;
    return tables;
}

const struct param *components_param(const char *name)
{
    size_t count;
    components_params(&count);
    const struct param *param = NULL;
    for (size_t i = 0; i < count && !param; i++)
        param = param_find(tables[i], name);
    return param;
}

const struct param_table *components_table_of(const struct param *param)
{
    size_t count;
    components_params(&count);
    for (size_t i = 0; i < count; i++)
        if (param >= tables[i]->params && param < tables[i]->params + tables[i]->count)
            return tables[i];
    return NULL;
}

void components_add_params(const struct param_table *table)
{
    size_t count;
    components_params(&count); /* so that the built-in tables come first */
    add(table);
}
