#include "topo/updown.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "topo/faults.h"
#include "topo/graph.h"
#include "topo/link_sets.h"

enum { FAR = UINT16_MAX };

struct topo_updown {
    struct topo base;       /* whose table it is */
    uint32_t leaves, *leaf; /* [switches] the number of each among those with nodes, or UINT32_MAX */
    uint32_t *place;        /* [switches] in the order, from 0 */
    uint16_t *hops;         /* [switches x leaves]; FAR: no way */
    uint32_t *choice;       /* [switches x leaves] where in `sets` the links stand that lead on */
    struct link_sets sets;
    uint32_t divisor[TOPO_LEVELS];
    struct topo_distances distances;
    uint64_t pairs; /* of different nodes that reach each other, ordered */
    bool has_choices;
    struct topo_updown *next; /* of those that are kept */
};

/* What is needed while the table is made; [switches] where nothing else is said. */
struct updown_maker {
    const struct topo *topo;
    struct topo_updown *updown;
    uint32_t *first, *out, *to; /* intact network links by switch, ascending, and where they lead */
    uint32_t *order;            /* the switches in their order */
    uint32_t *rank, *queue;
    uint64_t *nodes;            /* intact nodes of each */
    uint16_t *down, *hops;      /* to the target: by links down alone; of the route */
    uint32_t most[TOPO_LEVELS]; /* links that lead on, at a switch of each level */
};

/* ---------------------------------------------------------------- the links */

static void sort_links(struct updown_maker *maker)
{
    const struct topo *topo = maker->topo;
    uint32_t switches = topo->switches, network = topo->links - 2 * topo->nodes;
    maker->first = mem_alloc((size_t)switches + 2, sizeof *maker->first, "routes");
    maker->out = mem_alloc((size_t)network + 1, sizeof *maker->out, "routes");
    maker->to = mem_alloc((size_t)network + 1, sizeof *maker->to, "routes");
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++)
        if (!faults_has_failed(topo, link))
            maker->first[topo->ops->ends(topo, link).from + 2]++;
    for (uint32_t i = 0; i < switches; i++)
        maker->first[i + 2] += maker->first[i + 1];
    for (uint32_t link = 2 * topo->nodes; link < topo->links; link++) {
        if (faults_has_failed(topo, link))
            continue;
        struct topo_hop ends = topo->ops->ends(topo, link);
        uint32_t at = maker->first[ends.from + 1]++;
        maker->out[at] = link;
        maker->to[at] = ends.to;
    }
}

static void sort_nodes(struct updown_maker *maker)
{
    const struct topo *topo = maker->topo;
    struct topo_updown *updown = maker->updown;
    updown->leaf = mem_alloc(topo->switches, sizeof *updown->leaf, "routes");
    maker->nodes = mem_alloc(topo->switches, sizeof *maker->nodes, "routes");
    for (uint32_t node = 0; node < topo->nodes; node++) {
        uint32_t at = topo_switch_of(topo, node);
        updown->leaf[at] = 1;
        maker->nodes[at] += !faults_has_failed(topo, topo_injection(topo, node));
    }
    for (uint32_t i = 0; i < topo->switches; i++)
        updown->leaf[i] = updown->leaf[i] ? updown->leaves++ : UINT32_MAX;
}

/* ---------------------------------------------------------------- the order */

/* The hops from `root`, breadth-first. */
static void rank_from(struct updown_maker *maker, uint32_t root)
{
    uint32_t count = 0;
    maker->rank[root] = 0;
    maker->queue[count++] = root;
    for (uint32_t at = 0; at < count; at++)
        for (uint32_t i = maker->first[maker->queue[at]]; i < maker->first[maker->queue[at] + 1]; i++)
            if (maker->rank[maker->to[i]] == UINT32_MAX) {
                maker->rank[maker->to[i]] = maker->rank[maker->queue[at]] + 1;
                maker->queue[count++] = maker->to[i];
            }
}

/* Each part of the network has a root, the switch with the most links. Ports through which no message comes
 * are last. */
