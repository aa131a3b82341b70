#include "topo/deadlock.h"

#include "base/hashmap.h"
#include "base/mem.h"
#include "topo/faults.h"

/* A dependency; those of one link are a list. */
struct dependency {
    uint32_t to, next; /* network links from 0; UINT32_MAX ends the list */
};

struct dependencies {
    const struct topo *topo;
    enum deadlock_routes routes;
    uint32_t links; /* network links */
    uint32_t *head; /* [links] the first dependency of each */
    uint32_t *in;   /* [links] how many links it depends on */
    struct dependency *all;
    size_t count, capacity;
    struct hashmap known;
    uint32_t *stamps; /* [switches] the last destination + 1 for which it was followed */
    uint32_t *queue;  /* [switches]; later [links] */
    uint32_t *route;
};

static void add(struct dependencies *graph, uint32_t from, uint32_t to)
{
    uint32_t first = 2 * graph->topo->nodes;
    uint32_t *slot = hashmap_slot(&graph->known, (uint64_t)(from - first) << 32 | (to - first));
    if (*slot)
        return;
    *slot = 1;
    graph->all = mem_grow(graph->all, &graph->capacity, graph->count + 1, "dependencies");
    graph->all[graph->count] = (struct dependency){.to = to - first, .next = graph->head[from - first]};
    graph->head[from - first] = (uint32_t)graph->count++;
    graph->in[to - first]++;
}

/* ------------------------------------------------------------------- routes */

/* From the links out of the switch to those that lead on behind them. */
static void follow_choice(struct dependencies *graph, uint32_t at, uint32_t destination, uint32_t *count)
{
    const struct topo *topo = graph->topo;
    struct topo_choice choice = topo_choose(topo, at, destination);
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, i);
        if (!topo_is_network(topo, link))
            continue;
        uint32_t to = topo_link_to(topo, link);
        struct topo_choice next = topo_choose(topo, to, destination);
        for (uint32_t k = 0; k < next.count; k++)
            if (topo_is_network(topo, topo_candidate(next, k)))
                add(graph, link, topo_candidate(next, k));
        if (graph->stamps[to] != destination + 1) {
            graph->stamps[to] = destination + 1;
            graph->queue[(*count)++] = to;
        }
    }
}

/* All switches that any route from the source to the destination passes. */
static void follow_any(struct dependencies *graph, uint32_t source, uint32_t destination)
{
    uint32_t count = 0, at = topo_switch_of(graph->topo, source);
    if (graph->stamps[at] == destination + 1)
        return;
    graph->stamps[at] = destination + 1;
    graph->queue[count++] = at;
    for (uint32_t i = 0; i < count; i++)
        follow_choice(graph, graph->queue[i], destination, &count);
}

static void follow_fixed(struct dependencies *graph, uint32_t source, uint32_t destination)
{
    uint32_t count = topo_route(graph->topo, source, destination, graph->route), held = UINT32_MAX;
    for (uint32_t i = 1; i + 1 < count; i++) {
        if (!topo_is_held(graph->topo, graph->route[i]))
            continue;
        if (held != UINT32_MAX)
            add(graph, held, graph->route[i]);
        held = graph->route[i];
    }
}

/* The first node of each switch that is not cut off itself; returns how many. A route depends on the switch
 * of its source, and not on the node; but for a platform, whose routes are those of pairs of nodes. */
static uint32_t list_sources(const struct topo *topo, uint32_t *sources)
{
    uint32_t count = 0;
    uint8_t *has = mem_alloc(topo->switches, sizeof *has, "nodes");
    for (uint32_t node = 0; node < topo->nodes; node++) {
        uint32_t at = topo_switch_of(topo, node);
        if ((has[at] && topo->ops->choose) || faults_has_failed(topo, topo_injection(topo, node)))
            continue;
        has[at] = 1;
        sources[count++] = node;
    }
    free(has);
    return count;
}

