#ifndef HELIO_CLI_MACHINE_WARN_H
#define HELIO_CLI_MACHINE_WARN_H

#include "machine/machine.h"
#include "sim/experiment.h"

/* Warns of a machine file of helio calibrate that was written although guards of its measurement failed. */
void machine_warn_unsound(const struct machine *machine);

/* The same for the machine of an open experiment; warns, too, if the program has several nodes and the
 * machine was measured on one, so that its messages between nodes have no latency. */
void machine_warn_experiment(const struct experiment *experiment);

#endif
