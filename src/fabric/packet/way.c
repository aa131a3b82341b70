#include "base/mem.h"
#include "fabric/packet/packet.h"

/* The links of a lane in the solver, and the queues that it passes. */

static bool is_half_duplex(const struct packet *packet)
{
    return packet->config->duplex == PACKET_DUPLEX_HALF;
}

static const struct topo *topo_of(const struct packet *packet)
{
    return packet->has_topology ? &packet->paths.topo : NULL;
}

static enum topo_link_kind kind_of(const struct packet *packet, uint32_t link)
{
    const struct topo *topo = topo_of(packet);
    return topo ? topo_link_kind(topo, link) : TOPO_LINK_SHARED;
}

void way_init(struct packet *packet, const struct packet_network *network, const struct rates_shape *shape)
{
    const struct topo *topo = topo_of(packet);
    bool has_kinds = topo && topo->link_kinds;
    bool is_limited_by_solver =
        shape->congestion == CONGESTION_CREDITS || shape->congestion == CONGESTION_QUEUES;
    if (shape->congestion == CONGESTION_WINDOW || (has_kinds && !is_limited_by_solver))
        packet->own.shared = mem_alloc(((size_t)network->limit + 1) << shape->is_spread,
                                       sizeof *packet->own.shared, "a route");
    if (shape->is_two_way)
        packet->queues = mem_alloc((size_t)network->limit + 1, sizeof *packet->queues, "a route");
}

uint64_t packet_rate_of_link(const struct packet *packet, uint32_t link)
{
    uint64_t rate = packet->config->bandwidth_bytes_per_s;
    if (packet->change)
        return change_rate_of_link(packet, link, rate);
    return packet->has_topology ? topo_link_rate(&packet->paths.topo, link, rate) : rate;
}

/* ------------------------------------------------------------------- queues */

/* The queue behind a link between switches, to which the way comes at the switch *at; *at is then the switch
 * behind it. A link that goes both ways has a second queue, of those that come to its other end. */
static uint32_t queue_behind(const struct packet *packet, uint32_t link, uint32_t *at)
{
    const struct topo *topo = topo_of(packet);
    struct topo_hop hop = topo->ops->ends(topo, link);
    bool is_two_way = is_half_duplex(packet) || topo_link_reverse(topo, link) == link;
    bool is_back = is_two_way && hop.from != *at;
    *at = is_back ? hop.from : hop.to;
    return is_back ? link + topo->links : link;
}

/* The queues of the way into packet->queues, numbered as in ports.h; returns how many. With half duplex,
 * that of the node comes first. What has no rate to share has no queue: a link that gives each message its
 * whole rate, and that of a node without a link of its own, but at the beginning, where it is the node's. */
static uint32_t find_queues(struct packet *packet, uint32_t count)
{
    const struct topo *topo = topo_of(packet);
    uint32_t links = topo ? topo->links : packet->fabric.params.nodes, queues = 0;
    uint32_t at = topo ? topo_switch_of(topo, packet->way[0]) : 0;
    if (is_half_duplex(packet))
        packet->queues[queues++] = 2 * links + packet->way[0];
    packet->queues[queues++] = packet->way[0];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t link = packet->way[i], queue = link;
        if (i + 1 < count)
            queue = queue_behind(packet, link, &at);
        else if (is_half_duplex(packet))
            queue = link + links;
        if (kind_of(packet, link) == TOPO_LINK_SHARED)
            packet->queues[queues++] = queue;
    }
    return queues;
}

/* ----------------------------------------------------- links of their own */

/* A link for one lane alone. */
static uint32_t take_own(struct packet *packet, uint64_t rate)
{
    struct packet_own *own = &packet->own;
    if (!own->unused_count)
        return rates_add_link(packet->rates, rate);
    uint32_t link = own->unused[--own->unused_count];
    rates_set_capacity(packet->rates, link, rate);
    return link;
}

/* A flow over the way, which goes no faster than way->most. If no link that is shared is slower, it has a
 * link of its own. */
static uint32_t add_with_own(struct packet *packet, struct rates_way *way)
{
    struct packet_own *own = &packet->own;
    uint64_t least = UINT64_MAX;
    uint32_t shared = 0, link = POOL_NONE, count = way->count;
    bool is_limited = way->most < UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (kind_of(packet, way->links[i]) != TOPO_LINK_SHARED)
            continue;
        own->shared[shared++] = way->links[i];
        if (!is_limited)
            continue;
        uint64_t rate = packet_rate_of_link(packet, way->links[i]);
        least = rate < least ? rate : least;
    }
    if (way->most < least || shared == 0)
        own->shared[shared++] = link =
            take_own(packet, way->most < MAXMIN_CAPACITY_LIMIT ? way->most : MAXMIN_CAPACITY_LIMIT);
    if (way->parts) { /* no link is another kind then */
        memcpy(own->shared + shared, way->parts, count * sizeof *way->parts);
        own->shared[shared + count] = MAXMIN_WHOLE;
        way->parts = own->shared + shared;
    }
    way->links = own->shared;
    way->count = shared;
    uint32_t id = rates_add(packet->rates, way);
    own->of_flow = mem_grow(own->of_flow, &own->flow_capacity, (size_t)id + 1, "flows");
    own->of_flow[id] = link;
    return id;
}

/* The least rate of the links that give each message their whole rate. */
static uint64_t whole_rate(const struct packet *packet, uint32_t count)
{
    const struct topo *topo = topo_of(packet);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; topo && topo->link_kinds && i < count; i++) {
        if (kind_of(packet, packet->way[i]) != TOPO_LINK_WHOLE)
            continue;
        uint64_t rate = packet_rate_of_link(packet, packet->way[i]);
        least = rate < least ? rate : least;
    }
    return least;
}

uint32_t packet_add_way(struct packet *packet, uint32_t count, uint64_t window_rate)
{
    const struct paths *paths = &packet->paths;
    bool is_spread = packet->has_topology && paths->choice == PATH_SPRAYED;
    uint64_t whole = whole_rate(packet, count);
    bool has_queues = packet->config->congestion == CONGESTION_QUEUES;
    struct rates_way way = {.links = packet->way,
                            .parts = is_spread ? packet->way + count : NULL,
                            .queues = packet->way,
                            .count = count,
                            .queue_count = count,
                            .most = has_queues || whole < window_rate ? whole : window_rate,
                            .window = has_queues ? stage_window(packet) : 0,
                            .window_rate = window_rate};
    if (packet->queues) {
        way.queue_count = find_queues(packet, count);
        way.queues = packet->queues;
    }
    uint32_t id = packet->own.shared ? add_with_own(packet, &way) : rates_add(packet->rates, &way);
    if (!packet->has_topology)
        return id;
    size_t needed = ((size_t)id + 1) * paths_words(paths, paths->limit);
    packet->routes = mem_grow(packet->routes, &packet->route_capacity, needed, "routes of flows");
    memcpy(packet_route_of(packet, id), packet->way, paths_words(paths, count) * sizeof *packet->way);
    return id;
}
