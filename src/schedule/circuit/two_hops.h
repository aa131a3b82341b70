#ifndef HELIO_SCHEDULE_CIRCUIT_TWO_HOPS_H
#define HELIO_SCHEDULE_CIRCUIT_TWO_HOPS_H

#include "schedule/circuit/relay_plan.h"

/* Schedules in which entries go direct, or over a port in between: fewer configurations where ports have many
 * small entries. Some plans (relay_plan.h) are made; the algorithm schedules the circuits of each phase, and
 * the direct demand too. The shortest counts. Without stops a circuit begins as soon as its ports are free
 * and its bytes have arrived. */
enum status two_hops_make(const struct circuit_problem *problem, const struct circuit_algorithm *algorithm,
                          const struct circuit_effort *effort, struct circuit_schedule *schedule);

/* What carries the circuits of plans, if it is not crossbars. */
struct two_hops_network {
    const struct tdm_problem *ways; /* routes between all different ports of the demand; NULL: a crossbar */
    uint32_t places;                /* links that they pass */
    /* Schedules a demand with one hop; pieces have the number of its line as their entry. */
    enum status (*schedule)(const struct two_hops_network *network, const struct circuit_demand *demand,
                            const struct circuit_effort *effort, struct circuit_schedule *schedule);
};

/* Makes plans, and keeps the shortest schedule of one in *schedule if that is shorter. *schedule has all
 * bytes direct. */
void two_hops_search(const struct circuit_problem *problem, const struct two_hops_network *network,
                     const struct circuit_effort *effort, ps_t bound_ps, struct circuit_schedule *schedule);

/* No schedule of the problem is shorter, with one hop or two for each byte, over ports of the demand. */
ps_t two_hops_bound(const struct circuit_problem *problem);

#endif
