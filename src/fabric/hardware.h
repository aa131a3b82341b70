#ifndef HELIO_FABRIC_HARDWARE_H
#define HELIO_FABRIC_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/status.h"
#include "topo/topo.h"

/* What a network is built of, as far as its model says: docs/models/cost.md. */
struct hardware_plane {
    struct topo topo;
    uint32_t copies;           /* of the topology; a node has a link to each */
    uint32_t memories;         /* the last nodes of the topology are memory units */
    bool passes_light;         /* its switches convert nothing: transceivers are at nodes alone */
    uint64_t rate_bytes_per_s; /* of a link of which the topology says nothing */
};

enum { HARDWARE_PLANES = 2 };
struct hardware {
    struct hardware_plane planes[HARDWARE_PLANES];
    uint32_t count;
};

/* What a run has used of it. Negative: the statistics do not say. */
struct hardware_use {
    double switched_bytes; /* bytes x packet switches that they passed */
    double setups;         /* circuits that were set up */
};

/* Of a fabric whose statistics say nothing. Where light passes all switches, no byte passes a packet switch.
 */
struct hardware_use hardware_unknown_use(const struct hardware *hardware);

/* For fabric_ops.hardware: adds a plane with the topology of the run. Fails, reported, where it has fewer
 * nodes. */
enum status hardware_add(struct hardware *hardware, const struct config *config, uint32_t nodes,
                         bool passes_light, uint64_t rate_bytes_per_s);
/* Adds `copies` switches that pass light, each with a link to every node and every memory. */
enum status hardware_add_stars(struct hardware *hardware, uint32_t copies, uint32_t nodes, uint32_t memories,
                               uint64_t rate_bytes_per_s);

#endif
