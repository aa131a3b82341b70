#include "engine/rank/endpoint_list.h"

#include "engine/rank/endpoint_fixed.h"
#include "engine/rank/endpoint_host.h"

/* All endpoints but the null one: a new one is a line here. */
static const struct endpoint_ops *const endpoints[] = {
    &endpoint_host,
    &endpoint_fixed,
};

/* NULL: the null endpoint. */
static const struct endpoint_ops *find(const struct engine_params *run)
{
    for (size_t i = 0; i < sizeof endpoints / sizeof *endpoints; i++)
        if (endpoints[i]->is_wanted(run))
            return endpoints[i];
    return NULL;
}

struct endpoint *endpoint_open(const struct endpoint_params *params)
{
    const struct endpoint_ops *ops = find(params->run);
    return ops ? ops->open(params) : NULL;
}

double endpoint_estimate(const struct engine_params *run, uint32_t nodes, double messages)
{
    const struct endpoint_ops *ops = find(run);
    return ops ? ops->estimate(run, nodes, messages) : 0;
}
