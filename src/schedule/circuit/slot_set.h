#ifndef HELIO_SCHEDULE_CIRCUIT_SLOT_SET_H
#define HELIO_SCHEDULE_CIRCUIT_SLOT_SET_H

#include "schedule/circuit/circuit.h"

/* Slots of all-stop switches as sets of parts of entries, for a search that changes them. A slot is as long
 * as its longest part, and a switch takes the sum of its slots, each with a set-up; a slot without parts
 * takes nothing. Changes are noted, so that all since slot_set_accept can be taken back. */
struct set_part {
    ps_t time_ps; /* 0: the part is not in use */
    uint32_t entry, slot;
};

struct part_change {
    uint32_t part;
    struct set_part before;
};

struct slot_set {
    const struct circuit_problem *problem;
    struct set_part *parts, *kept;
    size_t part_room, kept_room;
    uint32_t part_count, kept_count; /* those kept are all in use */
    uint32_t next_unused;            /* where the next look for a part that is not in use begins */
    uint32_t slots;
    uint32_t *of_sender, *of_receiver; /* [slots][senders], [slots][receivers]: part + 1; 0: idle */
    ps_t *duration_ps;                 /* [slots]; once slot_set_measure has measured those that changed */
    uint32_t *crossbar, *crossbar_before, *kept_crossbar; /* [slots] */
    uint32_t *pieces;                                     /* [entries]: in how many parts it is */
    ps_t *load_ps;                                        /* [switches] */
    bool *is_changed;                                     /* [slots] */
    struct part_change *changes;
    size_t change_count, change_room;
    uint32_t *changed; /* slots: [changed_count] */
    uint32_t changed_count;
};

/* The slots of a schedule, whose pieces of a slot start together, and `spare` ones that are idle. */
void slot_set_init(struct slot_set *set, const struct circuit_problem *problem,
                   const struct circuit_schedule *schedule, uint32_t spare);
void slot_set_free(struct slot_set *set);

static inline uint32_t slot_set_sender(const struct slot_set *set, uint32_t slot, uint32_t sender)
{
    return set->of_sender[(size_t)slot * set->problem->senders + sender] - 1; /* CIRCUIT_NONE: idle */
}

static inline uint32_t slot_set_receiver(const struct slot_set *set, uint32_t slot, uint32_t receiver)
{
    return set->of_receiver[(size_t)slot * set->problem->receivers + receiver] - 1;
}

/* Whether both ports of the entry are idle in the slot. */
bool slot_set_fits(const struct slot_set *set, uint32_t entry, uint32_t slot);

/* Takes a part out of its slot; puts it, with its time, into a slot where its ports are idle. */
void slot_set_take(struct slot_set *set, uint32_t part);
void slot_set_put(struct slot_set *set, uint32_t part, uint32_t slot);
/* Makes a part in use longer or shorter. */
void slot_set_resize(struct slot_set *set, uint32_t part, ps_t time_ps);
/* Adds a part of the entry to a slot where its ports are idle. */
void slot_set_add(struct slot_set *set, uint32_t entry, ps_t time_ps, uint32_t slot);
/* Changes the switch of a slot. */
void slot_set_move(struct slot_set *set, uint32_t slot, uint32_t crossbar);

/* Measures the slots that have changed, and the switches. Returns the makespan. */
ps_t slot_set_measure(struct slot_set *set);

/* Changes so far stay; or they are taken back, and the slots measured again. */
void slot_set_accept(struct slot_set *set);
void slot_set_take_back(struct slot_set *set);

/* Keeps the slots as they are, and makes them so again. Both accept. */
void slot_set_keep(struct slot_set *set);
void slot_set_return(struct slot_set *set);

/* Adds the slots that were kept to an empty schedule. */
void slot_set_write(const struct slot_set *set, struct circuit_schedule *schedule);

#endif
