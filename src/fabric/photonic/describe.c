#include <inttypes.h>

#include "base/mem.h"
#include "fabric/photonic/photonic.h"
#include "fabric/topology.h"

/* A node sends by all channels of its link together. A rate of one channel that the user has set stays. */
void photonic_derive(struct derivation *derivation)
{
    if (derivation_may_set(derivation, "photonic.channel_rate")) {
        derive_rate(derivation, "photonic.link_rate", derivation->node_rate_bytes_per_s,
                    "nic.count x nic.rate");
        derive_nothing(derivation, "photonic.channel_rate", "not used, photonic.link_rate is");
    }
    derive_time(derivation, "photonic.wire", derivation->machine->wire_latency_ps, "wire.latency");
}

/* What a large message gets alone: as many packets as may be under way, each of which sets up its circuit. A
 * circuit for the whole message is one channel. */
static uint64_t message_rate(const struct photonic *photonic, uint64_t at_once, ps_t around_data,
                             uint64_t channel_rate)
{
    const struct photonic_settings *settings = &photonic->settings;
    if (photonic->switching == PHOTONIC_CIRCUIT)
        return channel_rate;
    uint64_t mtu = settings->photonic.mtu_bytes;
    double packet_ps = (double)ps_add(around_data, service_ps(mtu, channel_rate));
    double rate = (double)at_once * (double)mtu / packet_ps * (double)PS_PER_S;
    double most = (double)at_once * (double)channel_rate;
    return (uint64_t)(rate < most ? rate : most);
}

/* Of one channel over the links from node 0 to node 1. */
static uint64_t channel_rate(const struct photonic *photonic, uint32_t nodes,
                             const struct topology_links *links)
{
    uint32_t of_pair[TOPO_ROUTE_OF_PAIR];
    if (nodes < 2 || photonic->topo.ops->choose)
        return links->message_rate_bytes_per_s / photonic->settings.photonic.channels;
    return links_channel_rate(photonic, of_pair, topo_way(&photonic->topo, 0, 1, of_pair));
}

static void describe(const struct photonic *photonic, uint32_t nodes, uint32_t wires,
                     struct fabric_description *description)
{
    const struct photonic_settings *settings = &photonic->settings;
    const struct photonic_config *config = &settings->photonic;
    uint64_t at_once = config->injection < config->channels ? config->injection : config->channels;
    uint32_t hops = settings->node_links_count ? wires : wires - 2;
    ps_t set_up = (ps_t)hops * (settings->forward_ps + settings->back_ps);
    ps_t around_data = set_up + config->eo_ps + config->oe_ps + (ps_t)wires * config->wire_ps;
    const struct config *parameters = photonic->fabric.params.config;
    const struct machine_config *machine = config_of(parameters, &machine_params);
    uint64_t link_rate = settings->rate_bytes_per_s * config->channels;
    struct topology_links links =
        topology_links_of(&photonic->topo, nodes, link_rate, config->wire_ps, config->wire_ps);
    char time[DESCRIPTION_TIME];
    if (links.path) /* a probe takes the wire of each hop there and back, data those of all links */
        around_data = set_up - 2 * hops * config->wire_ps + config->eo_ps + config->oe_ps + links.latency_ps +
                      2 * (settings->node_links_count ? links.latency_ps : links.network_latency_ps);
    description_base(description, parameters, "photonic.wire", config->wire_ps, machine->wire_latency_ps,
                     NULL);
    description->latency_ps = around_data;
    description->rate_bytes_per_s = at_once * (links.node_rate_bytes_per_s / config->channels);
    description->message_rate_bytes_per_s =
        message_rate(photonic, at_once, around_data, channel_rate(photonic, nodes, &links));
    if (hops)
        description_add(
            &description->includes, "set-up over %" PRIu32 " hop%s of %s", hops, hops == 1 ? "" : "s",
            description_time(settings->forward_ps + settings->back_ps - 2 * config->wire_ps, time));
    description_add_times(description, 1, "conversion to light", "", config->eo_ps);
    description_add_times(description, 1, "conversion from light", "", config->oe_ps);
    if (links.path)
        description_add(&description->includes, "the links of %s (probe, answer, data)", links.path);
    else if (config->wire_ps)
        description_add(&description->includes, "%" PRIu32 " wires of %s (probe, answer, data)",
                        2 * hops + wires, description_time(config->wire_ps, time));
    else
        description_add(&description->includes, "%s", description->basis);
    if (photonic->switching == PHOTONIC_CIRCUIT && config->channels > 1)
        description_add(&description->notes, "a message has one of %" PRIu64 " channels", config->channels);
}

