#ifndef HELIO_SIM_JOBS_H
#define HELIO_SIM_JOBS_H

#include "sim/experiment.h"

/* Fills in what the result of a run has of the jobs of its program. Runs each job alone too, with its ranks
 * in the same places, if the program wants that. */
enum status jobs_measure(struct experiment *experiment, size_t fabric, const struct experiment_watch *watch,
                         struct result *result);

#endif
