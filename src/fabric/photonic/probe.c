#include "fabric/photonic/photonic.h"

/* What a probe finds on its way, and what follows. When it takes its channels is decided by the kind of
 * reservation: at_once.c or hops.c.
 *
 * A packet that has to try again waits, by photonic.retry, until the link that blocked it has a free channel,
 * or as long as its probe takes there and back, or for a random time. It never holds a channel then, and its
 * next try may take it all the way to its destination, so packets do not wait for each other in cycles. */

/* -------------------------------------------------------------------- links */

static uint32_t first_free(const struct photonic *photonic, struct topo_choice choice)
{
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, (choice.preferred + i) % choice.count);
        if (photonic->free[link])
            return link;
    }
    return POOL_NONE;
}

static uint32_t most_free(const struct photonic *photonic, struct topo_choice choice)
{
    uint32_t best = POOL_NONE;
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, (choice.preferred + i) % choice.count);
        if (photonic->free[link] && (best == POOL_NONE || photonic->free[link] > photonic->free[best]))
            best = link;
    }
    return best;
}

static uint32_t any_free(struct photonic *photonic, struct topo_choice choice)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice.count; i++)
        count += photonic->free[topo_candidate(choice, i)] > 0;
    uint64_t wanted = count ? rng_below(&photonic->rng, count) : 0;
    for (uint32_t i = 0; count && i < choice.count; i++)
        if (photonic->free[topo_candidate(choice, i)] && wanted-- == 0)
            return topo_candidate(choice, i);
    return POOL_NONE;
}

/* Among links that lead on equally well; POOL_NONE when none has a free channel. */
static uint32_t choose(struct photonic *photonic, struct topo_choice choice)
{
    switch (photonic->settings.photonic.up) {
    case UP_FIRST:
        return first_free(photonic, choice);
    case UP_RANDOM:
        return any_free(photonic, choice);
    default:
        return most_free(photonic, choice);
    }
}

static enum probe_step look_around(struct photonic *photonic, struct photonic_packet *packet,
                                   const struct photonic_transmission *transmission, uint32_t *link)
{
    uint32_t at = topo_switch_of(&photonic->topo, transmission->source);
    if (packet->reached > 0)
        at = photonic->links[packet->path[packet->reached - 1]].to;
    struct topo_choice choice = {.first = topo_injection(&photonic->topo, transmission->source), .count = 1};
    if (packet->reached > 0 || !photonic->settings.node_links_count)
        choice = topo_choose(&photonic->topo, at, transmission->destination);
    if (choice.count > 1) {
        *link = choose(photonic, choice);
        packet->blocked_on = photonic->topo.links + at;
        return *link == POOL_NONE ? PROBE_TAKEN : PROBE_FREE;
    }
    *link = packet->blocked_on = choice.first;
    return photonic->free[*link] ? PROBE_FREE : PROBE_TAKEN;
}

/* Looks at the link after those that the probe has reached. PROBE_TAKEN: blocked_on says for what the packet
 * has to wait. */
enum probe_step probe_look(struct photonic *photonic, struct photonic_packet *packet, uint32_t *link)
{
    const struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    if (packet->reached == transmission->hops)
        return PROBE_ARRIVED;
    if (photonic->is_adaptive)
        return look_around(photonic, packet, transmission, link);
    *link = packet->blocked_on = transmission->route[packet->reached];
    return photonic->free[*link] ? PROBE_FREE : PROBE_TAKEN;
}

/* Moves the probe as far as channels are free, without taking them; true if that is all the way. */
bool probe_look_ahead(struct photonic *photonic, struct photonic_packet *packet)
{
    enum probe_step step;
    uint32_t link;
    packet->reached = packet->at;
    while ((step = probe_look(photonic, packet, &link)) == PROBE_FREE) {
        if (photonic->is_adaptive)
            packet->path[packet->reached] = link;
        packet->reached++;
    }
    return step == PROBE_ARRIVED;
}

/* ------------------------------------------------------------------ granted */

