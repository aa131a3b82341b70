#include "topo/platform.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "topo/faults.h"

static const struct platform *platform_of(const struct topo *topo)
{
    return graph_of(topo)->platform;
}

/* ----------------------------------------------------------------- numbers */

void platform_number(struct platform *platform)
{
    uint32_t nodes = (uint32_t)platform->host_count, next = 2 * nodes;
    struct platform_link *links = platform->links;
    for (size_t i = 0; i < platform->link_count; i++)
        links[i].number = PLATFORM_NONE;
    platform->link_at =
        mem_alloc(2 * (size_t)nodes + platform->link_count, sizeof *platform->link_at, "links");
    for (uint32_t node = 0; node < nodes; node++) {
        struct platform_point *host = &platform->points[platform->hosts[node]];
        uint32_t own = host->own, back = own == PLATFORM_NONE ? own : links[own].twin;
        if (host->is_passed && own != PLATFORM_NONE) {
            links[own].to = links[back].from = host->place;
            host->place = own = back = PLATFORM_NONE;
        }
        if (host->place == PLATFORM_NONE)
            host->place = platform_add_place(platform, platform->point_names.texts[platform->hosts[node]]);
        if (host->is_passed && host->own != PLATFORM_NONE) {
            links[host->own].from = links[links[host->own].twin].to = host->place;
            host->own = PLATFORM_NONE;
        }
        platform->link_at[node] = own;
        platform->link_at[nodes + node] = back;
        if (own != PLATFORM_NONE) {
            links[own].number = node;
            links[back].number = nodes + node;
        }
    }
    for (uint32_t i = 0; i < platform->link_count; i++)
        if (links[i].number == PLATFORM_NONE) {
            platform->link_at[next] = i;
            links[i].number = next++;
        }
    platform->network_links = next - 2 * nodes;
}

/* --------------------------------------------------------------- the graph */

static void set_links(struct topo_graph *graph, const struct platform *platform)
{
    size_t all = 2 * (size_t)graph->nodes + platform->network_links;
    graph->rates = mem_alloc(all, sizeof *graph->rates, "a network");
    graph->latencies = mem_alloc(all, sizeof *graph->latencies, "a network");
    graph->link_kinds = mem_alloc(all, sizeof *graph->link_kinds, "a network");
    for (size_t i = 0; i < all; i++) {
        uint32_t link = platform->link_at[i];
        graph->link_kinds[i] = TOPO_LINK_FREE;
        if (link == PLATFORM_NONE)
            continue;
        graph->rates[i] = platform->links[link].rate_bytes_per_s;
        graph->latencies[i] = platform->links[link].latency_ps;
        graph->link_kinds[i] = platform->links[link].is_fat ? TOPO_LINK_WHOLE : TOPO_LINK_SHARED;
    }
}

/* The rate that a node without a link of its own can have: that of all links at its place. */
static void set_free_rates(struct topo_graph *graph, const struct platform *platform)
{
    const uint64_t most = UINT64_C(70000000000000);
    uint64_t *at_place = mem_alloc(graph->switches, sizeof *at_place, "a network");
    for (size_t i = 2 * (size_t)graph->nodes; i < 2 * (size_t)graph->nodes + platform->network_links; i++) {
        const struct platform_link *link = &platform->links[platform->link_at[i]];
        uint64_t rate = link->is_fat ? most : link->rate_bytes_per_s;
        uint64_t *sums[] = {&at_place[link->from],
                            link->twin == platform->link_at[i] && link->to != link->from ? &at_place[link->to]
                                                                                         : NULL};
        for (int end = 0; end < 2 && sums[end]; end++)
            *sums[end] = *sums[end] + rate < most ? *sums[end] + rate : most;
    }
    for (uint32_t node = 0; node < graph->nodes; node++) {
        uint64_t rate = at_place[graph->node_switch[node]];
        if (graph->link_kinds[node] == TOPO_LINK_FREE)
            graph->rates[node] = graph->rates[graph->nodes + node] = rate ? rate : most;
    }
    free(at_place);
}

static void set_nodes(struct topo_graph *graph, const struct platform *platform)
{
    uint32_t *counts = mem_alloc(graph->switches, sizeof *counts, "a network");
    graph->node_switch = mem_alloc(graph->nodes, sizeof *graph->node_switch, "a network");
    for (uint32_t node = 0; node < graph->nodes; node++) {
        uint32_t place = platform->points[platform->hosts[node]].place;
        graph->node_switch[node] = place;
        if (++counts[place] > graph->nodes_most)
            graph->nodes_most = counts[place];
    }
    free(counts);
}

/* Whether the switch is the host alone: its name, and no way of others leads through it. */
static bool is_host_alone(const struct topo_graph *graph, uint32_t node, uint32_t place)
{
    const struct platform *platform = graph->platform;
    const char *name = platform->point_names.texts[platform->hosts[node]];
    return !platform->is_between[place] && strcmp(name, graph->names.texts[place]) == 0;
}

/* A host without a link of its own has a switch in its place. If all ways are known, and none of others leads
 * through it, it is no device. */
