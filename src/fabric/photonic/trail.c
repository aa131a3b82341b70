#include "fabric/photonic/internal.h"

/* A packet's time without a gap, step by step: waiting for a channel, its probe on the way, the answer on its
 * way back, its transfer, waiting in a buffer, and so on from there. Of a message of many packets only what
 * decides its time is told (photonic.c). */

static bool is_heard(const struct photonic *photonic)
{
    return tap_has_handler(photonic->tap, TAP_PART);
}

void trail_begin(struct photonic *photonic, uint32_t packet)
{
    if (!is_heard(photonic))
        return;
    photonic->trails =
        mem_grow(photonic->trails, &photonic->trail_capacity, (size_t)packet + 1, "steps of packets");
    photonic->trails[packet] = (struct trail){POOL_NONE, POOL_NONE, photonic->loop->now};
}

static void go(struct photonic *photonic, uint32_t packet, enum tap_part part, ps_t at, const char *awaited,
               uint32_t which)
{
    struct trail *trail = &photonic->trails[packet];
    if (at <= trail->until)
        return;
    struct step *last = trail->last == POOL_NONE ? NULL : pool_at(&photonic->steps, trail->last);
    if (last && last->part == part && last->awaited == awaited && last->which == which) {
        last->at = trail->until = at;
        return;
    }
    uint32_t index = pool_take(&photonic->steps);
    *(struct step *)pool_at(&photonic->steps, index) = (struct step){.since = trail->until,
                                                                     .at = at,
                                                                     .awaited = awaited,
                                                                     .which = which,
                                                                     .next = POOL_NONE,
                                                                     .part = (uint8_t)part};
    if (trail->last == POOL_NONE)
        trail->first = index;
    else
        ((struct step *)pool_at(&photonic->steps, trail->last))->next = index;
    trail->last = index;
    trail->until = at;
}

void trail_go(struct photonic *photonic, uint32_t packet, enum tap_part part, ps_t at)
{
    if (is_heard(photonic))
        go(photonic, packet, part, at, NULL, 0);
}

void trail_waited(struct photonic *photonic, uint32_t index)
{
    if (!is_heard(photonic))
        return;
    const struct packet *packet = packet_at(photonic, index);
    enum tap_part part = packet->at ? TAP_PART_STORED : TAP_PART_QUEUE;
    uint32_t links = photonic->topo.links;
    ps_t now = photonic->loop->now;
    if (packet->state == PACKET_STORED)
        go(photonic, index, part, now, "an output of the buffer at switch",
           photonic->buffers[buffer_of(photonic, packet)].at_switch);
    else if (packet->blocked_on < links)
        go(photonic, index, part, now, "a channel of link", packet->blocked_on);
    else if (packet->blocked_on != POOL_NONE)
        go(photonic, index, part, now, "a channel on from switch", packet->blocked_on - links);
}

void trail_tell(struct photonic *photonic, uint32_t packet, ps_t since)
{
    if (!is_heard(photonic))
        return;
    uint32_t id = transmission_at(photonic, packet_at(photonic, packet)->transmission)->id;
    for (uint32_t i = photonic->trails[packet].first; i != POOL_NONE;) {
        const struct step *step = pool_at(&photonic->steps, i);
        tap_emit_part(photonic->tap, id, step->part, ps_max(since, step->since), step->at, step->awaited,
                      step->which);
        i = step->next;
    }
}

void trail_end(struct photonic *photonic, uint32_t packet)
{
    if (!is_heard(photonic))
        return;
    for (uint32_t i = photonic->trails[packet].first; i != POOL_NONE;) {
        uint32_t next = ((const struct step *)pool_at(&photonic->steps, i))->next;
        pool_give(&photonic->steps, i);
        i = next;
    }
}