/* Takes a slot in the buffer at the end of the packet's first `end` links; false where there is none. */
bool probe_buffer(struct photonic *photonic, struct photonic_packet *packet, uint32_t end)
{
    uint32_t index = buffer_behind(photonic, packet, end);
    if (index == POOL_NONE)
        return false;
    struct photonic_buffer *buffer = &photonic->buffers[index];
    if (!buffer->free_slots || !buffer->free_inputs)
        return false;
    buffer->free_inputs--;
    buffer->free_slots--;
    if (buffer->free_slots < buffer->least_free_slots)
        buffer->least_free_slots = buffer->free_slots;
    packet->next_slot_since = fabric_now(&photonic->fabric);
    packet->next_slot_step = photonic->ended;
    return true;
}

/* The first packet of a message that finds its way to the destination announces it there. */
void probe_seen(struct photonic *photonic, struct photonic_packet *packet, ps_t at)
{
    struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    if (transmission->is_visible)
        return;
    transmission->is_visible = true;
    fabric_visible(&photonic->fabric, transmission->id, at);
}

/* Tells the tap of the time until a message begins, and of its first packet: until that is sent, its time is
 * the message's. */
static void emit_first(struct photonic *photonic, uint32_t index)
{
    const struct photonic_packet *packet = packet_at(photonic, index);
    const struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    const struct tap *tap = photonic->fabric.params.tap;
    tap_emit_part(tap, transmission->id, TAP_PART_QUEUE, transmission->generated, transmission->begun_at,
                  "messages sent before it by node", transmission->source);
    tap_emit_part(tap, transmission->id, TAP_PART_QUEUE, transmission->begun_at, packet->begun,
                  "earlier packets to node", transmission->destination);
    packet_trace_emit(photonic, index, packet->begun);
}

/* What light takes on the links of a packet's segment, and on those of the nodes at its ends, which may have
 * no channels. */
static ps_t on_wires(const struct photonic *photonic, const struct photonic_packet *packet)
{
    uint32_t hops = transmission_at(photonic, packet->transmission)->hops;
    uint32_t wires = (uint32_t)(packet->end - packet->at);
    if (!photonic->settings.node_links_count)
        wires += (packet->at == 0) + (packet->end == hops);
    return (ps_t)wires * photonic->settings.photonic.wire_ps +
           wires_beyond(photonic, packet, packet->at, packet->end) + node_links_beyond(photonic, packet);
}

/* The packet is sent over its links up to `end`, which are reserved, from then on. */
void probe_grant(struct photonic *photonic, uint32_t index, ps_t from)
{
    const struct photonic_config *config = &photonic->settings.photonic;
    struct photonic_packet *packet = packet_at(photonic, index);
    packet->state = PACKET_SENT;
    packet->tries = 0;
    packet->granted_step = photonic->ended;
    packet->blocked_on = POOL_NONE;
    struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    packet_trace_add(photonic, index, TAP_PART_SWITCH, from);
    if (packet->at) {
        packet->buffer_ps += from - packet->arrived;
    } else if (transmission->sent_at < 0) {
        transmission->sent_at = from;
        emit_first(photonic, index);
    }
    photonic->sending++;
    photonic->statistics.segments++;
    ps_t service = ps_add(config->eo_ps + config->oe_ps, packet_service_ps(photonic, packet));
    if (config->wire_ps || topo_has_latencies(&photonic->topo))
        service = ps_add(service, on_wires(photonic, packet));
    packet_trace_add(photonic, index, TAP_PART_TRANSFER, ps_add(from, service));
    loop_at(photonic->fabric.params.loop, ps_add(from, service), photonic->end_kind, index);
}

void probe_begin(struct photonic *photonic, uint32_t index)
{
    packet_trace_waited(photonic, index);
    photonic->reservation->begin(photonic, index);
}

/* ------------------------------------------------------------------ outputs */

void probe_from_buffer(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    struct photonic_buffer *buffer = &photonic->buffers[buffer_of(photonic, packet)];
    if (buffer->free_outputs) {
        buffer->free_outputs--;
        probe_begin(photonic, index);
        return;
    }
    packet_trace_waited(photonic, index);
    packet->state = PACKET_STORED;
    queue_append(&buffer->stored, packet_links(photonic), index);
}

