#ifndef HELIO_SCHEDULE_CIRCUIT_ANNEAL_H
#define HELIO_SCHEDULE_CIRCUIT_ANNEAL_H

#include "schedule/circuit/circuit.h"

/* Local search over the slots of an all-stop schedule (slot_set.h). Parts of entries change slots along an
 * alternating path of two slots (Kempe 1879); a part is split over two slots, or two parts of an entry become
 * one; with several switches, slots change switches or are split over two of them. Longer schedules are
 * accepted with a probability that sinks (simulated annealing: Kirkpatrick, Gelatt and Vecchi, Science 1983).
 *
 * *schedule, whose pieces of a slot start together, becomes the shortest that was found, or stays. */
void anneal_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   uint64_t moves, struct circuit_schedule *schedule);

/* About how many basic steps a move takes. */
double anneal_cost(const struct circuit_problem *problem);

#endif
