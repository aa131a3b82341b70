#include "fabric/photonic/internal.h"

/* Algorithm 1 of the paper. In one instant: the probe sees which channels are free on its way; if all are,
 * the packet has its circuit; if not, it has a segment up to the last buffer before the block that has room
 * for it; if there is none, it holds nothing and tries again. Hop by hop: hops.c.
 *
 * A packet that has to try again waits, by photonic.retry, until the link that blocked it has a free channel,
 * or as long as its probe takes there and back, or for a random time. It never holds a channel then, and its
 * next try may take it all the way to its destination, so packets do not wait for each other in circles. */

/* ------------------------------------------------------------------------------------------------- links */

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
    uint32_t free = 0;
    for (uint32_t i = 0; i < choice.count; i++)
        free += photonic->free[topo_candidate(choice, i)] > 0;
    uint64_t wanted = free ? rng_below(&photonic->rng, free) : 0;
    for (uint32_t i = 0; free && i < choice.count; i++)
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

static enum probe_step look_around(struct photonic *photonic, struct packet *packet,
                                   const struct transmission *transmission, uint32_t *link)
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

/* The link behind those that the probe has reached. Taken: blocked_on is what the packet has to wait for. */
enum probe_step probe_look(struct photonic *photonic, struct packet *packet, uint32_t *link)
{
    const struct transmission *transmission = transmission_at(photonic, packet->transmission);
    if (packet->reached == transmission->hops)
        return PROBE_ARRIVED;
    if (photonic->is_adaptive)
        return look_around(photonic, packet, transmission, link);
    *link = packet->blocked_on = transmission->route[packet->reached];
    return photonic->free[*link] ? PROBE_FREE : PROBE_TAKEN;
}

/* As far as channels are free; whether that is all the way. */
static bool look_ahead(struct photonic *photonic, struct packet *packet)
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

/* ----------------------------------------------------------------------------------------------- granted */

/* A slot in the buffer at the end of the packet's first `end` links. */
bool probe_buffer(struct photonic *photonic, struct packet *packet, uint32_t end)
{
    uint32_t index = photonic->links[links_of(photonic, packet)[end - 1]].buffer;
    if (index == POOL_NONE)
        return false;
    struct buffer *buffer = &photonic->buffers[index];
    if (!buffer->free_slots || !buffer->free_inputs)
        return false;
    buffer->free_inputs--;
    buffer->free_slots--;
    if (buffer->free_slots < buffer->least_free_slots)
        buffer->least_free_slots = buffer->free_slots;
    packet->next_slot_since = photonic->loop->now;
    return true;
}

/* The first packet of a message that finds its way to the destination announces it there. */
void probe_seen(struct photonic *photonic, struct packet *packet, ps_t at)
{
    struct transmission *transmission = transmission_at(photonic, packet->transmission);
    if (transmission->is_visible)
        return;
    transmission->is_visible = true;
    photonic->callbacks.visible(photonic->callbacks.self, transmission->id, at);
}

/* The first packet of a message that is sent: until then it was the message. */
static void tell_first(struct photonic *photonic, uint32_t index)
{
    const struct packet *packet = packet_at(photonic, index);
    const struct transmission *transmission = transmission_at(photonic, packet->transmission);
    tap_emit_part(photonic->tap, transmission->id, TAP_PART_QUEUE, transmission->begun_at, packet->begun,
                  "earlier packets to node", transmission->destination);
    trail_tell(photonic, index, packet->begun);
}

/* The packet is sent over its links up to `end`, which are reserved, from then on. */
void probe_grant(struct photonic *photonic, uint32_t index, ps_t from)
{
    const struct photonic_config *config = &photonic->settings.photonic;
    struct packet *packet = packet_at(photonic, index);
    packet->state = PACKET_SENT;
    packet->tries = 0;
    packet->blocked_on = POOL_NONE;
    struct transmission *transmission = transmission_at(photonic, packet->transmission);
    trail_go(photonic, index, TAP_PART_SWITCH, from);
    if (packet->at) {
        packet->buffer_ps += from - packet->arrived;
    } else if (transmission->sent_at < 0) {
        transmission->sent_at = from;
        tell_first(photonic, index);
    }
    photonic->sending++;
    photonic->statistics.segments++;
    ps_t service = ps_add(config->eo_ps + config->oe_ps, packet_service_ps(photonic, packet));
    trail_go(photonic, index, TAP_PART_TRANSFER, ps_add(from, service));
    loop_at(photonic->loop, ps_add(from, service), photonic->end_kind, index);
}

/* The links of the packet's way up to the last buffer before the block that has room for it, reserved there;
 * those behind it where there is none. */
static uint32_t last_buffer(struct photonic *photonic, struct packet *packet)
{
    uint32_t end = photonic->buffers ? packet->reached : packet->at;
    while (end > packet->at && !probe_buffer(photonic, packet, end))
        end--;
    return end;
}

