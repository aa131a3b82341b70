#include "fabric/rotor/rotor.h"

#include <inttypes.h>

#include "base/diag.h"

static const struct metric metric_list[] = {
    {"direct_messages", METRIC_COUNT, offsetof(struct rotor_statistics, direct_messages),
     "that waited for the circuit to their destination"},
    {"two_hop_messages", METRIC_COUNT, offsetof(struct rotor_statistics, two_hop_messages),
     "of which some bytes went over another node"},
    {"short_messages", METRIC_COUNT, offsetof(struct rotor_statistics, short_messages),
     "smaller than rotor.short, over circuits that were up"},
    {"direct_bytes", METRIC_BYTES_SUM, offsetof(struct rotor_statistics, direct_bytes),
     "over the circuit to their destination; a message of no bytes counts as one"},
    {"two_hop_bytes", METRIC_BYTES_SUM, offsetof(struct rotor_statistics, two_hop_bytes),
     "over one other node"},
    {"short_bytes", METRIC_BYTES_SUM, offsetof(struct rotor_statistics, short_bytes), "of short messages"},
    {"waited_s", METRIC_TIME_SUM, offsetof(struct rotor_statistics, waited),
     "summed over messages: until the first byte left"},
    {"slots", METRIC_COUNT_SUM, offsetof(struct rotor_statistics, slots),
     "of all links, that carried something"},
    {"duty_cycle", METRIC_RATIO, offsetof(struct rotor_statistics, duty_cycle),
     "share of the time in which a switch that works is not dark"},
    {"stored_peak_bytes", METRIC_BYTES, offsetof(struct rotor_statistics, stored_peak),
     "the most that a node stored for others"},
};

const struct metric_table rotor_metrics = {
    .metrics = metric_list,
    .count = sizeof metric_list / sizeof *metric_list,
    .size = sizeof(struct rotor_statistics),
};

/* Links are shared only by messages that go over other nodes. */
static bool shares_links(const struct rotor_config *config)
{
    return config->hops > 1 || config->short_bytes > 0;
}

enum rotor_reach { REACH_UNKNOWN, REACH_YES, REACH_NO };

/* Whether two matchings of switches that work lead as far as this one. */
static bool is_sum_of_two(const struct rotor_plan *plan, uint32_t matching)
{
    for (uint32_t first = 1; first < plan->nodes; first++) {
        uint32_t second = rotor_matching(plan, first, matching);
        if (second && !plan->failed[rotor_switch_of(plan, first)] &&
            !plan->failed[rotor_switch_of(plan, second)])
            return true;
    }
    return false;
}

bool rotor_can_reach(struct rotor *rotor, uint32_t source, uint32_t destination)
{
    const struct rotor_plan *plan = &rotor->plan;
    uint32_t matching = rotor_matching(plan, source, destination);
    if (!plan->failed[rotor_switch_of(plan, matching)])
        return true;
    if (rotor->config->hops > 1) {
        uint8_t *reach = &rotor->two_hops[matching];
        if (*reach == REACH_UNKNOWN)
            *reach = is_sum_of_two(plan, matching) ? REACH_YES : REACH_NO;
        if (*reach == REACH_YES)
            return true;
    }
    diag_error("node %" PRIu32 " has no circuit to node %" PRIu32 ", since switch %" PRIu32 " has failed%s",
               source, destination, rotor_switch_of(plan, matching),
               rotor->config->hops > 1 ? ", and no two other circuits lead there"
                                       : "; rotor.hops=2 goes over other nodes");
    fabric_failed(&rotor->fabric, STATUS_FAILED);
    return false;
}

static void submit(struct fabric *fabric, uint32_t index)
{
    struct rotor *rotor = (struct rotor *)fabric;
    const struct message *message = fabric_message(fabric, index);
    if (rotor->links)
        rotor_links_submit(rotor, index);
    else if (rotor_can_reach(rotor, message->source_node, message->destination_node))
        rotor_direct_submit(rotor, index);
}

