#include <string.h>

#include "base/mem.h"
#include "topo/faults.h"
#include "topo/graph.h"
#include "topo/link_sets.h"
#include "topo/platform.h"
#include "topo/updown.h"

/* The routes that are left when links between switches have failed.
 *
 * Let t be a switch with nodes. A switch s is *whole* for t if the topology's own rules still lead from s to
 * t: one of the links that they allow is intact and leads to a switch that is whole. Let h(s, t) be the hops
 * of that way if s is whole, else 1 + the least h of a switch that an intact link leads to. At s a message
 * to t takes intact links to switches with h(s, t) - 1: if s is whole, those that the rules allow, else all.
 *
 * Each hop lowers h, so there are no loops. A route that no fault touches stays. Where the topology's routes
 * are the shortest ones, those that are left are the shortest ones of the network that is left. */

#define FAR       UINT16_MAX
#define UNTOUCHED UINT32_MAX

struct fault_routes {
    uint32_t leaves, *leaf; /* [switches] the number of each among those with nodes, or UINT32_MAX */
    uint16_t *hops;         /* [switches x leaves]; FAR: no way */
    uint32_t *choice;       /* [switches x leaves] place in `sets`; UNTOUCHED: the links of the topology */
    struct link_sets sets;
    uint8_t *level;                /* [switches] */
    uint32_t divisor[TOPO_LEVELS]; /* of each level, for the links that take the place of others */
    struct topo_distances distances;
    uint64_t pairs; /* of different nodes that reach each other, ordered */
    bool has_choices;
};

/* What is needed while the table is made; [switches] where nothing else is said. */
struct route_maker {
    const struct topo_faults *faults;
    const struct topo *base;
    struct fault_routes *routes;
    uint32_t *first, *out, *to;       /* intact network links by switch, ascending, and where they lead */
    uint32_t *node_first, *node_list; /* nodes by switch */
    uint32_t target;                  /* t */
    uint32_t *length;                 /* of the topology's own way to t; UINT32_MAX: none */
    uint32_t *order, *starts;         /* switches by length */
    uint32_t *bucket, *next;          /* switches by hops: [switches + 1] the first; the one behind each */
    uint16_t *hops;
    bool *is_whole;
    uint32_t *stamps, stamp;    /* [links] links that the rules allow have the present stamp */
    uint32_t most[TOPO_LEVELS]; /* links that lead on, at a switch of each level */
};

static bool has_failed(const struct route_maker *maker, uint32_t link)
{
    return maker->faults->links[link] & FAULT_FAILED;
}

bool faults_passes(const struct topo *topo, uint32_t at)
{
    const uint8_t *kinds = topo->ops == &graph_family ? graph_of(topo)->kinds : NULL;
    bool is_end = topo_is_port(topo, at) || (kinds && kinds[at] == GRAPH_ENDS);
    return !is_end || topo->ops->rules & TOPO_RULE_RELAY;
}

/* ------------------------------------------------------------------ sorting */

static void sort_links(struct route_maker *maker)
{
    const struct topo *base = maker->base;
    uint32_t switches = base->switches, network = base->links - 2 * base->nodes;
    maker->first = mem_alloc((size_t)switches + 2, sizeof *maker->first, "routes");
    maker->out = mem_alloc((size_t)network + 1, sizeof *maker->out, "routes");
    maker->to = mem_alloc((size_t)network + 1, sizeof *maker->to, "routes");
    for (uint32_t link = 2 * base->nodes; link < base->links; link++)
        if (!has_failed(maker, link))
            maker->first[base->ops->ends(base, link).from + 2]++;
    for (uint32_t i = 0; i < switches; i++)
        maker->first[i + 2] += maker->first[i + 1];
    for (uint32_t link = 2 * base->nodes; link < base->links; link++) {
        struct topo_hop ends = base->ops->ends(base, link);
        if (has_failed(maker, link))
            continue;
        uint32_t at = maker->first[ends.from + 1]++;
        maker->out[at] = link;
        maker->to[at] = ends.to;
    }
}

