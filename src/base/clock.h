#ifndef HELIO_BASE_CLOCK_H
#define HELIO_BASE_CLOCK_H

/* The clock of the machine, in seconds since some moment in the past; it never goes back. It is for progress
 * and for wall times, and no result may depend on it. */
double clock_seconds_now(void);

#endif