static void rank_by_hops(struct updown_maker *maker)
{
    uint32_t switches = maker->topo->switches;
    for (uint32_t i = 0; i < switches; i++)
        maker->rank[i] = faults_passes(maker->topo, i) ? UINT32_MAX : switches;
    for (;;) {
        uint32_t root = UINT32_MAX, most = 0;
        for (uint32_t i = 0; i < switches; i++) {
            uint32_t links = maker->first[i + 1] - maker->first[i] + 1;
            if (maker->rank[i] == UINT32_MAX && links > most) {
                root = i;
                most = links;
            }
        }
        if (root == UINT32_MAX)
            return;
        rank_from(maker, root);
    }
}

static void rank_by_level(struct updown_maker *maker)
{
    for (uint32_t i = 0; i < maker->topo->switches; i++)
        maker->rank[i] = maker->topo->levels - 1 - topo_level(maker->topo, i);
}

/* Switches by rank, those of one rank by number. */
static void put_in_order(struct updown_maker *maker)
{
    uint32_t switches = maker->topo->switches;
    uint32_t *starts = mem_alloc((size_t)switches + 2, sizeof *starts, "routes");
    for (uint32_t i = 0; i < switches; i++)
        starts[maker->rank[i] + 1]++;
    for (uint32_t i = 0; i <= switches; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < switches; i++) {
        uint32_t place = starts[maker->rank[i]]++;
        maker->order[place] = i;
        maker->updown->place[i] = place;
    }
    free(starts);
}

/* --------------------------------------------------------------- the routes */

/* Backwards from the target over links down. */
static void find_down(struct updown_maker *maker, uint32_t target)
{
    const uint32_t *place = maker->updown->place;
    uint32_t count = 0;
    memset(maker->down, 0xff, maker->topo->switches * sizeof *maker->down);
    maker->down[target] = 0;
    maker->queue[count++] = target;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t to = maker->queue[at];
        for (uint32_t i = maker->first[to]; i < maker->first[to + 1]; i++) {
            uint32_t from = maker->to[i]; /* links lead back as well */
            if (place[from] < place[to] && maker->down[from] == FAR) {
                maker->down[from] = (uint16_t)(maker->down[to] + 1);
                maker->queue[count++] = from;
            }
        }
    }
}

/* Switches above come first, so that the hops of those that a link up leads to are known. */
static void find_hops(struct updown_maker *maker, uint32_t target)
{
    const uint32_t *place = maker->updown->place;
    find_down(maker, target);
    for (uint32_t k = 0; k < maker->topo->switches; k++) {
        uint32_t at = maker->order[k], least = FAR;
        for (uint32_t i = maker->first[at]; i < maker->first[at + 1]; i++) {
            uint32_t hops = maker->hops[maker->to[i]];
            if (place[maker->to[i]] < k && hops != FAR && hops + 1 < least)
                least = hops + 1;
        }
        maker->hops[at] = maker->down[at] != FAR ? maker->down[at] : (uint16_t)least;
    }
}

static bool leads_on(const struct updown_maker *maker, uint32_t at, uint32_t i)
{
    uint32_t to = maker->to[i];
    bool is_up = maker->updown->place[to] < maker->updown->place[at];
    if (maker->down[at] != FAR)
        return !is_up && maker->down[to] + 1 == maker->down[at];
    return is_up && maker->hops[to] != FAR && maker->hops[to] + 1 == maker->hops[at];
}

static uint32_t choice_of(struct updown_maker *maker, uint32_t at)
{
    struct topo_updown *updown = maker->updown;
    uint32_t first = maker->first[at], end = maker->first[at + 1], count = 0;
    uint32_t *set = link_sets_begin(&updown->sets, end - first);
    for (uint32_t i = first; i < end && maker->hops[at] != FAR; i++)
        if (leads_on(maker, at, i))
            set[++count] = maker->out[i];
    set[0] = count;
    uint32_t *most = &maker->most[topo_level(maker->topo, at)];
    *most = count > *most ? count : *most;
    updown->has_choices |= count > 1;
    return link_sets_end(&updown->sets);
}

