#include "fabric/photonic/photonic.h"

/* A packet's time without a gap, step by step: waiting for a channel, its probe on the way, the answer on its
 * way back, its transfer, waiting in a buffer, and so on from there. Of a message of many packets the
 * tap is told only what decides its time (transfer.c). */

/* What a packet waited for. */
enum packet_awaited { AWAITED_NOTHING, AWAITED_OUTPUT, AWAITED_LINK, AWAITED_SWITCH };
static const char *const awaited_texts[] = {[AWAITED_NOTHING] = NULL,
                                            [AWAITED_OUTPUT] = "an output of the buffer at switch",
                                            [AWAITED_LINK] = "a channel of link",
                                            [AWAITED_SWITCH] = "a channel on from switch"};

static bool is_traced(const struct photonic *photonic)
{
    return tap_wants_parts(photonic->fabric.params.tap);
}

static struct queue_links step_links(const struct photonic *photonic)
{
    return QUEUE_LINKS(photonic->steps.records, struct packet_trace_step, next);
}

void packet_trace_begin(struct photonic *photonic, uint32_t packet)
{
    if (!is_traced(photonic))
        return;
    photonic->traces =
        mem_grow(photonic->traces, &photonic->trace_capacity, (size_t)packet + 1, "steps of packets");
    const ps_t now = fabric_now(&photonic->fabric);
    photonic->traces[packet] =
        (struct packet_trace){.steps = {POOL_NONE, POOL_NONE}, .begun = now, .until = now};
}

static void add_step(struct photonic *photonic, uint32_t packet, enum tap_part part, ps_t at,
                     enum packet_awaited awaited, uint32_t which)
{
    struct packet_trace *trace = &photonic->traces[packet];
    if (at <= trace->until)
        return;
    bool is_first = queue_is_empty(&trace->steps);
    struct packet_trace_step *last = is_first ? NULL : pool_at(&photonic->steps, trace->steps.tail);
    if (last && last->part == part && last->awaited == awaited && last->which == which) {
        last->at = trace->until = at;
        return;
    }
    uint32_t index = pool_take(&photonic->steps);
    *(struct packet_trace_step *)pool_at(&photonic->steps, index) = (struct packet_trace_step){
        .at = at, .which = which, .part = (uint8_t)part, .awaited = (uint8_t)awaited};
    queue_append(&trace->steps, step_links(photonic), index);
    trace->until = at;
}

void packet_trace_add(struct photonic *photonic, uint32_t packet, enum tap_part part, ps_t at)
{
    if (is_traced(photonic))
        add_step(photonic, packet, part, at, AWAITED_NOTHING, 0);
}

void packet_trace_waited(struct photonic *photonic, uint32_t index)
{
    if (!is_traced(photonic))
        return;
    const struct photonic_packet *packet = packet_at(photonic, index);
    enum tap_part part = packet->at ? TAP_PART_STORED : TAP_PART_QUEUE;
    uint32_t links = photonic->topo.links;
    ps_t now = fabric_now(&photonic->fabric);
    if (packet->state == PACKET_STORED)
        add_step(photonic, index, part, now, AWAITED_OUTPUT,
                 photonic->buffers[buffer_of(photonic, packet)].at_switch);
    else if (packet->blocked_on < links)
        add_step(photonic, index, part, now, AWAITED_LINK, packet->blocked_on);
    else if (packet->blocked_on != POOL_NONE)
        add_step(photonic, index, part, now, AWAITED_SWITCH, packet->blocked_on - links);
}

void packet_trace_emit(const struct photonic *photonic, uint32_t packet, ps_t since)
{
    if (!is_traced(photonic))
        return;
    uint32_t id = transmission_at(photonic, packet_at(photonic, packet)->transmission)->id;
    ps_t begun = photonic->traces[packet].begun;
    for (uint32_t i = photonic->traces[packet].steps.head; i != POOL_NONE;) {
        const struct packet_trace_step *step = pool_at(&photonic->steps, i);
        tap_emit_part(photonic->fabric.params.tap, id, step->part, ps_max(since, begun), step->at,
                      awaited_texts[step->awaited], step->which);
        begun = step->at;
        i = step->next;
    }
}

void packet_trace_end(struct photonic *photonic, uint32_t packet)
{
    if (!is_traced(photonic))
        return;
    struct queue *steps = &photonic->traces[packet].steps;
    while (!queue_is_empty(steps))
        pool_give(&photonic->steps, queue_take(steps, step_links(photonic)));
}
