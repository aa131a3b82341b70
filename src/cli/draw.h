#ifndef HELIO_CLI_DRAW_H
#define HELIO_CLI_DRAW_H

#include "sim/experiment.h"

/* As experiment_run, with the timeline that listens in `watch`, if there is one. What is known at the end of
 * a run only, as the critical path and the slack, a second run writes, which is the same. */
enum status draw_run(struct experiment *experiment, size_t index, const struct experiment_watch *watch,
                     struct result *result);

#endif