static enum status init(struct fabric *fabric)
{
    struct rotor *rotor = (struct rotor *)fabric;
    const struct rotor_config *config = config_of(fabric->params.config, &rotor_params);
    rotor->config = config;
    enum status status = rotor_plan_init(&rotor->plan, fabric->params.config, fabric->params.nodes);
    if (status != STATUS_OK)
        return status;
    rotor->two_hops = mem_alloc(fabric->params.nodes, sizeof *rotor->two_hops, "matchings");
    rotor->statistics.duty_cycle = (double)config->slot_ps / (double)rotor->plan.period_ps;
    if (shares_links(config))
        rotor_links_init(rotor);
    return STATUS_OK;
}

static void free_rotor(struct fabric *fabric)
{
    struct rotor *rotor = (struct rotor *)fabric;
    rotor_links_free(rotor);
    rotor_plan_free(&rotor->plan);
    hashmap_free(&rotor->pair_numbers);
    free(rotor->free_at);
    free(rotor->two_hops);
}

static const void *statistics(struct fabric *fabric)
{
    return &((struct rotor *)fabric)->statistics;
}

static size_t bytes_held(const struct fabric *fabric)
{
    const struct rotor *rotor = (const struct rotor *)fabric;
    const struct rotor_plan *plan = &rotor->plan;
    size_t map = rotor->pair_numbers.entries ? rotor->pair_numbers.mask + 1 : 0;
    return rotor_plan_bytes(plan->nodes, plan->switches) + plan->nodes * sizeof *rotor->two_hops +
           map * sizeof *rotor->pair_numbers.entries + rotor->free_capacity * sizeof *rotor->free_at +
           (rotor->links ? rotor_links_bytes(rotor) : 0);
}

/* While messages go over other nodes, each of them has a few pieces under way, and there are as many more
 * pairs as there are nodes on their ways. */
static double estimate_links(const struct fabric_demand *demand, const struct rotor_plan *plan)
{
    const struct rotor_config *config = plan->config;
    double nodes = demand->nodes, links = nodes * plan->switches, all = nodes * (nodes - 1);
    double pairs = config->hops > 1 ? demand->pairs * plan->switches : demand->pairs;
    double cells = demand->bytes / (double)(plan->cell_bytes ? plan->cell_bytes : 1) + 1;
    double pieces = demand->messages * (cells < plan->switches ? cells : plan->switches);
    pairs = pairs < all ? pairs : all;
    return links * (double)sizeof(struct rotor_link) +
           nodes * (double)(sizeof(struct rotor_node) + (config->short_bytes ? 3 * sizeof(uint32_t) : 0)) +
           estimate_array(pairs, sizeof(struct rotor_pair)) +
           estimate_pool(demand->messages, sizeof(struct rotor_message)) +
           estimate_pool(pieces, sizeof(struct rotor_piece)) + loop_estimate(links + pairs + pieces);
}

static enum status estimate_memory(const struct fabric_demand *demand, struct estimate *estimate)
{
    struct rotor_plan plan;
    enum status status = rotor_plan_init(&plan, demand->config, demand->nodes);
    if (status == STATUS_OK) {
        double bytes = (double)rotor_plan_bytes(demand->nodes, plan.switches) + demand->nodes;
        bytes += estimate_power(2 * demand->pairs, 16) * (double)sizeof(struct hashmap_entry);
        bytes += shares_links(plan.config) ? estimate_links(demand, &plan)
                                           : estimate_array(demand->pairs, sizeof(ps_t));
        fabric_estimate_add(estimate, bytes);
    }
    rotor_plan_free(&plan);
    return status;
}

const struct fabric_ops rotor_fabric = {
    .name = "rotor",
    .doc = "optical switches that rotate through fixed matchings (RotorNet, Opera, Sirius)",
    .params = &rotor_params,
    .metrics = &rotor_metrics,
    .host_path = HOST_PATH_NIC,
    .derive = rotor_derive,
    .describe = rotor_describe,
    .hardware = rotor_hardware,
    .size = sizeof(struct rotor),
    .init = init,
    .free = free_rotor,
    .submit = submit,
    .statistics = statistics,
    .bytes = bytes_held,
    .estimate = estimate_memory,
};
