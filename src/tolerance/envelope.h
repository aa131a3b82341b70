#ifndef HELIO_TOLERANCE_ENVELOPE_H
#define HELIO_TOLERANCE_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tolerance/tolerance.h"

/* The maximum of straight lines over an interval: when an event happens, as a function of the latency. Events
 * share the lines, to which each adds a line of its own: so an edge costs nothing, and only where two
 * functions meet are lines compared. */
struct envelope_lines;

struct envelope {
    struct envelope_lines *lines; /* NULL: the one line 0 */
    struct tolerance_line added;
    bool is_reached; /* else it is no function yet */
};

struct interval {
    int64_t from, to; /* ps */
};

/* `target` becomes the maximum of itself and of `other` + `added`. */
void envelope_raise(struct envelope *target, const struct envelope *other, struct tolerance_line added,
                    struct interval interval);
void envelope_drop(struct envelope *envelope);

/* The lines in the order of their slopes, each of which is the highest one somewhere in the interval. */
size_t envelope_count(const struct envelope *envelope);
struct tolerance_line envelope_line(const struct envelope *envelope, size_t index);

#endif
