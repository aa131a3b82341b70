#ifndef HELIO_LIVE_QUIET_PROCESSOR_TIME_H
#define HELIO_LIVE_QUIET_PROCESSOR_TIME_H

/* Time of processors in seconds, by which a measurement shows whether other work was done beside it. */

/* What this process has used. */
double processor_own_s(void);

/* What all processes, and other virtual machines, have used of this machine's processors. */
double processor_machine_s(void);

#endif
