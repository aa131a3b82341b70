#ifndef HELIO_FABRIC_LIST_H
#define HELIO_FABRIC_LIST_H

#include "fabric/fabric.h"

/* Each fabric's ops, defined in the file of that name. */
extern const struct fabric_ops ideal_fabric;
extern const struct fabric_ops hockney_fabric;
extern const struct fabric_ops packet_fabric;

#endif
