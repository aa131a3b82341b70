#include "live/probe/transport.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <ucs/async/async_fwd.h>

#include "base/mem.h"

/* In the order of preference. The code for InfiniBand follows UCX's specification; it was not tried on
 * hardware. */
static const char *const wanted[] = {"rc_mlx5", "rc_verbs", "posix", "sysv"};
enum { WANTED = sizeof wanted / sizeof *wanted, IB_TRANSPORTS = 2, ADDRESS = 1024 };

/* --------------------------------------------------------------- discovery */

/* Notes why there is no InfiniBand: no device, or no support in the kernel. UCX does not tell. */
static void note_ib(void)
{
    void *verbs = dlopen("libibverbs.so.1", RTLD_NOW);
    void **(*list)(int *) = NULL;
    *(void **)&list = verbs ? dlsym(verbs, "ibv_get_device_list") : NULL;
    int count = 0;
    errno = 0;
    if (!list)
        record_note("no NIC: libibverbs is not installed");
    else if (!list(&count))
        record_note("no NIC: ibv_get_device_list says %s", strerror(errno));
    else if (count == 0)
        record_note("no NIC: ibv_get_device_list finds no device");
    else
        record_note("%d InfiniBand devices", count);
}

static bool open_md(struct transport *transport, uct_component_h component, const char *name)
{
    uct_md_config_t *config;
    if (uct_md_config_read(component, NULL, NULL, &config) != UCS_OK)
        return false;
    ucs_status_t status = uct_md_open(component, name, config, &transport->md);
    uct_config_release(config);
    return status == UCS_OK;
}

static bool open_iface(struct transport *transport, const uct_tl_resource_desc_t *resource)
{
    uct_iface_config_t *config;
    if (uct_md_iface_config_read(transport->md, resource->tl_name, NULL, NULL, &config) != UCS_OK)
        return false;
    uct_iface_params_t params = {
        .field_mask = UCT_IFACE_PARAM_FIELD_OPEN_MODE | UCT_IFACE_PARAM_FIELD_DEVICE,
        .open_mode = UCT_IFACE_OPEN_MODE_DEVICE,
        .mode.device = {.tl_name = resource->tl_name, .dev_name = resource->dev_name}};
    ucs_status_t status =
        uct_iface_open(transport->md, transport->worker, &params, config, &transport->iface);
    uct_config_release(config);
    return status == UCS_OK;
}

/* Opens the transport `name` in this memory domain. */
static bool open_in_md(struct transport *transport, const char *name)
{
    uct_tl_resource_desc_t *resources;
    unsigned count;
    bool found = false;
    if (uct_md_query_tl_resources(transport->md, &resources, &count) != UCS_OK)
        return false;
    for (unsigned i = 0; i < count && !found; i++) {
        if (strcmp(resources[i].tl_name, name) != 0 || !open_iface(transport, &resources[i]))
            continue;
        found = true;
        snprintf(transport->name, sizeof transport->name, "%s/%s", resources[i].tl_name,
                 resources[i].dev_name);
    }
    uct_release_tl_resource_list(resources);
    return found;
}

static bool open_in_component(struct transport *transport, uct_component_h component, const char *name)
{
    uct_component_attr_t attributes = {.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCE_COUNT};
    if (uct_component_query(component, &attributes) != UCS_OK || attributes.md_resource_count == 0)
        return false;
    uct_md_resource_desc_t *domains = mem_alloc(attributes.md_resource_count, sizeof *domains, "domains");
    unsigned count = attributes.md_resource_count;
    attributes.field_mask = UCT_COMPONENT_ATTR_FIELD_MD_RESOURCES;
    attributes.md_resources = domains;
    bool found = false;
    if (uct_component_query(component, &attributes) == UCS_OK)
        for (unsigned i = 0; i < count && !found; i++) {
            if (!open_md(transport, component, domains[i].md_name))
                continue;
            found = open_in_md(transport, name);
            if (!found)
                uct_md_close(transport->md);
        }
    free(domains);
    return found;
}

/* -------------------------------------------------------------- connecting */