/* False: too many pairs for the table. */
static bool sort_nodes(struct route_maker *maker)
{
    const struct topo *base = maker->base;
    struct fault_routes *routes = maker->routes;
    maker->node_first = mem_alloc((size_t)base->switches + 2, sizeof *maker->node_first, "routes");
    maker->node_list = mem_alloc(base->nodes, sizeof *maker->node_list, "routes");
    routes->leaf = mem_alloc(base->switches, sizeof *routes->leaf, "routes");
    for (uint32_t node = 0; node < base->nodes; node++)
        maker->node_first[topo_switch_of(base, node) + 2]++;
    for (uint32_t i = 0; i < base->switches; i++) {
        routes->leaf[i] = maker->node_first[i + 2] ? routes->leaves++ : UINT32_MAX;
        maker->node_first[i + 2] += maker->node_first[i + 1];
    }
    for (uint32_t node = 0; node < base->nodes; node++)
        maker->node_list[maker->node_first[topo_switch_of(base, node) + 1]++] = node;
    return (uint64_t)base->switches * routes->leaves <= GRAPH_ROUTES_LIMIT;
}

/* ------------------------------------------------- which switches are whole */

/* How long the topology's own way is from `at`, for switches that have no node to ask for a distance. */
static void find_length(struct route_maker *maker, uint32_t at, uint32_t *way)
{
    enum { UNKNOWN = -1, BUSY = -2 };
    const struct topo *base = maker->base;
    uint32_t node = maker->node_list[maker->node_first[maker->target]], count = 0;
    while (maker->length[at] == (uint32_t)UNKNOWN) {
        struct topo_choice choice = topo_choose(base, at, node);
        maker->length[at] = (uint32_t)BUSY;
        way[count++] = at;
        if (!choice.count || !topo_is_network(base, topo_candidate(choice, choice.preferred)))
            break;
        at = topo_link_to(base, topo_candidate(choice, choice.preferred));
    }
    uint32_t length = maker->length[at];
    while (count) {
        length = length < (uint32_t)BUSY ? length + 1 : (uint32_t)BUSY; /* rules that lead nowhere */
        maker->length[way[--count]] = length;
    }
}

/* The switches with a way to the target, the nearest first; returns how many. */
static uint32_t sort_by_length(struct route_maker *maker)
{
    uint32_t switches = maker->base->switches, count = 0;
    memset(maker->length, 0xff, switches * sizeof *maker->length);
    memset(maker->starts, 0, ((size_t)switches + 2) * sizeof *maker->starts);
    maker->length[maker->target] = 0;
    for (uint32_t i = 0; i < switches; i++)
        find_length(maker, i, maker->order);
    for (uint32_t i = 0; i < switches; i++)
        if (maker->length[i] < switches)
            maker->starts[maker->length[i] + 1]++;
    for (uint32_t i = 0; i < switches; i++)
        maker->starts[i + 1] += maker->starts[i];
    for (uint32_t i = 0; i < switches; i++)
        if (maker->length[i] < switches) {
            maker->order[maker->starts[maker->length[i]]++] = i;
            count++;
        }
    return count;
}

static void set_hops(struct route_maker *maker, uint32_t at, uint32_t hops)
{
    maker->hops[at] = (uint16_t)hops;
    maker->next[at] = maker->bucket[hops];
    maker->bucket[hops] = at;
}

/* The links to the next node on the target, from the i-th node of all on, which has others than `choice`.
 * Nodes of one switch can have different links, as the copies of a dragonfly; most have the same. False:
 * there is none. */
static bool next_choice(const struct route_maker *maker, uint32_t at, uint32_t *i, struct topo_choice *choice)
{
    const struct topo_choice last = *choice;
    while (*i < maker->node_first[maker->target + 1]) {
        *choice = topo_choose(maker->base, at, maker->node_list[(*i)++]);
        if (choice->first != last.first || choice->step != last.step || choice->count != last.count ||
            choice->links != last.links)
            return true;
    }
    return false;
}

