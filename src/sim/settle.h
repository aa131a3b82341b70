#ifndef HELIO_SIM_SETTLE_H
#define HELIO_SIM_SETTLE_H

#include "base/config.h"

/* Applies the machine that the config names, and says which collectives mpi.tuning chooses. *settled is a
 * copy of the config with the machine's values and what each fabric derives from them, which the caller
 * closes; NULL: nothing is to be changed. Also NULL, and an error reported, if the machine is wrong.
 *
 * A config that is finished (config_finish) has all this already. compat=simplecomm computes what another
 * simulator computes from its own parameters, and so has no machine. */
enum status settle_config(const struct config *config, struct config **settled);

#endif
