#ifndef HELIO_CAPTURE_TIMES_H
#define HELIO_CAPTURE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* If HELIO_CAPTURE_TIMES is set, rank K writes into the file HELIO_CAPTURE_TIMES-K how long it ran, for helio
 * calibrate --check, also if its calls are not recorded. If they are, it also writes how long each function
 * took. Rank 0 also writes how long a message to rank 1 takes at the end of MPI_Init. */
bool times_are_wanted(void);
void times_begin(void);         /* at the end of MPI_Init: a barrier, so that all ranks begin together */
void times_end(int world_rank); /* at the begin of MPI_Finalize */

/* MPI_Pcontrol: the phase of this number begins. It ends where the next one begins. The first is 1. */
void times_phase(int level);

/* The calls of one function of the MPI, without MPI_ in its name. All of them are in a list. */
struct times_call {
    const char *function;
    uint64_t count;
    double seconds;
    struct times_call *next;
};
double times_now(void); /* in seconds; 0 if times are not wanted */
/* A call has taken from `began_s` to `ended_s`. One thread at a time. */
void times_count(struct times_call *call, double began_s, double ended_s);

#endif
