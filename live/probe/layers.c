#include <dlfcn.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>
#include <uct/api/uct.h>

#include "base/mem.h"
#include "live/probe/probe.h"

/* Observes the calls between the installed MPI, UCP and UCT. This program defines functions of UCX, so that
 * the libraries call these instead of UCX's own. Each passes the call on; it times or delays it if its layer
 * is chosen.
 *
 *   ucp_tag_send_nbx, ucp_tag_send_nb   MPI posts a send
 *   ucp_tag_recv_nbx, ucp_tag_recv_nb   MPI posts a receive; its callback is wrapped
 *   ucp_worker_progress                 MPI polls; the calls are counted
 *   uct_iface_open                      UCP opens a transport; its am_short is replaced
 *   uct_iface_set_am_handler            UCP sets the handler of messages; it is wrapped */

#define EXPORTED __attribute__((visibility("default")))

struct probe_layers probe_layers;

/* UCX's own function. */
static void *next_of(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        abort(); /* impossible: the program is linked with UCX */
    return function;
}

static inline void delay_in(enum probe_layer layer)
{
    probe_layers.calls[layer]++;
    if (probe_layers.delayed == layer)
        clock_spin(probe_layers.delay);
}

/* --------------------------------------------------------------------- UCP */

EXPORTED ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h ep, const void *buffer, size_t count, ucp_tag_t tag,
                                           const ucp_request_param_t *param)
{
    static ucs_status_ptr_t (*next)(ucp_ep_h, const void *, size_t, ucp_tag_t, const ucp_request_param_t *);
    if (!next)
        *(void **)&next = next_of("ucp_tag_send_nbx");
    delay_in(LAYER_UCP);
    if (probe_layers.timed != LAYER_UCP)
        return next(ep, buffer, count, tag, param);
    ticks_t from = clock_now();
    ucs_status_ptr_t result = next(ep, buffer, count, tag, param);
    ticks_t to = clock_now();
    record_sample(Q_UCP_SEND, clock_ns(from, to));
    return result;
}

EXPORTED ucs_status_ptr_t ucp_tag_send_nb(ucp_ep_h ep, const void *buffer, size_t count,
                                          ucp_datatype_t datatype, ucp_tag_t tag,
                                          ucp_send_callback_t callback)
{
    static ucs_status_ptr_t (*next)(ucp_ep_h, const void *, size_t, ucp_datatype_t, ucp_tag_t,
                                    ucp_send_callback_t);
    if (!next)
        *(void **)&next = next_of("ucp_tag_send_nb");
    delay_in(LAYER_UCP);
    if (probe_layers.timed != LAYER_UCP)
        return next(ep, buffer, count, datatype, tag, callback);
    ticks_t from = clock_now();
    ucs_status_ptr_t result = next(ep, buffer, count, datatype, tag, callback);
    ticks_t to = clock_now();
    record_sample(Q_UCP_SEND, clock_ns(from, to));
    return result;
}

EXPORTED unsigned ucp_worker_progress(ucp_worker_h worker)
{
    static unsigned (*next)(ucp_worker_h);
    if (!next)
        *(void **)&next = next_of("ucp_worker_progress");
    probe_layers.polls++;
    return next(worker);
}

/* The MPI library's callbacks for receives. Their argument `self` belongs to the MPI library, so it cannot
 * tell which callback is wrapped. Each of its few callbacks therefore has a wrapper function of its own. */
enum { CALLBACKS = 4 };
static ucp_tag_recv_nbx_callback_t on_received_nbx[CALLBACKS];
static ucp_tag_recv_callback_t on_received_nb;

static inline void received(size_t which, void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,
                            void *self)
{
    delay_in(LAYER_CALLBACK);
    if (probe_layers.timed != LAYER_CALLBACK) {
        on_received_nbx[which](request, status, info, self);
        return;
    }
    ticks_t from = clock_now();
    on_received_nbx[which](request, status, info, self);
    ticks_t to = clock_now();
    record_sample(Q_MPI_CALLBACK, clock_ns(from, to));
}

#define RECEIVED(which)                                                                                      \
    static void received_##which(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info,        \
                                 void *self)                                                                 \
    {                                                                                                        \
        received(which, request, status, info, self);                                                        \
    }
RECEIVED(0)
RECEIVED(1)
RECEIVED(2)
RECEIVED(3)

/* The wrapper of a callback. NULL: the library has more than CALLBACKS. */
static ucp_tag_recv_nbx_callback_t wrapped_of(ucp_tag_recv_nbx_callback_t callback)
{
    static const ucp_tag_recv_nbx_callback_t wrapped[CALLBACKS] = {received_0, received_1, received_2,
                                                                   received_3};
    size_t i = 0;
    while (i < CALLBACKS && on_received_nbx[i] && on_received_nbx[i] != callback)
        i++;
    if (i == CALLBACKS)
        return NULL;
    on_received_nbx[i] = callback;
    return wrapped[i];
}

