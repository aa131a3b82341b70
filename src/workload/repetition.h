#ifndef HELIO_WORKLOAD_REPETITION_H
#define HELIO_WORKLOAD_REPETITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The loop that a sequence of calls came from: elements start ... start + period * repeats - 1 are the same
 * `period` elements, repeated. */
struct repetition {
    size_t start, period, repeats; /* at least two repeats */
};

/* Finds the repetition that covers the most weight; among equal ones the one with the shortest period, and
 * then the earliest one. So an outer loop is found rather than a loop inside it.
 *
 * The search looks for loops that cover two iterations or more from one of four points (0, 1/8, 1/4, 1/2 of
 * the weight) on. The prefix function of Knuth, Morris and Pratt gives the period of everything after such a
 * point in linear time. `weight_before[i]`, ascending, is the weight of all elements before element i (count
 * + 1 entries); NULL gives every element the same weight. Returns false if nothing repeats. */
bool repetition_find(const uint64_t *sequence, size_t count, const uint64_t *weight_before,
                     struct repetition *found);

#endif
