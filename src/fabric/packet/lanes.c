#include "base/estimate.h"
#include "fabric/packet/packet.h"

/* The lanes of flows: each is a flow of the solver over a path of its own. */

uint32_t lanes_of_each(const struct packet_config *config, const struct packet_network *network)
{
    bool are_several = network->is_needed && paths_can_be_several((enum path_choice)config->routing);
    return are_several ? (uint32_t)config->paths : 1;
}

/* Without a topology: a link up and a link down. */
static void go_up_and_down(struct packet *packet, const struct message *message)
{
    uint32_t down_links = packet->config->duplex == PACKET_DUPLEX_FULL ? packet->fabric.params.nodes : 0;
    packet->way[0] = message->source_node;
    packet->way[1] = down_links + message->destination_node;
}

void lane_copy_way(struct packet *packet, uint32_t lane)
{
    const struct packet_lane *of = &packet->lanes[lane];
    if (packet->has_topology)
        memcpy(packet->way, packet_route_of(packet, lane),
               paths_words(&packet->paths, of->links) * sizeof *packet->way);
    else
        go_up_and_down(packet, packet_first_of(packet, of->flow));
}

/* The links of a path for the message into packet->way; returns how many. */
static uint32_t find_way(struct packet *packet, const struct message *message, uint32_t place)
{
    if (packet->has_topology)
        return change_enter(packet, message, place);
    go_up_and_down(packet, message);
    return 2;
}

/* The flow has a lane of this index in the solver. */
static void add_lane(struct packet *packet, uint32_t id, uint32_t flow, uint32_t place, uint32_t links)
{
    uint32_t *first = &packet_flow_at(packet, flow)->lane;
    packet->lanes = mem_grow(packet->lanes, &packet->lane_capacity, (size_t)id + 1, "paths of flows");
    packet->lanes[id] = (struct packet_lane){flow, *first, (uint8_t)links, (uint8_t)place};
    *first = id;
    packet->lane_ids = id < packet->lane_ids ? packet->lane_ids : id + 1;
    if (!packet_has_shares(packet))
        return;
    packet->shares = mem_grow(packet->shares, &packet->share_capacity, (size_t)id + 1, "paths of flows");
    packet->shares[id] = (struct packet_share){0};
}

/* A message begins on the lanes. If there are several, what each of them carries is counted when it has; the
 * message counts with the mean of their hops, to the nearest. */
static void carry(struct packet *packet, uint32_t flow)
{
    const struct message *message = packet_first_of(packet, flow);
    struct paths *paths = &packet->paths;
    uint64_t hops = 0, bytes = message->bytes;
    if (packet_has_shares(packet))
        bytes -= fabric_message_bytes(&packet->fabric, message);
    for (uint32_t id = packet_flow_at(packet, flow)->lane; id != POOL_NONE; id = packet->lanes[id].next) {
        const uint32_t *links = packet_route_of(packet, id);
        paths_carry(paths, links, packet->lanes[id].links, bytes);
        hops += paths_hops(paths, links, packet->lanes[id].links);
        bytes = 0;
    }
    packet->statistics.hops += (hops + packet->lanes_of_flow / 2) / packet->lanes_of_flow;
}

void lanes_begin(struct packet *packet, uint32_t flow)
{
    const struct message *first = packet_first_of(packet, flow);
    for (uint32_t place = 0; place < packet->lanes_of_flow; place++) {
        uint32_t count = find_way(packet, first, place);
        uint32_t id = packet_add_way(packet, count, UINT64_MAX);
        add_lane(packet, id, flow, place, count);
        stage_begin(packet, id, first);
    }
    if (packet->has_topology)
        carry(packet, flow);
}

void lanes_follow(struct packet *packet, uint32_t flow)
{
    if (packet->has_topology)
        carry(packet, flow);
}

void lanes_end(struct packet *packet, uint32_t flow)
{
    while (packet_flow_at(packet, flow)->lane != POOL_NONE)
        lane_end(packet, packet_flow_at(packet, flow)->lane);
}

