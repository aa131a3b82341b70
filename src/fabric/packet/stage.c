#include "base/estimate.h"
#include "base/mem.h"
#include "fabric/packet/packet.h"

#define WITHOUT_END (~(maxmin_work_t)0)

uint64_t stage_window_rate(uint64_t bytes, ps_t round_trip)
{
    if (round_trip <= 0)
        return UINT64_MAX;
    unsigned __int128 rate = (unsigned __int128)bytes * (uint64_t)PS_PER_S / (uint64_t)round_trip;
    return rate > UINT64_MAX ? UINT64_MAX : rate ? (uint64_t)rate : 1;
}

static bool has_windows(const struct packet *packet)
{
    return packet->config->congestion == CONGESTION_WINDOW || packet->config->congestion == CONGESTION_QUEUES;
}

/* Each lane has its part of the window. */
uint64_t stage_window(const struct packet *packet)
{
    uint64_t window = packet->config->window_bytes / packet->lanes_of_flow;
    return window ? window : 1;
}

void stage_init(struct packet *packet)
{
    const struct packet_config *config = packet->config;
    packet->has_stages = has_windows(packet) || packet_has_chunks(packet);
    if (!packet_has_chunks(packet))
        return;
    packet->tick = service_ps(config->chunk_bytes, config->bandwidth_bytes_per_s);
    packet->tick = packet_step_from(packet, packet->tick);
}

static maxmin_work_t chunk_of(const struct packet *packet)
{
    return packet_has_chunks(packet) ? maxmin_work(packet->config->chunk_bytes) : WITHOUT_END;
}

/* Data take the links of the lane, acknowledgements the fixed route back. Without queues that add to the
 * round trip, some windows never close. */
static void open_window(struct packet *packet, uint32_t id, const struct message *first)
{
    const struct packet_config *config = packet->config;
    uint64_t window = stage_window(packet);
    ps_t there = packet_latency_over(packet, id, first), back = packet_latency_of(packet, first);
    struct packet_stage *stage = &packet->stages[id];
    stage->rate = stage_window_rate(window, ps_add(ps_add(there, back), config->turnaround_ps));
    if (config->congestion == CONGESTION_QUEUES || stage->rate < packet_rate_alone(packet, first))
        stage->open = maxmin_work(window);
}

void stage_begin(struct packet *packet, uint32_t id, const struct message *first)
{
    if (!packet_has_stages(packet))
        return;
    packet->stages = mem_grow(packet->stages, &packet->stage_capacity, (size_t)id + 1, "stages of flows");
    packet->stages[id] = (struct packet_stage){.open = WITHOUT_END, .chunk = chunk_of(packet)};
    if (has_windows(packet))
        open_window(packet, id, first);
}

void stage_go_on(struct packet *packet, uint32_t id, const struct packet_stage *stage)
{
    if (!packet_has_stages(packet))
        return;
    packet->stages = mem_grow(packet->stages, &packet->stage_capacity, (size_t)id + 1, "stages of flows");
    packet->stages[id] = *stage;
}

static void take(maxmin_work_t *left, maxmin_work_t done)
{
    if (*left != WITHOUT_END)
        *left -= done < *left ? done : *left;
}

void stage_send(struct packet *packet, uint32_t id, maxmin_work_t done)
{
    take(&packet->stages[id].open, done);
    take(&packet->stages[id].chunk, done);
}

/* Paths are chosen at whole ticks, so that many flows that choose are solved for at once. A lane that left
 * its links between two steps would stand still until the next one. */
static ps_t end_of_lane(const struct packet *packet, uint32_t id, maxmin_work_t left)
{
    const struct packet_stage *stage = &packet->stages[id];
    ps_t now = fabric_now(&packet->fabric), closes = PS_NEVER, chooses = PS_NEVER;
    if (!stage->is_closed && stage->open < left)
        closes = packet_step_from(packet, ps_add(now, maxmin_time(stage->open, lane_rate(packet, id))));
    if (stage->chunk < left)
        chooses =
            ps_multiple_from(ps_add(now, maxmin_time(stage->chunk, lane_rate(packet, id))), packet->tick);
    return closes < chooses ? closes : chooses;
}

ps_t stage_end(const struct packet *packet, uint32_t id)
{
    const struct packet_flow *flow = packet_flow_at(packet, id);
    ps_t first = PS_NEVER;
    for (uint32_t lane = flow->lane; lane != POOL_NONE; lane = packet->lanes[lane].next) {
        ps_t end = end_of_lane(packet, lane, flow->left);
        first = end < first ? end : first;
    }
    return first;
}

uint64_t stage_rate(const struct packet *packet, const struct packet_stage *stage)
{
    return packet_has_stages(packet) && stage->open == 0 ? stage->rate : UINT64_MAX;
}

/* ----------------------------------------------------- what follows a stage */

/* The lane leaves its links, and goes on over others: those that cost least now. False: they are the same
 * links, and nothing changes. */
static bool choose_again(struct packet *packet, uint32_t id)
{
    struct packet_lane lane = packet->lanes[id];
    struct paths *paths = &packet->paths;
    const struct message *first = packet_first_of(packet, lane.flow);
    uint32_t *links = packet_route_of(packet, id);
    paths_leave(paths, links, lane.links);
    uint32_t count = paths_enter(paths, first->source_node, first->destination_node, lane.place, packet->way);
    packet->stages[id].chunk = chunk_of(packet);
    if (count == lane.links && memcmp(links, packet->way, count * sizeof *links) == 0)
        return false;
    struct packet_stage stage = packet->stages[id];
    lane_carry_elsewhere(packet, lane.flow, links, lane.links, count);
    paths_take(paths, links, lane.links); /* lane_end leaves them */
    lane_end(packet, id);
    lane_put_on(packet, lane.flow, lane.place, &stage, count);
    return true;
}

static bool close_window(struct packet *packet, uint32_t id)
{
    if (packet->stages[id].open || packet->stages[id].is_closed)
        return false;
    packet->stages[id].is_closed = true;
    struct packet_lane lane = packet->lanes[id];
    struct packet_stage stage = packet->stages[id];
    uint32_t count = packet->has_topology ? lane.links : 2;
    lane_copy_way(packet, id);
    lane_end(packet, id);
    if (packet->has_topology)
        paths_take(&packet->paths, packet->way, count);
    lane_put_on(packet, lane.flow, lane.place, &stage, count);
    return true;
}

static bool lane_next(struct packet *packet, uint32_t id, bool is_tick)
{
    if (packet->stages[id].chunk == 0 && is_tick && choose_again(packet, id))
        return true;
    return has_windows(packet) && close_window(packet, id);
}

bool stage_next(struct packet *packet, uint32_t id)
{
    if (!packet_has_stages(packet))
        return false;
    bool is_tick = packet->tick && fabric_now(&packet->fabric) % packet->tick == 0, is_on_others = false;
    for (uint32_t lane = packet_flow_at(packet, id)->lane, next; lane != POOL_NONE; lane = next) {
        next = packet->lanes[lane].next;
        is_on_others = lane_next(packet, lane, is_tick) || is_on_others;
    }
    return is_on_others;
}

double stage_estimate(double lanes)
{
    return estimate_array(lanes, sizeof(struct packet_stage)) + 2 * estimate_array(lanes, sizeof(uint32_t));
}
