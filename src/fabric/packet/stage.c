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
    return packet->config->congestion == CONGESTION_WINDOW;
}

void stage_init(struct packet *packet)
{
    const struct packet_config *config = packet->config;
    packet->has_stages = has_windows(packet) || packet_has_chunks(packet);
    if (packet_has_chunks(packet))
        packet->tick = service_ps(config->chunk_bytes, config->bandwidth_bytes_per_s);
}

static maxmin_work_t chunk_of(const struct packet *packet)
{
    return packet_has_chunks(packet) ? maxmin_work(packet->config->chunk_bytes) : WITHOUT_END;
}

/* Data take the links of the flow, acknowledgements the fixed route back. */
static void open_window(struct packet *packet, uint32_t id, const struct message *first)
{
    const struct packet_config *config = packet->config;
    ps_t there = packet_latency_over(packet, id, first), back = packet_latency_of(packet, first);
    struct packet_stage *stage = &packet->stages[id];
    stage->rate = stage_window_rate(config->window_bytes, ps_add(ps_add(there, back), config->turnaround_ps));
    if (stage->rate < packet_rate_alone(packet, first))
        stage->open = maxmin_work(config->window_bytes);
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

/* Paths are chosen at whole ticks, so that many flows that choose are solved for at once. */
static ps_t tick_from(const struct packet *packet, ps_t time)
{
    ps_t over = time == PS_NEVER ? 0 : time % packet->tick;
    return over ? ps_add(time, packet->tick - over) : time;
}

ps_t stage_end(const struct packet *packet, uint32_t id)
{
    const struct packet_flow *flow = &packet->flows[id];
    const struct packet_stage *stage = &packet->stages[id];
    ps_t now = fabric_now(&packet->fabric), closes = PS_NEVER, chooses = PS_NEVER;
    if (stage->open && stage->open < flow->left)
        closes = ps_add(now, maxmin_time(stage->open, flow->rate));
    if (stage->chunk < flow->left)
        chooses = tick_from(packet, ps_add(now, maxmin_time(stage->chunk, flow->rate)));
    return closes < chooses ? closes : chooses;
}

uint64_t stage_rate(const struct packet *packet, const struct packet_stage *stage)
{
    return packet_has_stages(packet) && stage->open == 0 ? stage->rate : UINT64_MAX;
}

/* ----------------------------------------------------- what follows a stage */

/* The flow leaves its links, and goes on over others: those that cost least now. Its first message has its
 * remaining bytes there. False: they are the same links, and nothing changes. */
static bool choose_again(struct packet *packet, uint32_t id)
{
    struct packet_flow flow = packet->flows[id];
    struct paths *paths = &packet->paths;
    const struct message *first = fabric_message(&packet->fabric, flow.messages.head);
    uint32_t *links = packet_route_of(packet, id);
    paths_leave(paths, links, flow.links);
    uint32_t count = paths_enter(paths, first->source_node, first->destination_node, packet->way);
    packet->stages[id].chunk = chunk_of(packet);
    if (count == flow.links && memcmp(links, packet->way, count * sizeof *links) == 0)
        return false;
    struct packet_stage stage = packet->stages[id];
    uint64_t bytes = packet_bytes_left(&flow);
    paths_take_back(paths, links, flow.links, bytes);
    paths_carry(paths, packet->way, count, bytes);
    paths_take(paths, links, flow.links); /* packet_end_flow leaves them */
    packet_end_flow(packet, id);
    packet_put_on(packet, &flow, &stage, count);
    return true;
}

static bool close_window(struct packet *packet, uint32_t id)
{
    if (packet->stages[id].open || packet->own.of_flow[id] != POOL_NONE)
        return false;
    struct packet_flow flow = packet->flows[id];
    struct packet_stage stage = packet->stages[id];
    packet_copy_way(packet, id);
    packet_end_flow(packet, id);
    if (packet->has_topology)
        paths_take(&packet->paths, packet->way, flow.links);
    packet_put_on(packet, &flow, &stage, flow.links);
    return true;
}

bool stage_next(struct packet *packet, uint32_t id)
{
    if (!packet_has_stages(packet))
        return false;
    bool is_tick = packet->tick && fabric_now(&packet->fabric) % packet->tick == 0;
    if (packet->stages[id].chunk == 0 && is_tick && choose_again(packet, id))
        return true;
    return has_windows(packet) && close_window(packet, id);
}

double stage_estimate(double flows)
{
    return estimate_array(flows, sizeof(struct packet_stage)) + 2 * estimate_array(flows, sizeof(uint32_t));
}
