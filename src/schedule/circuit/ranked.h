#ifndef HELIO_SCHEDULE_CIRCUIT_RANKED_H
#define HELIO_SCHEDULE_CIRCUIT_RANKED_H

#include "schedule/circuit/circuit.h"

/* Slots whose durations are chosen first, for all-stop switches: that of the k-th slot lies between the k-th
 * longest entry of the busiest port and the largest k-th longest entry of all ports, once very long entries
 * are cut. Then entries take slots, the longest first (slot_table.h); what finds none is a demand of its own.
 *
 * A try takes about as long as sorting the entries. Makes `tries` of them, each with the parameters of the
 * best one so far but for one of them, until a schedule reaches the bound, and leaves the shortest in
 * *schedule, which may hold one already. */
void ranked_search(const struct circuit_problem *problem, const struct circuit_effort *effort, ps_t bound_ps,
                   uint64_t tries, struct circuit_schedule *schedule);

#endif
