#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/mem.h"
#include "topo/formats.h"

/* Topologies of ns-3's RDMA simulations (HPCC), and of SimAI:
 *
 *     20 4 20                              10 8 1 1 16 A100
 *     16 17 18 19                          8 9
 *     0 16 100Gbps 0.001ms 0               0 8 2400Gbps 0.000025ms 0
 *     ...                                  0 9 100Gbps 0.0005ms 0
 *
 * The first line says how many nodes, switches and links there are; SimAI's says nodes, GPUs a server,
 * NVSwitches, other switches, links and the kind of GPU. Then come the numbers of the switches, NVSwitches
 * first, and the links: from, to, rate, delay, error rate. All other nodes are hosts, and the i-th of them is
 * node i. A host with one link hangs on its switch. One with several is a switch of its own that passes
 * nothing on, as in ns-3, whose hosts relay no packets; the node's own link has the rate of all of them. */

enum { NODES_AT_MOST = GRAPH_NODES_LIMIT + GRAPH_SWITCHES_LIMIT };
enum ns3_kind { NS3_HOST, NS3_SWITCH, NS3_NVSWITCH };

struct ns3_link {
    uint32_t from, to; /* as the file numbers them */
    uint64_t rate_bytes_per_s;
    ps_t latency_ps;
    struct source_part place;
};

struct ns3 {
    const struct network_source *source;
    struct source_rest rest;
    bool is_simai;
    uint32_t count, per_server, switches, nvswitches, links;
    uint8_t *kinds; /* [count] enum ns3_kind */
    uint32_t *degree;
    struct ns3_link *list; /* [links] */
    uint32_t *number;      /* [count] of the switch that it is; of a host without one: UINT32_MAX */
    struct hashmap pairs;  /* which have a link */
};

/* ------------------------------------------------------------------ reading */

/* The next word of the text, over the ends of lines. */
static bool next_word(struct ns3 *ns3, struct source_part *word)
{
    while (ns3->rest.at < ns3->rest.end && isspace((unsigned char)*ns3->rest.at))
        ns3->rest.at++;
    return source_next_word(&(struct source_rest){ns3->rest.at, ns3->rest.at + strcspn(ns3->rest.at, "\n")},
                            word);
}

static bool take_word(struct ns3 *ns3, const char *what, struct source_part *word)
{
    if (!next_word(ns3, word))
        return source_refuse(ns3->source, word->text, 1, "the file ends here; %s is missing", what);
    ns3->rest.at = word->text + word->length;
    return true;
}

static bool take_number(struct ns3 *ns3, const char *what, uint64_t most, uint32_t *number,
                        struct source_part *word)
{
    uint64_t value;
    if (!take_word(ns3, what, word) || !source_number(ns3->source, *word, what, 0, most, &value))
        return false;
    *number = (uint32_t)value;
    return true;
}

/* How many words the first line has, all of them numbers but for the sixth; 0: another one is none. */
static size_t count_first(const struct network_source *source)
{
    struct source_rest rest = source_all(source), line;
    struct source_part word;
    size_t count = 0;
    if (!source_next_line(&rest, &line))
        return 0;
    while (source_next_word(&line, &word)) {
        if (++count != 6 && word.length != strspn(word.text, "0123456789"))
            return 0;
    }
    return count;
}

static bool probe(const struct network_source *source)
{
    size_t count = count_first(source);
    return count == 3 || count == 6;
}

static bool read_header(struct ns3 *ns3)
{
    struct source_part word;
    if (!take_number(ns3, "the number of nodes", NODES_AT_MOST, &ns3->count, &word))
        return false;
    struct source_part count_at = word;
    if (ns3->is_simai &&
        (!take_number(ns3, "the number of GPUs in a server", NODES_AT_MOST, &ns3->per_server, &word) ||
         !take_number(ns3, "the number of NVSwitches", GRAPH_SWITCHES_LIMIT, &ns3->nvswitches, &word)))
        return false;
    if (!take_number(ns3, "the number of switches", GRAPH_SWITCHES_LIMIT, &ns3->switches, &word) ||
        !take_number(ns3, "the number of links", GRAPH_LINKS_LIMIT, &ns3->links, &word) ||
        (ns3->is_simai && !take_word(ns3, "the kind of GPU", &word)))
        return false;
    if ((uint64_t)ns3->switches + ns3->nvswitches >= ns3->count)
        return source_refuse(ns3->source, count_at.text, count_at.length,
                             "%" PRIu32 " nodes of which %" PRIu64 " are switches leave no host", ns3->count,
                             (uint64_t)ns3->switches + ns3->nvswitches);
    return true;
}

