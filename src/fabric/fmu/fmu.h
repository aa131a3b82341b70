#ifndef HELIO_FABRIC_FMU_FMU_H
#define HELIO_FABRIC_FMU_FMU_H

#include "base/profile.h"
#include "base/queue.h"
#include "base/queue_table.h"
#include "fabric/fabric.h"
#include "fabric/fmu/chain.h"
#include "fabric/fmu/mapping.h"

/* The Flexible Memory Units of Palma et al.: an optically disaggregated memory pool of M FMUs through which
 * nodes hand messages to each other, one writing it to an FMU, the other reading it from there.
 * docs/models/fmu.md
 *
 *   fmu.c       parameters, statistics, and a message's way: write, tag, read
 *   access.c    the OCS: queues, which CFMU is connected to which FMU, coalescing
 *   rings.c     Q_data and Q_header of every FMU
 *   mapping.c   which FMU a write goes to
 *   chain.h     a list linked both ways
 */

enum fmu_tag { FMU_TAG_FREE, FMU_TAG_NETWORK, FMU_TAG_HEADER };
enum fmu_coalesce { FMU_COALESCE_OFF, FMU_COALESCE_ADJACENT, FMU_COALESCE_QUEUED };

struct fmu_config {
    uint64_t count; /* M */
    uint64_t bandwidth_bytes_per_s;
    ps_t t_switch, t_ocm, t_map; /* T_switch, T_ocm, T_map of Eq. 1 */
    int try_idle, among_all;     /* enum fmu_try_idle, enum fmu_among_all */
    uint64_t capacity_bytes;     /* of both rings of an FMU */
    int tag;                     /* enum fmu_tag */
    ps_t tag_latency;            /* of the network that carries tags */
    int coalesce;                /* enum fmu_coalesce */
    uint64_t coalesce_limit;     /* accesses under one switch */
};

struct fmu_statistics {
    struct metric_series busy_s, writes;
    struct metric_series waiting, connected; /* over time, in bins of profile_bin */
    ps_t profile_bin;
    uint64_t accesses, switches, coalesced, peak_q_data_bytes, peak_q_header_entries;
    sum_t q_data_in_bytes, q_data_out_bytes; /* equal once everything has been read */
    uint64_t space_waits;                    /* writes that waited for room in the rings */
    ps_t queue_wait_max;
    double queue_wait_mean_s;
    sum_t queue_wait_sum; /* in ps */
};

/* A message between its send and the moment its bytes leave the rings. */
struct fmu_transfer {
    uint32_t message;
    uint32_t fmu;
    uint64_t bytes;       /* in Q_data */
    uint32_t next;        /* in the rings, in the order of reservation */
    uint32_t parked_read; /* the read, when it came to the head of the queue before the write had ended */
    uint32_t source, destination; /* ranks, for error messages */
    uint32_t source_node, destination_node;
    bool written, read;
};

/* A request for an FMU by a node: a write or a read of one transfer. */
struct fmu_access {
    uint32_t transfer;
    uint32_t node;
    struct chain_link link; /* in the FMU's queue; `after` also links the writes that wait for room */
    uint32_t after_same;    /* the next of the same node in this queue, where coalescing looks for it */
    bool reading;
    bool reserved; /* writes: the rings have room for it */
    ps_t queued_at;
};

struct fmu_unit {
    struct chain queue; /* of accesses */
    uint32_t serving;   /* access that holds the FMU and its node's CFMU */
    uint32_t together;  /* accesses served under the present switch */
    ps_t granted_at;
    uint32_t blocked_on;         /* node whose CFMU the head of the queue waits for */
    struct chain_link wait_link; /* among the FMUs that wait for that CFMU */
    struct queue parked;         /* writes that wait for room */
    struct queue ring;           /* transfers that have room */
    uint64_t q_data_bytes, q_header_entries;
};

struct fmu_controller { /* CFMU of a node */
    bool busy;
    struct chain waiting; /* FMUs whose head waits for it */
};

struct fmu {
    struct fabric fabric;
    const struct fmu_config *config;
    struct fmu_mapping mapping;
    struct fmu_unit *units;
    uint32_t unit_count;
    struct fmu_controller *controllers;
    struct pool transfers, accesses;
    struct queue_table same_node; /* queued accesses by (FMU, node), for coalescing */
    uint32_t arrive_kind, copied_kind, release_kind;
    struct fmu_statistics statistics;
    int64_t *busy, *writes;
    struct profile waiting, connected; /* accesses in queues, FMUs in use, over time */
    int64_t waiting_bins[PROFILE_BINS], connected_bins[PROFILE_BINS];
    int64_t *waiting_high, *connected_high; /* of these bins; NULL: all are 0 */
};

static inline struct fmu_transfer *fmu_transfer_at(const struct fmu *fmu, uint32_t index)
{
    return pool_at(&fmu->transfers, index);
}

static inline struct fmu_access *fmu_access_at(const struct fmu *fmu, uint32_t index)
{
    return pool_at(&fmu->accesses, index);
}

/* access.c */
void fmu_request(struct fmu *fmu, uint32_t transfer, bool reading); /* FMU_acquire leaves the node now */
void fmu_on_arrive(void *self, uint32_t access); /* event: it is at the OCS, and an FMU is chosen */
void fmu_on_copied(void *self, uint32_t unit);   /* event: the data have been exchanged */
void fmu_on_release(void *self, uint32_t unit);  /* event: FMU_release is at the OCS */

/* rings.c */
uint64_t fmu_entry_bytes(uint64_t message_bytes);     /* room that a message takes in both rings */
bool fmu_reserve(struct fmu *fmu, uint32_t transfer); /* false: no room now */
void fmu_consume(struct fmu *fmu, uint32_t transfer); /* it has been read: gone when all before it are */
void fmu_explain(const struct fabric *fabric);

#endif