/* ------------------------------------------------------------------ circles */

/* Takes away the links that depend on none that is left, one after another. Returns how many are left. */
static uint32_t peel(struct dependencies *graph)
{
    uint32_t count = 0;
    for (uint32_t link = 0; link < graph->links; link++)
        if (!graph->in[link])
            graph->queue[count++] = link;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t at = graph->head[graph->queue[i]]; at != UINT32_MAX; at = graph->all[at].next)
            if (!--graph->in[graph->all[at].to])
                graph->queue[count++] = graph->all[at].to;
    return graph->links - count;
}

/* Breadth-first from the link back to it; `before` is the link before each on the way. False: no way. */
static bool find_circle(struct dependencies *graph, uint32_t start, uint32_t *before)
{
    uint32_t count = 0;
    for (uint32_t link = 0; link < graph->links; link++)
        before[link] = UINT32_MAX;
    graph->queue[count++] = start;
    for (uint32_t i = 0; i < count && before[start] == UINT32_MAX; i++)
        for (uint32_t at = graph->head[graph->queue[i]]; at != UINT32_MAX; at = graph->all[at].next) {
            uint32_t to = graph->all[at].to;
            if (before[to] != UINT32_MAX || !graph->in[to])
                continue;
            before[to] = graph->queue[i];
            if (to != start)
                graph->queue[count++] = to;
        }
    return before[start] != UINT32_MAX;
}

static void name_circle(struct dependencies *graph, struct link_circle *deadlock)
{
    uint32_t *before = mem_alloc(graph->links, sizeof *before, "dependencies"), start = 0;
    while (!graph->in[start] || !find_circle(graph, start, before))
        start++;
    uint32_t at = start;
    do
        deadlock->length++;
    while ((at = before[at]) != start);
    deadlock->links = mem_alloc(deadlock->length, sizeof *deadlock->links, "dependencies");
    for (uint32_t i = deadlock->length; i > 0; at = before[at])
        deadlock->links[i-- % deadlock->length] = 2 * graph->topo->nodes + at;
    free(before);
}

bool deadlock_find(const struct topo *topo, enum deadlock_routes routes, struct link_circle *deadlock)
{
    uint32_t links = topo->links - 2 * topo->nodes;
    struct dependencies graph = {.topo = topo, .routes = routes, .links = links};
    uint32_t *sources = mem_alloc(topo->nodes, sizeof *sources, "nodes");
    uint32_t count = list_sources(topo, sources);
    bool good = (uint64_t)count * topo->nodes <= DEADLOCK_PAIRS_LIMIT;
    *deadlock = (struct link_circle){.links = NULL};
    if (good) {
        size_t most = links > topo->switches ? links : topo->switches;
        graph.head = mem_alloc((size_t)links + 1, sizeof *graph.head, "dependencies");
        graph.in = mem_alloc((size_t)links + 1, sizeof *graph.in, "dependencies");
        graph.stamps = mem_alloc(topo->switches, sizeof *graph.stamps, "dependencies");
        graph.queue = mem_alloc(most, sizeof *graph.queue, "dependencies");
        graph.route = mem_alloc(topo_route_limit(topo), sizeof *graph.route, "a route");
        for (uint32_t link = 0; link < links; link++)
            graph.head[link] = UINT32_MAX;
        for (uint32_t destination = 0; destination < topo->nodes; destination++)
            for (uint32_t i = 0; i < count; i++)
                if (topo_reaches(topo, sources[i], destination))
                    (routes == DEADLOCK_ANY ? follow_any : follow_fixed)(&graph, sources[i], destination);
        deadlock->dependencies = graph.count;
        if (peel(&graph))
            name_circle(&graph, deadlock);
    }
    void *const all[] = {sources, graph.head, graph.in, graph.all, graph.stamps, graph.queue, graph.route};
    hashmap_free(&graph.known);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return good;
}
