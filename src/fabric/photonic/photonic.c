#include "fabric/photonic/internal.h"

/* A message is cut into packets of an MTU, unless it has a circuit for itself. Its packets leave the source
 * one transfer each; photonic.injection of them may be under way to the end of their first segment. Where a
 * segment ends in a buffer, the packet waits for one of the buffer's outputs, first come, first served, and
 * is sent on from there. */

/* ----------------------------------------------------------------------------------------------- packets */

static uint64_t packet_bytes(const struct photonic *photonic, const struct packet *packet)
{
    uint64_t mtu = photonic->settings.photonic.mtu_bytes;
    const struct transmission *transmission = transmission_at(photonic, packet->transmission);
    if (photonic->switching == PHOTONIC_CIRCUIT)
        return transmission->bytes;
    return packet->is_short ? transmission->bytes - (transmission->packets - 1) * mtu : mtu;
}

/* On one channel: packets that are padded all take as long as an MTU. */
ps_t packet_service_ps(const struct photonic *photonic, const struct packet *packet)
{
    const struct photonic_settings *settings = &photonic->settings;
    bool is_packet = photonic->switching != PHOTONIC_CIRCUIT;
    if (is_packet && (!packet->is_short || settings->photonic.pad))
        return settings->full_packet_ps;
    return service_ps(packet_bytes(photonic, packet), settings->rate_bytes_per_s);
}

void packet_push(struct photonic *photonic, struct queue *queue, uint32_t index)
{
    packet_at(photonic, index)->next = POOL_NONE;
    if (queue->head == POOL_NONE)
        queue->head = index;
    else
        packet_at(photonic, queue->tail)->next = index;
    queue->tail = index;
}

bool packet_pop(struct photonic *photonic, struct queue *queue, uint32_t *index)
{
    *index = queue->head;
    if (*index == POOL_NONE)
        return false;
    queue->head = packet_at(photonic, *index)->next;
    return true;
}

/* ----------------------------------------------------------------------------------------------- sources */

static void push_message(struct photonic *photonic, struct queue *queue, uint32_t index)
{
    transmission_at(photonic, index)->next = POOL_NONE;
    if (queue->head == POOL_NONE)
        queue->head = index;
    else
        transmission_at(photonic, queue->tail)->next = index;
    queue->tail = index;
}

static uint32_t pop_message(struct photonic *photonic, struct queue *queue)
{
    uint32_t index = queue->head;
    if (index != POOL_NONE)
        queue->head = transmission_at(photonic, index)->next;
    return index;
}

/* The message whose packet leaves next, out of node->open; POOL_NONE where there is none. By turns, all that
 * may be open are; else one, until its last packet has begun. */
static uint32_t next_message(struct photonic *photonic, struct node *node)
{
    bool by_turns = photonic->settings.photonic.order == ORDER_TURNS;
    while (node->begun < photonic->settings.photonic.messages && (by_turns || node->open.head == POOL_NONE)) {
        uint32_t index = pop_message(photonic, &node->waiting);
        if (index == POOL_NONE)
            break;
        node->begun++;
        push_message(photonic, &node->open, index);
    }
    return pop_message(photonic, &node->open);
}

static uint32_t cut_packet(struct photonic *photonic, uint32_t message)
{
    uint32_t index = pool_take(&photonic->packets);
    struct transmission *transmission = transmission_at(photonic, message);
    struct packet *packet = packet_at(photonic, index);
    ps_t now = photonic->loop->now;
    if (transmission->begun++ == 0)
        transmission->begun_at = now;
    *packet = (struct packet){.transmission = message,
                              .is_short = transmission->begun == transmission->packets &&
                                          transmission->bytes !=
                                              transmission->packets * photonic->settings.photonic.mtu_bytes,
                              .blocked_on = POOL_NONE,
                              .begun = now};
    photonic->queue_total_ps += (double)(now - transmission->generated);
    trail_begin(photonic, index);
    return index;
}

static void begin_packets(struct photonic *photonic, struct node *node)
{
    while (node->in_flight < photonic->settings.photonic.injection) {
        uint32_t message = next_message(photonic, node);
        if (message == POOL_NONE)
            return;
        uint32_t packet = cut_packet(photonic, message);
        struct transmission *transmission = transmission_at(photonic, message);
        if (transmission->begun < transmission->packets) {
            if (photonic->settings.photonic.order == ORDER_TURNS) {
                push_message(photonic, &node->open, message);
            } else {
                node->open = (struct queue){message, message};
                transmission->next = POOL_NONE;
            }
        }
        node->in_flight++;
        probe_begin(photonic, packet);
    }
}