/* A packet that fails may give its output back, for which the next one then tries. That goes on here, and not
 * in the call that failed. */
void probe_stored(struct photonic *photonic, struct photonic_buffer *buffer)
{
    if (buffer->is_trying)
        return;
    buffer->is_trying = true;
    while (buffer->free_outputs && !queue_is_empty(&buffer->stored))
        probe_from_buffer(photonic, queue_take(&buffer->stored, packet_links(photonic)));
    buffer->is_trying = false;
}

/* Whether a packet in a buffer holds an output only while it tries and is sent. */
static bool gives_output_back(const struct photonic *photonic, const struct photonic_packet *packet)
{
    return packet->at && photonic->settings.segment.tries == TRIES_ALL;
}

static void try_again(struct photonic *photonic, uint32_t index)
{
    if (gives_output_back(photonic, packet_at(photonic, index)))
        probe_from_buffer(photonic, index);
    else
        probe_begin(photonic, index);
}

/* ------------------------------------------------------------- trying again */

/* A random delay after three failed tries. Without it, probes that go hop by hop could block each other
 * forever, in step. */
static ps_t jitter(struct photonic *photonic, const struct photonic_packet *packet)
{
    const struct photonic_config *config = &photonic->settings.photonic;
    if (config->reservation == RESERVATION_ATOMIC || packet->tries <= 3 || !config->jitter_cycles)
        return 0;
    return (ps_t)rng_below(&photonic->rng, config->jitter_cycles + 1) * photonic->settings.cycle_ps;
}

static ps_t backoff(struct photonic *photonic, const struct photonic_packet *packet)
{
    uint64_t doublings = photonic->settings.photonic.backoff_doublings;
    if (packet->tries < doublings)
        doublings = packet->tries;
    return (ps_t)(1 + rng_below(&photonic->rng, UINT64_C(1) << doublings)) * photonic->settings.cycle_ps;
}

/* How long the probe is away. 0 where it goes hop by hop: then it is back already. */
static ps_t there_and_back(const struct photonic *photonic, const struct photonic_packet *packet)
{
    const struct photonic_settings *settings = &photonic->settings;
    if (settings->photonic.reservation == RESERVATION_HOP_BY_HOP)
        return 0;
    return (packet->turned - packet->at) * (settings->forward_ps + settings->back_ps) +
           2 * wires_beyond(photonic, packet, packet->at, packet->turned);
}

static void try_again_at(struct photonic *photonic, uint32_t index, ps_t at)
{
    packet_at(photonic, index)->state = PACKET_WAITING;
    loop_at(photonic->fabric.params.loop, at, photonic->step_kind, index);
}

static uint32_t source_of(const struct photonic *photonic, uint32_t packet)
{
    return transmission_at(photonic, packet_at(photonic, packet)->transmission)->source;
}

/* A channel may have become free while the probe was on its way back, of which the packet was not notified.
 */
static bool is_open_again(const struct photonic *photonic, const struct photonic_packet *packet)
{
    if (packet->blocked_on < photonic->topo.links)
        return photonic->free[packet->blocked_on] > 0;
    uint32_t at = packet->blocked_on - photonic->topo.links;
    uint32_t destination = transmission_at(photonic, packet->transmission)->destination;
    return first_free(photonic, topo_choose(&photonic->topo, at, destination)) != POOL_NONE;
}

/* Behind the packets of all nodes up to its own. */
static void join_by_node(struct photonic *photonic, struct queue *queue, uint32_t index)
{
    struct queue_links links = packet_links(photonic);
    uint32_t source = source_of(photonic, index), before = POOL_NONE, next = queue->head;
    if (!queue_is_empty(queue) && source_of(photonic, queue->tail) <= source) /* most often */
        before = queue->tail, next = POOL_NONE;
    while (next != POOL_NONE && source_of(photonic, next) <= source) {
        before = next;
        next = *queue_link(links, next);
    }
    queue_insert(queue, links, before, index);
}

