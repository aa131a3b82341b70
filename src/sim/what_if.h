#ifndef HELIO_SIM_WHAT_IF_H
#define HELIO_SIM_WHAT_IF_H

#include "sim/experiment.h"
#include "sim/path_summary.h"

/* What would the run take if a message took no time? The run is repeated for each of the longest messages of
 * its critical path, with that message in the parameter `free`. */

/* Of `count` messages, at most PATH_LISTED, on fabrics[index]. The result has a listed path; the answers are
 * added to it. Observers of the run do not see these runs; `watch` can cancel them. */
enum status what_if_run(const struct experiment *experiment, size_t index,
                        const struct experiment_watch *watch, size_t count, struct result *result);

#endif
