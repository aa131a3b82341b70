#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/faults.h"
#include "fabric/packet/packet.h"

/* At the time of each state the network changes. After faults.reroute the routes are those of that state. A
 * link carries messages if it is intact, and the routes have it too: those that wait for a way are on links
 * that the routes do not have. */
struct packet_change {
    struct topology_states states;
    size_t now, known; /* the network as it is; the one that routes are made for */
    uint8_t *touched;  /* [links] whether lanes on it are taken off */
    uint32_t change_kind, route_kind;
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

static const struct topo *topo_in(const struct packet_change *change, size_t state)
{
    return &change->states.items[state].topo;
}

static bool is_blocked(const struct packet_change *change, uint32_t link)
{
    return faults_has_failed(topo_in(change, change->now), link) ||
           faults_has_failed(topo_in(change, change->known), link);
}

static uint64_t rate_in(const struct packet_change *change, uint32_t link, uint64_t of_fabric)
{
    return is_blocked(change, link) ? 1 : topo_link_rate(topo_in(change, change->now), link, of_fabric);
}

uint64_t change_rate_of_link(const struct packet *packet, uint32_t link, uint64_t of_fabric)
{
    return rate_in(packet->change, link, of_fabric);
}

ps_t change_time_of(const struct packet *packet, uint32_t link, uint64_t bytes, uint64_t of_fabric)
{
    const struct topology_states *states = &packet->change->states;
    ps_t sum = 0;
    for (size_t i = 0; i < states->count && bytes; i++) {
        if (faults_has_failed(&states->items[i].topo, link))
            continue;
        const uint64_t rate = topo_link_rate(&states->items[i].topo, link, of_fabric);
        const ps_t needed = service_ps(bytes, rate);
        const bool is_last = i + 1 == states->count;
        const ps_t given = is_last ? needed : states->items[i + 1].since - states->items[i].since;
        const unsigned __int128 work = (unsigned __int128)rate * (uint64_t)given + PS_PER_S - 1;
        sum = ps_add(sum, needed < given ? needed : given);
        bytes = needed <= given ? 0 : bytes - (uint64_t)(work / PS_PER_S);
    }
    return sum;
}

static bool has_blocked(const struct packet *packet, uint32_t id)
{
    const uint32_t *links = packet_route_of(packet, id);
    bool has = false;
    for (uint32_t i = 0; i < packet->lanes[id].links && !has; i++)
        has = is_blocked(packet->change, links[i]);
    return has;
}

bool change_has_stopped(const struct packet *packet, uint32_t id)
{
    bool has_stopped = true;
    uint32_t lane = packet_flow_at(packet, id)->lane;
    for (; lane != POOL_NONE && has_stopped; lane = packet->lanes[lane].next)
        has_stopped = has_blocked(packet, lane);
    return has_stopped;
}

/* Flows can stand still until the routes are those of the last state: then the run has ended, or all have a
 * way. */
static void note_stops(struct packet *packet)
{
    const struct packet_change *change = packet->change;
    bool has_failed = topo_in(change, change->now)->faults || topo_in(change, change->known)->faults;
    packet->may_stop = has_failed && change->known + 1 < change->states.count;
}

/* -------------------------------------------------- ways that are not there */

/* The first state from the one that is known on in which the message has a way; the number of states: there
 * is none. */
static size_t state_with_way(const struct packet *packet, const struct message *message)
{
    const struct packet_change *change = packet->change;
    size_t state = change->known;
    while (state < change->states.count &&
           !topo_reaches(topo_in(change, state), message->source_node, message->destination_node))
        state++;
    return state;
}

const struct topo *change_topo_of(const struct packet *packet, const struct message *message)
{
    const struct packet_change *change = packet->change;
    size_t state = state_with_way(packet, message);
    bool is_known = state == change->known || state == change->states.count;
    return is_known ? &packet->paths.topo : topo_in(change, state);
}

bool change_check_way(struct packet *packet, const struct message *message)
{
    if (!packet->has_topology)
        return true;
    ps_t since = packet->change ? packet->change->states.items[packet->change->known].since : 0;
    return topology_check_way(&packet->fabric, packet_topo_of(packet, message), message, since);
}

ps_t change_wait(const struct packet *packet, const struct message *message)
{
    const struct packet_change *change = packet->change;
    const struct fault_config *faults = config_of(packet->fabric.params.config, &fault_params);
    size_t state = state_with_way(packet, message);
    if (state == change->known || state == change->states.count)
        return 0;
    return ps_add(change->states.items[state].since, faults->reroute_ps) - fabric_now(&packet->fabric);
}

uint32_t change_enter(struct packet *packet, const struct message *message, uint32_t place)
{
    struct paths *paths = &packet->paths;
    const struct topo *topo = packet_topo_of(packet, message);
    uint32_t source = message->source_node, destination = message->destination_node;
    if (topo == &paths->topo)
        return paths_enter(paths, source, destination, place, packet->way);
    const struct topo routes = paths->topo;
    paths->topo = *topo;
    uint32_t count = paths_enter(paths, source, destination, place, packet->way);
    paths->topo = routes;
    return count;
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

static bool is_on_touched(const struct packet *packet, uint32_t id)
{
    const uint32_t *links = packet_route_of(packet, id);
    bool is = false;
    for (uint32_t i = 0; i < packet->lanes[id].links && !is; i++)
        is = packet->change->touched[links[i]];
    return is;
}

/* Takes the lanes off that are on touched links, or all. */
static struct moved_lanes take_all_off(struct packet *packet, bool all)
{
    struct moved_lanes moved = {.count = 0};
    for (uint32_t id = 0; id < packet->lane_ids; id++)
        if (packet->lanes[id].flow != POOL_NONE && (all || is_on_touched(packet, id)))
            take_off(packet, id, &moved);
    return moved;
}

/* The lane goes on over `count` links of packet->way. */
static void put_on(struct packet *packet, const struct packet_moved *of, uint32_t count)
{
    lane_put_on(packet, of->lane.flow, of->lane.place, &of->stage, count);
}

/* The same links as before. */
static void put_back(struct packet *packet, const struct moved_lanes *moved, size_t index)
{
    const struct packet_moved *of = &moved->lanes[index];
    memcpy(packet->way, moved->routes + of->route,
           paths_words(&packet->paths, of->lane.links) * sizeof *packet->way);
    paths_take(&packet->paths, packet->way, of->lane.links);
    put_on(packet, of, of->lane.links);
}

/* The links that are left, whose hops are added to `hops` if they are other ones. False, reported: there are
 * none, and will be none. */
static bool put_elsewhere(struct packet *packet, const struct moved_lanes *moved, size_t index,
                          uint64_t *hops)
{
    const struct packet_moved *of = &moved->lanes[index];
    const struct packet_lane *lane = &of->lane;
    const uint32_t *links = moved->routes + of->route;
    const struct message *first = packet_first_of(packet, lane->flow);
    struct paths *paths = &packet->paths;
    if (!change_check_way(packet, first))
        return false;
    uint32_t count = change_enter(packet, first, lane->place);
    if (count != lane->links || memcmp(links, packet->way, paths_words(paths, count) * sizeof *links) != 0) {
        lane_carry_elsewhere(packet, lane->flow, links, lane->links, count);
        *hops += paths_hops(paths, packet->way, count);
    }
    put_on(packet, of, count);
    return true;
}

static void free_moved(struct moved_lanes *moved)
{
    free(moved->lanes);
    free(moved->routes);
}

/* ------------------------------------------------------------------- events */

/* The links become those of the states `now` and `known`. */
static void set_states(struct packet *packet, size_t now, size_t known)
{
    struct packet_change *change = packet->change;
    const struct packet_change before = *change;
    const uint64_t of_fabric = packet->config->bandwidth_bytes_per_s;
    change->now = now;
    change->known = known;
    for (uint32_t link = 0; link < topo_in(change, 0)->links; link++) {
        uint64_t rate = rate_in(change, link, of_fabric);
        if (change->touched[link] && rate != rate_in(&before, link, of_fabric))
            rates_set_capacity(packet->rates, link, rate);
    }
    note_stops(packet);
}

/* Routes are those of this state from now on. Messages on links that it does not have go elsewhere; if links
 * are back, all take the routes that they have now. */
static void on_route(void *self, uint32_t state)
{
    struct packet *packet = self;
    struct packet_change *change = packet->change;
    const struct topo *before = topo_in(change, change->known), *after = topo_in(change, state);
    bool good = true, are_back = false;
    uint64_t hops = 0;
    for (uint32_t link = 0; link < after->links; link++) {
        bool had_failed = faults_has_failed(before, link), has_failed = faults_has_failed(after, link);
        change->touched[link] = had_failed || has_failed;
        are_back = are_back || (had_failed && !has_failed);
    }
    struct moved_lanes moved = take_all_off(packet, are_back);
    faults_release(&packet->paths.topo);
    packet->paths.topo = *after;
    faults_hold(&packet->paths.topo);
    set_states(packet, change->now, state);
    for (size_t i = 0; good && i < moved.count; i++)
        good = put_elsewhere(packet, &moved, i, &hops);
    /* A message counts with the mean of its lanes. */
    packet->statistics.hops += (hops + packet->lanes_of_flow / 2) / packet->lanes_of_flow;
    free_moved(&moved);
}

/* Links fail, are slow or are back; failed ones carry next to nothing. All flows keep their routes. */
static void on_change(void *self, uint32_t state)
{
    struct packet *packet = self;
    struct packet_change *change = packet->change;
    const struct fault_config *faults = config_of(packet->fabric.params.config, &fault_params);
    const struct topo *before = topo_in(change, change->now), *after = topo_in(change, state);
    for (uint32_t link = 0; link < after->links; link++)
        change->touched[link] = faults_has_failed(before, link) != faults_has_failed(after, link) ||
                                faults_is_slow(before, link) != faults_is_slow(after, link);
    struct moved_lanes moved = take_all_off(packet, false);
    set_states(packet, state, change->known);
    for (size_t i = 0; i < moved.count; i++)
        put_back(packet, &moved, i);
    free_moved(&moved);
    if (!faults->reroute_ps)
        on_route(packet, state);
    else
        loop_at(packet->fabric.params.loop,
                packet_step_from(packet, ps_add(fabric_now(&packet->fabric), faults->reroute_ps)),
                change->route_kind, state);
}

void change_init(struct packet *packet, struct topology_states *states)
{
    struct event_loop *loop = packet->fabric.params.loop;
    struct packet_change *change = packet->change = mem_alloc(1, sizeof *change, "faults");
    change->states = *states;
    change->touched = mem_alloc(topo_in(change, 0)->links, sizeof *change->touched, "faults");
    *states = (struct topology_states){.count = 0};
    change->change_kind = loop_register(loop, on_change, packet);
    change->route_kind = loop_register(loop, on_route, packet);
    note_stops(packet);
    for (uint32_t state = 1; state < change->states.count; state++)
        loop_at(loop, packet_step_from(packet, change->states.items[state].since), change->change_kind,
                state);
}

void change_free(struct packet *packet)
{
    if (!packet->change)
        return;
    topology_states_free(&packet->change->states);
    free(packet->change->touched);
    free(packet->change);
}
