#include <inttypes.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/queue_table.h"
#include "base/units.h"
#include "fabric/fmu.h"
#include "fabric/fmu_metrics.h"
#include "fabric/list.h"
#include "fabric/packet.h"

/* Hybrid FMU (FMU paper, sections IV-C and VI-C): small messages take the packet network, large ones an FMU.
 * The pivot between them is where both take the same time when nothing is in their way, Eq. 7:
 *
 *     T_L + S / BW_network = 2 T_switch + 2 S / BW_FMU
 */
struct hybrid_config {
    bool automatic;
    uint64_t pivot_bytes; /* the smallest message that takes an FMU, when not automatic */
};

static bool parse_pivot(const struct param *self, const char *text, void *field,
                        struct param_problem *problem)
{
    (void)self;
    struct hybrid_config *config = field;
    struct units_problem unit_problem;
    config->automatic = strcmp(text, "auto") == 0;
    if (config->automatic || units_size(text, &config->pivot_bytes, &unit_problem))
        return true;
    snprintf(problem->text, sizeof problem->text, "%s; or 'auto', for Eq. 7", unit_problem.text);
    problem->at = unit_problem.at;
    return false;
}

PARAM_TABLE(hybrid_params, "hybrid", struct hybrid_config,
            "small messages by the packet network, large ones by FMU; parameters of both are theirs",
            {.name = "hybrid.pivot",
             .type = PARAM_CUSTOM,
             .offset = 0,
             .default_text = "auto",
             .parse = parse_pivot,
             .doc = "smallest message that takes an FMU; auto: from Eq. 7, 37066 B with the defaults"});

struct hybrid_statistics {
    uint64_t by_network, by_fmu, pivot_bytes;
    struct fmu_statistics fmu;
};

static const struct metric metric_list[] = {
    {"network_messages", METRIC_COUNT, offsetof(struct hybrid_statistics, by_network),
     "that took the network"},
    {"fmu_messages", METRIC_COUNT, offsetof(struct hybrid_statistics, by_fmu), "that took an FMU"},
    {"pivot_bytes", METRIC_BYTES, offsetof(struct hybrid_statistics, pivot_bytes),
     "smallest message that takes an FMU"},
    FMU_METRICS(offsetof(struct hybrid_statistics, fmu)),
};
static const struct metric_table hybrid_metrics = {.metrics = metric_list,
                                                   .count = sizeof metric_list / sizeof *metric_list,
                                                   .size = sizeof(struct hybrid_statistics)};

/* When the last envelope of a pair of ranks became visible. */
struct hybrid {
    struct fabric fabric;
    struct fabric *network, *fmu;
    const struct fmu_config *fmu_config;
    struct fabric_callbacks callbacks; /* of whoever uses us */
    const struct pool *messages;
    struct queue_table pairs; /* (source, destination): index into last_visible, in queue.head */
    ps_t *last_visible;
    size_t pair_count, pair_capacity;
    uint64_t fmu_from, fmu_below; /* an FMU takes sizes in [fmu_from, fmu_below) */
    struct hybrid_statistics statistics;
};

/* ------------------------------------------------------------------------------------------------- pivot */

/* ceil of Eq. 7's root, of either sign: the FMU's fixed cost over the network's, divided by what a byte costs
 * the network more. False when there is none, because a byte costs both the same. */
static bool pivot_of(const struct packet_config *network, const struct fmu_config *fmu, __int128 *root)
{
    const __int128 fixed = 2 * (__int128)fmu->t_switch - network->latency_ps;
    const __int128 bw_network = (__int128)network->bandwidth_bytes_per_s,
                   bw_fmu = (__int128)fmu->bandwidth_bytes_per_s;
    const __int128 per_byte = bw_fmu - 2 * bw_network; /* times 1 / (bw_network bw_fmu) s */
    if (per_byte == 0)
        return false;
    /* Rates above 2^50 B/s would not fit the product of two rates and a time. */
    double exact = (double)fixed / (double)PS_PER_S * (double)bw_network * (double)bw_fmu / (double)per_byte;
    if (exact > 0x1p62 || exact < -0x1p62) {
        *root = exact > 0 ? (__int128)1 << 62 : -((__int128)1 << 62);
        return true;
    }
    *root = (__int128)exact;
    *root += (double)*root < exact;
    return true;
}

/* Which sizes take an FMU, and a word about it where Eq. 7 leaves no choice. */
static void choose_sizes(struct hybrid *hybrid, const struct hybrid_config *config,
                         const struct packet_config *network)
{
    hybrid->fmu_from = config->pivot_bytes;
    hybrid->fmu_below = UINT64_MAX;
    if (!config->automatic)
        return;
    const struct fmu_config *fmu = hybrid->fmu_config;
    bool fmu_costs_more = 2 * (__int128)fmu->t_switch > network->latency_ps;
    bool fmu_is_faster = fmu->bandwidth_bytes_per_s > 2 * (unsigned __int128)network->bandwidth_bytes_per_s;
    __int128 root;
    bool positive = pivot_of(network, fmu, &root) && root > 0;
    if (positive && fmu_costs_more) {
        hybrid->fmu_from = (uint64_t)root;
    } else if (positive) {
        hybrid->fmu_from = 0;
        hybrid->fmu_below = (uint64_t)root;
        diag_note("hybrid: 2 T_switch is below the network's latency and half the FMU's bandwidth below the "
                  "network's, so "
                  "the messages below the pivot take the FMU");
    } else {
        hybrid->fmu_from = fmu_is_faster || !fmu_costs_more ? 0 : UINT64_MAX;
        diag_note("hybrid: Eq. 7 has no positive root, so all messages take %s",
                  hybrid->fmu_from ? "the network" : "an FMU");
    }
}

