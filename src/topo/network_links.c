#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "topo/network_reader.h"

/* The links of a network file. */

/* An entry of the list of links. */
struct network_entry {
    const struct config_node *between;
    bool in_blocks;
    uint32_t count;
    uint64_t rate_bytes_per_s;
    ps_t latency_ps;
    const char *origin; /* "net.yaml:7" */
};

static bool read_rate(struct config_reader *reader, const struct config_node *node,
                      struct network_entry *entry)
{
    const uint64_t most = UINT64_C(70000000000000); /* as of packet.bandwidth */
    union param_quantity rate;
    if (!network_read_quantity(reader, node, PARAM_RATE, &rate))
        return false;
    entry->rate_bytes_per_s = rate.whole;
    if (rate.whole && rate.whole <= most)
        return true;
    if (!rate.whole)
        config_node_error(reader, node,
                          "a link of this rate carries nothing; leave out the link, or leave out the rate "
                          "for that of the fabric");
    else
        config_node_error(reader, node, "a link has at most 70 TB/s");
    return false;
}

static bool read_latency(struct config_reader *reader, const struct config_node *node,
                         struct network_entry *entry)
{
    union param_quantity latency;
    if (!network_read_quantity(reader, node, PARAM_TIME, &latency))
        return false;
    entry->latency_ps = latency.time;
    if (latency.time >= 0 && latency.time <= 1000 * PS_PER_S)
        return true;
    config_node_error(reader, node, "a latency from 0 s to 1000 s is expected here");
    return false;
}

static bool read_pairs(struct config_reader *reader, const struct config_node *node,
                       struct network_entry *entry)
{
    const char *text = node->kind == CONFIG_SCALAR ? node->text : "";
    entry->in_blocks = strcmp(text, "blocks") == 0;
    if (entry->in_blocks || strcmp(text, "all") == 0)
        return true;
    config_node_error(reader, node,
                      "pairs is all (each of one side with each of the other) or blocks (the longer side in "
                      "as many blocks as the other has ends)");
    return false;
}

static bool read_field(struct config_reader *reader, const struct config_node *node,
                       struct network_entry *entry)
{
    if (strcmp(node->key, "rate") == 0)
        return read_rate(reader, node, entry);
    if (strcmp(node->key, "latency") == 0)
        return read_latency(reader, node, entry);
    if (strcmp(node->key, "pairs") == 0)
        return read_pairs(reader, node, entry);
    if (strcmp(node->key, "count") == 0)
        return (entry->count = network_read_count(reader, node, GRAPH_LINKS_LIMIT)) > 0;
    if (strcmp(node->key, "between") == 0) {
        entry->between = node;
        if (node->kind == CONFIG_LIST && node->count == 2)
            return true;
        config_node_error(reader, node, "two sides are expected here, such as [leaf0, spine]");
        return false;
    }
    config_key_error(reader, node, "links have between, pairs, rate, latency and count");
    return false;
}

static bool add_node_link(struct network_reader *network, struct config_reader *reader,
                          const struct network_entry *entry, uint32_t node, uint32_t at)
{
    const char **origin = &network->node_origins[node];
    if (*origin || entry->count > 1) {
        config_node_error(reader, entry->between, "node%" PRIu32 " has %s%s: a node has one link; %s", node,
                          *origin ? "a link already, " : "several links", *origin ? *origin : "",
                          *origin == entry->origin && !entry->in_blocks
                              ? "pairs: blocks divides the nodes among the switches"
                              : "give it the rate of all, or a switch of its own (ends)");
        return false;
    }
    *origin = entry->origin;
    network->graph->node_links[node] = (struct graph_link){
        .from = node, .to = at, .rate_bytes_per_s = entry->rate_bytes_per_s, .latency_ps = entry->latency_ps};
    return true;
}

/* The switches have a link already. */
static void report_twice(const struct network_reader *network, struct config_reader *reader,
                         const struct network_entry *entry, const struct graph_link *first,
                         const char *origin)
{
    char *const *names = network->graph->names.texts;
    bool is_same =
        first->rate_bytes_per_s == entry->rate_bytes_per_s && first->latency_ps == entry->latency_ps;
    config_node_error(reader, entry->between, "%s and %s have a link already, %s%s", names[first->from],
                      names[first->to], origin,
                      is_same ? "; several links between them are one entry with count"
                              : ", with another rate or latency: a link is the same in both directions");
}

