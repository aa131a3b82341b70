#ifndef HELIO_HOST_HOST_H
#define HELIO_HOST_HOST_H

#include "base/param.h"
#include "base/status.h"
#include "base/time.h"
#include "breakdown/system.h"
#include "host/rnic.h"

/* What the rate of a copy depends on: on all that the copies of the call have touched, or on what the caches
 * hold of what it reads and writes. */
enum host_caches_mode { HOST_CACHES_CALL, HOST_CACHES_PARTS };

/* The host model: what each message of a simulation costs at its two ends. The times are the components of
 * "Breaking Band" (Zambre et al., ICPP 2019), from a system file. Wire and switches belong to the fabric.
 * docs/models/host.md
 *
 *   host.c   the times of a message by its size; what one core spends
 *   caches.c what the caches of a node hold
 *   copy.c   copies within a node
 *   node.c   what the ranks of a node share: NIC, PCIe, memory
 *   rnic.c   queue pairs of RDMA NICs, and their cache of connections */
struct host_config {
    const char *system; /* as system_init takes it; NULL: no host model */
    int caches;         /* enum host_caches_mode */
    const char *change; /* of component times, as helio breakdown whatif takes them; NULL: none */
};

extern const struct param_table host_params; /* struct host_config */

/* How a message loads the PCIe links of both nodes, which all messages of a node share. */
struct host_load {
    ps_t down_ps, up_ps; /* service time of its bytes: to the NIC, to memory */
    uint32_t down_writes, up_writes;
};

/* One message of a given size, at its two ends. */
struct host_message {
    uint64_t bytes;
    ps_t llp_post;  /* CPU of the sender */
    ps_t to_nic;    /* from the post to the NIC: PCIe, and what the NIC fetches */
    ps_t to_memory; /* from the other NIC to memory: PCIe and RC-to-MEM */
    struct host_load load;
};

enum { HOST_SIZES = 64 };

struct host {
    struct system_file file;
    struct system system; /* as changed */
    const struct rnic_config *rnic;
    enum host_caches_mode caches;
    ps_t hlp_post;             /* per call, before any LLP_post */
    ps_t polled;               /* LLP_prog and the callbacks, for a message that has come */
    ps_t polled_control;       /* the same for a control message, which the MPI library does not see */
    ps_t wait;                 /* of a call that waits, before it polls; 0 unless the system file says it */
    ps_t after_progress;       /* of a call that has waited, after its last message */
    ps_t sent;                 /* Post_prog and Misc: the progress of one send */
    ps_t acknowledged;         /* from the arrival of a message to its completion in the sender's memory */
    ps_t owed_limit;           /* progress that the sends of a full transmit queue owe */
    ps_t nic_gap;              /* of a NIC, from one message to the next, each way */
    ps_t credit_returns;       /* from a write to the return of its credit */
    ps_t fetch;                /* of the state of a connection, through PCIe */
    ps_t reconnect;            /* of a dynamic connection: to the other NIC and back */
    ps_t ack_post, ack_polled; /* of datagrams, whose acknowledgements are software */
    uint32_t credits;          /* writes that may be under way on PCIe, each way; 0: no limit */
    uint32_t signal_period, queue_depth, receive_depth;
    uint64_t block_bytes; /* of a message; the latency of the fabric includes their time on the wire */
    uint64_t packet_bytes;
    struct host_message *small; /* by size, up to packet_bytes */
    struct host_message large;  /* larger ones: what does not depend on the size */
    struct host_message *sizes; /* HOST_SIZES larger ones, as last asked for: programs repeat a few sizes */
    uint64_t slowest_bytes_per_s, wire_bytes_per_s;
};

/* config->system is not NULL. On STATUS_OK the caller closes the host. */
enum status host_open(struct host *host, const struct host_config *config, const struct rnic_config *rnic);
void host_close(struct host *host);

void host_fill_size(const struct host *host, uint64_t bytes, struct host_message *message);

/* What a message of this size costs at its ends. With a fabric whose latency is Wire + Switch and whose
 * bandwidth is that of the wire, a message alone takes the time that model_init computes. The pointer is
 * valid until another size is asked for. */
static inline const struct host_message *host_message(const struct host *host, uint64_t bytes)
{
    if (bytes <= host->packet_bytes)
        return &host->small[bytes];
    struct host_message *message = &host->sizes[(bytes ^ bytes >> 6 ^ bytes >> 12) % HOST_SIZES];
    if (message->bytes != bytes) /* never 0 */
        host_fill_size(host, bytes, message);
    return message;
}

/* The time of a core for all datagrams of a message but the first, and for their acknowledgement. */
ps_t host_polled_datagrams(const struct host *host, uint64_t bytes);

/* The time in which a core takes in a message that has come. */
static inline ps_t host_polled(const struct host *host, uint64_t bytes, bool control)
{
    ps_t polled = control ? host->polled_control : host->polled;
    return host->rnic->transport == RNIC_UD ? ps_add(polled, host_polled_datagrams(host, bytes)) : polled;
}

/* One core. */
struct host_core {
    ps_t free_at;  /* it works until then */
    ps_t software; /* spent on messages so far */
    ps_t owed; /* progress of sends that it has not made; it makes it when it is idle in a call, or has to */
};

/* The core does `work` at `now`, or as soon as it is free; returns when it is done. */
static inline ps_t host_core_work(struct host_core *core, ps_t now, ps_t work)
{
    core->free_at = ps_add(ps_max(core->free_at, now), work);
    core->software = ps_add(core->software, work);
    return core->free_at;
}

/* The core has polled until `now`, and has used that time for what it owes. */
static inline void host_core_idle(struct host_core *core, ps_t now)
{
    ps_t idle = now - core->free_at;
    if (idle <= 0)
        return;
    ps_t used = idle < core->owed ? idle : core->owed;
    core->owed -= used;
    core->software = ps_add(core->software, used);
    core->free_at = now;
}

/* The core does all that it owes. */
static inline void host_core_work_owed(struct host_core *core, ps_t now)
{
    host_core_work(core, now, core->owed);
    core->owed = 0;
}

#endif
