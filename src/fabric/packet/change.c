#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/faults.h"
#include "fabric/packet/packet.h"

struct packet_change {
    struct topo later;
    bool is_waiting; /* links have failed, and nobody knows */
    uint32_t fail_kind, reroute_kind;
};

/* A flow that is taken off its links, as it is then. */
struct packet_moved {
    struct packet_flow flow;
    struct packet_stage stage;
    size_t route; /* where its links stand */
};

struct moved_flows {
    struct packet_moved *flows;
    uint32_t *routes;
    size_t count, capacity, links, link_capacity;
};

static bool has_failed(const struct packet *packet, uint32_t id)
{
    const uint32_t *links = packet_route_of(packet, id);
    bool has = false;
    for (uint32_t i = 0; i < packet->flows[id].links && !has; i++)
        has = faults_has_failed(&packet->change->later, links[i]);
    return has;
}

static bool is_slow(const struct packet *packet, uint32_t id)
{
    const uint32_t *links = packet_route_of(packet, id);
    bool is = false;
    for (uint32_t i = 0; i < packet->flows[id].links && !is; i++)
        is = faults_is_slow(&packet->change->later, links[i]);
    return is;
}

uint64_t change_rate_of_link(const struct packet *packet, uint32_t link, uint64_t of_fabric)
{
    const struct topo *later = &packet->change->later;
    if (!packet->change->is_waiting)
        return topo_link_rate(&packet->paths.topo, link, of_fabric);
    return faults_has_failed(later, link) ? 1 : topo_link_rate(later, link, of_fabric);
}

bool change_has_stopped(const struct packet *packet, uint32_t id)
{
    return packet->change->is_waiting && has_failed(packet, id);
}

bool change_check_way(struct packet *packet, const struct message *message)
{
    return !packet->has_topology || topology_check_way(&packet->fabric, &packet->paths.topo, message);
}

/* ----------------------------------------------------- off the links and on */

/* Takes the flow off its links. */
static void take_off(struct packet *packet, uint32_t id, struct moved_flows *moved)
{
    struct packet_flow *flow = &packet->flows[id];
    packet_advance(packet, id);
    moved->flows = mem_grow(moved->flows, &moved->capacity, moved->count + 1, "flows");
    size_t words = paths_words(&packet->paths, flow->links);
    moved->routes = mem_grow(moved->routes, &moved->link_capacity, moved->links + words, "routes of flows");
    moved->flows[moved->count] = (struct packet_moved){.flow = *flow, .route = moved->links};
    if (packet_has_stages(packet))
        moved->flows[moved->count].stage = packet->stages[id];
    moved->count++;
    memcpy(moved->routes + moved->links, packet_route_of(packet, id), words * sizeof *moved->routes);
    moved->links += words;
    packet_end_flow(packet, id);
}

/* Takes the flows off that are on failed links, and with `slow_too` those on slow links. */
static struct moved_flows take_all_off(struct packet *packet, bool slow_too)
{
    struct moved_flows moved = {.count = 0};
    for (uint32_t id = 0; id < packet->flow_ids; id++)
        if (packet->flows[id].messages.head != POOL_NONE &&
            (has_failed(packet, id) || (slow_too && is_slow(packet, id))))
            take_off(packet, id, &moved);
    return moved;
}

/* The same links as before. */
static void put_back(struct packet *packet, const struct moved_flows *moved, size_t index)
{
    const struct packet_moved *flow = &moved->flows[index];
    memcpy(packet->way, moved->routes + flow->route,
           paths_words(&packet->paths, flow->flow.links) * sizeof *packet->way);
    paths_take(&packet->paths, packet->way, flow->flow.links);
    packet_put_on(packet, &flow->flow, &flow->stage, flow->flow.links);
}

/* The links that are left. False, reported: there are none. */
static bool put_elsewhere(struct packet *packet, const struct moved_flows *moved, size_t index)
{
    const struct packet_moved *flow = &moved->flows[index];
    const struct message *first = fabric_message(&packet->fabric, flow->flow.messages.head);
    uint64_t bytes = packet_bytes_left(&flow->flow);
    if (!change_check_way(packet, first))
        return false;
    paths_take_back(&packet->paths, moved->routes + flow->route, flow->flow.links, bytes);
    uint32_t count = paths_enter(&packet->paths, first->source_node, first->destination_node, packet->way);
    packet_carry(packet, packet->way, count, bytes);
    packet_put_on(packet, &flow->flow, &flow->stage, count);
    return true;
}

static void free_moved(struct moved_flows *moved)
{
    free(moved->flows);
    free(moved->routes);
}

/* ------------------------------------------------------------------- events */

/* Messages on failed links have new routes from now on. */
static void on_reroute(void *self, uint32_t subject)
{
    struct packet *packet = self;
    bool good = true;
    (void)subject;
    struct moved_flows moved = take_all_off(packet, false);
    packet->paths.topo = packet->change->later; /* which was held, and still is */
    free(packet->change);
    packet->change = NULL;
    for (size_t i = 0; good && i < moved.count; i++)
        good = put_elsewhere(packet, &moved, i);
    free_moved(&moved);
}

/* Slow links become slow, and failed ones carry next to nothing. All flows on them keep their routes. */
static void on_fail(void *self, uint32_t subject)
{
    struct packet *packet = self;
    const struct fault_config *faults = config_of(packet->fabric.params.config, &fault_params);
    const struct topo *later = &packet->change->later;
    (void)subject;
    struct moved_flows moved = take_all_off(packet, true);
    packet->change->is_waiting = true;
    for (uint32_t link = 0; link < later->links; link++)
        if (faults_has_failed(later, link))
            rates_set_capacity(packet->rates, link, 1);
        else if (faults_is_slow(later, link))
            rates_set_capacity(packet->rates, link,
                               topo_link_rate(later, link, packet->config->bandwidth_bytes_per_s));
    for (size_t i = 0; i < moved.count; i++)
        put_back(packet, &moved, i);
    free_moved(&moved);
    if (!faults->reroute_ps)
        on_reroute(packet, 0);
    else
        loop_at(packet->fabric.params.loop, ps_add(fabric_now(&packet->fabric), faults->reroute_ps),
                packet->change->reroute_kind, 0);
}

void change_init(struct packet *packet, const struct topo *later)
{
    const struct fault_config *faults = config_of(packet->fabric.params.config, &fault_params);
    struct event_loop *loop = packet->fabric.params.loop;
    packet->change = mem_alloc(1, sizeof *packet->change, "faults");
    packet->change->later = *later;
    faults_hold(later);
    packet->change->fail_kind = loop_register(loop, on_fail, packet);
    packet->change->reroute_kind = loop_register(loop, on_reroute, packet);
    loop_at(loop, faults->at_ps, packet->change->fail_kind, 0);
}

void change_free(struct packet *packet)
{
    if (packet->change)
        faults_release(&packet->change->later);
    free(packet->change);
}
