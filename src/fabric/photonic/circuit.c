#include "fabric/photonic/photonic.h"

/* Circuit switching: one circuit for each message. */
static enum status circuit_init(struct fabric *fabric)
{
    return photonic_init(fabric, PHOTONIC_CIRCUIT, NULL);
}

static enum status circuit_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    return photonic_estimate(demand, PHOTONIC_CIRCUIT, NULL, estimate);
}

static void circuit_describe(const struct config *config, uint32_t nodes,
                             struct fabric_description *description)
{
    photonic_describe(config, nodes, PHOTONIC_CIRCUIT, description);
}

const struct fabric_ops circuit_fabric = {
    .name = "circuit",
    .doc = "photonic circuits of WDM channels, one for each message, on any topology",
    .metrics = &photonic_metrics,
    .host_path = HOST_PATH_NIC,
    .derive = photonic_derive,
    .describe = circuit_describe,
    .hardware = photonic_hardware,
    .use = photonic_use,
    .size = sizeof(struct photonic),
    .counted_bytes = 35568,
    .init = circuit_init,
    .free = photonic_free,
    .submit = photonic_submit,
    .statistics = photonic_statistics,
    .bytes = photonic_bytes,
    .estimate = circuit_estimate,
    .explain = photonic_explain,
};
