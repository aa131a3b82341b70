#ifndef HELIO_SCHEDULE_CIRCUIT_LIST_SCHEDULE_H
#define HELIO_SCHEDULE_CIRCUIT_LIST_SCHEDULE_H

#include "schedule/circuit/events.h"

/* List schedules for switches whose other circuits carry on (not-all-stop): as soon as ports are free, the
 * most urgent one gets the waiting entry with the most urgent other port. The urgency of a port is what it
 * still has to do, its set-ups included, and its weight. This is open shop with times d + delta, where an
 * entry may be cut into parts; a part that follows another part of its entry at both ports needs no set-up.
 */
struct lister {
    const struct circuit_problem *problem;
    struct circuit_waiting waiting, all_waiting; /* all_waiting: as it is at the start */
    struct circuit_ends ends;
    ps_t *left_ps, *all_ps,
        *done_ps;    /* [senders + receivers]: to do; at the start; when the last part ended */
    int64_t *weight; /* [senders + receivers], in ps */
    uint32_t *parts; /* [entries] that wait */
    ps_t *part_ps;   /* [entries]: their length; the last one has the rest */
    uint32_t *up;    /* [switches][senders + receivers]: the entry + 1 of the last circuit */
    struct lister_port *freed;
    size_t freed_count;
};

struct lister_port {
    int64_t urgency_ps;
    uint32_t port, crossbar;
};

/* How a list schedule decides: entries are cut into parts of at most `quantum_ps`, and among equally urgent
 * ports the entry's time counts, in sixteenths. */
struct lister_rule {
    ps_t quantum_ps; /* 0: entries are whole */
    int time_sixteenths;
};

void lister_init(struct lister *lister, const struct circuit_problem *problem);
void lister_free(struct lister *lister);

/* Makes a schedule with the lister's weights. False: it would not end before `limit_ps`; it is then
 * unfinished.
 */
bool lister_try(struct lister *lister, const struct lister_rule *rule, ps_t limit_ps,
                struct circuit_schedule *schedule);

/* Tries rules and weights, as many times as the effort says, until a schedule reaches the bound, and leaves
 * the shortest in *schedule, which may hold one already. */
void lister_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   uint64_t tries, struct circuit_schedule *schedule);

#endif