void lanes_send(struct packet *packet, const struct packet_flow *flow, maxmin_work_t done, ps_t time)
{
    if (!packet_has_shares(packet)) {
        stage_send(packet, flow->lane, done);
        return;
    }
    for (uint32_t id = flow->lane; id != POOL_NONE; id = packet->lanes[id].next) {
        maxmin_work_t part = maxmin_done(done, packet->shares[id].rate, time);
        packet->shares[id].moved += part;
        done -= part;
        if (packet_has_stages(packet))
            stage_send(packet, id, part);
    }
}

ps_t lanes_latency(const struct packet *packet, uint32_t flow, const struct message *message)
{
    ps_t most = 0;
    for (uint32_t id = packet_flow_at(packet, flow)->lane; id != POOL_NONE; id = packet->lanes[id].next)
        most = ps_max(most, packet_latency_over(packet, id, message));
    return most;
}

/* ----------------------------------------------------------------- one lane */

static void leave_own_link(struct packet *packet, uint32_t lane)
{
    struct packet_own *own = &packet->own;
    if (!own->of_flow || own->of_flow[lane] == POOL_NONE)
        return;
    own->unused = mem_grow(own->unused, &own->unused_capacity, own->unused_count + 1, "links");
    own->unused[own->unused_count++] = own->of_flow[lane];
}

/* What the lane has moved beside others, to the nearest byte. */
static void carry_share(struct packet *packet, uint32_t lane)
{
    maxmin_work_t of_byte = maxmin_work(1);
    uint64_t bytes = (uint64_t)((packet->shares[lane].moved + of_byte / 2) / of_byte);
    paths_carry(&packet->paths, packet_route_of(packet, lane), packet->lanes[lane].links, bytes);
}

void lane_end(struct packet *packet, uint32_t lane)
{
    struct packet_lane *of = &packet->lanes[lane];
    struct packet_flow *flow = packet_flow_at(packet, of->flow);
    rates_remove(packet->rates, lane);
    leave_own_link(packet, lane);
    if (packet_has_shares(packet))
        carry_share(packet, lane);
    if (packet->has_topology)
        paths_leave(&packet->paths, packet_route_of(packet, lane), of->links);
    flow->rate -= lane_rate(packet, lane);
    uint32_t *at = &flow->lane;
    while (*at != lane)
        at = &packet->lanes[*at].next;
    *at = of->next;
    of->flow = POOL_NONE;
}

void lane_put_on(struct packet *packet, uint32_t flow, uint32_t place, const struct packet_stage *stage,
                 uint32_t count)
{
    uint32_t id = packet_add_way(packet, count, stage_rate(packet, stage));
    add_lane(packet, id, flow, place, count);
    stage_go_on(packet, id, stage);
    packet_flow_at(packet, flow)->event_at = PS_NEVER;
    packet_request_solve(packet);
}

void lane_carry_elsewhere(struct packet *packet, uint32_t flow, const uint32_t *links, uint32_t count,
                          uint32_t way_count)
{
    uint64_t bytes = packet_bytes_left(packet_flow_at(packet, flow));
    if (packet_has_shares(packet))
        return;
    paths_take_back(&packet->paths, links, count, bytes);
    paths_carry(&packet->paths, packet->way, way_count, bytes);
}

/* ------------------------------------------------------------------- memory */

double lanes_estimate(const struct packet_config *config, const struct packet_network *network, double flows)
{
    double lanes = flows * lanes_of_each(config, network);
    double bytes = estimate_array(lanes, sizeof(struct packet_lane));
    if (lanes_of_each(config, network) > 1)
        bytes += estimate_array(lanes, sizeof(struct packet_share));
    return bytes;
}

size_t lanes_bytes(const struct packet *packet)
{
    return packet->lane_capacity * sizeof *packet->lanes + packet->share_capacity * sizeof *packet->shares;
}
