#include "fabric/tdm/tdm.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/units.h"
#include "fabric/fabric.h"
#include "fabric/topology.h"

PARAM_TABLE(tdm_params, "tdm", struct tdm_config,
            "time-division multiplexing: what both kinds of control share",
            {.name = "tdm.slot_time",
             .type = PARAM_TIME,
             .offset = offsetof(struct tdm_config, slot_ps),
             .default_text = "1 us",
             .min = "1 ps",
             .doc = "how long one configuration of the network lasts"},
            {.name = "tdm.slot_bytes",
             .type = PARAM_SIZE,
             .offset = offsetof(struct tdm_config, slot_bytes),
             .default_text = "12500 B",
             .min = "1 B",
             .doc = "what one connection moves in a slot of its own (the default: 100 Gb/s for 1 us)"},
            {.name = "tdm.wire",
             .type = PARAM_TIME,
             .offset = offsetof(struct tdm_config, wire_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .max = "1 ms",
             .doc = "of light on each link; a message arrives so much later, and control packets too"});

/* At most UINT64_MAX. */
static uint64_t rate_of_slots(uint64_t slot_bytes, ps_t slot_ps)
{
    unsigned __int128 rate = (unsigned __int128)slot_bytes * PS_PER_S / (uint64_t)slot_ps;
    return rate < UINT64_MAX ? (uint64_t)rate : UINT64_MAX;
}

/* Whether slots fit the link. A faster link has what no slot uses. */
static bool fits_slots(const struct topo *topo, uint32_t link, uint64_t rate, uint64_t of_slots)
{
    return rate >= of_slots || topo_link_kind(topo, link) == TOPO_LINK_FREE;
}

/* The bytes of a slot that fit all links. */
static uint64_t bytes_that_fit(const struct tdm_config *config, const struct topo *topo)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t link = 0; link < topo->links; link++) {
        uint64_t rate = topo_link_rate(topo, link, UINT64_MAX);
        if (rate < least && topo_link_kind(topo, link) != TOPO_LINK_FREE)
            least = rate;
    }
    return (uint64_t)((unsigned __int128)least * (uint64_t)config->slot_ps / PS_PER_S);
}

