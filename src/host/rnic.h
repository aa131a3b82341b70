#ifndef HELIO_HOST_RNIC_H
#define HELIO_HOST_RNIC_H

#include "base/param.h"
#include "base/queue_table.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/sum.h"
#include "base/time.h"

/* The connections of an RDMA NIC: queue pairs, and a cache of their state in two levels. A message needs the
 * state of its queue pair at both ends. If the cache does not have it, the NIC fetches it through PCIe
 * ("OHIO", sections I and II). docs/models/host.md */
enum rnic_transport {
    RNIC_NONE, /* connections cost nothing */
    RNIC_RC,   /* a queue pair for each pair of ranks that talk */
    RNIC_UD,   /* one for each rank; software makes packets, reliability and order */
    RNIC_DC,   /* two for each rank; the one that sends is connected anew for each new destination */
};

enum rnic_replace { RNIC_LRU, RNIC_RANDOM };

struct rnic_config {
    int transport; /* enum rnic_transport */
    uint64_t queue_pairs;
    uint64_t first_level, second_level; /* entries; the second level counts those of the first as well */
    ps_t second_level_ps;
    int replace; /* enum rnic_replace */
    uint64_t page_bytes;
};

extern const struct param_table rnic_params; /* struct rnic_config */

enum { RNIC_UD_BYTES = 4096 }; /* "OHIO", Table II */

struct rnic_statistics {
    uint64_t queue_pairs; /* of the node that has most */
    uint64_t first_misses, second_misses;
    uint64_t reconnects;
    sum_t mtt_reads;             /* translations of payload's pages; counted, not timed */
    uint64_t work_request_reads; /* descriptors and receives that NICs fetched; the host counts their time */
};

struct rnic_slot {
    struct queue_key key;
    uint32_t previous, next; /* in its level; the last used one comes first */
    uint32_t place;          /* among the members of its level */
    uint32_t level;
};

struct rnic_level {
    uint32_t head, tail;
    uint32_t *members;
    uint32_t count, limit;
    size_t capacity;
};

/* The NIC of one node. */
struct rnic {
    struct queue_table made; /* queue pairs: the head of each queue is its number */
    struct queue_table cached;
    struct rnic_slot *slots;
    size_t slot_capacity;
    struct rnic_level levels[2];
};

struct rnics {
    const struct rnic_config *config;
    struct rnic *nodes;
    uint32_t count;
    ps_t fetch_ps, reconnect_ps;
    struct rng rng;
    uint32_t *destinations; /* DC: per rank, the rank that it is connected to */
    ps_t *connected;        /* DC: per rank, since when */
    struct rnic_statistics statistics;
    enum status status; /* STATUS_FAILED, reported: a node has no further queue pairs */
};

/* config->transport is not RNIC_NONE. `fetch_ps`: the time to fetch a state through PCIe; `reconnect_ps`: the
 * time to connect a queue pair of DC. */
void rnics_open(struct rnics *rnics, const struct rnic_config *config, uint32_t nodes, uint32_t ranks,
                uint64_t seed, ps_t fetch_ps, ps_t reconnect_ps);
void rnics_close(struct rnics *rnics);
size_t rnics_bytes(const struct rnics *rnics);
/* Bytes, if each message under way has a queue pair of its own at both ends. */
double rnics_estimate(uint32_t nodes, uint32_t ranks, double messages);

/* The NIC of `node` needs the queue pair through which its `rank` talks to `peer`; returns how long that
 * takes. */
ps_t rnics_use(struct rnics *rnics, uint32_t node, uint32_t rank, uint32_t peer);

/* DC: the rank sends to `peer` at `now`; returns when it is connected. */
ps_t rnics_connect(struct rnics *rnics, uint32_t rank, uint32_t peer, ps_t now);

#endif
