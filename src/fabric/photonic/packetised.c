#include "fabric/photonic/photonic.h"

/* Packetised circuits: a message is cut into packets, each of which has a circuit of its own. */
static enum status packetised_init(struct fabric *fabric)
{
    return photonic_init(fabric, PHOTONIC_PACKETISED, NULL);
}

static enum status packetised_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    return photonic_estimate(demand, PHOTONIC_PACKETISED, NULL, estimate);
}

static void packetised_describe(const struct config *config, uint32_t nodes,
                                struct fabric_description *description)
{
    photonic_describe(config, nodes, PHOTONIC_PACKETISED, description);
}

const struct fabric_ops packetised_fabric = {
    .name = "packetised",
    .doc = "photonic circuits, one for each packet of a message",
    .metrics = &photonic_metrics,
    .host_path = HOST_PATH_NIC,
    .derive = photonic_derive,
    .describe = packetised_describe,
    .hardware = photonic_hardware,
    .use = photonic_use,
    .size = sizeof(struct photonic),
    .counted_bytes = 35568,
    .init = packetised_init,
    .free = photonic_free,
    .submit = photonic_submit,
    .statistics = photonic_statistics,
    .bytes = photonic_bytes,
    .wants_work = true,
    .estimate = packetised_estimate,
    .explain = photonic_explain,
};