static void join_waiters(struct photonic *photonic, uint32_t index)
{
    struct queue *queue = &photonic->waiters[packet_at(photonic, index)->blocked_on];
    if (photonic->settings.photonic.wake == WAKE_NODE)
        join_by_node(photonic, queue, index);
    else
        queue_append(queue, packet_links(photonic), index);
}

/* When the packet tries again. */
static void wait_for_channel(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    ps_t now = fabric_now(&photonic->fabric), delay;
    switch (photonic->settings.photonic.retry) {
    case RETRY_NOW: /* at least a cycle: a probe that cannot leave would otherwise try forever in one instant
                     */
        delay = ps_max(there_and_back(photonic, packet), photonic->settings.cycle_ps);
        try_again_at(photonic, index, now + delay + jitter(photonic, packet));
        return;
    case RETRY_BACKOFF:
        delay = there_and_back(photonic, packet) + backoff(photonic, packet);
        try_again_at(photonic, index, now + delay);
        return;
    default:
        break;
    }
    packet_trace_add(photonic, index, TAP_PART_ACQUIRE,
                     now); /* with the other rules, all this time is a wait for the channel */
    if (is_open_again(photonic, packet)) {
        try_again_at(photonic, index, now + jitter(photonic, packet));
        return;
    }
    packet->state = PACKET_WAITING;
    join_waiters(photonic, index);
}

void probe_failed(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    photonic->statistics.failed_attempts++;
    packet->tries += packet->tries < UINT16_MAX;
    wait_for_channel(photonic, index);
    if (!gives_output_back(photonic, packet))
        return;
    struct photonic_buffer *buffer = &photonic->buffers[buffer_of(photonic, packet)];
    buffer->free_outputs++;
    probe_stored(photonic, buffer);
}

void probe_on_step(void *self, uint32_t index)
{
    struct photonic *photonic = self;
    if (packet_at(photonic, index)->state == PACKET_WAITING)
        try_again(photonic, index);
    else
        photonic->reservation->step(photonic, index);
}

/* Merges what is left of the queue and the packets that have failed again. Both are in the order of nodes. */
static void join_again(struct photonic *photonic, struct queue *queue, struct queue left)
{
    struct queue_links links = packet_links(photonic);
    struct queue failed = *queue;
    queue_init(queue);
    while (!queue_is_empty(&failed) && !queue_is_empty(&left)) {
        bool first = source_of(photonic, left.head) <= source_of(photonic, failed.head);
        queue_append(queue, links, queue_take(first ? &left : &failed, links));
    }
    struct queue rest = queue_is_empty(&failed) ? left : failed;
    queue_join(&rest, links, *queue);
    *queue = rest;
}

/* Packets that wait try in the order in which they began to wait, or of their nodes (photonic.wake), as long
 * as there is a channel. The others
 * wait on: they would find the same link taken. A packet that fails at another link waits there. One that
 * fails here again, because it needs another link of the switch, waits behind the others. */
static void notify_queue(struct photonic *photonic, struct queue *queue, uint32_t link)
{
    struct queue notified = *queue;
    queue_init(queue);
    while (photonic->free[link] && !queue_is_empty(&notified)) {
        uint32_t packet = queue_take(&notified, packet_links(photonic));
        ps_t delay = jitter(photonic, packet_at(photonic, packet));
        if (delay)
            try_again_at(photonic, packet, fabric_now(&photonic->fabric) + delay);
        else
            try_again(photonic, packet);
    }
    if (photonic->settings.photonic.wake == WAKE_NODE)
        join_again(photonic, queue, notified);
    else
        queue_join(queue, packet_links(photonic), notified);
}

void probe_notify(struct photonic *photonic, uint32_t link)
{
    if (photonic->waiters[link].head != POOL_NONE)
        notify_queue(photonic, &photonic->waiters[link], link);
    if (!photonic->is_adaptive || photonic->links[link].from == POOL_NONE)
        return;
    struct queue *of_switch = &photonic->waiters[photonic->topo.links + photonic->links[link].from];
    if (of_switch->head != POOL_NONE)
        notify_queue(photonic, of_switch, link);
}
