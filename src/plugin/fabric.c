#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/list.h"
#include "plugin/plugin.h"

/* A fabric of the public header behind the ops of fabric/fabric.h. Its functions belong to somebody else, so
 * what they say is checked. */

/* What the list of fabrics holds: ops, and what they lead to. */
struct plugin_fabric_entry {
    struct fabric_ops ops; /* first: a fabric knows its ops */
    const struct heliograph_fabric *fabric;
};

struct plugin_fabric {
    struct fabric fabric;
    const struct heliograph_fabric *functions;
    void *state;
    bool is_open; /* end() is due */
    bool failed;
};

static enum status plugin_fabric_init(struct fabric *fabric)
{
    struct plugin_fabric *self = (struct plugin_fabric *)fabric;
    const struct heliograph_fabric *functions = ((const struct plugin_fabric_entry *)fabric->ops)->fabric;
    const struct fabric_params *params = &fabric->params;
    struct heliograph_fabric_setup setup = {
        .struct_size = sizeof setup, .nodes = params->nodes, .seed = params->seed};
    if (fabric->ops->params)
        setup.values = config_of(params->config, fabric->ops->params);
    self->functions = functions;
    self->state = functions->begin ? functions->begin(functions->self, &setup) : functions->self;
    self->is_open = !functions->begin || self->state;
    if (!self->is_open)
        diag_error("the fabric %s cannot be set up for %u nodes", functions->name, params->nodes);
    return self->is_open ? STATUS_OK : STATUS_FAILED;
}

static void plugin_fabric_free(struct fabric *fabric)
{
    struct plugin_fabric *self = (struct plugin_fabric *)fabric;
    if (self->is_open && self->functions->end)
        self->functions->end(self->state);
}

static bool is_possible(int64_t now, const struct heliograph_transfer *times)
{
    return times->visible_ps >= now && times->sender_done_ps >= now &&
           times->delivered_ps >= times->visible_ps && times->delivered_ps >= times->sender_done_ps;
}

static void fail(struct plugin_fabric *self, const struct heliograph_message *message,
                 const struct heliograph_transfer *times)
{
    diag_error("the fabric %s says that a message of %" PRIu64 " bytes, ready at %" PRId64
               " ps, is visible at %" PRId64 ", has left at %" PRId64 " and is delivered at %" PRId64
               " ps; nothing may be earlier than ready or later than delivered",
               self->functions->name, message->bytes, message->now_ps, times->visible_ps,
               times->sender_done_ps, times->delivered_ps);
    self->failed = true;
    fabric_failed(&self->fabric, STATUS_FAILED);
}

static void plugin_fabric_submit(struct fabric *fabric, uint32_t index)
{
    struct plugin_fabric *self = (struct plugin_fabric *)fabric;
    if (self->failed)
        return;
    const struct message *moved = fabric_message(fabric, index);
    ps_t now = fabric_now(fabric);
    const struct heliograph_message message = {.source = moved->source_node,
                                               .destination = moved->destination_node,
                                               .bytes = moved->bytes,
                                               .now_ps = now};
    struct heliograph_transfer times = {.visible_ps = now, .sender_done_ps = now, .delivered_ps = now};
    self->functions->transfer(self->state, &message, &times);
    if (!is_possible(now, &times)) {
        fail(self, &message, &times);
        return;
    }
    fabric_visible(fabric, index, times.visible_ps);
    fabric_sender_done(fabric, index, times.sender_done_ps);
    fabric_delivered(fabric, index, times.delivered_ps);
}

/* What a plug-in allocates is its own affair; the message pool is in the engine's part. */
static enum status plugin_fabric_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    estimate->unknown = demand->ops->name;
    return STATUS_OK;
}

static enum status refuse(struct heliograph_fabric *copy)
{
    free((char *)copy->name);
    free((char *)copy->doc);
    free(copy);
    return STATUS_BAD_INPUT;
}

enum status plugin_register_fabric(const struct heliograph_fabric *fabric)
{
    if (!plugin_struct_is_valid("a fabric", fabric->struct_size,
                                offsetof(struct heliograph_fabric, transfer) + sizeof fabric->transfer,
                                fabric->name, fabric->doc))
        return STATUS_BAD_INPUT;
    if (!fabric->transfer) {
        diag_error("fabric %s has no function transfer", fabric->name);
        return STATUS_BAD_INPUT;
    }
    if (fabric_find(fabric->name)) {
        diag_error("there is a fabric %s already", fabric->name);
        return STATUS_BAD_INPUT;
    }
    struct heliograph_fabric *copy = plugin_copy(fabric, fabric->struct_size, sizeof *copy);
    copy->name = mem_text(fabric->name);
    copy->doc = mem_text(fabric->doc);
    const struct param_table *params = NULL;
    if (copy->parameter_count && !(params = plugin_parameters(copy->doc, copy->name, copy->name,
                                                              copy->parameters, copy->parameter_count, 0)))
        return refuse(copy);
    struct plugin_fabric_entry *entry = mem_alloc(1, sizeof *entry, "a fabric");
    *entry = (struct plugin_fabric_entry){.fabric = copy,
                                          .ops = {.name = copy->name,
                                                  .doc = copy->doc,
                                                  .params = params,
                                                  .host_path = HOST_PATH_NIC,
                                                  .size = sizeof(struct plugin_fabric),
                                                  .init = plugin_fabric_init,
                                                  .free = plugin_fabric_free,
                                                  .submit = plugin_fabric_submit,
                                                  .estimate = plugin_fabric_estimate,
                                                  .is_immediate = true}};
    return fabric_add(&entry->ops);
}
