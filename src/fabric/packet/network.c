#include "base/diag.h"
#include "fabric/packet/packet.h"

/* Queues with several inputs: a message passes one after the other. */
static bool has_queues(const struct packet_config *packet)
{
    return packet->congestion == CONGESTION_QUEUES || packet->congestion == CONGESTION_INCAST ||
           packet->congestion == CONGESTION_CREDITS;
}

static enum status check_congestion(const struct config *config, const struct packet_config *packet)
{
    if (!has_queues(packet) || packet->routing != PATH_SPRAYED)
        return STATUS_OK;
    diag_error("packet.congestion=%s: with packet.routing=spray a message takes many ways; choose another "
               "rule, such as packet.routing=ecmp",
               packet_congestion_names[packet->congestion]);
    config_note_origin(config, "packet.congestion");
    return STATUS_BAD_INPUT;
}

static bool has_two_way_link(const struct topo *topo)
{
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        if (topo_link_kind(topo, link) == TOPO_LINK_SHARED && topo_link_reverse(topo, link) == link)
            return true;
    return false;
}

/* A link that both directions share has a queue at each end. A message goes to one of them, which needs to be
 * known. */
static enum status check_ends(const struct config *config, const struct packet_config *packet,
                              const struct topo *topo)
{
    if (!has_queues(packet) || !topo->no_ends ||
        (packet->duplex == PACKET_DUPLEX_FULL && !has_two_way_link(topo)))
        return STATUS_OK;
    diag_error("packet.congestion=%s needs to know at which end of a link that both directions share each "
               "message waits, and the routes of %s contradict each other: %s; "
               "packet.congestion=none and window run on it",
               packet_congestion_names[packet->congestion], topo->path, topo->no_ends);
    config_note_origin(config, "packet.congestion");
    return STATUS_BAD_INPUT;
}

/* A flow has a link more with windows, and with half duplex a queue more, that of its node. */
static bool has_one_more(const struct packet_config *packet)
{
    return packet->congestion == CONGESTION_WINDOW ||
           (has_queues(packet) && packet->duplex == PACKET_DUPLEX_HALF);
}

/* Whether the run needs a topology, and one that flows can cross. */
enum status packet_choose_network(const struct config *config, uint32_t nodes, struct packet_network *network)
{
    const struct packet_config *packet = config_of(config, &packet_params);
    enum path_choice choice = (enum path_choice)packet->routing;
    *network = (struct packet_network){.is_needed = topology_is_needed(config), .limit = 2};
    enum status status = check_congestion(config, packet);
    if (status != STATUS_OK || !network->is_needed)
        return status;
    if ((status = topology_at_start(config, nodes, &network->topo)) != STATUS_OK ||
        (status = check_ends(config, packet, &network->topo)) != STATUS_OK)
        return status;
    if (!network->topo.ops->choose && choice != PATH_FIXED) {
        diag_error(
            "packet.routing=%s: %s gives each pair of nodes its route, so that packet.routing is fixed",
            packet_routing_names[choice], network->topo.path);
        config_note_origin(config, "packet.routing");
        return STATUS_BAD_INPUT;
    }
    network->changes = topology_changes(config);
    network->limit = paths_limit(&network->topo, choice, network->changes);
    if (network->changes && (status = topology_states(config, nodes, &network->states)) != STATUS_OK)
        return status;
    for (size_t i = 1; i < network->states.count; i++) {
        uint32_t limit = paths_limit(&network->states.items[i].topo, choice, true);
        network->limit = limit > network->limit ? limit : network->limit;
    }
    if (network->limit + has_one_more(packet) <= MAXMIN_LINKS_PER_FLOW)
        return status;
    packet_network_free(network);
    char text[TOPO_TEXT];
    if (choice == PATH_SPRAYED)
        diag_error(
            "packet.routing=spray: between some nodes of topology %s all minimal ways have more than %d "
            "links; packet takes %d at most",
            topo_print(&network->topo, text, sizeof text), MAXMIN_LINKS_PER_FLOW, MAXMIN_LINKS_PER_FLOW);
    else
        diag_error("topology %s has routes of %u links; packet takes %d at most",
                   topo_print(&network->topo, text, sizeof text), network->limit, MAXMIN_LINKS_PER_FLOW);
    return STATUS_BAD_INPUT;
}

void packet_network_free(struct packet_network *network)
{
    topology_states_free(&network->states);
}

struct rates_shape packet_shape_of(const struct packet_config *config, const struct packet_network *network,
                                   uint32_t nodes)
{
    bool has_topology = network->is_needed, is_half = config->duplex == PACKET_DUPLEX_HALF;
    bool has_kinds = has_topology && network->topo.link_kinds;
    return (struct rates_shape){
        .links = has_topology ? network->topo.links
                 : !is_half   ? 2 * nodes
                              : nodes,
        .links_per_flow = network->limit + has_one_more(config),
        .nodes = has_queues(config) && is_half ? nodes : 0,
        .is_two_way = has_queues(config) && (is_half || has_kinds),
        .is_spread = has_topology && config->routing == PATH_SPRAYED,
        .keeps_order = has_topology && !paths_are_minimal((enum path_choice)config->routing),
        .congestion = (enum packet_congestion)config->congestion,
        .incast = config->incast,
    };
}
