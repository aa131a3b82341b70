#include "fabric/hybrid/hybrid.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/queue_table.h"
#include "base/units.h"
#include "fabric/list.h"

struct hybrid_statistics {
    _Alignas(sum_t) uint64_t by_network; /* the large way's statistics follow this struct, and have sums */
    uint64_t by_large, pivot_bytes;
    double switched_bytes; /* struct hardware_use, of the network */
};

/* What these statistics, with those of the FMUs, count as in the memory of a run. */
enum { STATISTICS_BYTES = 184 };

static const struct metric own_metrics[] = {
    {"network_messages", METRIC_COUNT, offsetof(struct hybrid_statistics, by_network),
     "that took the network"},
    {NULL, METRIC_COUNT, offsetof(struct hybrid_statistics, by_large), "that took the way of large messages"},
    {"pivot_bytes", METRIC_BYTES, offsetof(struct hybrid_statistics, pivot_bytes), "smallest large message"},
};
enum { OWN_METRICS = sizeof own_metrics / sizeof *own_metrics, OF_LARGE = 1 };

/* Its own metrics, and behind them those of the large way. They are known when the first such fabric opens,
 * and a result keeps them when the fabric is closed, so they stay for the rest of the process. */
static struct metric_table hybrid_metrics[HYBRID_LARGE_KINDS];

struct hybrid {
    struct fabric fabric;
    enum hybrid_large kind;
    struct fabric *network, *large;
    struct queue_table pairs; /* (source, destination): index into last_visible, in queue.head */
    ps_t *last_visible;       /* of a pair of ranks: when its last envelope became visible */
    size_t pair_count, pair_capacity;
    struct hybrid_sizes sizes;
    struct hybrid_statistics counted;
    unsigned char *statistics; /* a struct hybrid_statistics, and the large way's behind it */
};

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

static bool is_large(const struct hybrid *hybrid, const struct message *message)
{
    const struct fabric *large = hybrid->large;
    return message->bytes >= hybrid->sizes.from && message->bytes < hybrid->sizes.below &&
           (!large->ops->can_move || large->ops->can_move(large, message));
}

static bool hybrid_is_buffered(const struct fabric *fabric, const struct message *message)
{
    const struct hybrid *hybrid = (const struct hybrid *)fabric;
    const struct fabric *large = hybrid->large;
    return large->ops->is_buffered && is_large(hybrid, message) && large->ops->is_buffered(large, message);
}

static void hybrid_submit(struct fabric *fabric, uint32_t index)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    bool by_large = is_large(hybrid, fabric_message(fabric, index));
    struct fabric *path = by_large ? hybrid->large : hybrid->network;
    *(by_large ? &hybrid->counted.by_large : &hybrid->counted.by_network) += 1;
    path->ops->submit(path, index);
}

static void hybrid_match(struct fabric *fabric, uint32_t index)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    hybrid->large->ops->match(hybrid->large, index);
}

static void list_metrics(enum hybrid_large kind, const struct metric_table *of_large)
{
    if (hybrid_metrics[kind].metrics)
        return;
    struct metric *metrics = mem_alloc(OWN_METRICS + of_large->count, sizeof *metrics, "metrics");
    memcpy(metrics, own_metrics, sizeof own_metrics);
    metrics[OF_LARGE].name = hybrid_ways[kind].messages_metric;
    for (size_t i = 0; i < of_large->count; i++) {
        metrics[OWN_METRICS + i] = of_large->metrics[i];
        metrics[OWN_METRICS + i].offset += sizeof(struct hybrid_statistics);
    }
    hybrid_metrics[kind] = (struct metric_table){.metrics = metrics,
                                                 .count = OWN_METRICS + of_large->count,
                                                 .size = sizeof(struct hybrid_statistics) + of_large->size};
}

static const struct metric_table *metrics_of(const struct fabric *fabric)
{
    return &hybrid_metrics[((const struct hybrid *)fabric)->kind];
}

/* One of the two fabrics below this one, by its name. */
static enum status open_below(struct hybrid *hybrid, const char *name, struct fabric **fabric)
{
    const struct fabric_ops *ops = fabric_find(name);
    if (!ops) {
        diag_error("hybrid is made of packet and %s, and there is no fabric %s in this program",
                   hybrid_ways[hybrid->kind].fabric, name);
        return STATUS_FAILED;
    }
    struct fabric_params params = hybrid->fabric.params;
    if (ops->wants_traffic && ops->wants_traffic(params.config)) {
        diag_error("hybrid.large=%s: circuits that are planned for the whole program do not know which of "
                   "its messages "
                   "are large; ocs.control=demand does not plan",
                   name);
        return STATUS_BAD_INPUT;
    }
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
    hybrid->kind = hybrid_large_of(config);
    enum status status = open_below(hybrid, "packet", &hybrid->network);
    if (status == STATUS_OK)
        status = open_below(hybrid, hybrid_ways[hybrid->kind].fabric, &hybrid->large);
    if (status != STATUS_OK)
        return status;
    char note[HYBRID_NOTE];
    hybrid->sizes = hybrid_sizes_of(config, fabric->params.nodes, note);
    if (*note)
        diag_note("%s", note);
    hybrid->counted.pivot_bytes = hybrid->sizes.from;
    list_metrics(hybrid->kind, hybrid->large->ops->metrics);
    hybrid->statistics = mem_alloc(1, metrics_of(fabric)->size, "statistics");
    return STATUS_OK;
}

