#include "trace/otf2/neighbours.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "trace/otf2/grids.h"

/* These messages have a communicator of their own beside that of the call, so that they match no others. */
static uint32_t context_of(struct otf2_calls *calls, const struct otf2_comm *comm)
{
    struct otf2_comm_use *use = &calls->comms[comm - calls->definitions->comms];
    const struct otf2_group *group = &calls->definitions->groups[comm->group];
    if (!use->neighbours) {
        char *name = mem_format("%u neighbours", comm->id);
        use->neighbours = comms_add(&calls->writer->comms, name, strlen(name), group->ranks, group->size) + 1;
        free(name);
    }
    return use->neighbours - 1;
}

static void add_message(struct otf2_calls *calls, const struct call *call, uint64_t byte, uint32_t note)
{
    struct otf2_item item = {.kind = OTF2_ITEM_CALL, .entry = {.call = *call, .byte = byte, .note = note}};
    calls->items = mem_grow(calls->items, &calls->item_capacity, calls->item_count + 1, "what a call does");
    calls->items[calls->item_count++] = item;
}

/* The calls whose name ends in v or w have a size for each neighbour, of which the sum is no witness. */
static bool has_one_size(const char *name)
{
    size_t length = 0;
    while (isalpha((unsigned char)name[length]) || name[length] == '_')
        length++;
    char last = length ? (char)tolower((unsigned char)name[length - 1]) : '\0';
    return last != 'v' && last != 'w';
}

/* A message that goes down a dimension is received there as one from above. If both neighbours of a dimension
 * are the same rank, their messages differ only in direction; so the tag is the direction. */
void otf2_neighbours_take(struct otf2_calls *calls, const struct otf2_comm *comm,
                          const struct otf2_sums *sums, uint64_t byte)
{
    const struct otf2_group *group = &calls->definitions->groups[comm->group];
    uint32_t directions = 2 * comm->grid->dimensions, count = 0, context = context_of(calls, comm);
    uint32_t *neighbours = mem_alloc(directions, sizeof *neighbours, "the neighbours of a rank");
    otf2_grid_neighbours(comm->grid, otf2_group_rank(group, calls->rank), neighbours);
    for (uint32_t i = 0; i < directions; i++)
        count += neighbours[i] != OTF2_NONE;
    bool is_known = sums && has_one_size(calls->region->name);
    uint32_t note = is_known ? NOTE_KINDS : NOTE_NO_SIZES;
    for (uint32_t i = 0; i < 2 * directions; i++) {
        uint32_t direction = i % directions;
        struct call call = {.op = i < directions ? CALL_RECV : CALL_SEND, .context = context};
        if (neighbours[direction] == OTF2_NONE)
            continue;
        call.peer = (int32_t)group->ranks[neighbours[direction]];
        call.tag = (int32_t)(i < directions ? direction ^ 1 : direction);
        if (sums && i < directions)
            call.recv_bytes = is_known ? sums->received / count : sums->received;
        else if (sums)
            call.bytes = sums->sent / count;
        add_message(calls, &call, byte, note);
        note = NOTE_KINDS;
    }
    free(neighbours);
}

bool otf2_has_messages_alone(const struct otf2_calls *calls)
{
    bool alone = calls->item_count > 1;
    for (size_t i = 0; alone && i < calls->item_count; i++) {
        const struct otf2_item *item = &calls->items[i];
        alone = item->kind == OTF2_ITEM_CALL &&
                (item->entry.call.op == CALL_SEND || item->entry.call.op == CALL_RECV);
    }
    return alone;
}

static void start_all(struct otf2_calls *calls, enum call_op op)
{
    for (size_t i = 0; i < calls->item_count; i++) {
        struct otf2_entry *entry = &calls->items[i].entry;
        if (entry->call.op != op)
            continue;
        entry->call.flags |= CALL_IMMEDIATE;
        entry->call.slot = image_slots_take(&calls->queue.slots) + SLOT_FIRST;
        otf2_queue_add(&calls->queue, entry);
    }
}

static void wait_all(struct otf2_calls *calls, enum call_op op)
{
    for (size_t i = 0; i < calls->item_count; i++) {
        struct otf2_entry wait = calls->items[i].entry;
        if (wait.call.op != op)
            continue;
        wait.call = (struct call){.op = CALL_WAIT, .slot = wait.call.slot};
        wait.note = NOTE_KINDS;
        otf2_queue_add(&calls->queue, &wait);
        image_slots_give(&calls->queue.slots, wait.call.slot - SLOT_FIRST);
    }
}

void otf2_add_at_once(struct otf2_calls *calls)
{
    start_all(calls, CALL_RECV);
    start_all(calls, CALL_SEND);
    wait_all(calls, CALL_RECV);
    wait_all(calls, CALL_SEND);
}
