#ifndef HELIO_SCHEDULE_CIRCUIT_TWO_HOPS_H
#define HELIO_SCHEDULE_CIRCUIT_TWO_HOPS_H

#include "schedule/circuit/circuit.h"

/* Schedules in which entries go direct, or over a port in between: fewer configurations where ports have many
 * small entries. Some plans (relay_plan.h) are made; the algorithm schedules the circuits of each phase, and
 * the direct demand too. The shortest counts. Without stops a circuit begins as soon as its ports are free
 * and its bytes have arrived. */
enum status two_hops_make(const struct circuit_problem *problem, const struct circuit_algorithm *algorithm,
                          const struct circuit_effort *effort, struct circuit_schedule *schedule);

/* No schedule of the problem is shorter, with one hop or two for each byte, over ports of the demand. */
ps_t two_hops_bound(const struct circuit_problem *problem);

#endif
