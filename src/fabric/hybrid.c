#include <inttypes.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/queue_table.h"
#include "base/units.h"
#include "fabric/list.h"

/* Hybrid FMU (FMU paper, sections IV-C and VI-C): small messages take the packet network, large ones an FMU.
 * The pivot is the size for which both take the same time without contention, Eq. 7:
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

PARAM_TABLE(
    hybrid_params, "hybrid", struct hybrid_config,
    "small messages by the packet network, large ones by FMU; their parameters are those of packet and fmu",
    {.name = "hybrid.pivot",
     .type = PARAM_CUSTOM,
     .offset = 0,
     .default_text = "auto",
     .parse = parse_pivot,
     .doc = "smallest message that takes an FMU; auto: from Eq. 7, 37066 B as published"});

struct hybrid_statistics {
    _Alignas(sum_t) uint64_t by_network; /* the FMUs' statistics follow this struct, and have sums */
    uint64_t by_fmu, pivot_bytes;
};

/* What these statistics, with those of the FMUs, count as in the memory of a run. */
enum { STATISTICS_BYTES = 184 };

static const struct metric own_metrics[] = {
    {"network_messages", METRIC_COUNT, offsetof(struct hybrid_statistics, by_network),
     "that took the network"},
    {"fmu_messages", METRIC_COUNT, offsetof(struct hybrid_statistics, by_fmu), "that took an FMU"},
    {"pivot_bytes", METRIC_BYTES, offsetof(struct hybrid_statistics, pivot_bytes),
     "smallest message that takes an FMU"},
};
enum { OWN_METRICS = sizeof own_metrics / sizeof *own_metrics };

/* Its own metrics, and behind them those of the FMUs. They are known when the first hybrid fabric opens, and
 * a result keeps them when the fabric is closed, so they stay for the rest of the process. */
static struct metric_table hybrid_metrics;

/* What Eq. 7 compares. */
struct hybrid_paths {
    ps_t network_latency_ps, fmu_switch_ps;
    uint64_t network_bytes_per_s, fmu_bytes_per_s;
};

/* An FMU takes sizes in [fmu_from, fmu_below). Where Eq. 7 leaves no choice, note says so; NULL: none. */
struct hybrid_sizes {
    uint64_t fmu_from, fmu_below;
    const char *note;
};

struct hybrid {
    struct fabric fabric;
    struct fabric *network, *fmu;
    struct queue_table pairs; /* (source, destination): index into last_visible, in queue.head */
    ps_t *last_visible;       /* of a pair of ranks: when its last envelope became visible */
    size_t pair_count, pair_capacity;
    struct hybrid_sizes sizes;
    struct hybrid_statistics counted;
    unsigned char *statistics; /* a struct hybrid_statistics, and the FMUs' behind it */
};

/* -------------------------------------------------------------------- pivot */

/* ceil of Eq. 7's root, of either sign: what the FMU's fixed cost is above the network's, divided by what the
 * network's cost of a byte is above the FMU's. False when there is no root, because both costs of a byte are
 * equal. */
static bool pivot_of(const struct hybrid_paths *paths, __int128 *root)
{
    const __int128 fixed = 2 * (__int128)paths->fmu_switch_ps - paths->network_latency_ps;
    const __int128 bw_network = (__int128)paths->network_bytes_per_s,
                   bw_fmu = (__int128)paths->fmu_bytes_per_s;
    const __int128 per_byte = bw_fmu - 2 * bw_network; /* in units of 1 / (bw_network bw_fmu) s */
    if (per_byte == 0)
        return false;
    /* In double: the product of two rates above 2^50 B/s and a time does not fit 128 bits. */
    double exact = (double)fixed / (double)PS_PER_S * (double)bw_network * (double)bw_fmu / (double)per_byte;
    if (exact > 0x1p62 || exact < -0x1p62) {
        *root = exact > 0 ? (__int128)1 << 62 : -((__int128)1 << 62);
        return true;
    }
    *root = (__int128)exact;
    *root += (double)*root < exact;
    return true;
}

/* The network's NICs, of which FMUs have none. With host.system they belong to the host model, and Eq. 7 has
 * no term for them. */
static ps_t nics_ps(const struct config *config)
{
    const struct machine_config *machine = config_of(config, &machine_params);
    return machine && !config_text(config, "host.system") ? ps_times(machine->nic_latency_ps, 2) : 0;
}

static struct hybrid_paths paths_of(const struct config *config)
{
    ps_t latency_ps = *(const ps_t *)config_field(config, "packet.latency");
    return (struct hybrid_paths){.network_latency_ps = ps_add(latency_ps, nics_ps(config)),
                                 .network_bytes_per_s =
                                     *(const uint64_t *)config_field(config, "packet.bandwidth"),
                                 .fmu_switch_ps = *(const ps_t *)config_field(config, "fmu.t_switch"),
                                 .fmu_bytes_per_s = *(const uint64_t *)config_field(config, "fmu.bandwidth")};
}