static bool connect_to_iface(struct transport *transport, struct probe_pair *pair)
{
    uint64_t device[ADDRESS / 8] = {0}, address[ADDRESS / 8] = {0};
    uint64_t their_device[ADDRESS / 8], their_address[ADDRESS / 8];
    uct_iface_get_device_address(transport->iface, (uct_device_addr_t *)device);
    uct_iface_get_address(transport->iface, (uct_iface_addr_t *)address);
    pair->exchange(pair, device, their_device, sizeof device);
    pair->exchange(pair, address, their_address, sizeof address);
    uct_ep_params_t params = {.field_mask = UCT_EP_PARAM_FIELD_IFACE | UCT_EP_PARAM_FIELD_DEV_ADDR |
                                            UCT_EP_PARAM_FIELD_IFACE_ADDR,
                              .iface = transport->iface,
                              .dev_addr = (const uct_device_addr_t *)their_device,
                              .iface_addr = (const uct_iface_addr_t *)their_address};
    return uct_ep_create(&params, &transport->ep) == UCS_OK;
}

static bool connect_to_ep(struct transport *transport, struct probe_pair *pair)
{
    uint64_t device[ADDRESS / 8] = {0}, address[ADDRESS / 8] = {0};
    uint64_t their_device[ADDRESS / 8], their_address[ADDRESS / 8];
    uct_ep_params_t params = {.field_mask = UCT_EP_PARAM_FIELD_IFACE, .iface = transport->iface};
    bool made = uct_ep_create(&params, &transport->ep) == UCS_OK;
    uct_iface_get_device_address(transport->iface, (uct_device_addr_t *)device);
    if (made)
        uct_ep_get_address(transport->ep, (uct_ep_addr_t *)address);
    pair->exchange(pair, device, their_device, sizeof device);
    pair->exchange(pair, address, their_address, sizeof address);
    return made && uct_ep_connect_to_ep(transport->ep, (const uct_device_addr_t *)their_device,
                                        (const uct_ep_addr_t *)their_address) == UCS_OK;
}

static bool connect_both(struct transport *transport, struct probe_pair *pair, uct_am_callback_t on_message,
                         void *self)
{
    uct_iface_attr_t attributes;
    uct_iface_query(transport->iface, &attributes);
    bool fits = (attributes.cap.flags & UCT_IFACE_FLAG_AM_SHORT) && attributes.device_addr_len <= ADDRESS &&
                attributes.iface_addr_len <= ADDRESS && attributes.ep_addr_len <= ADDRESS;
    bool to_ep = attributes.cap.flags & UCT_IFACE_FLAG_CONNECT_TO_EP;
    char mine = fits && uct_iface_set_am_handler(transport->iface, 0, on_message, self, 0) == UCS_OK, theirs;
    uct_iface_progress_enable(transport->iface, UCT_PROGRESS_SEND | UCT_PROGRESS_RECV);
    pair->exchange(pair, &mine, &theirs, 1);
    if (!mine || !theirs)
        return false;
    mine = to_ep ? connect_to_ep(transport, pair) : connect_to_iface(transport, pair);
    pair->exchange(pair, &mine, &theirs, 1);
    return mine && theirs;
}

/* ----------------------------------------------------------------- opening */

static bool open_named(struct transport *transport, uct_component_h *components, unsigned count,
                       const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (open_in_component(transport, components[i], name))
            return true;
    return false;
}

bool transport_init(struct transport *transport, struct probe_pair *pair, uct_am_callback_t on_message,
                    void *self)
{
    uct_component_h *components;
    unsigned count;
    note_ib();
    *transport = (struct transport){.is_ib = false};
    if (ucs_async_context_create(UCS_ASYNC_MODE_THREAD_SPINLOCK, &transport->async) != UCS_OK ||
        uct_worker_create(transport->async, UCS_THREAD_MODE_SINGLE, &transport->worker) != UCS_OK ||
        uct_query_components(&components, &count) != UCS_OK) {
        record_note("UCX cannot be used");
        return false;
    }
    bool connected = false;
    for (size_t i = 0; i < WANTED && !connected; i++) {
        char mine = open_named(transport, components, count, wanted[i]), theirs;
        pair->exchange(pair, &mine, &theirs, 1);
        connected = mine && theirs && connect_both(transport, pair, on_message, self);
        transport->is_ib = i < IB_TRANSPORTS;
    }
    uct_release_component_list(components);
    if (!connected)
        record_note("UCX has no transport between the two processes with short active messages");
    else if (transport->is_ib)
        record_note("%s: written from UCX's specification, not tried on hardware", transport->name);
    return connected;
}

void transport_free(struct transport *transport)
{
    uct_ep_destroy(transport->ep);
    uct_iface_close(transport->iface);
    uct_md_close(transport->md);
    uct_worker_destroy(transport->worker);
    ucs_async_context_destroy(transport->async);
}
