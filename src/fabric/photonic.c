#include "fabric/photonic/photonic.h"

#include "base/mem.h"
#include "fabric/list.h"
#include "fabric/topology.h"

/* The fabrics circuit, packetised and segment: three switchings of one photonic network, photonic/photonic.h.
 * docs/models/photonic.md */
struct light {
    struct fabric fabric;
    const struct pool *messages;
    struct photonic *network;
};

static enum status open_network(const struct fabric_params *plan, const struct fabric_ops *ops,
                                enum photonic_switching switching, struct fabric **fabric)
{
    struct topo topo;
    enum status status = topology_for_nodes(plan->config, plan->nodes, &topo);
    if (status != STATUS_OK)
        return status;
    const struct fabric_callbacks *callbacks = &plan->callbacks;
    struct photonic_plan network = {.config = plan->config,
                                    .switching = switching,
                                    .name = ops->name,
                                    .topo = &topo,
                                    .loop = plan->loop,
                                    .tap = plan->tap,
                                    .seed = plan->seed,
                                    .callbacks = {.self = callbacks->self,
                                                  .visible = callbacks->visible,
                                                  .sender_done = callbacks->sender_done,
                                                  .delivered = callbacks->delivered,
                                                  .failed = callbacks->failed}};
    struct light *light = mem_alloc(1, sizeof *light, "a photonic fabric");
    light->fabric.ops = ops;
    light->messages = plan->messages;
    status = photonic_open(&network, &light->network);
    if (status == STATUS_OK)
        *fabric = &light->fabric;
    else
        free(light);
    return status;
}

static enum status circuit_prepare(const struct fabric_params *plan, struct fabric **fabric)
{
    return open_network(plan, &circuit_fabric, PHOTONIC_CIRCUIT, fabric);
}

static enum status packetised_prepare(const struct fabric_params *plan, struct fabric **fabric)
{
    return open_network(plan, &packetised_fabric, PHOTONIC_PACKETISED, fabric);
}

static enum status segment_prepare(const struct fabric_params *plan, struct fabric **fabric)
{
    return open_network(plan, &segment_fabric, PHOTONIC_SEGMENT, fabric);
}

static void light_submit(struct fabric *fabric, uint32_t index)
{
    const struct light *light = (const struct light *)fabric;
    const struct message *message = message_at(light->messages, index);
    photonic_send(light->network, index, message->source_node, message->destination_node, message->bytes);
}

static const void *light_statistics(struct fabric *fabric)
{
    return photonic_statistics(((const struct light *)fabric)->network);
}

static size_t light_bytes(const struct fabric *fabric)
{
    const struct light *light = (const struct light *)fabric;
    return sizeof *light + photonic_bytes(light->network);
}

static void light_explain(const struct fabric *fabric)
{
    photonic_explain(((const struct light *)fabric)->network);
}

static void light_close(struct fabric *fabric)
{
    photonic_close(((struct light *)fabric)->network);
    free(fabric);
}

/* Parameters that all three share belong to the first. */
const struct fabric_ops circuit_fabric = {
    .name = "circuit",
    .doc = "photonic circuits of WDM channels, one for each message, on any topology",
    .params = &photonic_params,
    .metrics = &photonic_metrics,
    .host_path = HOST_PATH_NIC,
    .prepare = circuit_prepare,
    .submit = light_submit,
    .statistics = light_statistics,
    .bytes = light_bytes,
    .explain = light_explain,
    .close = light_close,
};

const struct fabric_ops packetised_fabric = {
    .name = "packetised",
    .doc = "photonic circuits, one for each packet of a message",
    .metrics = &photonic_metrics,
    .host_path = HOST_PATH_NIC,
    .prepare = packetised_prepare,
    .submit = light_submit,
    .statistics = light_statistics,
    .bytes = light_bytes,
    .explain = light_explain,
    .close = light_close,
};

const struct fabric_ops segment_fabric = {
    .name = "segment",
    .doc = "segment switching: photonic circuits as far as channels are free, and on from a buffer",
    .params = &segment_params,
    .metrics = &photonic_metrics,
    .host_path = HOST_PATH_NIC,
    .prepare = segment_prepare,
    .submit = light_submit,
    .statistics = light_statistics,
    .bytes = light_bytes,
    .explain = light_explain,
    .close = light_close,
};
