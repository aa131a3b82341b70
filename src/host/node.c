#include "host/node.h"

#include "base/mem.h"
#include "host/copy.h"

static const struct metric metrics[] = {
    {"messages", METRIC_COUNT, offsetof(struct host_statistics, messages),
     "messages through NICs, each counted at both ends"},
    {"waits", METRIC_COUNT, offsetof(struct host_statistics, waits), "messages that waited at PCIe or NIC"},
    {"wait_s", METRIC_TIME_SUM, offsetof(struct host_statistics, wait_ps), "their waiting time"},
    {"posts_waiting", METRIC_COUNT, offsetof(struct host_statistics, posts_waiting),
     "messages that waited for a place in a transmit queue"},
    {"arrivals_waiting", METRIC_COUNT, offsetof(struct host_statistics, arrivals_waiting),
     "messages that waited for a place in a receive queue"},
    {"copied_bytes", METRIC_BYTES_SUM, offsetof(struct host_statistics, copied_bytes),
     "bytes that cores copied within nodes"},
    {"cached_bytes", METRIC_BYTES_SUM, offsetof(struct host_statistics, cached_bytes),
     "bytes that copies read and wrote in caches"},
    {"queue_pairs", METRIC_COUNT, offsetof(struct host_statistics, rnic.queue_pairs),
     "queue pairs of the node that has most; the metrics that follow are of all nodes"},
    {"first_level_misses", METRIC_COUNT, offsetof(struct host_statistics, rnic.first_misses),
     "connections that were not in the first level of the cache"},
    {"second_level_misses", METRIC_COUNT, offsetof(struct host_statistics, rnic.second_misses),
     "connections that were in no level, and were fetched through PCIe"},
    {"reconnects", METRIC_COUNT, offsetof(struct host_statistics, rnic.reconnects),
     "new destinations of dynamic connections"},
    {"mtt_reads", METRIC_COUNT_SUM, offsetof(struct host_statistics, rnic.mtt_reads),
     "translations of the pages of payloads"},
    {"work_request_reads", METRIC_COUNT, offsetof(struct host_statistics, rnic.work_request_reads),
     "descriptors and posted receives that NICs fetched"},
};

const struct metric_table host_metrics = {
    .metrics = metrics, .count = sizeof metrics / sizeof *metrics, .size = sizeof(struct host_statistics)};

void host_nodes_open(struct host_nodes *nodes, const struct host *host, uint32_t count, uint32_t ranks,
                     uint64_t seed)
{
    *nodes = (struct host_nodes){.host = host, .count = count};
    nodes->down = mem_alloc(2 * (size_t)count, sizeof *nodes->down, "NICs");
    nodes->up = nodes->down + count;
    for (uint32_t i = 0; i < count; i++)
        nodes->up[i].free_at = -PS_NEVER / 2; /* the first message follows no other */
    if (host->system.copy_node_bytes_per_s)
        nodes->memory_free_at = mem_alloc(count, sizeof *nodes->memory_free_at, "memories of nodes");
    if (host_has_caches(host))
        nodes->caches = host_caches_open(host, count, ranks);
    if (host->rnic->transport != RNIC_NONE) {
        nodes->rnics = mem_alloc(1, sizeof *nodes->rnics, "RNICs");
        rnics_open(nodes->rnics, host->rnic, count, ranks, seed, host->fetch, host->reconnect);
    }
    if (!host->credits)
        return;
    size_t all = 2 * (size_t)count * host->credits;
    nodes->credits = mem_alloc(all, sizeof *nodes->credits, "credits of PCIe");
    for (size_t i = 0; i < all; i++)
        nodes->credits[i] = -host->credit_returns;
    for (size_t i = 0; i < 2 * (size_t)count; i++)
        nodes->down[i].credits = nodes->credits + i * host->credits;
}

void host_nodes_close(struct host_nodes *nodes)
{
    free(nodes->down);
    free(nodes->memory_free_at);
    free(nodes->credits);
    host_caches_close(nodes->caches);
    if (nodes->rnics)
        rnics_close(nodes->rnics);
    free(nodes->rnics);
}

size_t host_nodes_bytes(const struct host_nodes *nodes)
{
    return 2 * (size_t)nodes->count * (sizeof *nodes->down + nodes->host->credits * sizeof *nodes->credits) +
           (nodes->rnics ? rnics_bytes(nodes->rnics) : 0) +
           (nodes->caches ? host_caches_bytes(nodes->caches) : 0);
}

double host_nodes_estimate(const struct host *host, uint32_t nodes, uint32_t ranks, double messages)
{
    double lanes = 2 * (double)nodes * ((double)sizeof(struct host_lane) + host->credits * sizeof(ps_t));
    return lanes + (host->rnic->transport != RNIC_NONE ? rnics_estimate(nodes, ranks, messages) : 0);
}

/* How long a message holds a lane. Where the messages of a node share a link, their bytes come one behind the
 * other, however many messages are under way. The bytes behind the first packet then pass PCIe while they
 * come, but for the time by which PCIe is slower than the link. */
