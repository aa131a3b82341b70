#ifndef HELIO_BASE_STEPS_H
#define HELIO_BASE_STEPS_H

#include <stdint.h>

/* Steps of algorithms that must stay linear in their input, or nearly so. Tests compare the steps of an input
 * with those of one of twice its size. Unlike times, steps are the same on every machine. */
extern _Thread_local uint64_t steps_taken;

static inline void steps_add(uint64_t steps)
{
    steps_taken += steps;
}

#endif
