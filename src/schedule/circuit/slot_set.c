#include "schedule/circuit/slot_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LOOKS = 32 }; /* for a part that is not in use */

/* ------------------------------------------------------------------- set up */

/* The pieces of a slot: those of a switch that start together. Pieces are sorted by switch. */
static bool begins_slot(const struct circuit_piece *pieces, size_t piece)
{
    return piece == 0 || pieces[piece].start_ps != pieces[piece - 1].start_ps ||
           pieces[piece].crossbar != pieces[piece - 1].crossbar;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct circuit_piece *left = a, *right = b;
    if (left->crossbar != right->crossbar)
        return left->crossbar < right->crossbar ? -1 : 1;
    if (left->start_ps != right->start_ps)
        return left->start_ps < right->start_ps ? -1 : 1;
    return left->entry < right->entry ? -1 : left->entry > right->entry;
}

static void alloc_slots(struct slot_set *set)
{
    size_t slots = set->slots;
    set->of_sender = mem_alloc(slots * set->problem->senders + 1, sizeof *set->of_sender, "slots");
    set->of_receiver = mem_alloc(slots * set->problem->receivers + 1, sizeof *set->of_receiver, "slots");
    set->duration_ps = mem_alloc(slots, sizeof *set->duration_ps, "slots");
    set->crossbar = mem_alloc(slots, sizeof *set->crossbar, "slots");
    set->crossbar_before = mem_alloc(slots, sizeof *set->crossbar_before, "slots");
    set->kept_crossbar = mem_alloc(slots, sizeof *set->kept_crossbar, "slots");
    set->is_changed = mem_alloc(slots, sizeof *set->is_changed, "slots");
    set->changed = mem_alloc(slots, sizeof *set->changed, "slots");
    set->load_ps = mem_alloc(set->problem->switches, sizeof *set->load_ps, "switches");
    set->pieces = mem_alloc((size_t)set->problem->count + 1, sizeof *set->pieces, "parts of entries");
}

void slot_set_init(struct slot_set *set, const struct circuit_problem *problem,
                   const struct circuit_schedule *schedule, uint32_t spare)
{
    struct circuit_piece *pieces = mem_alloc(schedule->count + 1, sizeof *pieces, "a schedule");
    uint32_t used = 0;
    *set = (struct slot_set){.problem = problem, .slots = spare};
    if (schedule->count) {
        memcpy(pieces, schedule->pieces, schedule->count * sizeof *pieces);
        qsort(pieces, schedule->count, sizeof *pieces, compare_pieces);
    }
    for (size_t i = 0; i < schedule->count; i++)
        set->slots += begins_slot(pieces, i);
    alloc_slots(set);
    for (size_t i = 0; i < schedule->count; i++) {
        used += begins_slot(pieces, i);
        set->crossbar[used - 1] = pieces[i].crossbar;
        slot_set_add(set, pieces[i].entry, pieces[i].end_ps - pieces[i].start_ps, used - 1);
    }
    for (uint32_t slot = used; slot < set->slots; slot++)
        set->crossbar[slot] = slot % problem->switches;
    memcpy(set->crossbar_before, set->crossbar, set->slots * sizeof *set->crossbar);
    slot_set_measure(set);
    slot_set_keep(set);
    free(pieces);
}

void slot_set_free(struct slot_set *set)
{
    free(set->parts);
    free(set->kept);
    free(set->of_sender);
    free(set->of_receiver);
    free(set->duration_ps);
    free(set->crossbar);
    free(set->crossbar_before);
    free(set->kept_crossbar);
    free(set->pieces);
    free(set->load_ps);
    free(set->is_changed);
    free(set->changes);
    free(set->changed);
    *set = (struct slot_set){.slots = 0};
}

/* ------------------------------------------------------------------ changes */

static void mark(struct slot_set *set, uint32_t slot)
{
    if (set->is_changed[slot])
        return;
    set->is_changed[slot] = true;
    set->changed[set->changed_count++] = slot;
}

