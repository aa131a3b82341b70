#include "fabric/fabric.h"

#include "base/mem.h"

enum status fabric_open(const struct fabric_ops *ops, const struct fabric_params *params,
                        struct fabric **fabric)
{
    struct fabric *opened = mem_alloc(1, ops->size, "a fabric");
    *opened = (struct fabric){.ops = ops, .params = *params};
    enum status status = ops->init ? ops->init(opened) : STATUS_OK;
    if (status != STATUS_OK) {
        fabric_close(opened);
        opened = NULL;
    }
    *fabric = opened;
    return status;
}

void fabric_close(struct fabric *fabric)
{
    if (fabric && fabric->ops->free)
        fabric->ops->free(fabric);
    free(fabric);
}

size_t fabric_memory_bytes(const struct fabric *fabric)
{
    const struct fabric_ops *ops = fabric->ops;
    return (ops->counted_bytes ? ops->counted_bytes : ops->size) + (ops->bytes ? ops->bytes(fabric) : 0);
}

void fabric_estimate_add(struct estimate *estimate, double bytes)
{
    estimate_add(estimate, "fabric", "another fabric or a smaller topology", bytes);
}

enum status fabric_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    fabric_estimate_add(estimate, (double)demand->ops->size);
    return demand->ops->estimate ? demand->ops->estimate(demand, estimate) : STATUS_OK;
}