static void received_nb(void *request, ucs_status_t status, ucp_tag_recv_info_t *info)
{
    delay_in(LAYER_CALLBACK);
    if (probe_layers.timed != LAYER_CALLBACK) {
        on_received_nb(request, status, info);
        return;
    }
    ticks_t from = clock_now();
    on_received_nb(request, status, info);
    ticks_t to = clock_now();
    record_sample(Q_MPI_CALLBACK, clock_ns(from, to));
}

EXPORTED ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void *buffer, size_t count, ucp_tag_t tag,
                                           ucp_tag_t mask, const ucp_request_param_t *param)
{
    static ucs_status_ptr_t (*next)(ucp_worker_h, void *, size_t, ucp_tag_t, ucp_tag_t,
                                    const ucp_request_param_t *);
    if (!next)
        *(void **)&next = next_of("ucp_tag_recv_nbx");
    ucp_tag_recv_nbx_callback_t callback = NULL;
    if (param->op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK)
        callback = wrapped_of(param->cb.recv);
    if (!callback)
        return next(worker, buffer, count, tag, mask, param);
    ucp_request_param_t wrapped = *param;
    wrapped.cb.recv = callback;
    return next(worker, buffer, count, tag, mask, &wrapped);
}

EXPORTED ucs_status_ptr_t ucp_tag_recv_nb(ucp_worker_h worker, void *buffer, size_t count,
                                          ucp_datatype_t datatype, ucp_tag_t tag, ucp_tag_t mask,
                                          ucp_tag_recv_callback_t callback)
{
    static ucs_status_ptr_t (*next)(ucp_worker_h, void *, size_t, ucp_datatype_t, ucp_tag_t, ucp_tag_t,
                                    ucp_tag_recv_callback_t);
    if (!next)
        *(void **)&next = next_of("ucp_tag_recv_nb");
    if (on_received_nb && on_received_nb != callback)
        return next(worker, buffer, count, datatype, tag, mask, callback);
    on_received_nb = callback;
    return next(worker, buffer, count, datatype, tag, mask, received_nb);
}

/* --------------------------------------------------------------------- UCT */

enum { IFACES = 64, HANDLERS = 512 };

/* The transports that UCP has opened, with their own functions for short messages. */
static struct {
    uct_iface_h iface;
    uct_ep_am_short_func_t am_short;
} opened_ifaces[IFACES];
static size_t opened_iface_count;

static ucs_status_t am_short(uct_ep_h ep, uint8_t id, uint64_t header, const void *payload, unsigned length)
{
    size_t i = 0;
    while (opened_ifaces[i].iface != ep->iface)
        i++;
    delay_in(LAYER_UCT);
    if (probe_layers.timed != LAYER_UCT)
        return opened_ifaces[i].am_short(ep, id, header, payload, length);
    ticks_t from = clock_now();
    ucs_status_t status = opened_ifaces[i].am_short(ep, id, header, payload, length);
    ticks_t to = clock_now();
    record_sample(Q_UCT_POST, clock_ns(from, to));
    return status;
}

EXPORTED ucs_status_t uct_iface_open(uct_md_h md, uct_worker_h worker, const uct_iface_params_t *params,
                                     const uct_iface_config_t *config, uct_iface_h *iface)
{
    static ucs_status_t (*next)(uct_md_h, uct_worker_h, const uct_iface_params_t *,
                                const uct_iface_config_t *, uct_iface_h *);
    if (!next)
        *(void **)&next = next_of("uct_iface_open");
    ucs_status_t status = next(md, worker, params, config, iface);
    if (status == UCS_OK && !probe_layers.own && opened_iface_count < IFACES && (*iface)->ops.ep_am_short) {
        opened_ifaces[opened_iface_count].iface = *iface;
        opened_ifaces[opened_iface_count++].am_short = (*iface)->ops.ep_am_short;
        (*iface)->ops.ep_am_short = am_short;
    }
    return status;
}

struct handler {
    uct_am_callback_t callback;
    void *self;
};

static ucs_status_t on_message(void *self, void *data, size_t length, unsigned flags)
{
    const struct handler *handler = self;
    if (probe_layers.timed == LAYER_RX && !probe_layers.handler_at)
        probe_layers.handler_at = clock_now();
    delay_in(LAYER_HANDLER);
    if (probe_layers.timed != LAYER_HANDLER)
        return handler->callback(handler->self, data, length, flags);
    ticks_t from = clock_now();
    ucs_status_t status = handler->callback(handler->self, data, length, flags);
    ticks_t to = clock_now();
    record_sample(Q_HANDLER, clock_ns(from, to));
    return status;
}

EXPORTED ucs_status_t uct_iface_set_am_handler(uct_iface_h iface, uint8_t id, uct_am_callback_t callback,
                                               void *self, uint32_t flags)
{
    static ucs_status_t (*next)(uct_iface_h, uint8_t, uct_am_callback_t, void *, uint32_t);
    static struct handler handlers[HANDLERS];
    static size_t handler_count;
    if (!next)
        *(void **)&next = next_of("uct_iface_set_am_handler");
    if (probe_layers.own || !callback || handler_count == HANDLERS)
        return next(iface, id, callback, self, flags);
    struct handler *handler = &handlers[handler_count++];
    *handler = (struct handler){.callback = callback, .self = self};
    return next(iface, id, on_message, handler, flags);
}
