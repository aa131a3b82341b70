#ifndef HELIO_CAPTURE_POLL_TIMES_H
#define HELIO_CAPTURE_POLL_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* Of a series of polls that find nothing only some are timed, chosen at random: two looks at the clock take
 * longer than such a poll. The others are taken to last as long as the timed ones do on average, and the rest
 * of the time is computation between them. The closer polls follow one another, the fewer are timed: one in
 * about 50 us, and each where they are 10 us apart or more. So the sums are right on average, and a single
 * poll of unusual length is wrong by no more than it differs from the others. One thread only. */

struct poll_times {
    int allowed, left; /* polls that need not be timed since the last look at the clock; still to come,
                          which the caller counts down */
    bool is_series;    /* some were not timed since the look before the last */
    double apart_ns;   /* from the begin of a poll to that of the next one, the last time */
    struct poll_mean {
        bool is_known;
        double ns;
    } nothing, found; /* of the timed polls */
    uint32_t random;
};

#define POLL_TIMES_NONE                                                                                      \
    (struct poll_times)                                                                                      \
    {                                                                                                        \
        .random = 1                                                                                          \
    }

/* A look at the clock, `since_ns` after the last one: a call begins that is timed, or a poll that is not
 * timed has found something (`has_found`). Returns the nanoseconds of computation since the last look. They
 * can be negative, as an error of the mean; over a series such errors cancel. */
double poll_times_look(struct poll_times *times, int64_t since_ns, bool has_found);

/* A poll that was timed has taken so long, with an error of its two looks at the clock: it can be negative.
 */
void poll_times_add(struct poll_times *times, int64_t took_ns, bool has_found);

/* A poll that was timed, and has found nothing, is over: some of the next ones need not be timed. */
void poll_times_allow(struct poll_times *times);

#endif
