#include "base/mem.h"
#include "topo/faults.h"
#include "topo/graph.h"

/* The least cut between two halves of the nodes, as the largest flow between them (Dinic, Algorithm for
 * solution of a problem of maximum flow in networks with power estimation, Soviet Math. Doklady 1970). Each
 * link carries one unit each way, its two directions together. */

/* Vertices are the switches, and behind them the two halves. Arcs come in pairs i and i ^ 1. */
struct graph_cut {
    uint32_t vertices, arcs;
    uint32_t *first;            /* [vertices] the first arc out of it, or UINT32_MAX */
    uint32_t *next, *to, *room; /* of each arc */
    uint32_t *depth, *queue, *at;
};

static void add_arcs(struct graph_cut *cut, uint32_t from, uint32_t to, uint32_t there, uint32_t back)
{
    const uint32_t ends[2] = {from, to}, room[2] = {there, back};
    for (uint32_t i = 0; i < 2; i++) {
        cut->to[cut->arcs] = ends[1 - i];
        cut->room[cut->arcs] = room[i];
        cut->next[cut->arcs] = cut->first[ends[i]];
        cut->first[ends[i]] = cut->arcs++;
    }
}

static bool is_second_half(const struct topo *topo, uint32_t node)
{
    return node >= topo->nodes - topo->nodes / 2;
}

/* A half gives each switch as many units as it has nodes there. */
static void cut_init(struct graph_cut *cut, const struct topo *topo)
{
    uint32_t switches = topo->switches;
    size_t arcs = topo->links - 2 * topo->nodes + 4 * (size_t)switches;
    *cut = (struct graph_cut){.vertices = switches + 2};
    uint32_t **const of_vertices[] = {&cut->first, &cut->depth, &cut->queue, &cut->at};
    uint32_t **const of_arcs[] = {&cut->next, &cut->to, &cut->room};
    for (size_t i = 0; i < sizeof of_vertices / sizeof *of_vertices; i++)
        *of_vertices[i] = mem_alloc(cut->vertices, sizeof **of_vertices[i], "a cut");
    for (size_t i = 0; i < sizeof of_arcs / sizeof *of_arcs; i++)
        *of_arcs[i] = mem_alloc(arcs, sizeof **of_arcs[i], "a cut");
    for (uint32_t i = 0; i < cut->vertices; i++)
        cut->first[i] = UINT32_MAX;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        struct topo_hop ends = topo->ops->ends(topo, link);
        if (link < topo_link_reverse(topo, link) && !faults_has_failed(topo, link))
            add_arcs(cut, ends.from, ends.to, 1, 1);
    }
    uint32_t *halves[2] = {cut->depth, cut->queue}; /* not in use yet */
    for (uint32_t node = 0; node < topo->nodes; node++)
        if (!faults_has_failed(topo, topo_injection(topo, node)))
            halves[is_second_half(topo, node)][topo_switch_of(topo, node)]++;
    for (uint32_t i = 0; i < switches; i++) {
        add_arcs(cut, switches, i, halves[0][i], 0);
        add_arcs(cut, i, switches + 1, halves[1][i], 0);
    }
}

static void cut_free(struct graph_cut *cut)
{
    uint32_t *const all[] = {cut->first, cut->next, cut->to, cut->room, cut->depth, cut->queue, cut->at};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* Depths from the first half; false: the second one cannot be reached. */
static bool find_depths(struct graph_cut *cut)
{
    uint32_t source = cut->vertices - 2, sink = cut->vertices - 1;
    size_t count = 0;
    for (uint32_t i = 0; i < cut->vertices; i++)
        cut->depth[i] = UINT32_MAX;
    cut->depth[source] = 0;
    cut->queue[count++] = source;
    for (size_t i = 0; i < count; i++) {
        uint32_t from = cut->queue[i];
        for (uint32_t arc = cut->first[from]; arc != UINT32_MAX; arc = cut->next[arc])
            if (cut->room[arc] && cut->depth[cut->to[arc]] == UINT32_MAX) {
                cut->depth[cut->to[arc]] = cut->depth[from] + 1;
                cut->queue[count++] = cut->to[arc];
            }
    }
    return cut->depth[sink] != UINT32_MAX;
}

/* One more way through the depths, kept as the arcs in `queue`; returns the units it carries, 0: there is
 * none. cut->at is how far the arcs of each vertex have been tried. */
static uint32_t add_way(struct graph_cut *cut)
{
    uint32_t sink = cut->vertices - 1, at = cut->vertices - 2, length = 0;
    while (at != sink) {
        uint32_t arc = cut->at[at];
        while (arc != UINT32_MAX && !(cut->room[arc] && cut->depth[cut->to[arc]] == cut->depth[at] + 1))
            arc = cut->next[arc];
        cut->at[at] = arc;
        if (arc != UINT32_MAX) {
            cut->queue[length++] = arc;
            at = cut->to[arc];
        } else if (length) {
            uint32_t back = cut->queue[--length];
            at = cut->to[back ^ 1];
            cut->at[at] = cut->next[back];
        } else {
            return 0;
        }
    }
    uint32_t units = UINT32_MAX;
    for (uint32_t i = 0; i < length; i++)
        units = cut->room[cut->queue[i]] < units ? cut->room[cut->queue[i]] : units;
    for (uint32_t i = 0; i < length; i++) {
        cut->room[cut->queue[i]] -= units;
        cut->room[cut->queue[i] ^ 1] += units;
    }
    return units;
}

uint64_t graph_bisection(const struct topo *topo)
{
    struct graph_cut cut;
    uint64_t sum = 0;
    cut_init(&cut, topo);
    while (find_depths(&cut)) {
        for (uint32_t i = 0; i < cut.vertices; i++)
            cut.at[i] = cut.first[i];
        for (uint32_t units; (units = add_way(&cut));)
            sum += units;
    }
    cut_free(&cut);
    return sum;
}
