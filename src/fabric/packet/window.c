#include "base/estimate.h"
#include "base/mem.h"
#include "fabric/packet/packet.h"

#define OPEN_FOR_EVER (~(maxmin_work_t)0)

uint64_t window_rate_of(uint64_t bytes, ps_t round_trip)
{
    if (round_trip <= 0)
        return UINT64_MAX;
    unsigned __int128 rate = (unsigned __int128)bytes * (uint64_t)PS_PER_S / (uint64_t)round_trip;
    return rate > UINT64_MAX ? UINT64_MAX : rate ? (uint64_t)rate : 1;
}

/* Data take the links of the flow, acknowledgements the fixed route back. */
void window_begin(struct packet *packet, uint32_t id, const struct message *first)
{
    const struct packet_config *config = packet->config;
    if (!packet_has_windows(packet))
        return;
    ps_t there = packet_latency_over(packet, id, first), back = packet_latency_of(packet, first);
    uint64_t rate = window_rate_of(config->window_bytes, ps_add(ps_add(there, back), config->turnaround_ps));
    bool limits = rate < packet_rate_alone(packet, first);
    packet->windows = mem_grow(packet->windows, &packet->window_capacity, (size_t)id + 1, "windows");
    packet->windows[id] = (struct packet_window){
        .open = limits ? maxmin_work(config->window_bytes) : OPEN_FOR_EVER, .rate = rate};
}

void window_send(struct packet *packet, uint32_t id, maxmin_work_t done)
{
    if (!packet_has_windows(packet) || packet->windows[id].open == OPEN_FOR_EVER)
        return;
    maxmin_work_t *open = &packet->windows[id].open;
    *open -= done < *open ? done : *open;
}

ps_t window_end(const struct packet *packet, uint32_t id)
{
    if (!packet_has_windows(packet))
        return PS_NEVER;
    const struct packet_flow *flow = &packet->flows[id];
    maxmin_work_t open = packet->windows[id].open;
    if (open == 0 || open >= flow->left)
        return PS_NEVER;
    return ps_add(fabric_now(&packet->fabric), maxmin_time(open, flow->rate));
}

uint64_t window_rate(const struct packet *packet, const struct packet_window *window)
{
    return packet_has_windows(packet) && window->open == 0 ? window->rate : UINT64_MAX;
}

bool window_close(struct packet *packet, uint32_t id)
{
    if (!packet_has_windows(packet) || packet->windows[id].open || packet->own.of_flow[id] != POOL_NONE)
        return false;
    struct packet_flow flow = packet->flows[id];
    struct packet_window window = packet->windows[id];
    packet_copy_way(packet, id);
    packet_end_flow(packet, id);
    if (packet->has_topology)
        paths_take(&packet->paths, packet->way, flow.links);
    packet_put_on(packet, &flow, &window, flow.links);
    return true;
}

double window_estimate(double flows)
{
    return estimate_array(flows, sizeof(struct packet_window)) + 2 * estimate_array(flows, sizeof(uint32_t));
}