static void hybrid_free(struct fabric *fabric)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    fabric_close(hybrid->network);
    fabric_close(hybrid->large);
    queue_table_free(&hybrid->pairs);
    free(hybrid->last_visible);
    free(hybrid->statistics);
}

static const void *hybrid_statistics_of(struct fabric *fabric)
{
    struct hybrid *hybrid = (struct hybrid *)fabric;
    const struct fabric_ops *large = hybrid->large->ops, *network = hybrid->network->ops;
    hybrid->counted.switched_bytes =
        network->use(fabric->params.config, fabric->params.nodes, network->statistics(hybrid->network))
            .switched_bytes;
    memcpy(hybrid->statistics, &hybrid->counted, sizeof hybrid->counted);
    memcpy(hybrid->statistics + sizeof hybrid->counted, large->statistics(hybrid->large),
           large->metrics->size);
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
           STATISTICS_BYTES + fabric_memory_bytes(hybrid->network) + fabric_memory_bytes(hybrid->large);
}

/* Messages of the mean size decide which of the two gets all. */
static enum status hybrid_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    const char *name = hybrid_ways[hybrid_large_of(demand->config)].fabric;
    char note[HYBRID_NOTE];
    const struct hybrid_sizes sizes = hybrid_sizes_of(demand->config, demand->nodes, note);
    bool by_large = demand->bytes >= (double)sizes.from && demand->bytes < (double)sizes.below;
    const char *const names[] = {by_large ? "packet" : name, by_large ? name : "packet"};
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
    if (hybrid->large->ops->explain)
        hybrid->large->ops->explain(hybrid->large);
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
    for (size_t i = 0; i < DESCRIPTION_UNUSED && other->unused[i]; i++)
        description_unused(description, true, other->unused[i]);
    if (other->message_rate_bytes_per_s > description->message_rate_bytes_per_s)
        description->message_rate_bytes_per_s = other->message_rate_bytes_per_s;
}

/* Both networks are there, whichever way messages go. */
static enum status hybrid_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware)
{
    const struct fabric_ops *network = fabric_find("packet"),
                            *large = fabric_find(hybrid_ways[hybrid_large_of(config)].fabric);
    enum status status = network ? network->hardware(config, nodes, hardware) : STATUS_OK;
    return status == STATUS_OK && large ? large->hardware(config, nodes, hardware) : status;
}

static struct hardware_use hybrid_use(const struct config *config, uint32_t nodes, const void *statistics)
{
    const struct fabric_ops *large = fabric_find(hybrid_ways[hybrid_large_of(config)].fabric);
    const struct hybrid_statistics *of = statistics;
    struct hardware_use use = {.switched_bytes = of->switched_bytes, .setups = -1};
    if (large && large->use)
        use.setups = large->use(config, nodes, of + 1).setups;
    return use;
}

/* The latency is that of the way which messages of no bytes take. */
static void hybrid_describe(const struct config *config, uint32_t nodes,
                            struct fabric_description *description)
{
    const struct hybrid_way *way = &hybrid_ways[hybrid_large_of(config)];
    const struct fabric_ops *network = fabric_find("packet"), *large = fabric_find(way->fabric);
    struct fabric_description other = {.latency_ps = 0};
    char size[64], what[128], note[HYBRID_NOTE];
    if (!network || !large)
        return;
    const struct hybrid_sizes sizes = hybrid_sizes_of(config, nodes, note);
    if (sizes.from >= sizes.below) {
        network->describe(config, nodes, description);
        description_add(&description->notes, "all messages go by packet, the faster way at any size");
    } else if (sizes.from > 0) {
        network->describe(config, nodes, description);
        large->describe(config, nodes, &other);
        snprintf(what, sizeof what, "messages of %s or more go %s",
                 units_print_size(sizes.from, size, sizeof size), way->go);
        add_way(description, &other, what);
    } else {
        large->describe(config, nodes, description);
        if (sizes.below == UINT64_MAX)
            return;
        network->describe(config, nodes, &other);
        snprintf(what, sizeof what, "messages of %s or more go by packet",
                 units_print_size(sizes.below, size, sizeof size));
        add_way(description, &other, what);
    }
}

const struct fabric_ops hybrid_fabric = {
    .name = "hybrid",
    .doc = "small messages by the packet network, large ones through FMUs or optical switches",
    .params = &hybrid_params,
    .metrics_of = metrics_of,
    .host_path = HOST_PATH_NIC,
    .latency_name = "packet.latency",
    .describe = hybrid_describe,
    .hardware = hybrid_hardware,
    .use = hybrid_use,
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