static void note(struct slot_set *set, uint32_t part)
{
    set->changes = mem_grow(set->changes, &set->change_room, set->change_count + 1, "changes of slots");
    set->changes[set->change_count++] = (struct part_change){part, set->parts[part]};
}

static uint32_t *sender_at(struct slot_set *set, const struct set_part *part)
{
    return &set->of_sender[(size_t)part->slot * set->problem->senders +
                           set->problem->entries[part->entry].sender];
}

static uint32_t *receiver_at(struct slot_set *set, const struct set_part *part)
{
    return &set->of_receiver[(size_t)part->slot * set->problem->receivers +
                             set->problem->entries[part->entry].receiver];
}

static void unlink_part(struct slot_set *set, uint32_t part)
{
    struct set_part *at = &set->parts[part];
    if (*sender_at(set, at) == part + 1)
        *sender_at(set, at) = 0;
    if (*receiver_at(set, at) == part + 1)
        *receiver_at(set, at) = 0;
    mark(set, at->slot);
}

static void link_part(struct slot_set *set, uint32_t part)
{
    struct set_part *at = &set->parts[part];
    *sender_at(set, at) = *receiver_at(set, at) = part + 1;
    mark(set, at->slot);
}

bool slot_set_fits(const struct slot_set *set, uint32_t entry, uint32_t slot)
{
    const struct circuit_entry *at = &set->problem->entries[entry];
    return slot_set_sender(set, slot, at->sender) == CIRCUIT_NONE &&
           slot_set_receiver(set, slot, at->receiver) == CIRCUIT_NONE;
}

void slot_set_take(struct slot_set *set, uint32_t part)
{
    note(set, part);
    unlink_part(set, part);
}

void slot_set_put(struct slot_set *set, uint32_t part, uint32_t slot)
{
    set->parts[part].slot = slot;
    link_part(set, part);
}

void slot_set_resize(struct slot_set *set, uint32_t part, ps_t time_ps)
{
    struct set_part *at = &set->parts[part];
    note(set, part);
    mark(set, at->slot);
    if (!time_ps) {
        unlink_part(set, part);
        set->pieces[at->entry]--;
    }
    at->time_ps = time_ps;
}

/* A part that is not in use: one of some that come next, or a new one. */
static uint32_t unused_part(struct slot_set *set)
{
    for (int tries = 0; tries < LOOKS && set->part_count; tries++) {
        set->next_unused = (set->next_unused + 1) % set->part_count;
        if (!set->parts[set->next_unused].time_ps)
            return set->next_unused;
    }
    set->parts = mem_grow(set->parts, &set->part_room, (size_t)set->part_count + 1, "parts of entries");
    set->parts[set->part_count] = (struct set_part){0};
    return set->part_count++;
}

void slot_set_add(struct slot_set *set, uint32_t entry, ps_t time_ps, uint32_t slot)
{
    uint32_t part = unused_part(set);
    note(set, part);
    set->parts[part] = (struct set_part){time_ps, entry, slot};
    set->pieces[entry]++;
    link_part(set, part);
}

void slot_set_move(struct slot_set *set, uint32_t slot, uint32_t crossbar)
{
    set->crossbar[slot] = crossbar;
    mark(set, slot);
}

ps_t slot_set_measure(struct slot_set *set)
{
    ps_t makespan_ps = 0;
    uint32_t senders = set->problem->senders;
    for (uint32_t i = 0; i < set->changed_count; i++) {
        uint32_t slot = set->changed[i];
        ps_t longest_ps = 0;
        for (uint32_t sender = 0; sender < senders; sender++) {
            uint32_t part = slot_set_sender(set, slot, sender);
            if (part != CIRCUIT_NONE)
                longest_ps = ps_max(longest_ps, set->parts[part].time_ps);
        }
        set->duration_ps[slot] = longest_ps;
    }
    memset(set->load_ps, 0, set->problem->switches * sizeof *set->load_ps);
    for (uint32_t slot = 0; slot < set->slots; slot++)
        if (set->duration_ps[slot])
            set->load_ps[set->crossbar[slot]] += set->duration_ps[slot] + set->problem->delta_ps;
    for (uint32_t crossbar = 0; crossbar < set->problem->switches; crossbar++)
        makespan_ps = ps_max(makespan_ps, set->load_ps[crossbar]);
    return makespan_ps;
}