void photonic_send(struct photonic *photonic, uint32_t id, uint32_t source, uint32_t destination,
                   uint64_t bytes)
{
    uint64_t mtu = photonic->settings.photonic.mtu_bytes;
    bool is_cut = photonic->switching != PHOTONIC_CIRCUIT && bytes > mtu;
    uint32_t index = pool_take(&photonic->transmissions);
    struct transmission *transmission = transmission_at(photonic, index);
    *transmission = (struct transmission){.bytes = bytes,
                                          .generated = photonic->loop->now,
                                          .sent_at = -1,
                                          .packets = is_cut ? (bytes - 1) / mtu + 1 : 1,
                                          .id = id,
                                          .source = source,
                                          .destination = destination};
    links_route(photonic, transmission);
    photonic->statistics.hop_bytes += bytes * transmission->hops;
    push_message(photonic, &photonic->nodes[source].waiting, index);
    begin_packets(photonic, &photonic->nodes[source]);
    watchdog_begin(photonic);
}

/* --------------------------------------------------------------------------------------- a transfer ends */

static ps_t reserved_at(const struct photonic *photonic, const struct packet *packet, uint32_t nth)
{
    bool at_once = photonic->settings.photonic.reservation == RESERVATION_ATOMIC;
    return packet->since + (at_once ? 0 : (ps_t)(nth - packet->at) * photonic->settings.forward_ps);
}

static void release_links(struct photonic *photonic, const struct packet *packet)
{
    const uint32_t *links = links_of(photonic, packet);
    ps_t now = photonic->loop->now, data_ps = packet_service_ps(photonic, packet);
    for (uint32_t i = packet->at; i < packet->end; i++) {
        struct link *link = &photonic->links[links[i]];
        link->data_ps += data_ps;
        link->granted_ps += now - reserved_at(photonic, packet, i);
        photonic->free[links[i]]++;
    }
}

static void wake_links(struct photonic *photonic, uint32_t index)
{
    const struct packet *packet = packet_at(photonic, index);
    const uint32_t *links = links_of(photonic, packet);
    for (uint32_t i = packet->at; i < packet->end; i++)
        probe_wake(photonic, links[i]);
}

/* The packet that was sent out of this buffer is gone from it; the next one may try. */
static void leave_buffer(struct photonic *photonic, const struct packet *packet, struct buffer *buffer)
{
    ps_t now = photonic->loop->now;
    buffer->free_slots++;
    buffer->reserved_ps += now - packet->slot_since;
    buffer->filled_ps += now - packet->arrived;
    uint32_t next;
    if (packet_pop(photonic, &buffer->stored, &next))
        probe_begin(photonic, next);
    else
        buffer->free_outputs++;
}

static void enter_buffer(struct photonic *photonic, uint32_t index)
{
    struct packet *packet = packet_at(photonic, index);
    packet->at = packet->end;
    packet->arrived = photonic->loop->now;
    packet->slot_since = packet->next_slot_since;
    packet->times_stored++;
    struct buffer *buffer = &photonic->buffers[buffer_of(photonic, packet)];
    buffer->free_inputs++;
    if (buffer->free_outputs) {
        buffer->free_outputs--;
        probe_begin(photonic, index);
    } else {
        packet->state = PACKET_STORED;
        packet_push(photonic, &buffer->stored, index);
    }
}

/* A packet has left its source: others of the node may begin. True: it was the last of its message. */
static bool leave_source(struct photonic *photonic, uint32_t message)
{
    struct transmission *transmission = transmission_at(photonic, message);
    struct node *node = &photonic->nodes[transmission->source];
    bool is_last = ++transmission->left == transmission->packets;
    node->in_flight--;
    node->begun -= is_last;
    transmission->left_at = photonic->loop->now;
    begin_packets(photonic, node);
    return is_last;
}

/* A message's time: until it begins; what its first packet did until it was sent (probe_grant); until its
 * last one has left; and from there on what the one did that was last to arrive. */
static void tell_parts(struct photonic *photonic, uint32_t index)
{
    const struct tap *tap = photonic->tap;
    const struct transmission *transmission =
        transmission_at(photonic, packet_at(photonic, index)->transmission);
    uint32_t id = transmission->id;
    tap_emit_part(tap, id, TAP_PART_QUEUE, transmission->generated, transmission->begun_at,
                  "messages sent before it by node", transmission->source);
    tap_emit_part(tap, id, TAP_PART_TRANSFER, transmission->sent_at, transmission->left_at, NULL, 0);
    trail_tell(photonic, index, transmission->left_at);
}

