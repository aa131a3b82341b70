#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/ocs/ocs.h"

static bool wants_traffic(const struct config *all)
{
    const struct ocs_config *config = config_of(all, &ocs_params);
    return config->control == OCS_COMPILED ||
           (config->control == OCS_STATIC && config->circuits == OCS_CIRCUITS_TRAFFIC);
}

static void fail_switches(struct ocs *ocs)
{
    const struct ocs_failures *failed = &ocs->config->failed;
    for (uint32_t i = 0; i < failed->count; i++)
        if (failed->at[i] == 0)
            ocs_on_fail(ocs, i);
        else
            loop_at(ocs->fabric.params.loop, failed->at[i], ocs->fail_kind, i);
}

static void make_ports(struct ocs *ocs)
{
    size_t ports = (size_t)ocs->planes * ocs->nodes;
    for (enum ocs_side side = 0; side < OCS_SIDES; side++) {
        ocs->ports[side] = mem_alloc(ports, sizeof *ocs->ports[side], "ports");
        ocs->requests[side] = mem_alloc(ocs->nodes, sizeof *ocs->requests[side], "ports");
        for (size_t i = 0; i < ports; i++)
            ocs->ports[side][i] = (struct ocs_port){
                .peer = OCS_NONE, .piece = OCS_NONE, .waits_since = PS_NEVER, .list = {OCS_NONE, OCS_NONE}};
        for (uint32_t i = 0; i < ocs->nodes; i++)
            ocs->requests[side][i] = (struct ocs_list){OCS_NONE, OCS_NONE};
    }
    ocs->is_dirty = mem_alloc(ports * OCS_SIDES, sizeof *ocs->is_dirty, "ports");
    ocs->chosen = mem_alloc(ocs->nodes, sizeof *ocs->chosen, "ports");
}

static void register_events(struct ocs *ocs)
{
    struct event_loop *loop = ocs->fabric.params.loop;
    ocs->decide_kind = loop_register(loop, ocs_on_decide, ocs);
    ocs->end_kind = loop_register(loop, ocs_on_end, ocs);
    ocs->request_kind = loop_register(loop, ocs_on_request, ocs);
    ocs->round_kind = loop_register(loop, ocs_on_round, ocs);
    ocs->fail_kind = loop_register(loop, ocs_on_fail, ocs);
    ocs->hop_kind = loop_register(loop, ocs_on_hop, ocs);
    ocs->wake_kind = loop_register(loop, ocs_on_wake, ocs);
}

static enum status init(struct fabric *fabric)
{
    struct ocs *ocs = (struct ocs *)fabric;
    ocs->config = config_of(fabric->params.config, &ocs_params);
    ocs->nodes = fabric->params.nodes;
    pool_init(&ocs->transfers, sizeof(struct ocs_transfer), "messages on circuits");
    pool_init(&ocs->pieces, sizeof(struct ocs_piece), "circuits");
    enum status status = ocs_check(ocs->config, ocs->nodes);
    if (status == STATUS_OK)
        status = ocs_plan_check(ocs);
    if (status != STATUS_OK)
        return status;
    ocs->planes = ocs_planes(ocs->config);
    ocs->rate_bytes_per_s = ocs->config->bandwidth_bytes_per_s / ocs->planes;
    ocs->plane = mem_alloc(ocs->planes, sizeof *ocs->plane, "switches");
    register_events(ocs);
    if (ocs->config->control != OCS_STATIC)
        make_ports(ocs);
    fail_switches(ocs);
    if (ocs->config->control == OCS_STATIC)
        return ocs_fixed_init(ocs);
    if (ocs->config->control == OCS_COMPILED)
        ocs_count_phases(ocs);
    ocs_load_ahead(ocs);
    return STATUS_OK;
}

static void free_all(struct fabric *fabric)
{
    struct ocs *ocs = (struct ocs *)fabric;
    for (enum ocs_side side = 0; side < OCS_SIDES; side++) {
        free(ocs->ports[side]);
        free(ocs->requests[side]);
    }
    ocs_plans_free(ocs);
    ocs_fixed_free(ocs);
    pool_free(&ocs->transfers);
    pool_free(&ocs->pieces);
    hashmap_free(&ocs->by_nodes);
    free(ocs->pairs);
    free(ocs->plane);
    free(ocs->dirty);
    free(ocs->is_dirty);
    free(ocs->chosen);
    free(ocs->candidates);
    free(ocs->round_pairs);
}

static void submit(struct fabric *fabric, uint32_t message)
{
    struct ocs *ocs = (struct ocs *)fabric;
    if (ocs->config->control == OCS_STATIC)
        ocs_fixed_submit(ocs, message);
    else
        ocs_pair_submit(ocs, message);
}

static const void *statistics(struct fabric *fabric)
{
    return &((const struct ocs *)fabric)->statistics;
}

static uint64_t node_rate(const struct fabric *fabric)
{
    const struct ocs *ocs = (const struct ocs *)fabric;
    return ocs->rate_bytes_per_s * ocs->planes;
}

static size_t bytes(const struct fabric *fabric)
{
    const struct ocs *ocs = (const struct ocs *)fabric;
    size_t ports = (size_t)ocs->planes * ocs->nodes;
    size_t of_ports = ports * OCS_SIDES * (sizeof *ocs->ports[0] + 1) +
                      ocs->nodes * (OCS_SIDES * sizeof *ocs->requests[0] + sizeof *ocs->chosen);
    return (ocs->is_dirty ? of_ports : 0) + ocs_fixed_bytes(ocs) + ocs->planes * sizeof *ocs->plane +
           ocs->transfers.capacity * ocs->transfers.size + ocs->pieces.capacity * ocs->pieces.size +
           ocs->pair_capacity * sizeof *ocs->pairs +
           (ocs->by_nodes.entries ? (ocs->by_nodes.mask + 1) * sizeof *ocs->by_nodes.entries : 0) +
           ocs->dirty_capacity * sizeof *ocs->dirty + ocs->round_capacity * sizeof *ocs->round_pairs +
           ocs->candidate_capacity * sizeof *ocs->candidates + ocs->plan_capacity * sizeof *ocs->plans +
           ocs->plan_bytes;
}

static void explain(const struct fabric *fabric)
{
    const struct ocs *ocs = (const struct ocs *)fabric;
    for (uint32_t plane = 0; plane < ocs->planes; plane++)
        if (!ocs->plane[plane].has_failed)
            return;
    diag_note("all switches of ocs have failed, and %" PRIu32 " messages wait for one", ocs->transfers.live);
}

const struct fabric_ops ocs_fabric = {
    .name = "ocs",
    .doc = "optical circuit switches: circuits set up on demand, planned before the run, or fixed",
    .params = &ocs_params,
    .metrics = &ocs_metrics,
    .host_path = HOST_PATH_NIC,
    .derive = ocs_derive,
    .describe = ocs_describe,
    .hardware = ocs_hardware,
    .use = ocs_use,
    .wants_traffic = wants_traffic,
    .size = sizeof(struct ocs),
    .counted_bytes = 640,
    .init = init,
    .free = free_all,
    .submit = submit,
    .statistics = statistics,
    .node_rate = node_rate,
    .bytes = bytes,
    .estimate = ocs_estimate,
    .explain = explain,
};
