#ifndef HELIO_SIM_HOSTS_H
#define HELIO_SIM_HOSTS_H

#include "sim/experiment.h"

/* Opens the host model that the config names, if any. The fabrics have been chosen. Refuses a fabric whose
 * latency already contains the hosts, since they would count twice. */
enum status hosts_init(struct experiment *experiment);
void hosts_free(struct experiment *experiment);

#endif