static bool add_switch_link(struct network_reader *network, struct config_reader *reader,
                            const struct network_entry *entry, uint32_t from, uint32_t to)
{
    struct topo_graph *graph = network->graph;
    uint64_t low = from < to ? from : to, high = from < to ? to : from;
    uint32_t *slot = hashmap_slot(&network->pairs, low << 32 | high);
    if (*slot) {
        report_twice(network, reader, entry, &graph->links[*slot - 1], network->link_origins[*slot - 1]);
        return false;
    }
    *slot = (uint32_t)graph->link_count + 1;
    graph->links = mem_grow(graph->links, &graph->link_capacity, graph->link_count + entry->count, "links");
    network->link_origins =
        mem_grow(network->link_origins, &network->origin_capacity, graph->link_count + entry->count, "links");
    for (uint32_t i = 0; i < entry->count; i++) {
        network->link_origins[graph->link_count] = entry->origin;
        graph->links[graph->link_count++] = (struct graph_link){.from = from,
                                                                .to = to,
                                                                .rate_bytes_per_s = entry->rate_bytes_per_s,
                                                                .latency_ps = entry->latency_ps};
    }
    return true;
}

static bool add_link(struct network_reader *network, struct config_reader *reader,
                     const struct network_entry *entry, struct topo_end a, struct topo_end b)
{
    if (a.is_node && b.is_node) {
        config_node_error(reader, entry->between,
                          "%s and %s are nodes: a link joins a node and a switch, or two "
                          "switches",
                          network_end_name(network, a), network_end_name(network, b));
        return false;
    }
    if (a.is_node)
        return add_node_link(network, reader, entry, a.id, b.id);
    if (b.is_node)
        return add_node_link(network, reader, entry, b.id, a.id);
    if (a.id == b.id) {
        config_node_error(reader, entry->between, "this links %s with itself", network_end_name(network, a));
        return false;
    }
    return add_switch_link(network, reader, entry, a.id, b.id);
}

/* False, reported: a pair cannot have a link. */
static bool add_pairs(struct network_reader *network, struct config_reader *reader,
                      const struct network_entry *entry, const struct network_side *a,
                      const struct network_side *b)
{
    const struct network_side *longer = a->count < b->count ? b : a, *shorter = longer == a ? b : a;
    size_t pairs = entry->in_blocks ? longer->count : a->count * b->count;
    if (entry->in_blocks && (!shorter->count || longer->count % shorter->count)) {
        config_node_error(reader, entry->between, "%zu ends are no %zu blocks of equal size", longer->count,
                          shorter->count);
        return false;
    }
    if (longer->count > GRAPH_LINKS_LIMIT || /* so that the product below is whole */
        pairs * entry->count > GRAPH_LINKS_LIMIT - network->graph->link_count) {
        config_node_error(reader, entry->between, "a network has at most %d links between switches",
                          GRAPH_LINKS_LIMIT);
        return false;
    }
    size_t block = entry->in_blocks ? longer->count / shorter->count : 1;
    for (size_t i = 0; i < pairs; i++) {
        size_t first = i / (entry->in_blocks ? longer == a ? 1 : block : b->count);
        size_t second = entry->in_blocks ? i / (longer == a ? block : 1) : i % b->count;
        if (!add_link(network, reader, entry, a->ends[first], b->ends[second]))
            return false;
    }
    return true;
}

void network_read_entry(struct network_reader *network, struct config_reader *reader,
                        const struct config_node *node)
{
    struct network_entry entry = {.count = 1, .latency_ps = -1};
    struct network_side a = {.count = 0}, b = {.count = 0};
    if (node->kind != CONFIG_MAP) {
        config_node_error(reader, node, "a map is expected here, such as {between: [leaf, spine]}");
        return;
    }
    bool good = true;
    for (size_t i = 0; i < node->count; i++)
        good &= read_field(reader, &node->items[i], &entry);
    if (!entry.between && good) {
        config_node_error(reader, node, "between is missing: what these links join, such as [leaf, spine]");
        return;
    }
    entry.origin = config_node_origin(reader, node, &network->texts);
    good = good && network_read_side(network, reader, &entry.between->items[0], &a);
    good = good && network_read_side(network, reader, &entry.between->items[1], &b);
    if (good)
        add_pairs(network, reader, &entry, &a, &b);
    free(a.ends);
    free(b.ends);
}
