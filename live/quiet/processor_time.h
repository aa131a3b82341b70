#ifndef HELIO_LIVE_QUIET_PROCESSOR_TIME_H
#define HELIO_LIVE_QUIET_PROCESSOR_TIME_H

/* Time of processors in seconds, by which a measurement shows whether other work was done beside it. */

/* What this process has used. */
double processor_own_s(void);

/* What all processes, and other virtual machines, have used of this machine's processors. */
double processor_machine_s(void);

/* A number of the running kernel, not negative, the same for all processes under it. Ranks of several nodes
 * may share its processors, in containers and namespaces. */
int processor_kernel_number(void);

#endif
