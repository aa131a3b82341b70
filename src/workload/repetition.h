#ifndef HELIO_WORKLOAD_REPETITION_H
#define HELIO_WORKLOAD_REPETITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The loop that a sequence of calls came from: elements start ... start + period * repeats - 1 are the same
 * `period` elements time and again. */
struct repetition {
    size_t start, period, repeats; /* at least two repeats */
};

/* The repetition that covers most, and of those the one of the shortest period, that starts earliest. An
 * inner loop covers less than the loop around it. Loops are looked for that reach from one of four points (0,
 * 1/8, 1/4, 1/2 of the weight) over two iterations or more: the prefix function of Knuth, Morris and Pratt
 * gives the period of everything behind such a point in linear time. `weight_before[i]`, ascending, is the
 * weight of what is before element i (count + 1 of them); NULL weighs every element alike. False: nothing
 * repeats. */
bool repetition_find(const uint64_t *sequence, size_t count, const uint64_t *weight_before,
                     struct repetition *found);

#endif
