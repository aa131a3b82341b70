#ifndef HELIO_EXTRAPOLATE_SAMPLE_H
#define HELIO_EXTRAPOLATE_SAMPLE_H

#include "extrapolate/rank_events.h"

enum { SAMPLE_REPEATED = 3 }; /* the median of so many traces or more has little noise */

/* What is known of the program on one number of ranks: one trace, or several that make the same calls. */
struct sample {
    struct program *program; /* the first trace, whose calls all others repeat */
    size_t traces;
    uint32_t ranks;
    uint32_t richest[2]; /* the rank with the most partners: among all ranks, and among all but rank 0 */
    /* Of several traces, [rank][event]: the mean computation before the event, times what makes the sum of
     * the rank the median of its sums. So a trace that another process disturbed does not count more than
     * others. NULL: there is one trace. */
    double **operations;
    double scatter; /* the largest deviation of a rank's sum in a trace from the median, relative */
};

/* Reads `count` traces of the same number of ranks. STATUS_BAD_INPUT, reported: they differ in a call, or no
 * model can have a call. sample_free() is needed in either case. */
enum status sample_read(struct sample *sample, struct program **traces, size_t count);
void sample_free(struct sample *sample);

/* Reads the calls of one rank from the first to the last; `codes` as in rank_events_read(). */
void sample_events(const struct sample *sample, uint32_t rank, const uint32_t *codes,
                   struct rank_events *events);

#endif