static bool find_whole(struct route_maker *maker, uint32_t at)
{
    const struct topo *base = maker->base;
    struct topo_choice choice = {.count = 0};
    for (uint32_t i = maker->node_first[maker->target]; next_choice(maker, at, &i, &choice);)
        for (uint32_t k = 0; k < choice.count; k++) {
            uint32_t link = topo_candidate(choice, k);
            if (!topo_is_network(base, link) || has_failed(maker, link))
                continue;
            uint32_t to = topo_link_to(base, link);
            if (maker->is_whole[to] && maker->length[to] + 1 == maker->length[at])
                return true;
        }
    return false;
}

/* Breadth-first from the whole switches to those that are not. */
static void go_around(struct route_maker *maker)
{
    uint32_t switches = maker->base->switches;
    for (uint32_t hops = 0; hops < switches; hops++)
        for (uint32_t at = maker->bucket[hops]; at != UINT32_MAX; at = maker->next[at])
            for (uint32_t i = maker->first[at]; i < maker->first[at + 1]; i++)
                if (maker->hops[maker->to[i]] == FAR && (!hops || faults_passes(maker->base, at)))
                    set_hops(maker, maker->to[i], hops + 1);
}

/* h of each switch to the target. A link fails in both directions, so ways lead back as well. */
static void find_hops(struct route_maker *maker)
{
    uint32_t switches = maker->base->switches, count = sort_by_length(maker), whole = 0;
    memset(maker->bucket, 0xff, ((size_t)switches + 1) * sizeof *maker->bucket);
    memset(maker->is_whole, 0, switches * sizeof *maker->is_whole);
    memset(maker->hops, 0xff, switches * sizeof *maker->hops);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = maker->order[i];
        if (at != maker->target && !find_whole(maker, at))
            continue;
        maker->is_whole[at] = true;
        set_hops(maker, at, maker->length[at]);
        whole++;
    }
    if (whole < switches)
        go_around(maker);
}

/* ------------------------------------------------------- links that lead on */

static bool leads_on(const struct route_maker *maker, uint32_t at, uint32_t link)
{
    if (!topo_is_network(maker->base, link) || has_failed(maker, link))
        return false;
    uint32_t to = topo_link_to(maker->base, link), hops = maker->hops[to];
    if (hops && !faults_passes(maker->base, to))
        return false;
    return hops != FAR && hops + 1 == maker->hops[at];
}

/* Stamps the links that the rules allow and that lead on. False: one of them does not. */
static bool stamp_allowed(struct route_maker *maker, uint32_t at)
{
    uint32_t *most = &maker->most[maker->routes->level[at]];
    struct topo_choice choice = {.count = 0};
    bool all = true;
    maker->stamp++;
    for (uint32_t i = maker->node_first[maker->target]; next_choice(maker, at, &i, &choice);) {
        *most = choice.count > *most ? choice.count : *most;
        for (uint32_t k = 0; k < choice.count; k++) {
            uint32_t link = topo_candidate(choice, k);
            if (leads_on(maker, at, link))
                maker->stamps[link] = maker->stamp;
            else
                all = false;
        }
    }
    return all;
}

static uint32_t choice_of(struct route_maker *maker, uint32_t at)
{
    struct fault_routes *routes = maker->routes;
    if (at == maker->target || maker->hops[at] == FAR || stamp_allowed(maker, at))
        return UNTOUCHED;
    uint32_t first = maker->first[at], end = maker->first[at + 1], count = 0;
    uint32_t *set = link_sets_begin(&routes->sets, end - first);
    for (uint32_t i = first; i < end; i++)
        if (leads_on(maker, at, maker->out[i]) &&
            (!maker->is_whole[at] || maker->stamps[maker->out[i]] == maker->stamp))
            set[++count] = maker->out[i];
    set[0] = count;
    routes->has_choices |= count > 1;
    return link_sets_end(&routes->sets);
}

static uint32_t intact_nodes(const struct route_maker *maker, uint32_t at)
{
    uint32_t count = 0;
    for (uint32_t i = maker->node_first[at]; i < maker->node_first[at + 1]; i++)
        count += !has_failed(maker, topo_injection(maker->base, maker->node_list[i]));
    return count;
}

