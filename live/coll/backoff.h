#ifndef HELIO_LIVE_COLL_BACKOFF_H
#define HELIO_LIVE_COLL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* How a rank waits for a counter in shared memory, or for messages of the MPI. It spins: it looks `spins` or
 * `polls` times, since that reacts fastest. Then it yields: it gives up its core between two looks, at most
 * `yields` times. Then it sleeps.
 *
 * A yield is cheap while the other processes on the core are ranks that wait, since they yield soon as well:
 * a call of 16 ranks on two cores takes 160 us if no rank sleeps, and 500 us if ranks sleep, for a rank that
 * sleeps makes others wait so long that they sleep too. But a process that computes keeps the core for
 * milliseconds. A rank that gets its core back late is therefore penalised: for the next waits it does not
 * yield but sleeps at once, because the kernel gives a core soon to a process that wakes from sleep.
 *
 * If each rank has a core, spinning costs nothing. If the cores are oversubscribed, a rank that spins takes
 * the core from the rank that it waits for. Looks at the MPI's messages do so as well, as each is a system
 * call or more; they are made so seldom that most calls are over before the first one. A core may be
 * contended even if there are enough of them: by other programs, or in a container that has fewer cores than
 * it sees. So a rank that spins tests that now and then: it yields once. If its core was away, it does not
 * spin in the next waits. */
struct backoff {
    bool oversubscribed; /* more ranks than cores */
    uint32_t contended;  /* waits left that do not spin, since another process was found on the core */
    uint32_t penalised;  /* waits left that sleep at once, since a core came back late */
    bool (*progress)(void *self); /* moves the MPI's messages of this rank on; false: to wait is in vain */
    void *self;
};

/* One wait. */
struct backoff_wait {
    struct backoff *backoff;
    uint32_t spins, polls, yields; /* spins and polls: of this wait; yields: left of it */
    int64_t look_ns;               /* `progress` is called each time that the rank has waited so long */
    int64_t looked_ns;             /* the last time of that, at first when it began to yield; 0: not yet */
    int64_t asked_ns;              /* when a wait for messages last called `progress`; 0: not yet */
};

struct backoff_wait backoff_begin(struct backoff *backoff);

/* To be called while spinning. True: another process wants the core; this wait then has no more spins. */
bool backoff_finds_contention(struct backoff_wait *wait);

int64_t backoff_now_ns(void);

/* To be called when a call of the MPI, begun at `began_ns`, has found nothing. True: the MPI has yielded the
 * core itself, as some can be told to; then the caller must not yield once more, since each yield may last as
 * long as one turn of all ranks that wait. False if it has not, and also if it is time to sleep: a yield to a
 * process that computes ends late, whether the MPI yields or the caller. */
bool backoff_mpi_yielded(struct backoff_wait *wait, int64_t began_ns);

/* Yields the core, and calls `progress` if look_ns have passed. False: no yield, it is time to sleep. */
bool backoff_yield(struct backoff_wait *wait);

/* Sleeps some tens of microseconds. */
void backoff_sleep(void);

#endif
