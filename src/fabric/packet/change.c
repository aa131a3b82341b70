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

/* A lane that is taken off its links, as it is then. */
struct packet_moved {
    struct packet_lane lane;
    struct packet_stage stage;
    size_t route; /* where its links stand */
};

struct moved_lanes {
    struct packet_moved *lanes;
    uint32_t *routes;
    size_t count, capacity, links, link_capacity;
};

static bool has_failed(const struct packet *packet, uint32_t id)
{
    const uint32_t *links = packet_route_of(packet, id);
    bool has = false;
    for (uint32_t i = 0; i < packet->lanes[id].links && !has; i++)
        has = faults_has_failed(&packet->change->later, links[i]);
    return has;
}

static bool is_slow(const struct packet *packet, uint32_t id)
{
    const uint32_t *links = packet_route_of(packet, id);
    bool is = false;
    for (uint32_t i = 0; i < packet->lanes[id].links && !is; i++)
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
    bool has_stopped = packet->change->is_waiting;
    uint32_t lane = packet_flow_at(packet, id)->lane;
    for (; lane != POOL_NONE && has_stopped; lane = packet->lanes[lane].next)
        has_stopped = has_failed(packet, lane);
    return has_stopped;
}

bool change_check_way(struct packet *packet, const struct message *message)
{
    return !packet->has_topology || topology_check_way(&packet->fabric, &packet->paths.topo, message);
}

/* ----------------------------------------------------- off the links and on */

/* Takes the lane off its links. */
static void take_off(struct packet *packet, uint32_t id, struct moved_lanes *moved)
{
    const struct packet_lane *lane = &packet->lanes[id];
    packet_advance(packet, lane->flow);
    moved->lanes = mem_grow(moved->lanes, &moved->capacity, moved->count + 1, "flows");
    size_t words = paths_words(&packet->paths, lane->links);
    moved->routes = mem_grow(moved->routes, &moved->link_capacity, moved->links + words, "routes of flows");
    moved->lanes[moved->count] = (struct packet_moved){.lane = *lane, .route = moved->links};
    if (packet_has_stages(packet))
        moved->lanes[moved->count].stage = packet->stages[id];
    moved->count++;
    memcpy(moved->routes + moved->links, packet_route_of(packet, id), words * sizeof *moved->routes);
    moved->links += words;
    lane_end(packet, id);
}

/* Takes the lanes off that are on failed links, and with `slow_too` those on slow links. */
static struct moved_lanes take_all_off(struct packet *packet, bool slow_too)
{
    struct moved_lanes moved = {.count = 0};
    for (uint32_t id = 0; id < packet->lane_ids; id++)
        if (packet->lanes[id].flow != POOL_NONE &&
            (has_failed(packet, id) || (slow_too && is_slow(packet, id))))
            take_off(packet, id, &moved);
    return moved;
}

/* The same links as before. */
static void put_back(struct packet *packet, const struct moved_lanes *moved, size_t index)
{
    const struct packet_moved *of = &moved->lanes[index];
    const struct packet_lane *lane = &of->lane;
    memcpy(packet->way, moved->routes + of->route,
           paths_words(&packet->paths, lane->links) * sizeof *packet->way);
    paths_take(&packet->paths, packet->way, lane->links);
    lane_put_on(packet, lane->flow, lane->place, &of->stage, lane->links);
}

/* The links that are left, whose hops are added to `hops`. False, reported: there are none. */
static bool put_elsewhere(struct packet *packet, const struct moved_lanes *moved, size_t index,
                          uint64_t *hops)
{
    const struct packet_moved *of = &moved->lanes[index];
    const struct packet_lane *lane = &of->lane;
    const struct message *first = packet_first_of(packet, lane->flow);
    struct paths *paths = &packet->paths;
    if (!change_check_way(packet, first))
        return false;
    uint32_t count =
        paths_enter(paths, first->source_node, first->destination_node, lane->place, packet->way);
    lane_carry_elsewhere(packet, lane->flow, moved->routes + of->route, lane->links, count);
    *hops += paths_hops(paths, packet->way, count);
    lane_put_on(packet, lane->flow, lane->place, &of->stage, count);
    return true;
}

static void free_moved(struct moved_lanes *moved)
{
    free(moved->lanes);
    free(moved->routes);
}

/* ------------------------------------------------------------------- events */

/* Messages on failed links have new routes from now on. */
static void on_reroute(void *self, uint32_t subject)
{
    struct packet *packet = self;
    bool good = true;
    uint64_t hops = 0;
    (void)subject;
    struct moved_lanes moved = take_all_off(packet, false);
    packet->paths.topo = packet->change->later; /* which was held, and still is */
    free(packet->change);
    packet->change = NULL;
    for (size_t i = 0; good && i < moved.count; i++)
        good = put_elsewhere(packet, &moved, i, &hops);
    /* A message counts with the mean of its lanes. */
    packet->statistics.hops += (hops + packet->lanes_of_flow / 2) / packet->lanes_of_flow;
    free_moved(&moved);
}

/* Slow links become slow, and failed ones carry next to nothing. All flows on them keep their routes. */
static void on_fail(void *self, uint32_t subject)
{
    struct packet *packet = self;
    const struct fault_config *faults = config_of(packet->fabric.params.config, &fault_params);
    const struct topo *later = &packet->change->later;
    (void)subject;
    struct moved_lanes moved = take_all_off(packet, true);
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