static struct hybrid_sizes sizes_of(const struct config *all)
{
    const struct hybrid_config *config = config_of(all, &hybrid_params);
    if (!config->automatic)
        return (struct hybrid_sizes){.fmu_from = config->pivot_bytes, .fmu_below = UINT64_MAX};
    const struct hybrid_paths paths = paths_of(all);
    bool fmu_costs_more = 2 * (__int128)paths.fmu_switch_ps > paths.network_latency_ps;
    bool fmu_is_faster = paths.fmu_bytes_per_s > 2 * (unsigned __int128)paths.network_bytes_per_s;
    __int128 root;
    bool positive = pivot_of(&paths, &root) && root > 0;
    if (positive && fmu_costs_more)
        return (struct hybrid_sizes){.fmu_from = (uint64_t)root, .fmu_below = UINT64_MAX};
    if (positive)
        return (struct hybrid_sizes){
            .fmu_below = (uint64_t)root,
            .note =
                "hybrid: 2 T_switch is below the network's latency, and half the FMU's bandwidth is below "
                "the network's; so the messages below the pivot take an FMU"};
    if (fmu_is_faster || !fmu_costs_more)
        return (struct hybrid_sizes){
            .fmu_below = UINT64_MAX,
            .note = "hybrid: all messages take an FMU, which is faster than the network at any size (Eq. 7)"};
    return (struct hybrid_sizes){
        .fmu_from = UINT64_MAX,
        .fmu_below = UINT64_MAX,
        .note = "hybrid: all messages take the network, which is faster than an FMU at any size (Eq. 7)"};
}

/* ---------------------------------------------------------------- callbacks */

/* Both paths share the order of a pair's envelopes: none becomes visible before one that was sent earlier. */
static void on_visible(void *self, uint32_t index, ps_t at)
{
    struct hybrid *hybrid = self;
    const struct message *message = fabric_message(&hybrid->fabric, index);
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
    fabric_visible(&hybrid->fabric, index, *last);
}

static void on_sender_done(void *self, uint32_t index, ps_t at)
{
    fabric_sender_done(&((const struct hybrid *)self)->fabric, index, at);
}

static void on_delivered(void *self, uint32_t index, ps_t at)
{
    fabric_delivered(&((const struct hybrid *)self)->fabric, index, at);
}

static void on_failed(void *self, enum status status)
{
    fabric_failed(&((const struct hybrid *)self)->fabric, status);
}

/* ------------------------------------------------------------------- fabric */

static bool hybrid_is_buffered(const struct fabric *fabric, const struct message *message)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    return message->bytes >= hybrid->sizes.fmu_from && message->bytes < hybrid->sizes.fmu_below &&
           hybrid->fmu->ops->can_move(hybrid->fmu, message);
}

static void hybrid_submit(struct fabric *fabric, uint32_t index)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    bool by_fmu = hybrid_is_buffered(fabric, fabric_message(fabric, index));
    struct fabric *path = by_fmu ? hybrid->fmu : hybrid->network;
    *(by_fmu ? &hybrid->counted.by_fmu : &hybrid->counted.by_network) += 1;
    path->ops->submit(path, index);
}

static void hybrid_match(struct fabric *fabric, uint32_t index)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    hybrid->fmu->ops->match(hybrid->fmu, index);
}

static void list_metrics(const struct metric_table *of_fmus)
{
    if (hybrid_metrics.metrics)
        return;
    struct metric *metrics = mem_alloc(OWN_METRICS + of_fmus->count, sizeof *metrics, "metrics");
    memcpy(metrics, own_metrics, sizeof own_metrics);
    for (size_t i = 0; i < of_fmus->count; i++) {
        metrics[OWN_METRICS + i] = of_fmus->metrics[i];
        metrics[OWN_METRICS + i].offset += sizeof(struct hybrid_statistics);
    }
    hybrid_metrics = (struct metric_table){.metrics = metrics,
                                           .count = OWN_METRICS + of_fmus->count,
                                           .size = sizeof(struct hybrid_statistics) + of_fmus->size};
}

/* One of the two fabrics below this one, by its name. */
static enum status open_below(struct hybrid *hybrid, const char *name, struct fabric **fabric)
{
    const struct fabric_ops *ops = fabric_find(name);
    if (!ops) {
        diag_error("hybrid is made of packet and fmu, and there is no fabric %s in this program", name);
        return STATUS_FAILED;
    }
    struct fabric_params params = hybrid->fabric.params;
    params.callbacks = (struct fabric_callbacks){.self = hybrid,
                                                 .visible = on_visible,
                                                 .sender_done = on_sender_done,
                                                 .delivered = on_delivered,
                                                 .failed = on_failed};
    return fabric_open(ops, &params, fabric);
}

static enum status hybrid_init(struct fabric *fabric)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    const struct config *config = fabric->params.config;
    queue_table_init(&hybrid->pairs);
    enum status status = open_below(hybrid, "packet", &hybrid->network);
    if (status == STATUS_OK)
        status = open_below(hybrid, "fmu", &hybrid->fmu);
    if (status != STATUS_OK)
        return status;
    hybrid->sizes = sizes_of(config);
    if (hybrid->sizes.note)
        diag_note("%s", hybrid->sizes.note);
    hybrid->counted.pivot_bytes = hybrid->sizes.fmu_from;
    list_metrics(hybrid->fmu->ops->metrics);
    hybrid->statistics = mem_alloc(1, hybrid_metrics.size, "statistics");
    return STATUS_OK;
}

