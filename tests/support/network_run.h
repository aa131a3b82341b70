#ifndef TEST_NETWORK_RUN_H
#define TEST_NETWORK_RUN_H

#include "base/time.h"

/* What the last run said. */
extern char network_said[8192];

/* The makespan of a generated program on a fabric and a topology, with settings that stand in one text,
 * separated by blanks, and no machine; -1: the run is refused, or has failed. */
ps_t network_run(const char *workload, const char *fabric, const char *topology, const char *settings);

#endif
