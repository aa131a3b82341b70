#ifndef HELIO_LIVE_PATIENCE_H
#define HELIO_LIVE_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* How a rank waits, for a word of shared memory or for the MPI's messages. First it looks `spins` or `polls`
 * times, as nothing is faster; then between looks it gives the core up, `yields` times at most; then it
 * sleeps.
 *
 * To give the core up is cheap while everybody who is let in gives it up soon as well, as ranks that wait do:
 * a call of 16 ranks on two cores takes 160 us when none of them sleeps, and 500 us when they do, for who
 * sleeps makes others wait so long that they sleep too. But somebody who computes keeps the core for
 * milliseconds. So whoever gets it back late has learned better, and for some waits goes to sleep at once:
 * who sleeps is let in soon after waking. */
struct patience {
    uint32_t spins, polls, yields;
    uint32_t wary;                /* waits that begin with sleep, since a core came back late */
    int64_t look_ns;              /* `progress` is called each time it has waited so long */
    void (*progress)(void *self); /* moves the MPI's messages of this rank on */
    void *self;
};

struct wait {
    struct patience *patience;
    uint32_t yields;   /* that are left */
    int64_t looked_ns; /* when `progress` was called last, or when it began to yield; 0: not yet */
};

static inline struct wait patience_begin(struct patience *patience)
{
    struct wait wait = {patience, patience->yields, 0};
    if (patience->wary > 0)
        patience->wary--, wait.yields = 0;
    return wait;
}

int64_t patience_now_ns(void);

/* Whether the MPI, which was called at `began_ns` and found nothing, has given the core up itself, as those
 * do that are told to. Twice in a row would be a whole round of all that wait. */
bool patience_gave_way(struct wait *wait, int64_t began_ns);

/* Lets others have the core, and calls `progress` when that has taken long; false, at once, when it is time
 * to sleep. */
bool patience_yield(struct wait *wait);

/* Sleeps some tens of microseconds. */
void patience_nap(void);

#endif
