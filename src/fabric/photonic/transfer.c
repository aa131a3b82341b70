#include "fabric/photonic/photonic.h"

/* A message is cut into packets of an MTU, unless it has a circuit for itself. Its packets leave the source
 * one transfer each; photonic.injection of them may be under way to the end of their first segment. Where a
 * segment ends in a buffer, the packet waits for one of the buffer's outputs, first come, first served, and
 * is sent on from there. */

/* ------------------------------------------------------------------ sources */

static struct queue_links message_links(const struct photonic *photonic)
{
    return (struct queue_links){.records = photonic->transmissions.records,
                                .stride = photonic->transmissions.size,
                                .offset = offsetof(struct photonic_transmission, next)};
}

/* Takes the message whose packet leaves next out of node->open; POOL_NONE where there is none. By turns, as
 * many messages are open as may be; otherwise one, until its last packet has begun. */
static uint32_t next_message(struct photonic *photonic, struct photonic_node *node)
{
    bool by_turns = photonic->settings.photonic.order == ORDER_TURNS;
    while (node->begun < photonic->settings.photonic.messages && (by_turns || node->open.head == POOL_NONE)) {
        uint32_t index = queue_take(&node->waiting, message_links(photonic));
        if (index == POOL_NONE)
            break;
        node->begun++;
        queue_append(&node->open, message_links(photonic), index);
    }
    return queue_take(&node->open, message_links(photonic));
}

static uint32_t cut_packet(struct photonic *photonic, uint32_t message)
{
    uint32_t index = pool_take(&photonic->packets);
    struct photonic_transmission *transmission = transmission_at(photonic, message);
    struct photonic_packet *packet = packet_at(photonic, index);
    ps_t now = fabric_now(&photonic->fabric);
    if (transmission->begun++ == 0)
        transmission->begun_at = now;
    *packet = (struct photonic_packet){
        .transmission = message,
        .is_short = transmission->begun == transmission->packets &&
                    transmission->bytes != transmission->packets * photonic->settings.photonic.mtu_bytes,
        .blocked_on = POOL_NONE,
        .begun = now};
    photonic->queue_total_ps += (double)(now - transmission->generated);
    packet_trace_begin(photonic, index);
    return index;
}

static void begin_packets(struct photonic *photonic, struct photonic_node *node)
{
    while (node->in_flight < photonic->settings.photonic.injection) {
        uint32_t message = next_message(photonic, node);
        if (message == POOL_NONE)
            return;
        uint32_t packet = cut_packet(photonic, message);
        const struct photonic_transmission *transmission = transmission_at(photonic, message);
        if (transmission->begun < transmission->packets)
            queue_append(&node->open, message_links(photonic), message);
        node->in_flight++;
        probe_begin(photonic, packet);
    }
}

void transfer_begin(struct photonic *photonic, uint32_t message)
{
    struct photonic_node *node = &photonic->nodes[transmission_at(photonic, message)->source];
    queue_append(&node->waiting, message_links(photonic), message);
    begin_packets(photonic, node);
}

/* ---------------------------------------------------------- a transfer ends */

static ps_t reserved_at(const struct photonic *photonic, const struct photonic_packet *packet, uint32_t nth)
{
    bool at_once = photonic->settings.photonic.reservation == RESERVATION_ATOMIC;
    if (at_once)
        return packet->since;
    return packet->since + (ps_t)(nth - packet->at) * photonic->settings.forward_ps +
           wires_beyond(photonic, packet, packet->at, nth);
}

static void release_links(struct photonic *photonic, const struct photonic_packet *packet)
{
    const uint32_t *links = links_of(photonic, packet);
    ps_t now = fabric_now(&photonic->fabric), data_ps = packet_service_ps(photonic, packet);
    for (uint32_t i = packet->at; i < packet->end; i++) {
        struct photonic_link *link = &photonic->links[links[i]];
        statistics_add_link(photonic, links[i], LINK_DATA, &link->data_ps, data_ps);
        statistics_add_link(photonic, links[i], LINK_GRANTED, &link->granted_ps,
                            now - reserved_at(photonic, packet, i));
        link->steps += photonic->ended - packet->granted_step;
        give_channel(photonic, links[i]);
    }
}