static void add_target(struct route_maker *maker, uint32_t target)
{
    struct fault_routes *routes = maker->routes;
    uint64_t here = intact_nodes(maker, target);
    maker->target = target;
    find_hops(maker);
    for (uint32_t at = 0; at < maker->base->switches; at++) {
        size_t place = (size_t)at * routes->leaves + routes->leaf[target];
        uint32_t hops = routes->hops[place] = maker->hops[at];
        routes->choice[place] = choice_of(maker, at);
        uint64_t pairs = hops == FAR ? 0 : here * intact_nodes(maker, at);
        routes->distances.sum += pairs * hops;
        routes->pairs += pairs;
        if (pairs && hops > routes->distances.most)
            routes->distances.most = hops;
    }
    routes->pairs -= here;
}

/* D_(l+1), as of routing d-mod-k: the product of the links that lead on at the levels up to l. */
static void find_divisors(struct route_maker *maker)
{
    uint64_t product = 1;
    for (uint32_t level = 0; level < TOPO_LEVELS; level++) {
        uint32_t most = maker->most[level] ? maker->most[level] : 1;
        if (product * most <= TOPO_NODES_LIMIT)
            product *= most;
        maker->routes->divisor[level] = (uint32_t)product;
    }
}

static void make_table(struct route_maker *maker)
{
    const struct topo *base = maker->base;
    struct fault_routes *routes = maker->routes;
    size_t switches = base->switches, pairs = switches * routes->leaves;
    uint32_t **const of_switches[] = {&maker->length, &maker->order, &maker->next};
    routes->hops = mem_alloc(pairs, sizeof *routes->hops, "routes");
    routes->choice = mem_alloc(pairs, sizeof *routes->choice, "routes");
    routes->level = mem_alloc(switches, 1, "routes");
    for (size_t i = 0; i < sizeof of_switches / sizeof *of_switches; i++)
        *of_switches[i] = mem_alloc(switches, sizeof **of_switches[i], "routes");
    maker->starts = mem_alloc(switches + 2, sizeof *maker->starts, "routes");
    maker->bucket = mem_alloc(switches + 1, sizeof *maker->bucket, "routes");
    maker->hops = mem_alloc(switches, sizeof *maker->hops, "routes");
    maker->is_whole = mem_alloc(switches, sizeof *maker->is_whole, "routes");
    maker->stamps = mem_alloc(base->links, sizeof *maker->stamps, "routes");
    for (uint32_t i = 0; i < switches; i++)
        routes->level[i] = (uint8_t)topo_level(base, i);
    for (uint32_t i = 0; i < switches; i++)
        if (routes->leaf[i] != UINT32_MAX)
            add_target(maker, i);
    link_sets_finish(&routes->sets);
    find_divisors(maker);
}

struct fault_routes *fault_routes_make(const struct topo_faults *faults)
{
    struct fault_routes *routes = mem_alloc(1, sizeof *routes, "routes");
    struct route_maker maker = {.faults = faults, .base = &faults->base, .routes = routes};
    bool good = sort_nodes(&maker) && faults->base.switches < FAR;
    if (good) {
        sort_links(&maker);
        make_table(&maker);
    }
    void *const all[] = {maker.first,  maker.out,      maker.to,    maker.node_first, maker.node_list,
                         maker.length, maker.order,    maker.next,  maker.hops,       maker.starts,
                         maker.bucket, maker.is_whole, maker.stamps};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    if (good)
        return routes;
    fault_routes_free(routes);
    return NULL;
}

void fault_routes_free(struct fault_routes *routes)
{
    if (!routes)
        return;
    link_sets_free(&routes->sets);
    free(routes->leaf);
    free(routes->hops);
    free(routes->choice);
    free(routes->level);
    free(routes);
}

uint32_t fault_routes_diameter(const struct fault_routes *routes)
{
    return routes->distances.most;
}

/* --------------------------------------------------------------- for topo.h */

static uint32_t hops_of(const struct fault_routes *routes, uint32_t from, uint32_t to)
{
    return routes->hops[(size_t)from * routes->leaves + routes->leaf[to]];
}