/* ------------------------------------------------------------------------------------------------ answers */

/* Both paths share the order of a pair's envelopes: none becomes visible before one that was sent earlier. */
static void answer_visible(void *self, uint32_t index, ps_t at)
{
    struct hybrid *hybrid = self;
    const struct message *message = message_at(hybrid->messages, index);
    struct queue_key key = {.high = message->source, .low = message->destination};
    struct queue_table_entry *pair = queue_table_at(&hybrid->pairs, key);
    if (pair->queue.head == POOL_NONE) {
        pair->queue.head = (uint32_t)hybrid->pair_count++;
        hybrid->last_visible =
            mem_grow(hybrid->last_visible, &hybrid->pair_capacity, hybrid->pair_count, "envelope order");
        hybrid->last_visible[pair->queue.head] = 0;
    }
    ps_t *last = &hybrid->last_visible[pair->queue.head];
    *last = ps_max(*last, at);
    hybrid->callbacks.visible(hybrid->callbacks.self, index, *last);
}

static void answer_sender_done(void *self, uint32_t index, ps_t at)
{
    const struct hybrid *hybrid = self;
    hybrid->callbacks.sender_done(hybrid->callbacks.self, index, at);
}

static void answer_delivered(void *self, uint32_t index, ps_t at)
{
    const struct hybrid *hybrid = self;
    hybrid->callbacks.delivered(hybrid->callbacks.self, index, at);
}

static void answer_failed(void *self, enum status status)
{
    const struct hybrid *hybrid = self;
    hybrid->callbacks.failed(hybrid->callbacks.self, status);
}

/* ------------------------------------------------------------------------------------------------- fabric */

static bool hybrid_is_buffered(const struct fabric *fabric, const struct message *message)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    const struct transfer as_stored = {.bytes = message->bytes};
    return message->bytes >= hybrid->fmu_from && message->bytes < hybrid->fmu_below &&
           fmu_entry_bytes(&as_stored) <= hybrid->fmu_config->capacity_bytes;
}

static void hybrid_submit(struct fabric *fabric, uint32_t index)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    bool stored = hybrid_is_buffered(fabric, message_at(hybrid->messages, index));
    struct fabric *path = stored ? hybrid->fmu : hybrid->network;
    *(stored ? &hybrid->statistics.by_fmu : &hybrid->statistics.by_network) += 1;
    path->ops->submit(path, index);
}

static void hybrid_match(struct fabric *fabric, uint32_t index)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    hybrid->fmu->ops->match(hybrid->fmu, index);
}

static enum status hybrid_prepare(const struct fabric_params *plan, struct fabric **fabric)
{
    struct hybrid *hybrid = mem_alloc(1, sizeof *hybrid, "the hybrid fabric");
    hybrid->fabric.ops = &hybrid_fabric;
    hybrid->callbacks = plan->callbacks;
    hybrid->messages = plan->messages;
    hybrid->fmu_config = config_of(plan->config, &fmu_params);
    queue_table_init(&hybrid->pairs);
    choose_sizes(hybrid, config_of(plan->config, &hybrid_params), config_of(plan->config, &packet_params));
    hybrid->statistics.pivot_bytes = hybrid->fmu_from;

    struct fabric_params below = *plan;
    below.callbacks = (struct fabric_callbacks){.self = hybrid,
                                                .visible = answer_visible,
                                                .sender_done = answer_sender_done,
                                                .delivered = answer_delivered,
                                                .failed = answer_failed};
    *fabric = &hybrid->fabric;
    enum status status = packet_fabric.prepare(&below, &hybrid->network);
    return status == STATUS_OK ? fmu_fabric.prepare(&below, &hybrid->fmu) : status;
}

static const void *hybrid_statistics_of(struct fabric *fabric)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    const struct fmu_statistics *fmu = hybrid->fmu->ops->statistics(hybrid->fmu);
    hybrid->statistics.fmu = *fmu;
    return &hybrid->statistics;
}

static size_t hybrid_bytes(const struct fabric *fabric)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    return sizeof *hybrid + queue_table_bytes(&hybrid->pairs) +
           hybrid->pair_capacity * sizeof *hybrid->last_visible +
           hybrid->network->ops->bytes(hybrid->network) + hybrid->fmu->ops->bytes(hybrid->fmu);
}

static void hybrid_explain(const struct fabric *fabric)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    hybrid->fmu->ops->explain(hybrid->fmu);
}

static void hybrid_close(struct fabric *fabric)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    if (hybrid->network)
        hybrid->network->ops->close(hybrid->network);
    if (hybrid->fmu)
        hybrid->fmu->ops->close(hybrid->fmu);
    queue_table_free(&hybrid->pairs);
    free(hybrid->last_visible);
    free(hybrid);
}

static uint64_t hybrid_node_rate(const struct fabric *fabric)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    return hybrid->network->ops->node_rate(hybrid->network);
}

const struct fabric_ops hybrid_fabric = {
    .name = "hybrid",
    .doc = "small messages by the packet network, large ones through FMUs",
    .params = &hybrid_params,
    .metrics = &hybrid_metrics,
    .is_buffered = hybrid_is_buffered,
    .host_path = HOST_PATH_NIC,
    .node_rate = hybrid_node_rate,
    .latency_name = "packet.latency",
    .prepare = hybrid_prepare,
    .submit = hybrid_submit,
    .match = hybrid_match,
    .statistics = hybrid_statistics_of,
    .bytes = hybrid_bytes,
    .explain = hybrid_explain,
    .close = hybrid_close,
};