static void notify_links(struct photonic *photonic, uint32_t index)
{
    const struct photonic_packet *packet = packet_at(photonic, index);
    const uint32_t *links = links_of(photonic, packet);
    for (uint32_t i = packet->at; i < packet->end; i++)
        probe_notify(photonic, links[i]);
}

/* The packet has left this buffer; the next one in it may try. */
static void leave_buffer(struct photonic *photonic, const struct photonic_packet *packet, uint32_t index)
{
    ps_t now = fabric_now(&photonic->fabric);
    struct photonic_buffer *buffer = &photonic->buffers[index];
    buffer->free_slots++;
    statistics_add_buffer(photonic, index, BUFFER_RESERVED, &buffer->reserved_ps, now - packet->slot_since);
    statistics_add_buffer(photonic, index, BUFFER_FILLED, &buffer->filled_ps, now - packet->arrived);
    buffer->steps += photonic->ended - packet->slot_step;
    buffer->free_outputs++;
    probe_stored(photonic, buffer);
}

static void enter_buffer(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    packet->at = packet->end;
    packet->arrived = fabric_now(&photonic->fabric);
    packet->slot_since = packet->next_slot_since;
    packet->slot_step = packet->next_slot_step;
    packet->times_stored++;
    photonic->buffers[buffer_of(photonic, packet)].free_inputs++;
    probe_from_buffer(photonic, index);
}

/* A packet has left its source: others of the node may begin. True if it was the last one of its message. */
static bool leave_source(struct photonic *photonic, uint32_t message)
{
    struct photonic_transmission *transmission = transmission_at(photonic, message);
    struct photonic_node *node = &photonic->nodes[transmission->source];
    bool is_last = ++transmission->left == transmission->packets;
    node->in_flight--;
    node->begun -= is_last;
    transmission->left_at = fabric_now(&photonic->fabric);
    begin_packets(photonic, node);
    return is_last;
}

/* Tells the tap of a message's time from the first packet on (probe_grant): until its last packet has left;
 * and from then on what the packet did that arrived last. */
static void emit_parts(struct photonic *photonic, uint32_t index)
{
    const struct tap *tap = photonic->fabric.params.tap;
    const struct photonic_transmission *transmission =
        transmission_at(photonic, packet_at(photonic, index)->transmission);
    uint32_t id = transmission->id;
    tap_emit_part(tap, id, TAP_PART_TRANSFER, transmission->sent_at, transmission->left_at, NULL, 0);
    packet_trace_emit(photonic, index, transmission->left_at);
}

/* True if it was the last packet of its message to arrive. */
static bool arrive(struct photonic *photonic, uint32_t index)
{
    struct photonic_packet *packet = packet_at(photonic, index);
    struct photonic_transmission *transmission = transmission_at(photonic, packet->transmission);
    statistics_count_arrival(photonic, packet, packet_bytes(photonic, packet));
    packet->state = PACKET_GONE;
    return ++transmission->arrived == transmission->packets;
}

/* Channels first, and the packets that wait for them; then the buffer that the packet leaves, the buffer that
 * it enters, and its source. Callbacks come last, since they may send at once. */
void transfer_on_end(void *self, uint32_t index)
{
    struct photonic *photonic = self;
    struct photonic_packet *packet = packet_at(photonic, index);
    uint32_t message = packet->transmission, id = transmission_at(photonic, message)->id;
    uint32_t buffer = buffer_of(photonic, packet);
    bool is_there = packet->end == transmission_at(photonic, message)->hops;
    photonic->sending--;
    photonic->ended++;
    photonic->progress_at = fabric_now(&photonic->fabric);
    release_links(photonic, packet);
    notify_links(photonic, index);
    if (buffer != POOL_NONE)
        leave_buffer(photonic, packet_at(photonic, index), buffer);
    bool is_complete = is_there && arrive(photonic, index);
    if (!is_there)
        enter_buffer(photonic, index);
    bool is_last = buffer == POOL_NONE && leave_source(photonic, message);
    if (is_last)
        fabric_sender_done(&photonic->fabric, id, fabric_now(&photonic->fabric));
    if (is_complete)
        emit_parts(photonic, index);
    if (is_there) {
        packet_trace_end(photonic, index);
        pool_give(&photonic->packets, index);
    }
    if (is_complete) {
        pool_give(&photonic->transmissions, message);
        fabric_delivered(&photonic->fabric, id, fabric_now(&photonic->fabric));
    }
}
