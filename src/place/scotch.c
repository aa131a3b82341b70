#include <scotch.h>
#include <stdlib.h>

#include "base/mem.h"
#include "place/place.h"
#include "topo/topo.h"

/* The ranks are mapped with Scotch's default strategy onto an architecture that is the graph of switches with
 * a leaf for each place of the ranks. One thread and a seed make the same input give the same mapping. */

const bool place_has_scotch = true;

/* Scotch reports through functions that the program may have. A mapping that fails is left out. */
void SCOTCH_errorProg(const char *const name)
{
    (void)name;
}

void SCOTCH_errorPrint(const char *const format, ...)
{
    (void)format;
}

void SCOTCH_errorPrintW(const char *const format, ...)
{
    (void)format;
}

/* A graph as Scotch takes it: of each vertex its neighbours, and the weights of the edges to them. */
struct lists {
    SCOTCH_Num vertices, *first, *neighbours, *weights;
};

static void free_lists(struct lists *lists)
{
    free(lists->first);
    free(lists->neighbours);
    free(lists->weights);
}

/* The bytes of an edge as a weight: their sum has 32 bits. No weight is 0. */
static struct lists lists_of_traffic(const struct place_traffic *traffic)
{
    const size_t edges = traffic->first[traffic->ranks];
    struct lists lists = {.vertices = (SCOTCH_Num)traffic->ranks,
                          .first =
                              mem_alloc((size_t)traffic->ranks + 1, sizeof *lists.first, "a graph of ranks"),
                          .neighbours = mem_alloc(edges + 1, sizeof *lists.neighbours, "a graph of ranks"),
                          .weights = mem_alloc(edges + 1, sizeof *lists.weights, "a graph of ranks")};
    const sum_t room = (INT32_C(1) << 29);
    for (uint32_t rank = 0; rank <= traffic->ranks; rank++)
        lists.first[rank] = (SCOTCH_Num)traffic->first[rank];
    for (size_t i = 0; i < edges; i++) {
        const struct place_peer *peer = &traffic->peers[i];
        const sum_t bytes = (sum_t)peer->to + peer->from;
        lists.neighbours[i] = (SCOTCH_Num)peer->rank;
        lists.weights[i] = (SCOTCH_Num)(1 + bytes * room / (2 * traffic->bytes + 1));
    }
    return lists;
}

struct edge {
    SCOTCH_Num from, to;
};

static int by_ends(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static size_t add_edge(struct edge *edges, size_t count, uint32_t from, uint32_t to)
{
    edges[count] = (struct edge){(SCOTCH_Num)from, (SCOTCH_Num)to};
    edges[count + 1] = (struct edge){(SCOTCH_Num)to, (SCOTCH_Num)from};
    return count + 2;
}

/* Switches, then a leaf for each rank's place. */
static struct lists lists_of_machine(const struct topo *topo, const uint32_t *node_of, uint32_t ranks)
{
    const size_t vertices = (size_t)topo->switches + ranks;
    struct edge *edges =
        mem_alloc(2 * ((size_t)topo->links + ranks) + 2, sizeof *edges, "a graph of switches");
    size_t count = 0, kept = 0;
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        const struct topo_ends ends = topo_link_ends(topo, link);
        if (ends.from.id != ends.to.id)
            count = add_edge(edges, count, ends.from.id, ends.to.id);
    }
    for (uint32_t rank = 0; rank < ranks; rank++)
        count = add_edge(edges, count, topo_switch_of(topo, node_of[rank]), topo->switches + rank);
    qsort(edges, count, sizeof *edges, by_ends);
    struct lists lists = {.vertices = (SCOTCH_Num)vertices,
                          .first = mem_alloc(vertices + 1, sizeof *lists.first, "a graph of switches"),
                          .neighbours =
                              mem_alloc(count + 1, sizeof *lists.neighbours, "a graph of switches")};
    for (size_t i = 0; i < count; i++) {
        if (i && by_ends(&edges[i - 1], &edges[i]) == 0)
            continue;
        lists.neighbours[kept++] = edges[i].to;
        lists.first[edges[i].from + 1]++;
    }
    for (size_t i = 0; i < vertices; i++)
        lists.first[i + 1] += lists.first[i];
    free(edges);
    return lists;
}

static bool open_graph(const struct lists *lists, SCOTCH_Graph *graph)
{
    if (SCOTCH_graphInit(graph) != 0)
        return false;
    if (SCOTCH_graphBuild(graph, 0, lists->vertices, lists->first, NULL, NULL, NULL,
                          lists->first[lists->vertices], lists->neighbours, lists->weights) == 0)
        return true;
    SCOTCH_graphExit(graph);
    return false;
}

/* A context of one thread, with its random numbers. NULL: there is none. */
static SCOTCH_Context *open_context(uint64_t seed)
{
    SCOTCH_Context *context = SCOTCH_contextAlloc();
    if (!context || SCOTCH_contextInit(context) != 0) {
        free(context);
        return NULL;
    }
    SCOTCH_contextRandomSeed(context, (SCOTCH_Num)(seed & INT32_MAX));
    SCOTCH_contextRandomReset(context);
    if (SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
        SCOTCH_contextThreadSpawn(context, 1, NULL) == 0)
        return context;
    SCOTCH_contextExit(context);
    free(context);
    return NULL;
}