/* Whether it was the last of its message. */
static bool arrive(struct photonic *photonic, uint32_t index)
{
    struct packet *packet = packet_at(photonic, index);
    struct transmission *transmission = transmission_at(photonic, packet->transmission);
    statistics_count_arrival(photonic, packet, packet_bytes(photonic, packet));
    packet->state = PACKET_GONE;
    return ++transmission->arrived == transmission->packets;
}

/* Channels first, and those who wait for them; then the buffer it leaves, the buffer it enters, and its
 * source. Whoever is told comes last, since he may send at once. */
static void on_end(void *self, uint32_t index)
{
    struct photonic *photonic = self;
    struct packet *packet = packet_at(photonic, index);
    uint32_t message = packet->transmission, id = transmission_at(photonic, message)->id;
    uint32_t buffer = buffer_of(photonic, packet);
    bool is_there = packet->end == transmission_at(photonic, message)->hops;
    photonic->sending--;
    photonic->progress_at = photonic->loop->now;
    release_links(photonic, packet);
    wake_links(photonic, index);
    if (buffer != POOL_NONE)
        leave_buffer(photonic, packet_at(photonic, index), &photonic->buffers[buffer]);
    bool is_complete = is_there && arrive(photonic, index);
    if (!is_there)
        enter_buffer(photonic, index);
    bool is_last = buffer == POOL_NONE && leave_source(photonic, message);
    if (is_last)
        photonic->callbacks.sender_done(photonic->callbacks.self, id, photonic->loop->now);
    if (is_complete)
        tell_parts(photonic, index);
    if (is_there) {
        trail_end(photonic, index);
        pool_give(&photonic->packets, index);
    }
    if (is_complete) {
        pool_give(&photonic->transmissions, message);
        photonic->callbacks.delivered(photonic->callbacks.self, id, photonic->loop->now);
    }
}

/* -------------------------------------------------------------------------------------------------- open */

static void make_pools(struct photonic *photonic)
{
    uint32_t hops = photonic->hops_most;
    size_t route = photonic->is_adaptive ? 0 : hops * sizeof(uint32_t);
    size_t path = photonic->is_adaptive ? hops * sizeof(uint32_t) : 0;
    /* Records are as far apart as their alignment asks for. */
    size_t align = sizeof(uint64_t) - 1;
    pool_init(&photonic->transmissions, (sizeof(struct transmission) + route + align) & ~align, "messages");
    pool_init(&photonic->packets, (sizeof(struct packet) + path + align) & ~align, "packets");
    pool_init(&photonic->steps, sizeof(struct step), "steps of packets");
}

enum status photonic_open(const struct photonic_plan *plan, struct photonic **result)
{
    struct photonic_settings settings;
    enum status status = photonic_settle(plan, &settings);
    if (status != STATUS_OK)
        return status;
    struct photonic *photonic = mem_alloc(1, sizeof *photonic, "the photonic network");
    photonic->settings = settings;
    photonic->switching = plan->switching;
    photonic->name = plan->name;
    photonic->topo = *plan->topo;
    photonic->loop = plan->loop;
    photonic->tap = plan->tap;
    photonic->callbacks = plan->callbacks;
    photonic->rng = rng_open(plan->seed, "photonic");
    photonic->spread.width_ps = 1;
    links_make(photonic);
    make_pools(photonic);
    photonic->end_kind = loop_register(plan->loop, on_end, photonic);
    loop_prefetch(plan->loop, photonic->end_kind, fetch_for_end);
    photonic->step_kind = loop_register(plan->loop, probe_on_step, photonic);
    loop_prefetch(plan->loop, photonic->step_kind, fetch_for_step);
    photonic->watch_kind = loop_register(plan->loop, watchdog_on_watch, photonic);
    *result = photonic;
    return STATUS_OK;
}

size_t photonic_bytes(const struct photonic *photonic)
{
    return sizeof *photonic + links_bytes(photonic) +
           photonic->transmissions.capacity * photonic->transmissions.size +
           photonic->packets.capacity * photonic->packets.size +
           photonic->trail_capacity * sizeof *photonic->trails +
           photonic->steps.capacity * photonic->steps.size;
}

void photonic_close(struct photonic *photonic)
{
    links_free(photonic);
    pool_free(&photonic->transmissions);
    pool_free(&photonic->packets);
    pool_free(&photonic->steps);
    free(photonic->trails);
    free(photonic);
}
