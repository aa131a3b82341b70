#ifndef HELIO_HOST_HOST_H
#define HELIO_HOST_HOST_H

#include "base/param.h"
#include "base/status.h"
#include "base/time.h"
#include "breakdown/system.h"
#include "host/rnic.h"

/* What a message costs at each of its ends: the components of "Breaking Band" (Zambre et al., ICPP 2019),
 * taken from a system file, for every message of a simulation. The wire and the switches are the fabric's.
 * docs/models/host.md */
struct host_config {
    const char *system; /* as system_open takes it; NULL = no host */
    const char *change; /* of its component times, as helio breakdown whatif takes them; NULL = none */
};

extern const struct param_table host_params; /* struct host_config */

/* What a message takes of the PCIe links of both nodes, which all of a node's messages share. */
struct host_load {
    ps_t down_ps, up_ps; /* its bytes: to the NIC, to memory */
    uint32_t down_writes, up_writes;
};

/* One message of a given size, at its two ends. */
struct host_message {
    uint64_t bytes;
    ps_t llp_post;  /* CPU of the sender */
    ps_t to_nic;    /* from there to the NIC: PCIe, and what the NIC fetches */
    ps_t to_memory; /* from the other NIC to memory: PCIe and RC-to-MEM */
    struct host_load load;
};

enum { HOST_SIZES = 64 };

struct host {
    struct system_file file;
    struct system system; /* as changed */
    const struct rnic_config *rnic;
    ps_t hlp_post;       /* per call, before any LLP_post */
    ps_t polled;         /* LLP_prog and the callbacks, for a message that came */
    ps_t polled_control; /* the same for a message of the protocol, of which the MPI library hears nothing */
    ps_t wait;           /* of a call that waits, before it polls; 0 where the system file does not say */
    ps_t after_progress; /* of a call that waited, once the last of it has come */
    ps_t sent;           /* Post_prog and Misc: a send's part of progress */
    ps_t acknowledged;   /* from a message's arrival to its completion in the sender's memory */
    ps_t owed_limit;     /* of a full transmit queue */
    ps_t nic_gap;        /* of a NIC, from message to message, each way */
    ps_t credit_returns; /* after a write */
    ps_t fetch;          /* of a connection's state, through PCIe */
    ps_t reconnect;      /* of a dynamic connection: to the other NIC and back */
    ps_t ack_post, ack_polled; /* of datagrams, whose acknowledgements are software */
    uint32_t credits;          /* writes under way on PCIe, each way; 0 = no limit */
    uint32_t signal_period, queue_depth, receive_depth;
    uint64_t block_bytes; /* of a message, whose time on the wire the fabric's latency includes */
    uint64_t packet_bytes;
    struct host_message *small; /* by size, up to packet_bytes */
    struct host_message large;  /* beyond: what does not depend on the size */
    struct host_message *sizes; /* HOST_SIZES of those beyond, as last asked for; programs repeat a few */
    uint64_t slowest_bytes_per_s, wire_bytes_per_s;
};

/* config->system is not NULL. STATUS_OK: to be closed. */
enum status host_open(struct host *host, const struct host_config *config, const struct rnic_config *rnic);
void host_close(struct host *host);

void host_fill_size(const struct host *host, uint64_t bytes, struct host_message *message);

/* The part of the model that is at the ends: with a fabric whose latency is Wire + Switch and whose bandwidth
 * is that of the wire, a message alone takes what model_make says. Valid until another size is asked for. */
static inline const struct host_message *host_message(const struct host *host, uint64_t bytes)
{
    if (bytes <= host->packet_bytes)
        return &host->small[bytes];
    struct host_message *message = &host->sizes[(bytes ^ bytes >> 6 ^ bytes >> 12) % HOST_SIZES];
    if (message->bytes != bytes) /* never 0 */
        host_fill_size(host, bytes, message);
    return message;
}

/* What a core takes for the further datagrams of a message that came in several, and to acknowledge it. */
ps_t host_polled_datagrams(const struct host *host, uint64_t bytes);

/* The time in which a core takes in a message that has come. */
static inline ps_t host_polled(const struct host *host, uint64_t bytes, bool control)
{
    ps_t polled = control ? host->polled_control : host->polled;
    return host->rnic->transport == RNIC_UD ? ps_add(polled, host_polled_datagrams(host, bytes)) : polled;
}

/* One core: when its CPU is free again, and what it has spent. */
struct host_core {
    ps_t free_at;
    ps_t software; /* spent on messages so far */
    ps_t owed;     /* progress of sends, done when the core is idle in a call or has to */
};

/* Does `work` at `now` or when the core is free; returns when it is done. */
static inline ps_t host_core_work(struct host_core *core, ps_t now, ps_t work)
{
    core->free_at = ps_add(ps_max(core->free_at, now), work);
    core->software = ps_add(core->software, work);
    return core->free_at;
}

/* The core has been polling until `now`: it has used the time for what it owes. */
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

/* Does all that it owes. */
static inline void host_core_settle(struct host_core *core, ps_t now)
{
    host_core_work(core, now, core->owed);
    core->owed = 0;
}

#endif
