#include "fabric/rotor/rotor.h"

/* While messages only go direct, a circuit carries messages of one pair of nodes, and no pair waits for
 * another one. So all times are known when a message is submitted, and no events are needed. A message is cut
 * in time, not at bytes: it goes on in the next cycle where it has stopped. */

static uint32_t pair_of(struct rotor *rotor, uint32_t source, uint32_t destination)
{
    uint32_t *slot = hashmap_slot(&rotor->pair_numbers, rotor_pair_key(source, destination));
    if (!*slot) {
        *slot = ++rotor->pair_count;
        rotor->free_at = mem_grow(rotor->free_at, &rotor->free_capacity, rotor->pair_count, "pairs of nodes");
        rotor->free_at[rotor->pair_count - 1] = 0;
    }
    return *slot - 1;
}

/* The time in slots is the transfer; the dark time between them, which is waiting, is put before it. */
static void emit(const struct rotor *rotor, uint32_t index, ps_t free_at,
                 const struct rotor_transfer *transfer, ps_t service)
{
    const struct tap *tap = rotor->fabric.params.tap;
    const struct message *message = fabric_message(&rotor->fabric, index);
    ps_t now = fabric_now(&rotor->fabric), turn = ps_max(now, free_at), end = transfer->end;
    ps_t moved = ps_max(transfer->begin, end - service);
    tap_emit_part(tap, index, TAP_PART_QUEUE, now, turn, "messages sent before it by node",
                  message->source_node);
    tap_emit_part(tap, index, TAP_PART_SWITCH, turn, moved, "the matching that leads to node",
                  message->destination_node);
    tap_emit_part(tap, index, TAP_PART_TRANSFER, moved, end, NULL, 0);
    tap_emit_part(tap, index, TAP_PART_WIRE, end, ps_add(end, rotor->plan.light_ps), NULL, 0);
}

static void count(struct rotor *rotor, uint64_t bytes, ps_t waited, int64_t slots)
{
    rotor->statistics.direct_messages++;
    rotor->statistics.direct_bytes += bytes;
    rotor->statistics.waited += waited;
    rotor->statistics.slots += slots;
}

void rotor_direct_submit(struct rotor *rotor, uint32_t index)
{
    const struct fabric *fabric = &rotor->fabric;
    const struct rotor_plan *plan = &rotor->plan;
    const struct message *message = fabric_message(fabric, index);
    uint64_t bytes = fabric_message_bytes(fabric, message);
    uint32_t matching = rotor_matching(plan, message->source_node, message->destination_node);
    uint32_t pair = pair_of(rotor, message->source_node, message->destination_node);
    ps_t now = fabric_now(fabric), before = rotor->free_at[pair], light = plan->light_ps;
    bytes += bytes == 0; /* an envelope takes the time of a byte */
    ps_t service = rotor_service(plan, bytes);
    struct rotor_transfer transfer = rotor_transfer(plan, matching, ps_max(now, before), service);
    bool is_shared = before && rotor_cycle_before(plan, matching, before) == transfer.first;
    rotor->free_at[pair] = transfer.end;
    count(rotor, bytes, transfer.begin - now, transfer.last - transfer.first + !is_shared);
    emit(rotor, index, before, &transfer, service);
    fabric_visible(fabric, index, ps_add(transfer.begin, light));
    fabric_sender_done(fabric, index, transfer.end);
    fabric_delivered(fabric, index, ps_add(transfer.end, light));
}
