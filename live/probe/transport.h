#ifndef HELIO_PROBE_TRANSPORT_H
#define HELIO_PROBE_TRANSPORT_H

#include <uct/api/uct.h>

#include "live/probe/probe.h"

/* One transport of UCT and its connection to the other process. */
struct transport {
    char name[2 * UCT_TL_NAME_MAX + UCT_DEVICE_NAME_MAX];
    bool is_ib;
    ucs_async_context_t *async;
    uct_worker_h worker;
    uct_md_h md;
    uct_iface_h iface;
    uct_ep_h ep;
};

/* Chooses the first transport that is present and can send short active messages to the other process:
 * InfiniBand and RoCE before shared memory. False: there is none; a note says why. */
bool transport_init(struct transport *transport, struct probe_pair *pair, uct_am_callback_t on_message,
                    void *self);
void transport_free(struct transport *transport);

#endif