/* Whether all links of the choice are intact and lead on. */
static bool is_intact(const struct topo *topo, uint32_t from, uint32_t to, struct topo_choice choice)
{
    const struct topo_faults *faults = topo->faults;
    for (uint32_t i = 0; i < choice.count; i++) {
        uint32_t link = topo_candidate(choice, i);
        if (faults->links[link] & FAULT_FAILED ||
            hops_of(faults->routes, topo_link_to(topo, link), to) + 1 != hops_of(faults->routes, from, to))
            return false;
    }
    return true;
}

/* The set at this place. The link that the rules prefer stays the preferred one if it is there. */
static struct topo_choice take_set(const struct topo *topo, uint32_t from, uint32_t destination,
                                   const uint32_t *set, uint32_t preferred)
{
    const struct fault_routes *routes = topo->faults->routes;
    struct topo_choice choice = {.first = set[1], .count = set[0], .links = set + 1};
    for (uint32_t i = 0; i < choice.count; i++)
        if (choice.links[i] == preferred) {
            choice.preferred = i;
            return choice;
        }
    choice.preferred =
        topo_prefer(topo, from, destination, routes->divisor[routes->level[from]], choice.count);
    return choice;
}

struct topo_choice topo_choose_around(const struct topo *topo, uint32_t from, uint32_t destination)
{
    if (topo->updown)
        return updown_choose(topo, from, destination);
    const struct topo_faults *faults = topo->faults;
    const struct fault_routes *routes = faults->routes;
    const struct topo *base = &faults->base;
    struct topo_choice choice = topo->ops->choose(topo, from, destination);
    uint32_t to = topo_switch_of(topo, destination);
    if (!routes || from == to)
        return choice;
    uint32_t place = routes->choice[(size_t)from * routes->leaves + routes->leaf[to]];
    bool has_base_rules = topo->order == base->order && topo->tie == base->tie;
    if ((place == UNTOUCHED && has_base_rules) || is_intact(topo, from, to, choice))
        return choice;
    if (place == UNTOUCHED) /* the rules of this copy do not know the failed links */
        return base->ops->choose(base, from, destination);
    return take_set(topo, from, destination, routes->sets.items + place,
                    topo_candidate(choice, choice.preferred));
}

/* Of a platform: whether the links of the route are intact. */
static bool is_route_intact(const struct topo *topo, uint32_t source, uint32_t destination)
{
    uint32_t links[TOPO_ROUTE_OF_PAIR], count = topo_route(topo, source, destination, links);
    for (uint32_t i = 0; i < count; i++)
        if (topo->faults->links[links[i]] & FAULT_FAILED)
            return false;
    return true;
}

bool topo_reaches(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct topo_faults *faults = topo->faults;
    if (!faults)
        return true;
    if (!topo->ops->choose)
        return source == destination || is_route_intact(topo, source, destination);
    if ((faults->links[topo_injection(topo, source)] | faults->links[topo_injection(topo, destination)]) &
        FAULT_FAILED)
        return source == destination;
    if (topo->updown)
        return updown_reaches(topo, source, destination);
    return !faults->routes ||
           hops_of(faults->routes, topo_switch_of(topo, source), topo_switch_of(topo, destination)) != FAR;
}

uint32_t topo_distance_around(const struct topo *topo, uint32_t source, uint32_t destination)
{
    if (topo->updown)
        return updown_distance(topo, source, destination);
    const struct fault_routes *routes = topo->faults->routes;
    if (!routes)
        return topo->ops->distance(topo, source, destination);
    return hops_of(routes, topo_switch_of(topo, source), topo_switch_of(topo, destination));
}

bool topo_has_choices_around(const struct topo *topo)
{
    if (topo->updown)
        return updown_has_choices(topo);
    return topo->faults->routes && topo->faults->routes->has_choices;
}

double topo_mean_distance_around(const struct topo *topo)
{
    const struct fault_routes *routes = topo->faults->routes;
    const struct platform_detours *detours = topo->faults->detours;
    if (detours)
        return detours->pairs ? (double)detours->distances.sum / (double)detours->pairs : 0;
    return routes->pairs ? (double)routes->distances.sum / (double)routes->pairs : 0;
}
