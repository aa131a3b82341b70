#include "fabric/photonic/photonic.h"

/* Reservation hop by hop: a probe takes a channel of one link, travels over it, and takes a channel of the
 * next link. Where none is free it turns back and gives up its channels one after the other. At the first
 * buffer with room it takes a slot, and the channels that it still holds are its segment. It never waits
 * while it holds channels. */

static uint32_t link_at(const struct photonic *photonic, const struct photonic_packet *packet, uint32_t nth)
{
    return links_of(photonic, packet)[nth];
}

/* The probe is back over the last of its links, and gives it up. */
static void give_up_last(struct photonic *photonic, struct photonic_packet *packet)
{
    uint32_t nth = --packet->reached, link = link_at(photonic, packet, nth);
    ps_t taken_at = packet->since + (ps_t)(nth - packet->at) * photonic->settings.forward_ps +
                    wires_beyond(photonic, packet, packet->at, nth);
    statistics_add_link(photonic, link, LINK_TRIED, &photonic->links[link].tried_ps,
                        fabric_now(&photonic->fabric) - taken_at);
    give_channel(photonic, link);
    probe_notify(photonic, link);
}

/* At a switch on the way back. */
static void turn(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    ps_t now = fabric_now(&photonic->fabric), back_ps = photonic->settings.back_ps;
    if (packet->reached == packet->at) {
        probe_failed(photonic, index);
    } else if (photonic->buffers && probe_buffer(photonic, packet, packet->reached)) {
        packet->end = packet->reached;
        packet_trace_add(photonic, index, TAP_PART_ACQUIRE,
                         now - (packet->turned - packet->reached) * back_ps -
                             wires_beyond(photonic, packet, packet->reached, packet->turned));
        probe_grant(photonic, index,
                    now + (packet->reached - packet->at) * back_ps +
                        wires_beyond(photonic, packet, packet->at, packet->reached));
    } else {
        packet->state = PACKET_BACK;
        back_ps += wires_beyond(photonic, packet, packet->reached - 1u, packet->reached);
        loop_at(photonic->fabric.params.loop, now + back_ps, photonic->step_kind, index);
    }
}

static void go_on(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    ps_t now = fabric_now(&photonic->fabric);
    uint32_t link;
    enum probe_step step = probe_look(photonic, packet, &link);
    if (step == PROBE_FREE) {
        take_channel(photonic, link);
        if (photonic->is_adaptive)
            packet->path[packet->reached] = link;
        packet->reached++;
        photonic->statistics.probe_hops++;
        ps_t over = photonic->settings.forward_ps +
                    wires_beyond(photonic, packet, packet->reached - 1u, packet->reached);
        loop_at(photonic->fabric.params.loop, now + over, photonic->step_kind, index);
        return;
    }
    packet->turned = packet->reached;
    if (step == PROBE_TAKEN) {
        turn(photonic, index);
        return;
    }
    packet->end = packet->reached;
    packet_trace_add(photonic, index, TAP_PART_ACQUIRE, now);
    probe_grant(photonic, index,
                now + (packet->reached - packet->at) * photonic->settings.back_ps +
                    wires_beyond(photonic, packet, packet->at, packet->reached));
    probe_seen(photonic, packet, now);
}

static void hops_begin(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    packet->state = PACKET_FORWARD;
    packet->reached = packet->at;
    packet->since = fabric_now(&photonic->fabric);
    photonic->statistics.attempts++;
    go_on(photonic, index);
}

static void hops_step(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    if (packet->state == PACKET_FORWARD) {
        go_on(photonic, index);
        return;
    }
    give_up_last(photonic, packet);
    turn(photonic, index);
}

const struct reservation_ops reservation_hop_by_hop = {.begin = hops_begin, .step = hops_step};
