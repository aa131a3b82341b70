#ifndef HELIO_ENGINE_RANK_MACHINE_H
#define HELIO_ENGINE_RANK_MACHINE_H

#include "base/event.h"
#include "base/param.h"
#include "base/status.h"
#include "base/tap.h"
#include "call/call.h"
#include "coll/coll.h"
#include "fabric/fabric.h"
#include "host/node.h"

/* Executes a program on a fabric: one run. Ranks follow the four-state machine of the FMU paper (section V):
 * Norm, Comm (blocked in a call), Wait (blocked by requests), Fin. docs/models/ranks.md */

enum eager_done { EAGER_DONE_POST, EAGER_DONE_INJECTED };

struct protocol_config {
    uint64_t eager_threshold_bytes;
    int eager_done; /* enum eager_done */
    uint64_t handshakes;
};

struct node_config {
    uint64_t ranks_per_node;
    ps_t latency_ps;
    uint64_t bandwidth_bytes_per_s;
};

struct compute_config {
    uint64_t rate_flops;
    double scale;
};

struct collective_config {
    struct coll_choice choice[COLL_KINDS];
    uint64_t window;
    uint64_t leaders;
};

extern const struct param_table protocol_params;   /* struct protocol_config */
extern const struct param_table node_params;       /* struct node_config */
extern const struct param_table compute_params;    /* struct compute_config */
extern const struct param_table collective_params; /* struct collective_config */

struct machine_params {
    struct program *program; /* at its beginning */
    const struct fabric_ops *fabric;
    const struct config *config; /* the fabric's parameters are taken from it */
    const struct protocol_config *protocol;
    const struct node_config *node;
    const struct compute_config *compute;
    const struct collective_config *collective;
    const struct host *host; /* what a message costs at its ends; NULL = nothing */
    struct tap *tap;
    uint64_t seed;
    const struct fabric_traffic *traffic; /* for the fabric; NULL where it does not want it */
    /* Called about every 2^20 calls with the number executed so far; NULL = not. */
    void (*progress)(void *self, uint64_t calls, ps_t now);
    void *progress_self;
};

/* What the run used, beside what the tap told. */
struct machine_usage {
    uint64_t bytes;         /* memory of the run, the program's mapped input not counted */
    uint64_t peak_messages; /* outstanding at once */
    uint64_t peak_events;   /* pending at once */
    uint64_t events, calls;
    struct host_statistics host; /* with a host model */
};

/* One run from the program's first call to its last. `visit_fabric`, if not NULL, sees the fabric at the end,
 * while its statistics exist. STATUS_FAILED when the program cannot go on; why has been reported. */
enum status machine_run(const struct machine_params *plan, struct machine_usage *usage,
                        void (*visit_fabric)(void *self, struct fabric *fabric), void *self);

#endif