/* A graph without a context has one of several threads, whose results depend on who comes first. */
static bool bind(SCOTCH_Context *context, const SCOTCH_Graph *graph, SCOTCH_Graph *bound)
{
    if (SCOTCH_graphInit(bound) != 0)
        return false;
    if (SCOTCH_contextBindGraph(context, graph, bound) == 0)
        return true;
    SCOTCH_graphExit(bound);
    return false;
}

static bool map_bound(SCOTCH_Graph *ranks, const SCOTCH_Arch *machine, SCOTCH_Num *leaf_of)
{
    SCOTCH_Strat strategy;
    if (SCOTCH_stratInit(&strategy) != 0)
        return false;
    const bool good = SCOTCH_graphMap(ranks, machine, &strategy, leaf_of) == 0;
    SCOTCH_stratExit(&strategy);
    return good;
}

/* The machine is made of the switches, and the ranks are mapped onto it, both in this context. */
static bool map_in(SCOTCH_Context *context, const SCOTCH_Graph *ranks, const SCOTCH_Graph *switches,
                   const SCOTCH_Num *leaves, SCOTCH_Num count, SCOTCH_Num *leaf_of)
{
    SCOTCH_Graph bound_ranks, bound_switches;
    SCOTCH_Arch machine;
    bool good = false;
    if (!bind(context, switches, &bound_switches))
        return false;
    if (bind(context, ranks, &bound_ranks)) {
        if (SCOTCH_archInit(&machine) == 0) {
            good = SCOTCH_archBuild2(&machine, &bound_switches, count, leaves) == 0 &&
                   map_bound(&bound_ranks, &machine, leaf_of);
            SCOTCH_archExit(&machine);
        }
        SCOTCH_graphExit(&bound_ranks);
    }
    SCOTCH_graphExit(&bound_switches);
    return good;
}

static bool map(SCOTCH_Graph *ranks, const SCOTCH_Graph *switches, const SCOTCH_Num *leaves, SCOTCH_Num count,
                uint64_t seed, SCOTCH_Num *leaf_of)
{
    SCOTCH_randomSeed((SCOTCH_Num)(seed & INT32_MAX));
    SCOTCH_randomReset();
    SCOTCH_Context *context = open_context(seed);
    if (!context)
        return false;
    const bool good = map_in(context, ranks, switches, leaves, count, leaf_of);
    SCOTCH_contextExit(context);
    free(context);
    return good;
}

/* Scotch may give a place to several ranks: all but the first get the places that are left. */
static void take_leaves(const SCOTCH_Num *leaf_of, uint32_t ranks, uint32_t *node_of)
{
    uint32_t *rank_of = mem_alloc(ranks, sizeof *rank_of, "places of ranks"), next = 0;
    uint32_t *nodes = mem_alloc(ranks, sizeof *nodes, "places of ranks");
    bool *has_place = mem_alloc(ranks, sizeof *has_place, "places of ranks");
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const SCOTCH_Num leaf = leaf_of[rank];
        nodes[rank] = node_of[rank];
        if (leaf >= 0 && (uint32_t)leaf < ranks && !rank_of[leaf]) {
            rank_of[leaf] = rank + 1;
            has_place[rank] = true;
        }
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (has_place[rank])
            continue;
        while (rank_of[next])
            next++;
        rank_of[next] = rank + 1;
    }
    for (uint32_t leaf = 0; leaf < ranks; leaf++)
        node_of[rank_of[leaf] - 1] = nodes[leaf];
    free(rank_of);
    free(nodes);
    free(has_place);
}

bool place_by_scotch(const struct place_traffic *traffic, const struct topo *topo, uint64_t seed,
                     uint32_t *node_of)
{
    const uint32_t ranks = traffic->ranks;
    SCOTCH_Graph program, machine;
    bool good = false;
    if (ranks > PLACE_SCOTCH_PLACES)
        return false;
    if (ranks == 1) /* an architecture of one place crashes Scotch 7.0.3 */
        return true;
    struct lists of_ranks = lists_of_traffic(traffic), of_switches = lists_of_machine(topo, node_of, ranks);
    SCOTCH_Num *leaves = mem_alloc(ranks, sizeof *leaves, "places of ranks"),
               *leaf_of = mem_alloc(ranks, sizeof *leaf_of, "places of ranks");
    for (uint32_t rank = 0; rank < ranks; rank++)
        leaves[rank] = (SCOTCH_Num)(topo->switches + rank);
    if (open_graph(&of_ranks, &program)) {
        if (open_graph(&of_switches, &machine)) {
            good = map(&program, &machine, leaves, (SCOTCH_Num)ranks, seed, leaf_of);
            SCOTCH_graphExit(&machine);
        }
        SCOTCH_graphExit(&program);
    }
    if (good)
        take_leaves(leaf_of, ranks, node_of);
    free_lists(&of_ranks);
    free_lists(&of_switches);
    free(leaves);
    free(leaf_of);
    return good;
}