static struct host_load load_at_once(const struct host_nodes *nodes, uint64_t bytes)
{
    const struct host *host = nodes->host;
    struct host_load load = host_message(host, bytes)->load;
    if (nodes->link_bytes_per_s == 0 || bytes <= host->packet_bytes)
        return load;
    uint64_t fastest = host->system.pcie_bytes_per_s;
    if (nodes->link_bytes_per_s > fastest)
        fastest = nodes->link_bytes_per_s;
    ps_t passed = service_ps(bytes - host->packet_bytes, fastest);
    return (struct host_load){.down_ps = load.down_ps - passed,
                              .up_ps = load.up_ps - passed,
                              .down_writes = load.down_writes,
                              .up_writes = 1};
}

/* Each write takes a credit. The credit returns when the write, and then an UpdateFC, have passed PCIe
 * (section 4.2). */
static ps_t spend_credits(const struct host_nodes *nodes, struct host_lane *lane, ps_t at, uint64_t writes)
{
    uint32_t credits = nodes->host->credits;
    for (uint64_t i = 0; credits && i < writes; i++) {
        at = ps_max(at, ps_add(lane->credits[lane->oldest], nodes->host->credit_returns));
        lane->credits[lane->oldest] = at;
        lane->oldest = lane->oldest + 1 == credits ? 0 : lane->oldest + 1;
    }
    return at;
}

/* How long the NIC takes for the state of the connection; counts what else it reads. */
static ps_t use_connection(struct host_nodes *nodes, const struct host_end *end, bool reads_payload,
                           bool reads_request)
{
    struct rnics *rnics = nodes->rnics;
    if (!rnics)
        return 0;
    if (reads_payload)
        rnics->statistics.mtt_reads +=
            (end->bytes + rnics->config->page_bytes - 1) / rnics->config->page_bytes;
    rnics->statistics.work_request_reads += reads_request;
    return rnics_use(rnics, end->node, end->rank, end->peer);
}

static ps_t account(struct host_nodes *nodes, ps_t now, ps_t at)
{
    if (nodes->rnics)
        nodes->statistics.rnic = nodes->rnics->statistics;
    return host_nodes_account(nodes, now, at);
}

ps_t host_nodes_send_shared(struct host_nodes *nodes, ps_t now, const struct host_end *end)
{
    const struct host *host = nodes->host;
    struct host_lane *lane = &nodes->down[end->node];
    struct host_load load = load_at_once(nodes, end->bytes);
    ps_t at = spend_credits(nodes, lane, ps_max(now, lane->free_at), load.down_writes);
    at = ps_add(at, use_connection(nodes, end, end->bytes > host->system.inline_bytes,
                                   host->system.post == SYSTEM_DOORBELL));
    lane->free_at = ps_add(at, ps_max(load.down_ps, host->nic_gap));
    if (nodes->rnics && nodes->rnics->config->transport == RNIC_DC)
        at = rnics_connect(nodes->rnics, end->rank, end->peer, at);
    return account(nodes, now, at);
}

ps_t host_nodes_receive_shared(struct host_nodes *nodes, ps_t now, const struct host_end *end)
{
    struct host_lane *lane = &nodes->up[end->node];
    struct host_load load = load_at_once(nodes, end->bytes);
    ps_t behind = ps_add(lane->free_at, ps_max(load.up_ps, nodes->host->nic_gap));
    ps_t at = spend_credits(nodes, lane, ps_max(now, behind), load.up_writes);
    at = ps_add(at, use_connection(nodes, end, true, true));
    lane->free_at = at;
    return account(nodes, now, at);
}

/* Where a copy finds what it reads and writes. */
static void find(struct host_nodes *nodes, uint32_t node, const struct host_copy *copy,
                 struct host_found *found)
{
    struct host_caches *caches = nodes->caches;
    if (caches && copy->from.buffer && copy->into.buffer) {
        host_caches_touch(caches, node, copy->rank, copy->from, copy->bytes, found);
        host_caches_touch(caches, node, copy->rank, copy->into, copy->bytes, found);
        return;
    }
    host_copy_found(nodes->host, copy, found);
    if (caches)
        host_caches_pass(caches, node, copy->rank, 2 * copy->bytes);
}

/* Each byte is read and written. The memory serves copies in the order in which they were asked for: a core
 * with many copies reaches the last of them much later, and the copies of other cores do not wait for that.
 */
ps_t host_nodes_copy(struct host_nodes *nodes, uint32_t node, ps_t asked, ps_t free_at,
                     const struct host_copy *copy)
{
    const struct host *host = nodes->host;
    struct host_found found = {0};
    find(nodes, node, copy, &found);
    ps_t at = ps_add(free_at, host_copy_time(host, copy, &found));
    nodes->statistics.copied_bytes += copy->bytes;
    nodes->statistics.cached_bytes += 2 * copy->bytes - found.bytes[HOST_DRAM];
    ps_t through_memory = host_copy_memory_time(host, &found);
    if (through_memory == 0)
        return at;
    ps_t *memory = &nodes->memory_free_at[node];
    *memory = ps_add(ps_max(*memory, asked), through_memory);
    return ps_max(ps_max(at, ps_add(free_at, through_memory)), *memory);
}
