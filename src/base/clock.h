#ifndef HELIO_BASE_CLOCK_H
#define HELIO_BASE_CLOCK_H

/* The clock of the machine, for progress and for times that are said beside results. No result may depend on
 * it. Seconds since some moment in the past; it never goes back. */
double clock_seconds_now(void);

#endif