/* One try in one instant. */
static void try_at_once(struct photonic *photonic, uint32_t index)
{
    const struct photonic_settings *settings = &photonic->settings;
    struct packet *packet = packet_at(photonic, index);
    ps_t now = photonic->loop->now;
    bool is_whole = look_ahead(photonic, packet);
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
        photonic->free[links[i]]--;
    ps_t ahead = now + hops * settings->forward_ps;
    trail_go(photonic, index, TAP_PART_ACQUIRE, ahead);
    probe_grant(photonic, index, ahead + hops * settings->back_ps);
    if (is_whole)
        probe_seen(photonic, packet_at(photonic, index), ahead);
}

void probe_begin(struct photonic *photonic, uint32_t index)
{
    trail_waited(photonic, index);
    if (photonic->settings.photonic.reservation == RESERVATION_ATOMIC)
        try_at_once(photonic, index);
    else
        hops_begin(photonic, index);
}

/* ------------------------------------------------------------------------------------------ trying again */

/* Once three tries have failed, packets that run into each other again and again are set apart by a random
 * time: without it, probes that go hop by hop in step with each other could go on forever. */
static ps_t jitter(struct photonic *photonic, const struct packet *packet)
{
    const struct photonic_config *config = &photonic->settings.photonic;
    if (config->reservation == RESERVATION_ATOMIC || packet->tries <= 3 || !config->jitter_cycles)
        return 0;
    return (ps_t)rng_below(&photonic->rng, config->jitter_cycles + 1) * photonic->settings.cycle_ps;
}

static ps_t backoff(struct photonic *photonic, const struct packet *packet)
{
    uint64_t doublings = photonic->settings.photonic.backoff_doublings;
    if (packet->tries < doublings)
        doublings = packet->tries;
    return (ps_t)(1 + rng_below(&photonic->rng, UINT64_C(1) << doublings)) * photonic->settings.cycle_ps;
}

/* How long the probe was away, if it has not been already: in one instant it has seen everything at once. */
static ps_t there_and_back(const struct photonic *photonic, const struct packet *packet)
{
    const struct photonic_settings *settings = &photonic->settings;
    if (settings->photonic.reservation == RESERVATION_HOP_BY_HOP)
        return 0;
    return (packet->turned - packet->at) * (settings->forward_ps + settings->back_ps);
}

static void try_again_at(struct photonic *photonic, uint32_t index, ps_t at)
{
    packet_at(photonic, index)->state = PACKET_WAITING;
    loop_at(photonic->loop, at, photonic->step_kind, index);
}

/* While the probe was on its way back a channel may have become free, and nobody would tell. */
static bool is_open_again(const struct photonic *photonic, const struct packet *packet)
{
    if (packet->blocked_on < photonic->topo.links)
        return photonic->free[packet->blocked_on] > 0;
    uint32_t at = packet->blocked_on - photonic->topo.links;
    uint32_t destination = transmission_at(photonic, packet->transmission)->destination;
    return first_free(photonic, topo_choose(&photonic->topo, at, destination)) != POOL_NONE;
}

void probe_failed(struct photonic *photonic, uint32_t index)
{
    struct packet *packet = packet_at(photonic, index);
    ps_t now = photonic->loop->now, delay;
    photonic->statistics.failed_attempts++;
    packet->tries += packet->tries < UINT16_MAX;
    switch (photonic->settings.photonic.retry) {
    case RETRY_NOW: /* a cycle at the least, since a probe that never leaves would else try forever */
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
    trail_go(photonic, index, TAP_PART_ACQUIRE, now); /* other ways to try again are a wait for the channel */
    if (is_open_again(photonic, packet)) {
        try_again_at(photonic, index, now + jitter(photonic, packet));
        return;
    }
    packet->state = PACKET_WAITING;
    packet_push(photonic, &photonic->asleep[packet->blocked_on], index);
}

void probe_on_step(void *self, uint32_t index)
{
    struct photonic *photonic = self;
    if (packet_at(photonic, index)->state == PACKET_WAITING)
        probe_begin(photonic, index);
    else
        hops_step(photonic, index);
}

/* Those that wait try in the order in which they began to wait, as long as there is a channel. The others
 * wait on: they would find the same link taken. Who fails elsewhere waits there, and who fails here again,
 * since another link of the switch is what it needs, waits behind the others. */
static void wake(struct photonic *photonic, struct queue *queue, uint32_t link)
{
    struct queue woken = *queue;
    *queue = (struct queue){POOL_NONE, POOL_NONE};
    uint32_t packet;
    while (photonic->free[link] && packet_pop(photonic, &woken, &packet)) {
        ps_t delay = jitter(photonic, packet_at(photonic, packet));
        if (delay)
            try_again_at(photonic, packet, photonic->loop->now + delay);
        else
            probe_begin(photonic, packet);
    }
    if (woken.head == POOL_NONE)
        return;
    if (queue->head == POOL_NONE)
        queue->tail = woken.tail;
    packet_at(photonic, woken.tail)->next = queue->head;
    queue->head = woken.head;
}

void probe_wake(struct photonic *photonic, uint32_t link)
{
    if (photonic->asleep[link].head != POOL_NONE)
        wake(photonic, &photonic->asleep[link], link);
    if (!photonic->is_adaptive || photonic->links[link].from == POOL_NONE)
        return;
    struct queue *of_switch = &photonic->asleep[photonic->topo.links + photonic->links[link].from];
    if (of_switch->head != POOL_NONE)
        wake(photonic, of_switch, link);
}
