#include "topo/graph.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "topo/platform.h"

enum { FAR = UINT16_MAX };

const struct topo_graph *graph_of(const struct topo *topo)
{
    const struct topo_graph *graph;
    memcpy(&graph, topo->data, sizeof graph);
    return graph;
}

/* ------------------------------------------------------------------ tables */

static void sort_links(struct topo_graph *graph)
{
    uint32_t switches = graph->switches, links = 2 * (uint32_t)graph->link_count;
    graph->first = mem_alloc((size_t)switches + 2, sizeof *graph->first, "a network");
    graph->out = mem_alloc((size_t)links + 1, sizeof *graph->out, "a network");
    for (uint32_t link = 0; link < links; link++)
        graph->first[graph_link_begin(graph, link) + 2]++;
    for (uint32_t i = 0; i < switches; i++)
        graph->first[i + 2] += graph->first[i + 1];
    for (uint32_t link = 0; link < links; link++)
        graph->out[graph->first[graph_link_begin(graph, link) + 1]++] = link;
}

/* Which switches have nodes, and how many. Returns how many nodes each of these has. */
static uint32_t *place_nodes(struct topo_graph *graph)
{
    size_t switches = graph->switches;
    uint32_t *nodes = mem_alloc(switches, sizeof *nodes, "a network");
    graph->node_switch = mem_alloc(graph->nodes, sizeof *graph->node_switch, "a network");
    for (uint32_t node = 0; node < graph->nodes; node++) {
        graph->node_switch[node] = graph->node_links[node].to;
        nodes[graph->node_links[node].to]++;
    }
    for (size_t i = 0; i < switches; i++) {
        graph->leaves += nodes[i] > 0;
        if (nodes[i] > graph->nodes_most)
            graph->nodes_most = nodes[i];
    }
    return nodes;
}

static void set_link(struct topo_graph *graph, size_t at, const struct graph_link *link)
{
    if (graph->rates)
        graph->rates[at] = link->rate_bytes_per_s;
    if (graph->latencies)
        graph->latencies[at] = link->latency_ps;
}

static void set_rates(struct topo_graph *graph)
{
    size_t nodes = graph->nodes, all = 2 * (nodes + graph->link_count);
    bool has_rates = false, has_latencies = false;
    for (size_t i = 0; i < nodes + graph->link_count; i++) {
        const struct graph_link *link = i < nodes ? &graph->node_links[i] : &graph->links[i - nodes];
        has_rates |= link->rate_bytes_per_s > 0;
        has_latencies |= link->latency_ps >= 0;
    }
    graph->rates = has_rates ? mem_alloc(all, sizeof *graph->rates, "a network") : NULL;
    graph->latencies = has_latencies ? mem_alloc(all, sizeof *graph->latencies, "a network") : NULL;
    for (size_t i = 0; i < nodes; i++) {
        set_link(graph, i, &graph->node_links[i]);
        set_link(graph, nodes + i, &graph->node_links[i]);
    }
    for (size_t i = 0; i < 2 * graph->link_count; i++)
        set_link(graph, 2 * nodes + i, &graph->links[i / 2]);
}

/* ------------------------------------------------------------------ routes */

/* Breadth-first from the switches in queue[0 .. count), whose hops are 0. All others are FAR. */
static void search(const struct topo_graph *graph, uint32_t *queue, size_t count, uint16_t *hops)
{
    for (size_t at = 0; at < count; at++) {
        uint32_t from = queue[at];
        if (hops[from] && graph_is_kind(graph, from, GRAPH_ENDS))
            continue;
        for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
            uint32_t to = graph_link_end(graph, graph->out[i]);
            if (hops[to] == FAR) {
                hops[to] = (uint16_t)(hops[from] + 1);
                queue[count++] = to;
            }
        }
    }
}