static void set_kinds(struct topo_graph *graph, const struct platform *platform)
{
    if (platform->is_sampled || platform->no_ends)
        return;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        uint32_t place = graph->node_switch[node];
        if (graph->link_kinds[node] != TOPO_LINK_FREE || !is_host_alone(graph, node, place))
            continue;
        if (!graph->kinds)
            graph->kinds = mem_alloc(graph->switches, sizeof *graph->kinds, "a network");
        graph->kinds[place] = GRAPH_ENDS;
    }
}

struct topo_graph *platform_graph(struct platform *platform)
{
    struct topo_graph *graph = mem_alloc(1, sizeof *graph, "a network");
    graph->platform = platform;
    graph->nodes = (uint32_t)platform->host_count;
    graph->switches = (uint32_t)platform->places.count;
    graph->names = platform->places;
    platform->places = (struct text_index){.count = 0};
    graph->distances = platform->distances;
    graph->no_effect = platform->no_effect;
    set_nodes(graph, platform);
    set_links(graph, platform);
    set_free_rates(graph, platform);
    set_kinds(graph, platform);
    return graph;
}

void platform_topo(const struct topo_graph *graph, struct topo *topo)
{
    topo->links = 2 * graph->nodes + graph->platform->network_links;
    topo->link_kinds = graph->link_kinds;
    topo->has_fixed_routes = true;
    topo->has_pair_latencies = graph->platform->has_vivaldi;
    topo->no_ends = graph->platform->no_ends;
    topo->has_sample = graph->platform->is_sampled;
}

/* -------------------------------------------------------------- the family */

static void find(const struct topo *topo, uint32_t source, uint32_t destination, struct platform_way *way)
{
    const struct platform *platform = platform_of(topo);
    const struct platform_detours *detours = topo->faults ? topo->faults->detours : NULL;
    uint32_t from = platform->hosts[source], to = platform->hosts[destination];
    way->count = 0;
    way->is_too_long = way->has_detour = false;
    way->more_ps = 0;
    way->detours = NULL;
    if (source != destination && detours)
        platform_find_around(platform, detours, from, to, way);
    else if (source != destination)
        platform_find_way(platform, from, to, way);
}

static uint32_t platform_route_links(const struct topo *topo, uint32_t source, uint32_t destination,
                                     uint32_t *links)
{
    const struct platform *platform = platform_of(topo);
    struct platform_way way;
    uint32_t count = 0;
    find(topo, source, destination, &way);
    for (uint32_t i = 0; i < way.count; i++) {
        uint32_t number = platform->links[way.links[i]].number;
        if (number != topo_injection(topo, source) && number != topo_ejection(topo, destination))
            links[count++] = number;
    }
    return count;
}

static uint32_t platform_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    uint32_t links[PLATFORM_ROUTE_AT_MOST];
    return platform_route_links(topo, source, destination, links);
}

static ps_t platform_more_latency(const struct topo *topo, uint32_t source, uint32_t destination)
{
    struct platform_way way; /* which is large: not cleared where it is not used */
    if (!platform_of(topo)->has_vivaldi)
        return 0;
    find(topo, source, destination, &way);
    return way.more_ps;
}

static struct topo_hop platform_ends(const struct topo *topo, uint32_t link)
{
    const struct platform *platform = platform_of(topo);
    const struct platform_link *found = &platform->links[platform->link_at[link]];
    return (struct topo_hop){found->from, found->to};
}

static uint32_t platform_reverse(const struct topo *topo, uint32_t link)
{
    const struct platform *platform = platform_of(topo);
    return platform->links[platform->links[platform->link_at[link]].twin].number;
}

static const char *platform_name(const struct topo *topo, uint32_t at)
{
    return graph_of(topo)->names.texts[at];
}

static const char *platform_host(const struct topo *topo, uint32_t node)
{
    const struct platform *platform = platform_of(topo);
    return platform->point_names.texts[platform->hosts[node]];
}

static const char *platform_given_link(const struct topo *topo, uint32_t link)
{
    const struct platform *platform = platform_of(topo);
    uint32_t found = platform->link_at[link];
    return found == PLATFORM_NONE ? NULL : platform_link_name(platform, found);
}

static uint32_t platform_find(const struct topo *topo, const char *name)
{
    const struct platform *platform = platform_of(topo);
    uint32_t link = platform_find_link(platform, name);
    return link == UINT32_MAX ? link : platform->links[link & ~PLATFORM_SPLIT].number;
}

static const struct topo_form forms[] = {{.name = NULL}};

const struct topo_ops platform_family = {
    .name = "SimGrid platform",
    .forms = forms,
    .ends = platform_ends,
    .reverse = platform_reverse,
    .route = platform_route_links,
    .more_latency = platform_more_latency,
    .distance = platform_distance,
    .distances = graph_distances,
    .given_name = platform_name,
    .switch_kind = graph_switch_kind,
    .host_name = platform_host,
    .given_link = platform_given_link,
    .find_link = platform_find,
};