static void add_target(struct updown_maker *maker, uint32_t target)
{
    struct topo_updown *updown = maker->updown;
    find_hops(maker, target);
    for (uint32_t at = 0; at < maker->topo->switches; at++) {
        size_t cell = (size_t)at * updown->leaves + updown->leaf[target];
        uint32_t hops = updown->hops[cell] = maker->hops[at];
        updown->choice[cell] = choice_of(maker, at);
        uint64_t pairs = hops == FAR ? 0 : maker->nodes[at] * maker->nodes[target];
        updown->distances.sum += pairs * hops;
        updown->pairs += pairs;
        if (pairs && hops > updown->distances.most)
            updown->distances.most = hops;
    }
    updown->pairs -= maker->nodes[target];
}

static void make_table(struct updown_maker *maker)
{
    struct topo_updown *updown = maker->updown;
    put_in_order(maker);
    link_sets_free(&updown->sets);
    updown->sets = (struct link_sets){.items = NULL};
    updown->distances = (struct topo_distances){.sum = 0};
    updown->pairs = 0;
    updown->has_choices = false;
    memset(maker->most, 0, sizeof maker->most);
    for (uint32_t i = 0; i < maker->topo->switches; i++)
        if (updown->leaf[i] != UINT32_MAX)
            add_target(maker, i);
    link_sets_finish(&updown->sets);
    uint64_t product = 1;
    for (uint32_t level = 0; level < TOPO_LEVELS; level++) {
        updown->divisor[level] = (uint32_t)product;
        if (maker->most[level] && product * maker->most[level] <= TOPO_NODES_LIMIT)
            product *= maker->most[level];
    }
}

/* How many ordered pairs of different nodes have a way in the network. */
static uint64_t pairs_with_a_way(struct updown_maker *maker)
{
    uint32_t switches = maker->topo->switches;
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < switches; i++)
        maker->rank[i] = UINT32_MAX;
    for (uint32_t root = 0; root < switches; root++) {
        uint64_t nodes = 0;
        if (maker->rank[root] != UINT32_MAX)
            continue;
        memset(maker->queue, 0xff, switches * sizeof *maker->queue);
        rank_from(maker, root);
        for (uint32_t i = 0; i < switches && maker->queue[i] != UINT32_MAX; i++)
            nodes += maker->nodes[maker->queue[i]];
        pairs += nodes * (nodes ? nodes - 1 : 0);
    }
    return pairs;
}

struct topo_updown *updown_make(const struct topo *topo)
{
    struct topo_updown *updown = mem_alloc(1, sizeof *updown, "routes");
    struct updown_maker maker = {.topo = topo, .updown = updown};
    size_t switches = topo->switches;
    sort_nodes(&maker);
    bool good = (uint64_t)switches * updown->leaves <= GRAPH_ROUTES_LIMIT && switches < FAR;
    if (good) {
        uint32_t **const of_switches[] = {&maker.order, &maker.rank, &maker.queue, &updown->place};
        for (size_t i = 0; i < sizeof of_switches / sizeof *of_switches; i++)
            *of_switches[i] = mem_alloc(switches, sizeof **of_switches[i], "routes");
        maker.down = mem_alloc(switches, sizeof *maker.down, "routes");
        maker.hops = mem_alloc(switches, sizeof *maker.hops, "routes");
        updown->hops = mem_alloc(switches * updown->leaves, sizeof *updown->hops, "routes");
        updown->choice = mem_alloc(switches * updown->leaves, sizeof *updown->choice, "routes");
        sort_links(&maker);
        uint64_t pairs = pairs_with_a_way(&maker);
        if (topo->levels) {
            rank_by_level(&maker);
            make_table(&maker);
        }
        if (updown->pairs < pairs || !topo->levels) {
            rank_by_hops(&maker);
            make_table(&maker);
        }
    }
    void *const all[] = {maker.first, maker.out,   maker.to,   maker.order, maker.rank,
                         maker.queue, maker.nodes, maker.down, maker.hops};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    if (good)
        return updown;
    updown_free(updown);
    return NULL;
}