/* How far each switch is from the next one with nodes. */
static void find_levels(struct topo_graph *graph, const uint32_t *nodes)
{
    size_t switches = graph->switches, count = 0;
    uint32_t *queue = mem_alloc(switches, sizeof *queue, "a network");
    uint16_t *hops = mem_alloc(switches, sizeof *hops, "a network");
    graph->level = mem_alloc(switches, sizeof *graph->level, "a network");
    for (uint32_t i = 0; i < switches; i++) {
        hops[i] = nodes[i] ? 0 : FAR;
        if (hops[i] == 0)
            queue[count++] = i;
    }
    search(graph, queue, count, hops);
    for (uint32_t i = 0; i < switches; i++) {
        graph->level[i] = hops[i];
        if (hops[i] >= graph->levels)
            graph->levels = (uint32_t)hops[i] + 1;
    }
    graph->is_levelled = graph->levels > 1 && graph->levels <= TOPO_LEVELS;
    for (size_t i = 0; i < graph->link_count; i++) {
        uint32_t a = graph->level[graph->links[i].from], b = graph->level[graph->links[i].to];
        graph->is_levelled &= a + 1 == b || b + 1 == a;
    }
    free(queue);
    free(hops);
}

bool graph_route(struct topo_graph *graph, uint32_t *from, uint32_t *to)
{
    uint32_t *nodes = place_nodes(graph);
    sort_links(graph);
    set_rates(graph);
    find_levels(graph, nodes);
    bool is_good = graph_find_routes(graph, nodes, from, to);
    free(nodes);
    return is_good;
}

void graph_free(struct topo_graph *graph)
{
    text_index_free(&graph->names);
    link_sets_free(&graph->sets);
    graph_free_routes(&graph->table);
    platform_free(graph->platform);
    void *const all[] = {graph->name,        graph->text,  graph->node_links, graph->links,
                         graph->node_switch, graph->rates, graph->latencies,  graph->first,
                         graph->out,         graph->level, graph->divisor,    graph->kinds,
                         graph->link_kinds};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(graph);
}

/* Each node hangs on the switch of its number, which is one that passes nothing on. In a platform no switch
 * says where messages go on. */
static bool has_ports(const struct topo_graph *graph)
{
    bool has = graph->kinds && !graph->platform && graph->switches > graph->nodes;
    for (uint32_t i = 0; has && i < graph->nodes; i++)
        has = graph->node_switch[i] == i && graph_is_kind(graph, i, GRAPH_ENDS);
    return has;
}

void graph_topo(const struct topo_graph *graph, struct topo *topo)
{
    topo->nodes = graph->nodes;
    topo->switches = graph->switches;
    topo->links = 2 * (graph->nodes + (uint32_t)graph->link_count);
    topo->nodes_per_switch = graph->nodes_most;
    topo->node_switch = graph->node_switch;
    topo->link_rates = graph->rates;
    topo->link_latencies = graph->latencies;
    topo->nodes_per_server = graph->nodes_per_server;
    topo->no_effect = graph->no_effect;
    topo->has_fixed_routes = graph->kinds != NULL;
    topo->has_ports = has_ports(graph);
    topo->levels = graph->is_levelled ? graph->levels : 0;
    topo->diameter = graph->distances.most;
    memcpy(topo->data, &graph, sizeof graph);
    if (graph->platform)
        platform_topo(graph, topo);
}

/* ------------------------------------------------------- of families, kept */

struct topo_graph *graph_new(uint32_t nodes, uint32_t switches)
{
    struct topo_graph *graph = mem_alloc(1, sizeof *graph, "a network");
    graph->nodes = nodes;
    graph->switches = switches;
    graph->node_links = mem_alloc(nodes, sizeof *graph->node_links, "a network");
    return graph;
}

void graph_set_node(struct topo_graph *graph, uint32_t node, uint32_t at)
{
    graph->node_links[node] = (struct graph_link){.from = node, .to = at, .latency_ps = -1};
}

void graph_add_links(struct topo_graph *graph, struct graph_link link, uint32_t count)
{
    graph->links = mem_grow(graph->links, &graph->link_capacity, graph->link_count + count, "links");
    for (uint32_t i = 0; i < count; i++)
        graph->links[graph->link_count++] = link;
}

void graph_add_link(struct topo_graph *graph, uint32_t from, uint32_t to)
{
    graph_add_links(graph, (struct graph_link){.from = from, .to = to, .latency_ps = -1}, 1);
}

static struct topo_graph *kept;

