#ifndef HELIO_HOST_NODE_H
#define HELIO_HOST_NODE_H

#include <stdint.h>

#include "base/metric.h"
#include "host/host.h"
#include "host/rnic.h"

/* What the ranks of a node share: the NIC and the PCIe link to it, one way and the other. A message that
 * finds them free passes in the times of host_message; others wait. docs/models/host.md */
struct host_statistics {
    uint64_t messages; /* through NICs, each counted at both ends */
    uint64_t waits;    /* of them, at PCIe or NIC */
    ps_t wait_ps;
    uint64_t posts_waiting;    /* for a place in a transmit queue */
    uint64_t arrivals_waiting; /* for a place in a receive queue */
    uint64_t copied_bytes;     /* within nodes, by cores */
    struct rnic_statistics rnic;
};

extern const struct metric_table host_metrics; /* struct host_statistics */

/* One direction of one node. */
struct host_lane {
    ps_t free_at;
    ps_t *credits; /* when the last writes passed, in a circle */
    uint32_t oldest;
};

struct host_nodes {
    const struct host *host;
    uint32_t count;
    uint64_t link_bytes_per_s;   /* of the fabric's node_rate; 0: each message comes as if alone */
    struct host_lane *down, *up; /* per node: to the NIC, to memory */
    ps_t *memory_free_at;        /* per node, of what its cores share; NULL: no limit */
    ps_t *credits;               /* of all lanes */
    struct rnics *rnics;         /* NULL: connections cost nothing */
    struct host_statistics statistics;
};

void host_nodes_open(struct host_nodes *nodes, const struct host *host, uint32_t count, uint32_t ranks,
                     uint64_t seed);
void host_nodes_close(struct host_nodes *nodes);
size_t host_nodes_bytes(const struct host_nodes *nodes);

/* One end of a message: the rank of this node, and the other one. */
struct host_end {
    uint32_t node, rank, peer;
    uint64_t bytes;
};

/* Without others the message would be at the node's NIC now, and leave. Returns when it does. */
ps_t host_nodes_send(struct host_nodes *nodes, ps_t now, const struct host_end *end);
/* Without others it would be in the node's memory now. Returns when it is. */
ps_t host_nodes_receive(struct host_nodes *nodes, ps_t now, const struct host_end *end);
/* A core of the node is to copy, from `asked` on, and is free at `free_at`; returns when it has done. */
ps_t host_nodes_copy(struct host_nodes *nodes, uint32_t node, ps_t asked, ps_t free_at, uint64_t bytes,
                     uint64_t working_set, bool continues);
/* STATUS_FAILED, reported: a NIC has no further queue pairs. */
static inline enum status host_nodes_status(const struct host_nodes *nodes)
{
    return nodes->rnics ? nodes->rnics->status : STATUS_OK;
}

#endif
