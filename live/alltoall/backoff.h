#ifndef HELIO_ALLTOALL_BACKOFF_H
#define HELIO_ALLTOALL_BACKOFF_H

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
 * who sleeps is let in soon after waking.
 *
 * With a core for each rank spinning costs nothing. With fewer, who spins is in the way of whom it waits for;
 * so are looks at the MPI's messages, each of which is a system call or more: they come so seldom then that
 * most calls are over before the first. The core may be others' as well though there are enough, other
 * programs' or those of a container with fewer than it sees; so whoever spins asks now and then, by giving it
 * up once, and for some waits does not spin when it was gone. */
struct backoff {
    bool oversubscribed;          /* more ranks than cores */
    uint32_t shared;              /* waits that are like that, since somebody else was found on the core */
    uint32_t penalised;           /* waits that begin with sleep, since a core came back late */
    void (*progress)(void *self); /* moves the MPI's messages of this rank on */
    void *self;
};

struct backoff_wait {
    struct backoff *backoff;
    uint32_t spins, polls, yields; /* that are left of the last */
    int64_t look_ns;               /* `progress` is called each time it has waited so long */
    int64_t looked_ns;             /* when that was last, or when it began to yield; 0: not yet */
};

struct backoff_wait backoff_begin(struct backoff *backoff);

/* To be called in the middle of spinning: whether somebody else wants the core. Then this wait has no more
 * spins. */
bool backoff_finds_contention(struct backoff_wait *wait);

int64_t backoff_now_ns(void);

/* Whether the MPI, which was called at `began_ns` and found nothing, has given the core up itself, as those
 * do that are told to. Twice in a row would be a whole round of all that wait. False when it is time to
 * sleep: who gives the core up to somebody who computes gets it back late, whoever's the call was. */
bool backoff_mpi_yielded(struct backoff_wait *wait, int64_t began_ns);

/* Lets others have the core, and calls `progress` when that has taken long; false, at once, when it is time
 * to sleep. */
bool backoff_yield(struct backoff_wait *wait);

/* Sleeps some tens of microseconds. */
void backoff_sleep(void);

#endif