static bool read_switches(struct ns3 *ns3)
{
    struct source_part word;
    uint32_t id;
    for (uint32_t i = 0; i < ns3->nvswitches + ns3->switches; i++) {
        if (!take_number(ns3, "the number of a switch", ns3->count - 1, &id, &word))
            return false;
        if (ns3->kinds[id] != NS3_HOST)
            return source_refuse(ns3->source, word.text, word.length, "there are two switches %" PRIu32, id);
        ns3->kinds[id] = i < ns3->nvswitches ? NS3_NVSWITCH : NS3_SWITCH;
    }
    return true;
}

static bool check_ends(struct ns3 *ns3, const struct ns3_link *link)
{
    uint64_t low = link->from < link->to ? link->from : link->to, high = link->from + link->to - low;
    if (low == high)
        return source_refuse(ns3->source, link->place.text, link->place.length,
                             "this links %" PRIu32 " with itself", link->from);
    uint32_t *slot = hashmap_slot(&ns3->pairs, low << 32 | high);
    if (*slot)
        return source_refuse(ns3->source, link->place.text, link->place.length,
                             "%" PRIu32 " and %" PRIu32 " have a link already, of which ns-3 would forget "
                             "the rate; give one link the rate of both",
                             link->from, link->to);
    *slot = 1;
    return true;
}

static bool read_link(struct ns3 *ns3, struct ns3_link *link)
{
    struct source_part word;
    double error_rate;
    if (!take_number(ns3, "the node that a link begins at", ns3->count - 1, &link->from, &link->place) ||
        !take_number(ns3, "the node that a link ends at", ns3->count - 1, &link->to, &word) ||
        !check_ends(ns3, link) || !take_word(ns3, "the rate of a link", &word) ||
        !source_rate(ns3->source, word, "the rate of a link", 0, &link->rate_bytes_per_s) ||
        !take_word(ns3, "the delay of a link", &word) ||
        !source_latency(ns3->source, word, "the delay of a link", 0, &link->latency_ps) ||
        !take_word(ns3, "the error rate of a link", &word) ||
        !source_quantity(ns3->source, word, source_times, "the error rate of a link", 1, &error_rate))
        return false;
    if (error_rate > 0)
        return source_refuse(ns3->source, word.text, word.length,
                             "no fabric loses packets; the error rate of a link is 0 here");
    ns3->degree[link->from]++;
    ns3->degree[link->to]++;
    return true;
}

/* HPCC's files end with lines of text that say what the numbers are, which ns-3 does not read. */
static bool read_end(struct ns3 *ns3)
{
    struct source_part word;
    if (!next_word(ns3, &word) || !isdigit((unsigned char)*word.text))
        return true;
    return source_refuse(ns3->source, word.text, word.length,
                         "there are more links than the first line says, %" PRIu32, ns3->links);
}

static bool read_text(struct ns3 *ns3)
{
    if (!read_header(ns3))
        return false;
    ns3->kinds = mem_alloc(ns3->count, sizeof *ns3->kinds, "a network");
    ns3->degree = mem_alloc(ns3->count, sizeof *ns3->degree, "a network");
    ns3->number = mem_alloc(ns3->count, sizeof *ns3->number, "a network");
    ns3->list = mem_alloc((size_t)ns3->links + 1, sizeof *ns3->list, "links");
    if (!read_switches(ns3))
        return false;
    for (uint32_t i = 0; i < ns3->links; i++)
        if (!read_link(ns3, &ns3->list[i]))
            return false;
    for (uint32_t id = 0; id < ns3->count; id++)
        if (!ns3->degree[id])
            return source_refuse(ns3->source, NULL, 0, "%s %" PRIu32 " has no link",
                                 ns3->kinds[id] == NS3_HOST ? "host" : "switch", id);
    return read_end(ns3);
}

/* ----------------------------------------------------------------- building */

/* A host hangs on its switch if it has one link, to a switch. */
static bool is_alone(const struct ns3 *ns3, const struct ns3_link *link)
{
    uint32_t host = ns3->kinds[link->from] == NS3_HOST ? link->from : link->to;
    uint32_t other = link->from + link->to - host;
    return ns3->kinds[host] == NS3_HOST && ns3->degree[host] == 1 && ns3->kinds[other] != NS3_HOST;
}

