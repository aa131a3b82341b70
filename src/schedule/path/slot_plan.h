#ifndef HELIO_SCHEDULE_PATH_SLOT_PLAN_H
#define HELIO_SCHEDULE_PATH_SLOT_PLAN_H

#include "schedule/path/path.h"

/* Slots of all-stop switches, each of which stops on its own: for a slot in which it has to connect two
 * links, when its circuits of the slots before have ended. Links that were already free when it stopped last
 * have been connected then. A circuit begins behind the stops of the switches on its way. So a slot without a
 * circuit of a switch costs it nothing, and two regions of a network can be in different slots. A slot is in
 * one plane. */
struct slot_part {
    uint32_t entry, slot, next, before; /* the parts of the slot; NO_PART: none */
    ps_t time_ps;                       /* 0: the part is not in use */
};

enum { NO_PART = UINT32_MAX };

struct slot_plan {
    const struct path_problem *problem;
    const uint32_t *route_of; /* [entries] */
    struct slot_part *parts, *kept;
    uint32_t part_count, part_room, kept_count; /* those in use are among the first part_count */
    uint32_t slots;
    uint32_t *first;              /* [slots]: a part of it */
    uint32_t *plane, *kept_plane; /* [slots] */
    uint32_t *order, *kept_order; /* [slots]: slots one after another */
    uint32_t *taken;              /* [slots x links of a plane]: part + 1 */
    uint32_t *last;               /* [links of all planes]: the part that it carried last, + 1 */
    ps_t *until_ps;               /* [links of all planes]: until when */
    ps_t *stop_ps;                /* [switches of all planes]: when it has stopped last */
    ps_t *ready_ps;               /* [switches of all planes]: when all circuits so far have ended */
    ps_t *end_ps;                 /* [parts]: when it has been carried */
};

/* How many links x slots a plan may have, and how many links of all planes. */
enum { SLOT_PLAN_AT_MOST = 1 << 24 };

/* The slots of a schedule, whose pieces of a slot start together, with room for some more slots and parts.
 * False: it would be too large, or an entry has pieces on several routes; then nothing is left to free. */
bool slot_plan_init(struct slot_plan *plan, const struct path_problem *problem,
                    const struct path_schedule *schedule);
void slot_plan_free(struct slot_plan *plan);

/* The links of a part's entry. */
const uint32_t *slot_plan_links(const struct slot_plan *plan, uint32_t entry, uint32_t *count);

/* Whether the links of the entry are free in the slot, but for those of part `but`. */
bool slot_plan_fits(const struct slot_plan *plan, uint32_t entry, uint32_t slot, uint32_t but);

/* Takes a part out of its slot, or puts it into one in which its links are free. */
void slot_plan_take(struct slot_plan *plan, uint32_t part);
void slot_plan_put(struct slot_plan *plan, uint32_t part, uint32_t slot);

/* Keeps the slots as they are, and makes them so again. */
void slot_plan_keep(struct slot_plan *plan);
void slot_plan_return(struct slot_plan *plan);

/* Plays the slots. Returns the makespan, and in *lateness how many switches are done late: the mean of the
 * eighth powers of their times over the makespan. */
ps_t slot_plan_play(struct slot_plan *plan, double *lateness);

/* Adds what slot_plan_play has played to an empty schedule. */
void slot_plan_write(const struct slot_plan *plan, struct path_schedule *schedule);

#endif