static void hybrid_free(struct fabric *fabric)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    fabric_close(hybrid->network);
    fabric_close(hybrid->fmu);
    queue_table_free(&hybrid->pairs);
    free(hybrid->last_visible);
    free(hybrid->statistics);
}

static const void *hybrid_statistics_of(struct fabric *fabric)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    const struct fabric_ops *fmu = hybrid->fmu->ops;
    memcpy(hybrid->statistics, &hybrid->counted, sizeof hybrid->counted);
    memcpy(hybrid->statistics + sizeof hybrid->counted, fmu->statistics(hybrid->fmu), fmu->metrics->size);
    return hybrid->statistics;
}

static uint64_t hybrid_node_rate(const struct fabric *fabric)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    return hybrid->network->ops->node_rate(hybrid->network);
}

static size_t hybrid_bytes(const struct fabric *fabric)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    return queue_table_bytes(&hybrid->pairs) + hybrid->pair_capacity * sizeof *hybrid->last_visible +
           STATISTICS_BYTES + fabric_memory_bytes(hybrid->network) + fabric_memory_bytes(hybrid->fmu);
}

/* Messages of the mean size decide which of the two gets all. */
static enum status hybrid_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    struct hybrid_sizes sizes = sizes_of(demand->config);
    bool by_fmu = demand->bytes >= (double)sizes.fmu_from && demand->bytes < (double)sizes.fmu_below;
    const char *const names[] = {by_fmu ? "packet" : "fmu", by_fmu ? "fmu" : "packet"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fabric_demand part = *demand;
        part.ops = fabric_find(names[i]);
        if (i == 0)
            part.messages = part.with_bytes = 0;
        enum status status = part.ops ? fabric_estimate(&part, estimate) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    fabric_estimate_add(estimate,
                        queue_table_estimate(demand->pairs) + estimate_array(demand->pairs, sizeof(ps_t)));
    return STATUS_OK;
}

static void hybrid_explain(const struct fabric *fabric)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    hybrid->fmu->ops->explain(hybrid->fmu);
}

/* Both ways out of a node, `description` of the one for empty messages; the other one takes `what`. */
static void add_way(struct fabric_description *description, const struct fabric_description *other,
                    const char *what)
{
    char rate[64];
    description_add(&description->notes, "%s, at another %s", what,
                    units_print_rate(other->rate_bytes_per_s, rate, sizeof rate));
    if (__builtin_add_overflow(description->rate_bytes_per_s, other->rate_bytes_per_s,
                               &description->rate_bytes_per_s))
        description->rate_bytes_per_s = UINT64_MAX;
    if (other->message_rate_bytes_per_s > description->message_rate_bytes_per_s)
        description->message_rate_bytes_per_s = other->message_rate_bytes_per_s;
}

/* The latency is that of the way which messages of no bytes take. */
static void hybrid_describe(const struct config *config, uint32_t nodes,
                            struct fabric_description *description)
{
    const struct fabric_ops *network = fabric_find("packet"), *fmu = fabric_find("fmu");
    const struct hybrid_sizes sizes = sizes_of(config);
    struct fabric_description other = {.latency_ps = 0};
    char size[64], what[128];
    if (!network || !fmu)
        return;
    if (sizes.fmu_from >= sizes.fmu_below) {
        network->describe(config, nodes, description);
        description_add(&description->notes, "all messages go by packet, the faster way at any size");
    } else if (sizes.fmu_from > 0) {
        network->describe(config, nodes, description);
        fmu->describe(config, nodes, &other);
        snprintf(what, sizeof what, "messages of %s or more go through FMUs",
                 units_print_size(sizes.fmu_from, size, sizeof size));
        add_way(description, &other, what);
    } else {
        fmu->describe(config, nodes, description);
        if (sizes.fmu_below == UINT64_MAX)
            return;
        network->describe(config, nodes, &other);
        snprintf(what, sizeof what, "messages of %s or more go by packet",
                 units_print_size(sizes.fmu_below, size, sizeof size));
        add_way(description, &other, what);
    }
}

const struct fabric_ops hybrid_fabric = {
    .name = "hybrid",
    .doc = "small messages by the packet network, large ones through FMUs",
    .params = &hybrid_params,
    .metrics = &hybrid_metrics,
    .host_path = HOST_PATH_NIC,
    .latency_name = "packet.latency",
    .describe = hybrid_describe,
    .size = sizeof(struct hybrid),
    .counted_bytes = 144,
    .init = hybrid_init,
    .free = hybrid_free,
    .submit = hybrid_submit,
    .is_buffered = hybrid_is_buffered,
    .match = hybrid_match,
    .statistics = hybrid_statistics_of,
    .node_rate = hybrid_node_rate,
    .bytes = hybrid_bytes,
    .estimate = hybrid_estimate,
    .explain = hybrid_explain,
};