static void number_switches(struct ns3 *ns3, struct topo_graph *graph)
{
    static const char *const names[] = {
        [NS3_HOST] = "host", [NS3_SWITCH] = "switch", [NS3_NVSWITCH] = "nvswitch"};
    static const uint8_t kinds[] = {
        [NS3_HOST] = GRAPH_ENDS, [NS3_SWITCH] = GRAPH_PASSES, [NS3_NVSWITCH] = GRAPH_PREFERRED};
    char name[32];
    for (uint32_t id = 0; id < ns3->count; id++)
        ns3->number[id] = ns3->kinds[id] == NS3_HOST ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < ns3->links; i++)
        if (!is_alone(ns3, &ns3->list[i]))
            ns3->number[ns3->list[i].from] = ns3->number[ns3->list[i].to] = 0;
    graph->kinds = mem_alloc(ns3->count, sizeof *graph->kinds, "a network");
    for (uint32_t id = 0; id < ns3->count; id++) {
        if (ns3->number[id] == UINT32_MAX)
            continue;
        snprintf(name, sizeof name, "%s%" PRIu32, names[ns3->kinds[id]], id);
        graph->kinds[graph->switches] = kinds[ns3->kinds[id]];
        ns3->number[id] = graph->switches++;
        text_index_add(&graph->names, name);
    }
}

/* [count] the node that each host is. */
static uint32_t *number_nodes(const struct ns3 *ns3)
{
    uint32_t *nodes = mem_alloc(ns3->count, sizeof *nodes, "a network"), count = 0;
    for (uint32_t id = 0; id < ns3->count; id++)
        nodes[id] = ns3->kinds[id] == NS3_HOST ? count++ : UINT32_MAX;
    return nodes;
}

/* The rate of the node's own link: that of all links of its host. */
static void add_rate(struct topo_graph *graph, uint32_t node, uint64_t rate_bytes_per_s)
{
    const uint64_t most = UINT64_C(70000000000000);
    uint64_t *sum = &graph->node_links[node].rate_bytes_per_s;
    *sum = *sum + rate_bytes_per_s < most ? *sum + rate_bytes_per_s : most;
}

static void add_links(const struct ns3 *ns3, struct topo_graph *graph, const uint32_t *nodes)
{
    for (uint32_t id = 0; id < ns3->count; id++)
        if (nodes[id] != UINT32_MAX)
            graph->node_links[nodes[id]] =
                (struct graph_link){.from = nodes[id], .to = ns3->number[id], .latency_ps = 0};
    for (uint32_t i = 0; i < ns3->links; i++) {
        const struct ns3_link *link = &ns3->list[i];
        uint32_t from = link->from, to = link->to;
        if (nodes[from] != UINT32_MAX)
            add_rate(graph, nodes[from], link->rate_bytes_per_s);
        if (nodes[to] != UINT32_MAX)
            add_rate(graph, nodes[to], link->rate_bytes_per_s);
        if (ns3->number[from] != UINT32_MAX && ns3->number[to] != UINT32_MAX) {
            graph_add_links(graph,
                            (struct graph_link){.from = ns3->number[from],
                                                .to = ns3->number[to],
                                                .rate_bytes_per_s = link->rate_bytes_per_s,
                                                .latency_ps = link->latency_ps},
                            1);
            continue;
        }
        uint32_t host = ns3->number[from] == UINT32_MAX ? from : to;
        graph->node_links[nodes[host]].to = ns3->number[from + to - host];
        graph->node_links[nodes[host]].latency_ps = link->latency_ps;
    }
}

static struct topo_graph *build(struct ns3 *ns3)
{
    struct topo_graph *graph = graph_new(ns3->count - ns3->switches - ns3->nvswitches, 0);
    number_switches(ns3, graph);
    if (graph->nodes > GRAPH_NODES_LIMIT || ns3->switches + ns3->nvswitches > GRAPH_SWITCHES_LIMIT) {
        source_refuse(ns3->source, ns3->source->text, 1,
                      "%" PRIu32 " hosts and %" PRIu32 " switches are too many: at most %d and %d",
                      graph->nodes, ns3->switches + ns3->nvswitches, GRAPH_NODES_LIMIT, GRAPH_SWITCHES_LIMIT);
        graph_free(graph);
        return NULL;
    }
    uint32_t *nodes = number_nodes(ns3);
    add_links(ns3, graph, nodes);
    free(nodes);
    graph->nodes_per_server = ns3->per_server;
    graph->no_effect = ns3->is_simai ? "the kind of GPU" : NULL;
    return network_route(ns3->source, NULL, graph);
}

static struct topo_graph *read(const struct network_source *source)
{
    struct ns3 ns3 = {.source = source, .rest = source_all(source), .is_simai = count_first(source) == 6};
    struct topo_graph *graph = read_text(&ns3) ? build(&ns3) : NULL;
    free(ns3.kinds);
    free(ns3.degree);
    free(ns3.number);
    free(ns3.list);
    hashmap_free(&ns3.pairs);
    return graph;
}

const struct network_format ns3_network = {
    .name = "ns-3 topology",
    .doc = "the numbers of nodes, switches and links; the switches; a line for each link",
    .probe = probe,
    .read = read,
};
