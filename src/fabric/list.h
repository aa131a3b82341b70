#ifndef HELIO_FABRIC_LIST_H
#define HELIO_FABRIC_LIST_H

#include "fabric/fabric.h"

/* Each fabric's ops, defined in the file of that name. */
extern const struct fabric_ops ideal_fabric;
extern const struct fabric_ops hockney_fabric;
extern const struct fabric_ops packet_fabric;
extern const struct fabric_ops fmu_fabric;
extern const struct fabric_ops hybrid_fabric;
extern const struct fabric_ops circuit_fabric;
extern const struct fabric_ops packetised_fabric;
extern const struct fabric_ops segment_fabric;
extern const struct fabric_ops tdm_compiled_fabric;
extern const struct fabric_ops tdm_dynamic_fabric;

/* Of the fabrics that others are made of. */
extern const struct param_table packet_params; /* struct packet_config, packet.h */
extern const struct param_table fmu_params;    /* struct fmu_config, fmu.h */

#endif