void updown_free(struct topo_updown *updown)
{
    if (!updown)
        return;
    link_sets_free(&updown->sets);
    free(updown->leaf);
    free(updown->place);
    free(updown->hops);
    free(updown->choice);
    free(updown);
}

/* --------------------------------------------------------------------- kept */

static struct topo_updown *kept;

void updown_forget(void)
{
    while (kept) {
        struct topo_updown *next = kept->next;
        updown_free(kept);
        kept = next;
    }
}

/* Whether the two are the same network. */
static bool is_same(const struct topo *a, const struct topo *b)
{
    return a->ops == b->ops && a->path == b->path && a->number_count == b->number_count &&
           memcmp(a->numbers, b->numbers, a->number_count * sizeof *a->numbers) == 0 &&
           memcmp(a->data, b->data, sizeof a->data) == 0;
}

bool updown_take(struct topo *topo, struct param_problem *problem)
{
    if (topo->routes != TOPO_ROUTES_UPDOWN)
        return true;
    if (topo->has_fixed_routes) {
        diag_error("%s: routes: updown does not go with ends and preferred, which say how messages go",
                   topo->path);
        return param_fail(problem, 0, "this network file cannot be used, as said above");
    }
    struct topo_updown *updown = kept;
    while (updown && !is_same(&updown->base, topo))
        updown = updown->next;
    if (!updown) {
        if (!(updown = updown_make(topo)))
            return param_fail(
                problem, 0,
                "too large for routes=updown: its routes are a table, for at most %d pairs of a "
                "switch and a switch with nodes",
                GRAPH_ROUTES_LIMIT);
        updown->base = *topo;
        updown->next = kept;
        kept = updown;
    }
    topo->updown = updown;
    topo->diameter = updown->distances.most;
    return true;
}

/* --------------------------------------------------------------- for topo.h */

static size_t cell_of(const struct topo_updown *updown, uint32_t from, uint32_t to)
{
    return (size_t)from * updown->leaves + updown->leaf[to];
}

static uint32_t divisor_at(const struct topo *topo, uint32_t from, struct topo_choice choice)
{
    const uint32_t *divisor = topo->updown->divisor;
    uint32_t first = topo_link_to(topo, topo_candidate(choice, 0));
    bool is_bundle = topo_link_to(topo, topo_candidate(choice, choice.count - 1)) == first;
    uint32_t level = topo_level(topo, from), lower = topo_level(topo, first);
    return is_bundle && lower < level ? topo_bundle_divisor(choice, divisor[lower]) : divisor[level];
}

struct topo_choice updown_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct topo_updown *updown = topo->updown;
    uint32_t to = topo_switch_of(topo, destination);
    if (from == to)
        return topo_only(topo_ejection(topo, destination));
    const uint32_t *set = updown->sets.items + updown->choice[cell_of(updown, from, to)];
    struct topo_choice choice = {.first = set[1], .count = set[0], .links = set + 1};
    if (choice.count > 1)
        choice.preferred = topo_prefer(topo, from, destination, divisor_at(topo, from, choice), choice.count);
    return choice;
}

uint32_t updown_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct topo_updown *updown = topo->updown;
    return updown->hops[cell_of(updown, topo_switch_of(topo, source), topo_switch_of(topo, destination))];
}

bool updown_reaches(const struct topo *topo, uint32_t source, uint32_t destination)
{
    return updown_distance(topo, source, destination) != FAR;
}

bool updown_has_choices(const struct topo *topo)
{
    return topo->updown->has_choices;
}

double updown_mean_distance(const struct topo *topo)
{
    const struct topo_updown *updown = topo->updown;
    return updown->pairs ? (double)updown->distances.sum / (double)updown->pairs : 0;
}

uint32_t updown_diameter(const struct topo_updown *updown)
{
    return updown->distances.most;
}

bool updown_is_up(const struct topo *topo, uint32_t link)
{
    const struct topo_hop ends = topo->ops->ends(topo, link);
    return topo->updown->place[ends.to] < topo->updown->place[ends.from];
}