/* What the links of the network leave without effect. A value that is the machine's has been set by it. */
static void describe_unused_links(const struct photonic *photonic, uint32_t nodes,
                                  const struct photonic_config *given, struct fabric_description *description)
{
    const struct machine_config *machine = config_of(photonic->fabric.params.config, &machine_params);
    struct topology_links links = topology_links_of(&photonic->topo, nodes, 1, 0, 0);
    bool is_set = given->link_rate_bytes_per_s != machine_node_rate(machine);
    description_unused(description, links.has_all_rates && is_set, "photonic.link_rate");
    description_unused(description, links.has_all_rates || given->link_rate_bytes_per_s,
                       "photonic.channel_rate");
    description_unused(description, links.has_all_latencies && given->wire_ps != machine->wire_latency_ps,
                       "photonic.wire");
    description_unused(description, !topo_has_choices(&photonic->topo), "photonic.up");
}

/* What others leave without effect. A message that has a circuit for itself is not cut, and leaves whole. */
static void describe_unused(const struct photonic *photonic, const struct photonic_config *given,
                            struct fabric_description *description)
{
    bool has_circuits = photonic->switching == PHOTONIC_CIRCUIT;
    bool is_preset =
        given->cycle_ps == BY_PRESET || given->injection == BY_PRESET || given->messages == BY_PRESET;
    description_unused(description, !is_preset, "photonic.preset");
    description_unused(description, has_circuits, "photonic.mtu");
    description_unused(description, has_circuits, "photonic.pad");
    description_unused(description, has_circuits, "photonic.order");
    description_unused(description, given->retry != RETRY_WAIT, "photonic.wake");
    description_unused(description, given->reservation == RESERVATION_ATOMIC || given->retry == RETRY_BACKOFF,
                       "photonic.jitter");
    description_unused(description, given->retry != RETRY_BACKOFF, "photonic.backoff");
}

void photonic_describe(const struct config *config, uint32_t nodes, enum photonic_switching switching,
                       struct fabric_description *description)
{
    struct photonic *photonic = mem_alloc(1, sizeof *photonic, "a fabric");
    photonic->fabric = (struct fabric){.params = {.config = config}};
    photonic->switching = switching;
    description->has_channels = true;
    if (photonic_topology(photonic, nodes) == STATUS_OK && photonic_resolve(photonic, NULL) == STATUS_OK) {
        describe(photonic, nodes, nodes < 2 ? 2 : topo_way_length(&photonic->topo, 0, 1), description);
        topology_describe_these(config, &photonic->topo, (uint32_t)photonic->settings.photonic.channels,
                                description);
        describe_unused(photonic, config_of(config, &photonic_params), description);
        describe_unused_links(photonic, nodes, config_of(config, &photonic_params), description);
    }
    free(photonic);
}

enum status photonic_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware)
{
    const struct photonic_config *photonic = config_of(config, &photonic_params);
    uint64_t of_channels = photonic->channel_rate_bytes_per_s * photonic->channels;
    return hardware_add(hardware, config, nodes, true,
                        photonic->link_rate_bytes_per_s ? photonic->link_rate_bytes_per_s : of_channels);
}

struct hardware_use photonic_use(const struct config *config, uint32_t nodes, const void *statistics)
{
    const struct photonic_statistics *of = statistics;
    (void)config, (void)nodes;
    return (struct hardware_use){.setups = (double)of->segments};
}
