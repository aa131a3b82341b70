#include "fabric/rotor/rotor.h"

/* A message is there when its last byte is, whatever way each byte has taken. It becomes visible with its
 * first byte, but not before the message before it of the same pair of nodes. */

/* What the bytes would take over all links of the node is the transfer. The rest is waiting for circuits, of
 * which other messages may have had some. */
static void emit_left(const struct rotor *rotor, const struct rotor_message *sent)
{
    const struct fabric *fabric = &rotor->fabric;
    const struct tap *tap = fabric->params.tap;
    if (!tap_wants_parts(tap))
        return;
    const struct message *message = fabric_message(fabric, sent->index);
    ps_t alone = service_ps(sent->bytes, rotor->config->bandwidth_bytes_per_s);
    ps_t moved = ps_max(sent->begun, sent->left - alone);
    tap_emit_part(tap, sent->index, TAP_PART_SWITCH, message->injected, moved, "circuits from node",
                  message->source_node);
    tap_emit_part(tap, sent->index, TAP_PART_TRANSFER, moved, sent->left, NULL, 0);
}

static void emit_arrived(const struct rotor *rotor, const struct rotor_message *sent, ps_t delivered)
{
    const struct tap *tap = rotor->fabric.params.tap;
    const struct rotor_pair *pair = &rotor->pairs[sent->pair];
    ps_t gone = sent->last - rotor->plan.light_ps; /* the last byte has left for its last hop */
    tap_emit_part(tap, sent->index, TAP_PART_SWITCH, sent->left, gone, "circuits to node", pair->destination);
    tap_emit_part(tap, sent->index, TAP_PART_WIRE, gone, sent->last, NULL, 0);
    tap_emit_part(tap, sent->index, TAP_PART_QUEUE, sent->last, delivered, "messages sent before it by node",
                  pair->source);
}

void rotor_leave(struct rotor *rotor, uint32_t number, uint64_t bytes, ps_t end)
{
    struct rotor_message *sent = rotor_message_at(rotor, number);
    ps_t now = fabric_now(&rotor->fabric);
    if (sent->at_source == sent->bytes) {
        sent->begun = now;
        rotor->statistics.waited += now - fabric_message(&rotor->fabric, sent->index)->injected;
    }
    sent->at_source -= bytes;
    sent->left = ps_max(sent->left, end);
    if (sent->at_source)
        return;
    emit_left(rotor, sent);
    fabric_sender_done(&rotor->fabric, sent->index, sent->left);
}

/* All bytes are there and the message is visible. */
static void complete(struct rotor *rotor, uint32_t number)
{
    const struct rotor_message *sent = rotor_message_at(rotor, number);
    ps_t delivered = ps_max(sent->last, sent->visible);
    uint32_t index = sent->index;
    emit_arrived(rotor, sent, delivered);
    if (sent->is_short)
        rotor->statistics.short_messages++;
    else if (sent->is_two_hop)
        rotor->statistics.two_hop_messages++;
    else
        rotor->statistics.direct_messages++;
    pool_give(&rotor->messages, number);
    fabric_delivered(&rotor->fabric, index, delivered);
}

/* Messages of the pair become visible, up to the first one of which no byte is there. */
static void show(struct rotor *rotor, uint32_t number)
{
    for (;;) {
        struct rotor_pair *pair = &rotor->pairs[number];
        uint32_t head = pair->in_order.head;
        if (head == POOL_NONE || rotor_message_at(rotor, head)->first == PS_NEVER)
            return;
        struct rotor_message *sent = rotor_message_at(rotor, head);
        queue_take(&pair->in_order,
                   QUEUE_LINKS(rotor->messages.records, struct rotor_message, next_in_order));
        sent->visible = pair->visible = ps_max(sent->first, pair->visible);
        bool is_whole = sent->missing == 0;
        fabric_visible(&rotor->fabric, sent->index, sent->visible);
        if (is_whole)
            complete(rotor, head);
    }
}

void rotor_arrive(struct rotor *rotor, uint32_t number, uint64_t bytes, ps_t end)
{
    struct rotor_message *sent = rotor_message_at(rotor, number);
    sent->missing -= bytes;
    sent->last = ps_max(sent->last, ps_add(end, rotor->plan.light_ps));
    if (sent->visible != PS_NEVER) {
        if (!sent->missing)
            complete(rotor, number);
        return;
    }
    if (sent->first == PS_NEVER) {
        sent->first = ps_add(fabric_now(&rotor->fabric), rotor->plan.light_ps);
        show(rotor, sent->pair);
    }
}
