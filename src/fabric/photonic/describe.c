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
static uint64_t message_rate(const struct photonic *photonic, uint64_t at_once, ps_t around_data)
{
    const struct photonic_settings *settings = &photonic->settings;
    if (photonic->switching == PHOTONIC_CIRCUIT)
        return settings->rate_bytes_per_s;
    double packet_ps = (double)ps_add(around_data, settings->full_packet_ps);
    double rate = (double)at_once * (double)settings->photonic.mtu_bytes / packet_ps * (double)PS_PER_S;
    double most = (double)at_once * (double)settings->rate_bytes_per_s;
    return (uint64_t)(rate < most ? rate : most);
}

static void describe(const struct photonic *photonic, uint32_t distance,
                     struct fabric_description *description)
{
    const struct photonic_settings *settings = &photonic->settings;
    const struct photonic_config *config = &settings->photonic;
    uint64_t at_once = config->injection < config->channels ? config->injection : config->channels;
    uint32_t wires = distance + 2, hops = settings->node_links_count ? wires : distance;
    ps_t set_up = (ps_t)hops * (settings->forward_ps + settings->back_ps);
    ps_t around_data = set_up + config->eo_ps + config->oe_ps + (ps_t)wires * config->wire_ps;
    const struct machine_config *machine = config_of(photonic->fabric.params.config, &machine_params);
    char time[DESCRIPTION_TIME];
    description_base(description, photonic->fabric.params.config, "photonic.wire", config->wire_ps,
                     machine->wire_latency_ps, NULL);
    description->latency_ps = around_data;
    description->rate_bytes_per_s = at_once * settings->rate_bytes_per_s;
    description->message_rate_bytes_per_s = message_rate(photonic, at_once, around_data);
    if (hops)
        description_add(
            &description->includes, "set-up over %" PRIu32 " hop%s of %s", hops, hops == 1 ? "" : "s",
            description_time(settings->forward_ps + settings->back_ps - 2 * config->wire_ps, time));
    description_add_times(description, 1, "conversion to light", "", config->eo_ps);
    description_add_times(description, 1, "conversion from light", "", config->oe_ps);
    if (config->wire_ps)
        description_add(&description->includes, "%" PRIu32 " wires of %s (probe, answer, data)",
                        2 * hops + wires, description_time(config->wire_ps, time));
    else
        description_add(&description->includes, "%s", description->basis);
    if (photonic->switching == PHOTONIC_CIRCUIT && config->channels > 1)
        description_add(&description->notes, "a message has one of %" PRIu64 " channels", config->channels);
}

void photonic_describe(const struct config *config, uint32_t nodes, enum photonic_switching switching,
                       struct fabric_description *description)
{
    struct photonic *photonic = mem_alloc(1, sizeof *photonic, "a fabric");
    photonic->fabric = (struct fabric){.params = {.config = config}};
    photonic->switching = switching;
    if (topology_for_nodes(config, nodes, &photonic->topo) == STATUS_OK &&
        photonic_resolve(photonic, NULL) == STATUS_OK)
        describe(photonic, topology_neighbour_hops(config, nodes), description);
    free(photonic);
}