void slot_set_accept(struct slot_set *set)
{
    for (uint32_t i = 0; i < set->changed_count; i++) {
        set->is_changed[set->changed[i]] = false;
        set->crossbar_before[set->changed[i]] = set->crossbar[set->changed[i]];
    }
    set->changed_count = 0;
    set->change_count = 0;
}

void slot_set_take_back(struct slot_set *set)
{
    for (size_t i = 0; i < set->change_count; i++) {
        struct set_part *at = &set->parts[set->changes[i].part];
        if (at->time_ps)
            unlink_part(set, set->changes[i].part);
    }
    for (size_t i = set->change_count; i-- > 0;) {
        struct set_part *at = &set->parts[set->changes[i].part];
        set->pieces[at->entry] -= at->time_ps > 0;
        *at = set->changes[i].before;
        set->pieces[at->entry] += at->time_ps > 0;
    }
    for (size_t i = 0; i < set->change_count; i++)
        if (set->parts[set->changes[i].part].time_ps)
            link_part(set, set->changes[i].part);
    for (uint32_t i = 0; i < set->changed_count; i++)
        set->crossbar[set->changed[i]] = set->crossbar_before[set->changed[i]];
    slot_set_measure(set);
    slot_set_accept(set);
}

void slot_set_keep(struct slot_set *set)
{
    slot_set_accept(set);
    set->kept = mem_grow(set->kept, &set->kept_room, (size_t)set->part_count + 1, "parts of entries");
    set->kept_count = 0;
    for (uint32_t part = 0; part < set->part_count; part++)
        if (set->parts[part].time_ps)
            set->kept[set->kept_count++] = set->parts[part];
    memcpy(set->kept_crossbar, set->crossbar, set->slots * sizeof *set->crossbar);
}

void slot_set_return(struct slot_set *set)
{
    for (uint32_t part = 0; part < set->part_count; part++) {
        if (set->parts[part].time_ps)
            unlink_part(set, part);
        set->parts[part].time_ps = 0;
    }
    memset(set->pieces, 0, set->problem->count * sizeof *set->pieces);
    set->part_count = set->kept_count;
    for (uint32_t part = 0; part < set->part_count; part++) {
        set->parts[part] = set->kept[part];
        set->pieces[set->parts[part].entry]++;
        link_part(set, part);
    }
    for (uint32_t slot = 0; slot < set->slots; slot++)
        slot_set_move(set, slot, set->kept_crossbar[slot]);
    slot_set_measure(set);
    slot_set_accept(set);
}

/* -------------------------------------------------------------------- write */

void slot_set_write(const struct slot_set *set, struct circuit_schedule *schedule)
{
    const struct circuit_problem *problem = set->problem;
    ps_t *start_ps = mem_alloc(set->slots, sizeof *start_ps, "slots");
    ps_t *duration_ps = mem_alloc(set->slots, sizeof *duration_ps, "slots");
    ps_t *done_ps = mem_alloc(problem->switches, sizeof *done_ps, "switches");
    for (uint32_t part = 0; part < set->kept_count; part++) {
        ps_t *longest_ps = &duration_ps[set->kept[part].slot];
        *longest_ps = ps_max(*longest_ps, set->kept[part].time_ps);
    }
    for (uint32_t slot = 0; slot < set->slots; slot++)
        if (duration_ps[slot]) {
            start_ps[slot] = done_ps[set->kept_crossbar[slot]] + problem->delta_ps;
            done_ps[set->kept_crossbar[slot]] = start_ps[slot] + duration_ps[slot];
        }
    for (uint32_t part = 0; part < set->kept_count; part++) {
        const struct set_part *at = &set->kept[part];
        circuit_add(schedule, at->entry, set->kept_crossbar[at->slot], start_ps[at->slot],
                    start_ps[at->slot] + at->time_ps);
    }
    free(start_ps);
    free(duration_ps);
    free(done_ps);
}
