#ifndef HELIO_SIM_JOBS_H
#define HELIO_SIM_JOBS_H

#include "sim/experiment.h"

/* Fills in what the result of a run has of the jobs of its program. Runs each job alone too, with its ranks
 * in the same places, if the program wants that. */
enum status jobs_measure(struct experiment *experiment, size_t fabric, const struct experiment_watch *watch,
                         struct result *result);

/* For what is done without a run, or with given nodes: STATUS_BAD_INPUT, reported, where jobs wait for nodes.
 * `command`: "helio gen". */
enum status jobs_refuse_queue(const struct program *program, const char *command);

#endif
