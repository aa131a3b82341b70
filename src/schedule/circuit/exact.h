#ifndef HELIO_SCHEDULE_CIRCUIT_EXACT_H
#define HELIO_SCHEDULE_CIRCUIT_EXACT_H

#include "schedule/circuit/circuit.h"

/* The shortest schedule of a small demand on one all-stop switch, by branch and bound. For every number m of
 * configurations that could be shorter, senders get, one after another, a receiver or nothing in each of the
 * m configurations. The least durations for the senders so far are a linear programme with m variables: each
 * entry is carried, and each receiver has time left for the senders to come. A branch ends where m set-ups
 * and these durations are not shorter than the best schedule.
 *
 * *schedule holds a schedule, which a shorter one replaces. Returns whether *schedule is the shortest: the
 * search was completed, and the durations that it found are whole picoseconds. It is not begun for more than
 * EXACT_PORTS senders or receivers, or for times that are not multiples of a common unit, at most EXACT_UNITS
 * of it: then linear programmes in doubles are exact enough to tell two values apart. */
enum { EXACT_PORTS = 6, EXACT_SLOTS = 9, EXACT_UNITS = 1000000 };
bool exact_search(const struct circuit_problem *problem, const struct circuit_effort *effort,
                  uint64_t most_programmes, struct circuit_schedule *schedule);

#endif