void graph_forget(void)
{
    while (kept) {
        struct topo_graph *next = kept->next;
        graph_free(kept);
        kept = next;
    }
}

const struct topo_graph *graph_kept(const char *name, const char *text, size_t length)
{
    const struct topo_graph *graph = kept;
    while (graph && (strcmp(graph->name, name) != 0 || graph->length != length ||
                     memcmp(graph->text, text, length) != 0))
        graph = graph->next;
    return graph;
}

void graph_keep(struct topo_graph *graph, const char *name, const char *text, size_t length)
{
    graph->name = mem_text(name);
    graph->text = mem_alloc(length + 1, 1, "a network");
    memcpy(graph->text, text, length);
    graph->length = length;
    graph->next = kept;
    kept = graph;
}

bool graph_fits(uint64_t nodes, uint64_t switches, uint64_t switches_with_nodes, uint64_t links,
                struct param_problem *problem)
{
    problem->at = 0;
    if (nodes <= GRAPH_NODES_LIMIT && switches <= GRAPH_SWITCHES_LIMIT && links <= GRAPH_LINKS_LIMIT &&
        switches * switches_with_nodes <= GRAPH_FAMILY_ROUTES_LIMIT)
        return true;
    snprintf(
        problem->text, sizeof problem->text,
        "too large: its routes are a table, for at most %d nodes, %d links between switches, and %d pairs "
        "of a switch and a switch with nodes",
        GRAPH_NODES_LIMIT, GRAPH_LINKS_LIMIT, GRAPH_FAMILY_ROUTES_LIMIT);
    return false;
}

bool graph_build(struct topo *topo, graph_fill *fill, struct param_problem *problem)
{
    char name[TOPO_TEXT];
    uint32_t from, to;
    struct topo bare = {.ops = topo->ops, .number_count = topo->number_count}; /* without rules */
    memcpy(bare.numbers, topo->numbers, sizeof bare.numbers);
    topo_print(&bare, name, sizeof name);
    const struct topo_graph *known = graph_kept(name, "", 0);
    if (known) {
        graph_topo(known, topo);
        return true;
    }
    struct topo_graph *graph = fill(topo);
    if (graph_route(graph, &from, &to)) {
        graph_keep(graph, name, "", 0);
        graph_topo(graph, topo);
        return true;
    }
    graph_free(graph);
    problem->at = 0;
    snprintf(problem->text, sizeof problem->text, "no way leads from some switches to others");
    return false;
}

/* -------------------------------------------------------------- the family */

struct topo_hop graph_ends(const struct topo *topo, uint32_t link)
{
    const struct topo_graph *graph = graph_of(topo);
    link -= 2 * topo->nodes;
    return (struct topo_hop){graph_link_begin(graph, link), graph_link_end(graph, link)};
}

/* The level where there are levels, and the number. */
static uint32_t graph_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    uint32_t count = 0;
    if (topo->levels)
        coordinates[count++] = graph_of(topo)->level[at];
    coordinates[count++] = at;
    return count;
}

static const char *graph_name(const struct topo *topo, uint32_t at)
{
    return graph_of(topo)->names.texts[at];
}

enum topo_switch_kind graph_switch_kind(const struct topo *topo, uint32_t at)
{
    static const enum topo_switch_kind kinds[] = {[GRAPH_PASSES] = TOPO_SWITCH_PASSES,
                                                  [GRAPH_ENDS] = TOPO_SWITCH_ENDS,
                                                  [GRAPH_PREFERRED] = TOPO_SWITCH_PREFERRED};
    const struct topo_graph *graph = graph_of(topo);
    return graph->kinds ? kinds[graph->kinds[at]] : TOPO_SWITCH_PASSES;
}

static const struct topo_form forms[] = {{.name = NULL}};

const struct topo_ops graph_family = {
    .name = "network file",
    .forms = forms,
    .ends = graph_ends,
    .choose = graph_choose,
    .has_choices = graph_has_choices,
    .distance = graph_distance,
    .distances = graph_distances,
    .bisection = graph_bisection,
    .coordinates = graph_coordinates,
    .given_name = graph_name,
    .switch_kind = graph_switch_kind,
    .place = graph_place,
};
