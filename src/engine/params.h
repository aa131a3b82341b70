#ifndef HELIO_ENGINE_PARAMS_H
#define HELIO_ENGINE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/param.h"
#include "base/time.h"
#include "coll/coll.h"
#include "engine/node_times.h"

/* The parameters of ranks and of the MPI library that they use. More than one engine takes them from its
 * config: config_of(config, &node_params) is a struct node_config. */

enum eager_done { EAGER_DONE_POST, EAGER_DONE_INJECTED };

struct protocol_config {
    uint64_t eager_threshold_bytes;
    int eager_done; /* enum eager_done */
    uint64_t handshakes;
};

struct node_config {
    uint64_t ranks_per_node, nodes_per_server;
    ps_t latency_ps;
    uint64_t bandwidth_bytes_per_s;
    struct node_times times; /* in place of these two, if there are any */
    const char *placement;   /* engine/placement.h */
    uint64_t placement_block, placement_seed;
};

/* ranks_per_node in 32 bits; no program has more ranks than this returns at most. */
static inline uint32_t node_config_ranks(const struct node_config *node)
{
    return node->ranks_per_node < INT32_MAX ? (uint32_t)node->ranks_per_node : INT32_MAX;
}

struct compute_config {
    uint64_t rate_flops;
    double scale;
};

/* What one operation of a computation takes, in ps. */
static inline double compute_config_ps(const struct compute_config *compute)
{
    return (double)PS_PER_S / (double)compute->rate_flops * compute->scale;
}

/* What a collective call takes beside its messages, where no host model says so. */
struct kernel_config {
    ps_t begin_ps;
    uint64_t memory_bytes_per_s; /* 0: reductions take no time */
    ps_t clock_ps;
};

/* That of a config; a config that lacks these parameters has their defaults. */
const struct kernel_config *kernel_config_of(const struct config *config);

/* True if a collective call takes its messages alone. */
bool kernel_config_is_none(const struct kernel_config *kernel);

/* What combining so many bytes with as many takes: two reads and a write. */
ps_t kernel_reduce_ps(const struct kernel_config *kernel, uint64_t bytes);

struct collective_config {
    struct coll_choice choice[COLL_KINDS];
    int tuning; /* enum collective_tuning */
    uint64_t window;
    uint64_t leaders;
    uint64_t segment_bytes;
    uint64_t splits; /* coll_parts */
};

enum collective_tuning { COLLECTIVE_TUNING_NONE, COLLECTIVE_TUNING_OPENMPI, COLLECTIVE_TUNING_MPICH };

/* How a config chooses algorithms: with mpi.tuning, the table of an MPI library chooses for each kind whose
 * own parameter nobody has set, or whose parameter is "tuned". Who executes or counts collectives asks with
 * these choices. */
void collective_config_of(const struct config *config, struct collective_config *collective);
/* mpi.tuning is set. */
bool collective_config_is_tuned(const struct config *config);
/* With mpi.tuning, parameters that nobody has set get the value "tuned": then the values of a run say by
 * themselves, without their origins, which algorithms it has. */
enum status collective_config_settle(struct config *config);

extern const struct param_table protocol_params;   /* struct protocol_config */
extern const struct param_table node_params;       /* struct node_config */
extern const struct param_table compute_params;    /* struct compute_config */
extern const struct param_table collective_params; /* struct collective_config */
extern const struct param_table kernel_params;     /* struct kernel_config */

#endif
