#include "fabric/photonic/photonic.h"

/* Algorithm 1 of the paper, reservation at once. In one instant the probe sees which channels are free on its
 * way. If all are, the packet has its circuit. If not, it has a segment up to the last buffer before the
 * taken link that has room for it. If there is no such buffer, it holds nothing and tries again. */

/* How many links of its way the packet has up to the last buffer before the taken link that has room for it,
 * in which it takes a slot. Without such a buffer: the links that are behind the packet. */
static uint32_t last_buffer(struct photonic *photonic, struct photonic_packet *packet)
{
    uint32_t end = photonic->buffers ? packet->reached : packet->at;
    while (end > packet->at && !probe_buffer(photonic, packet, end))
        end--;
    return end;
}

/* One try, in one instant. */
static void at_once_begin(struct photonic *photonic, uint32_t index)
{
    const struct photonic_settings *settings = &photonic->settings;
    struct photonic_packet *packet = packet_at(photonic, index);
    ps_t now = fabric_now(&photonic->fabric);
    bool is_whole = probe_look_ahead(photonic, packet);
    uint32_t hops = (uint32_t)(packet->reached - packet->at);
    photonic->statistics.attempts++;
    photonic->statistics.probe_hops += hops;
    packet->turned = packet->reached;
    uint32_t end = is_whole ? packet->reached : last_buffer(photonic, packet);
    if (!is_whole && end == packet->at) {
        probe_failed(photonic, index);
        return;
    }
    packet->end = (uint16_t)end;
    packet->since = now;
    const uint32_t *links = links_of(photonic, packet);
    for (uint32_t i = packet->at; i < end; i++)
        take_channel(photonic, links[i]);
    ps_t beyond = wires_beyond(photonic, packet, packet->at, packet->reached);
    ps_t ahead = now + hops * settings->forward_ps + beyond;
    packet_trace_add(photonic, index, TAP_PART_ACQUIRE, ahead);
    probe_grant(photonic, index, ahead + hops * settings->back_ps + beyond);
    if (is_whole)
        probe_seen(photonic, packet_at(photonic, index), ahead);
}

const struct reservation_ops reservation_at_once = {.begin = at_once_begin};