enum status tdm_check_rates(const struct tdm_config *config, const struct topo *topo)
{
    uint64_t of_slots = rate_of_slots(config->slot_bytes, config->slot_ps), rate;
    char name[2 * TOPO_TEXT + 4], text[TOPO_TEXT], slots[64], given[64];
    for (uint32_t link = 0; topo_has_rates(topo) && link < topo->links; link++) {
        if (fits_slots(topo, link, rate = topo_link_rate(topo, link, of_slots), of_slots))
            continue;
        units_print_rate(of_slots, slots, sizeof slots);
        units_print_rate(rate, given, sizeof given);
        topo_print(topo, text, sizeof text);
        topo_link_name(topo, link, name, sizeof name);
        if (rate != topo_link_rate(topo, link, of_slots / 2))
            diag_error(
                "%s gives link %s a part of the rate of slots, %s of %s; with time slots all links have "
                "the whole: planes and slow links are for other fabrics",
                text, name, given, slots);
        else
            diag_error("%s gives link %s a rate of %s, and slots need that of tdm.slot_bytes in "
                       "tdm.slot_time, %s, of all links: tdm.slot_bytes=%" PRIu64 "B fits the slowest one",
                       text, name, given, slots, bytes_that_fit(config, topo));
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

/* The links of which slots do not use the whole rate. */
static void describe_faster(const struct config *config, uint32_t nodes, uint64_t of_slots,
                            struct fabric_description *description)
{
    struct topo topo;
    uint32_t faster = 0;
    if (topology_intact(config, nodes, &topo) != STATUS_OK || !topo_has_rates(&topo))
        return;
    for (uint32_t link = 0; link < topo.links; link++)
        faster += topo_is_held(&topo, link) && topo_link_rate(&topo, link, 0) > of_slots;
    if (faster)
        description_add(&description->notes,
                        "%" PRIu32 " of %" PRIu32
                        " links are faster than slots, which use a part of their rate",
                        faster, topo.links);
}

ps_t tdm_light_ps(const struct tdm_config *config, const struct topo *topo, uint32_t source,
                  uint32_t destination)
{
    if (topo_has_latencies(topo))
        return topo_route_latency(topo, source, destination, config->wire_ps, config->wire_ps);
    return config->wire_ps ? ps_times(config->wire_ps, topo_distance(topo, source, destination) + 2) : 0;
}

void tdm_derive(struct derivation *derivation)
{
    const struct tdm_config *config = config_of(derivation->config, &tdm_params);
    unsigned __int128 bytes =
        (unsigned __int128)derivation->node_rate_bytes_per_s * (uint64_t)config->slot_ps / PS_PER_S;
    derive_size(derivation, "tdm.slot_bytes", bytes < INT64_MAX ? (uint64_t)bytes : INT64_MAX,
                "nic.count x nic.rate x tdm.slot_time");
    derive_time(derivation, "tdm.wire", derivation->machine->wire_latency_ps, "wire.latency");
}

void tdm_describe(const struct config *config, uint32_t nodes, uint64_t degree,
                  struct fabric_description *description)
{
    const struct tdm_config *tdm = config_of(config, &tdm_params);
    const struct machine_config *machine = config_of(config, &machine_params);
    uint32_t wires = topology_neighbour_links(config, nodes);
    description->rate_bytes_per_s = rate_of_slots(tdm->slot_bytes, tdm->slot_ps);
    description->message_rate_bytes_per_s = description->rate_bytes_per_s / degree;
    struct topology_links links =
        topology_links(config, nodes, description->rate_bytes_per_s, tdm->wire_ps, tdm->wire_ps);
    description->latency_ps =
        ps_add(tdm->slot_ps, links.path ? links.latency_ps : ps_times(tdm->wire_ps, wires));
    description_base(description, config, "tdm.wire", tdm->wire_ps, machine->wire_latency_ps, NULL);
    description_add_times(description, 1, "slot", "slots", tdm->slot_ps);
    if (links.path)
        description_add(&description->includes, "the links of %s", links.path);
    else
        description_add_times(description, wires, "wire", "wires", tdm->wire_ps);
    if (!tdm->wire_ps && !links.path)
        description_add(&description->includes, "%s", description->basis);
    description_unused(description, links.has_all_latencies && tdm->wire_ps != machine->wire_latency_ps,
                       "tdm.wire");
    describe_faster(config, nodes, description->rate_bytes_per_s, description);
    topology_describe_faults(config, nodes, description);
}

enum status tdm_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware)
{
    const struct tdm_config *tdm = config_of(config, &tdm_params);
    return hardware_add(hardware, config, nodes, true, rate_of_slots(tdm->slot_bytes, tdm->slot_ps));
}

static const struct metric metric_list[] = {
    {"degree", METRIC_COUNT, offsetof(struct tdm_statistics, degree), "the largest multiplexing degree K"},
    {"slots", METRIC_COUNT, offsetof(struct tdm_statistics, slots), "until the last message was there"},
    {"data_slots", METRIC_COUNT_SUM, offsetof(struct tdm_statistics, data_slots),
     "of all connections, that carried data"},
    {"retransmissions", METRIC_COUNT, offsetof(struct tdm_statistics, retransmissions),
     "reservations that failed and were tried again"},
    {"reconfigurations", METRIC_COUNT, offsetof(struct tdm_statistics, reconfigurations),
     "times that the switches' registers were loaded"},
    {"hops", METRIC_COUNT, offsetof(struct tdm_statistics, hops),
     "connections that messages took, one after another"},
    {"waited_s", METRIC_TIME_SUM, offsetof(struct tdm_statistics, waited),
     "summed over messages: from submission to the first slot of data"},
    {"released_s", METRIC_TIME, offsetof(struct tdm_statistics, released),
     "when the last connection was given up"},
};

const struct metric_table tdm_metrics = {
    .metrics = metric_list,
    .count = sizeof metric_list / sizeof *metric_list,
    .size = sizeof(struct tdm_statistics),
};
