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

/* The first of these that is here and can send short active messages to the other process: InfiniBand and
 * RoCE before shared memory. False: none; why has been noted. */
bool transport_open(struct transport *transport, struct pair *pair, uct_am_callback_t on_message, void *self);
void transport_close(struct transport *transport);

#endif
