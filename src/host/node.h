#ifndef HELIO_HOST_NODE_H
#define HELIO_HOST_NODE_H

#include <stdint.h>

#include "base/metric.h"
#include "host/copy.h"
#include "host/host.h"
#include "host/rnic.h"

/* What the ranks of a node share: the NIC and the PCIe link to it, in both directions, and the memory. A
 * message that finds them free takes the times of host_message; others wait. docs/models/host.md */
struct host_statistics {
    uint64_t messages;         /* through NICs, each counted at both ends */
    uint64_t waits;            /* messages that waited at PCIe or NIC */
    sum_t wait_ps;             /* their waiting time */
    uint64_t posts_waiting;    /* messages that waited for a place in a transmit queue */
    uint64_t arrivals_waiting; /* messages that waited for a place in a receive queue */
    sum_t copied_bytes;        /* within nodes, by cores */
    sum_t cached_bytes;        /* of those read and written by copies: in a cache */
    struct rnic_statistics rnic;
};

extern const struct metric_table host_metrics; /* struct host_statistics */

/* One direction of one node. */
struct host_lane {
    ps_t free_at;
    ps_t *credits; /* when the last writes passed: a ring */
    uint32_t oldest;
};

struct host_nodes {
    const struct host *host;
    uint32_t count;
    uint64_t link_bytes_per_s;   /* node_rate of the fabric; 0: each message comes as if it were alone */
    struct host_lane *down, *up; /* per node: to the NIC, to memory */
    ps_t *memory_free_at;        /* per node: when the memory that its cores share is free; NULL: no limit */
    ps_t *credits;               /* of all lanes */
    struct rnics *rnics;         /* NULL: connections cost nothing */
    struct host_caches *caches;  /* NULL: the working set of a copy decides */
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

/* The general cases of the functions below: credits, connections or a shared link. */
ps_t host_nodes_send_shared(struct host_nodes *nodes, ps_t now, const struct host_end *end);
ps_t host_nodes_receive_shared(struct host_nodes *nodes, ps_t now, const struct host_end *end);

static inline bool host_nodes_is_plain(const struct host_nodes *nodes, uint64_t bytes)
{
    return !nodes->credits && !nodes->rnics &&
           (nodes->link_bytes_per_s == 0 || bytes <= nodes->host->packet_bytes);
}

static inline ps_t host_nodes_account(struct host_nodes *nodes, ps_t now, ps_t at)
{
    nodes->statistics.messages++;
    if (at > now) {
        nodes->statistics.waits++;
        nodes->statistics.wait_ps += at - now;
    }
    return at;
}

/* The message is at the NIC of the node now, unless others are before it. Returns when it leaves. The next
 * one leaves when its bytes have left. */
static inline ps_t host_nodes_send(struct host_nodes *nodes, ps_t now, const struct host_end *end)
{
    if (!host_nodes_is_plain(nodes, end->bytes))
        return host_nodes_send_shared(nodes, now, end);
    struct host_lane *lane = &nodes->down[end->node];
    ps_t at = ps_max(now, lane->free_at);
    ps_t held = ps_max(host_message(nodes->host, end->bytes)->load.down_ps, nodes->host->nic_gap);
    lane->free_at = ps_add(at, held);
    return host_nodes_account(nodes, now, at);
}

/* The message is in the memory of the node now, unless others are before it. Returns when all of it is there:
 * its bytes follow those of the message before. */
static inline ps_t host_nodes_receive(struct host_nodes *nodes, ps_t now, const struct host_end *end)
{
    if (!host_nodes_is_plain(nodes, end->bytes))
        return host_nodes_receive_shared(nodes, now, end);
    struct host_lane *lane = &nodes->up[end->node];
    ps_t held = ps_max(host_message(nodes->host, end->bytes)->load.up_ps, nodes->host->nic_gap);
    lane->free_at = ps_max(now, ps_add(lane->free_at, held));
    return host_nodes_account(nodes, now, lane->free_at);
}

/* A core of the node is asked at `asked` to copy, and is free at `free_at`; returns when it is done. */
ps_t host_nodes_copy(struct host_nodes *nodes, uint32_t node, ps_t asked, ps_t free_at,
                     const struct host_copy *copy);

/* Bytes of nodes whose ranks have so many messages under way, all together. */
double host_nodes_estimate(const struct host *host, uint32_t nodes, uint32_t ranks, double messages);

/* STATUS_FAILED, reported: a NIC has no more queue pairs. */
static inline enum status host_nodes_status(const struct host_nodes *nodes)
{
    return nodes->rnics ? nodes->rnics->status : STATUS_OK;
}

#endif
