#include "host/node.h"

#include "base/mem.h"

static const struct metric metrics[] = {
    {"messages", METRIC_COUNT, offsetof(struct host_statistics, messages),
     "through NICs, each counted at both ends"},
    {"waits", METRIC_COUNT, offsetof(struct host_statistics, waits), "of them, at PCIe or NIC"},
    {"wait_s", METRIC_TIME, offsetof(struct host_statistics, wait_ps), "there, in all"},
    {"posts_waiting", METRIC_COUNT, offsetof(struct host_statistics, posts_waiting),
     "for a place in a transmit queue"},
    {"arrivals_waiting", METRIC_COUNT, offsetof(struct host_statistics, arrivals_waiting),
     "for a place in a receive queue"},
};

const struct metric_table host_metrics = {
    .metrics = metrics, .count = sizeof metrics / sizeof *metrics, .size = sizeof(struct host_statistics)};

void host_nodes_open(struct host_nodes *nodes, const struct host *host, uint32_t count)
{
    *nodes = (struct host_nodes){.host = host, .count = count};
    nodes->down = mem_alloc(2 * (size_t)count, sizeof *nodes->down, "NICs");
    nodes->up = nodes->down + count;
    for (uint32_t i = 0; i < count; i++)
        nodes->up[i].free_at = -PS_NEVER / 2; /* the first message has none to follow */
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
    free(nodes->credits);
}

size_t host_nodes_bytes(const struct host_nodes *nodes)
{
    return 2 * (size_t)nodes->count * (sizeof *nodes->down + nodes->host->credits * sizeof *nodes->credits);
}

/* Each write takes a credit, which comes back when the write has passed PCIe and an UpdateFC has (section
 * 4.2). */
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

static ps_t account(struct host_nodes *nodes, ps_t now, ps_t at)
{
    nodes->statistics.messages++;
    if (at > now) {
        nodes->statistics.waits++;
        nodes->statistics.wait_ps = ps_add(nodes->statistics.wait_ps, at - now);
    }
    return at;
}

/* The time is when a message begins to leave: the next one leaves behind its bytes. */
ps_t host_nodes_send(struct host_nodes *nodes, uint32_t node, ps_t now, uint64_t bytes)
{
    struct host_lane *lane = &nodes->down[node];
    struct host_load load = host_load(nodes->host, bytes);
    ps_t at = spend_credits(nodes, lane, ps_max(now, lane->free_at), load.down_writes);
    lane->free_at = ps_add(at, ps_max(load.down_ps, nodes->host->nic_gap));
    return account(nodes, now, at);
}

/* The time is when a message has come whole: not before its bytes have followed those of the one before. */
ps_t host_nodes_receive(struct host_nodes *nodes, uint32_t node, ps_t now, uint64_t bytes)
{
    struct host_lane *lane = &nodes->up[node];
    struct host_load load = host_load(nodes->host, bytes);
    ps_t behind = ps_add(lane->free_at, ps_max(load.up_ps, nodes->host->nic_gap));
    ps_t at = spend_credits(nodes, lane, ps_max(now, behind), load.up_writes);
    lane->free_at = at;
    return account(nodes, now, at);
}
