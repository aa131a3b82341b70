#include <stdio.h>
#include <string.h>

#include "topo/rows.h"
#include "topo/topo.h"

/* Extended generalised fat trees (Oehring, Ibel, Das and Kumar, On generalized fat trees, IPPS 1995), with
 * parallel links (Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real life
 * fat trees, 2010). XGFT(h; m_1, ..., m_h; w_1, ..., w_h) has h levels of switches above the nodes: a vertex
 * of level l - 1 has w_l parents, each by p_l links, and one of level l has m_l children. Here w_1 = p_1 = 1:
 * a node has one link. p_l is 1, but for leaf-spine networks.
 *
 * A switch of level l, from 1, has digits a_h ... a_(l+1) b_l ... b_1 with a_i < m_i and b_i < w_i. Its
 * number within the level is b + B_l a, where b and a are the numbers of these digits, the lowest index
 * first, and B_l = w_1 ... w_l. It hangs below the switches of level l + 1 that have the same digits but for
 * a_(l+1), in whose place they have any b_(l+1). Link q up, of w_(l+1) p_(l+1), leads to b_(l+1) = q mod
 * w_(l+1). */

/* With k planes a node is linked to k leaf switches, one of each plane, and b_1 of a switch is its plane.
 * That is the tree of one level more in which w_2 = k: its lowest switches are the ports of the nodes. */

enum { XGFT_LEVELS = TOPO_NUMBERS / 2 + 1 };

struct xgft {
    uint32_t levels;
    uint32_t children[XGFT_LEVELS + 1], parents[XGFT_LEVELS + 1], parallel[XGFT_LEVELS + 1]; /* m, w, p */
    uint32_t below[XGFT_LEVELS + 1]; /* M_l = m_1 ... m_l: nodes below a switch of the level */
    uint32_t above[XGFT_LEVELS + 1]; /* B_l */
    uint32_t first_switch[XGFT_LEVELS + 2], first_edge[XGFT_LEVELS + 2]; /* [l] of the level */
};

_Static_assert(sizeof(struct xgft) <= TOPO_DATA, "a fat tree fits a topology's data");

static const struct xgft *xgft_of(const struct topo *topo)
{
    return (const void *)topo->data;
}

static bool refuse(struct param_problem *problem, uint32_t at, const char *text)
{
    problem->at = at;
    snprintf(problem->text, sizeof problem->text, "%s", text);
    return false;
}

/* The text has m_1 ... m_h and w_1 ... w_h. */
static bool read_xgft(struct topo *topo, struct xgft *tree, struct param_problem *problem)
{
    uint32_t levels = topo->number_count / 2;
    if (topo->number_count % 2)
        return refuse(problem, topo->number_count - 1,
                      "as many w as m follow: m1 x ... x mh x w1 x ... x wh");
    tree->levels = levels;
    for (uint32_t i = 0; i < levels; i++) {
        tree->children[i + 1] = topo->numbers[i];
        tree->parents[i + 1] = topo->numbers[levels + i];
        tree->parallel[i + 1] = 1;
    }
    if (tree->parents[1] != 1)
        return refuse(problem, levels, "w1 is 1: a node has one link");
    return true;
}

/* L x S x N x P: leaf switches, spine switches, nodes of a leaf, links of each pair. */
static bool read_leafspine(struct topo *topo, struct xgft *tree)
{
    if (topo->number_count == 3)
        topo->numbers[topo->number_count++] = 1;
    *tree = (struct xgft){.levels = 2,
                          .children = {0, topo->numbers[2], topo->numbers[0]},
                          .parents = {0, 1, topo->numbers[1]},
                          .parallel = {0, 1, topo->numbers[3]}};
    return true;
}

/* K x N x T: the k-ary n-tree, whose leaf switches have k / t links up. */
static bool read_tapered(struct topo *topo, struct xgft *tree, struct param_problem *problem)
{
    uint32_t arity = topo->numbers[0], levels = topo->numbers[1], taper = topo->numbers[2];
    if (levels < 2 || levels >= XGFT_LEVELS)
        return refuse(problem, 1, "2 to 8 levels");
    if (arity % taper)
        return refuse(problem, 2, "t divides k: a leaf switch has k links down and k / t up");
    tree->levels = levels;
    for (uint32_t i = 1; i <= levels; i++) {
        tree->children[i] = arity;
        tree->parents[i] = i == 1 ? 1 : i == 2 ? arity / taper : arity;
        tree->parallel[i] = 1;
    }
    return true;
}

/* What follows from m, w and p. False: too large. */
static bool lay_out(struct topo *topo, struct xgft *tree, struct param_problem *problem)
{
    const uint64_t limit = TOPO_LINKS_LIMIT;
    uint64_t nodes = 1, switches = 0, edges = 0, all = 1;
    for (uint32_t l = 1; l <= tree->levels; l++)
        if (!topo_fits(nodes *= tree->children[l], 0, problem))
            return false;
    tree->below[0] = tree->above[0] = 1;
    for (uint32_t l = 1; l <= tree->levels; l++) {
        tree->below[l] = tree->below[l - 1] * tree->children[l];
        tree->first_switch[l] = (uint32_t)switches;
        tree->first_edge[l] = (uint32_t)edges;
        all *= tree->parents[l];
        tree->above[l] = (uint32_t)all;
        uint64_t of_level = nodes / tree->below[l] * all;
        if (all > limit || !topo_fits(switches += of_level, 0, problem))
            return all <= limit ? false : topo_fits(limit, 2 * limit, problem);
        if (l < tree->levels)
            edges += of_level * tree->parents[l + 1] * tree->parallel[l + 1];
        if (edges > limit || !topo_fits(nodes, 2 * (nodes + edges), problem))
            return edges <= limit ? false : topo_fits(limit, 2 * limit, problem);
    }
    topo->nodes = (uint32_t)nodes;
    topo->switches = (uint32_t)switches;
    topo->links = (uint32_t)(2 * (nodes + edges));
    topo->nodes_per_switch = tree->children[1];
    topo->levels = tree->levels;
    return true;
}

/* Ports below the tree, which then is one of several planes. */
static void add_ports(struct topo *topo, struct xgft *tree)
{
    for (uint32_t l = tree->levels++; l > 0; l--) {
        tree->children[l + 1] = tree->children[l];
        tree->parents[l + 1] = l == 1 ? topo->planes : tree->parents[l];
        tree->parallel[l + 1] = tree->parallel[l];
    }
    tree->children[1] = 1;
    topo->has_ports = true;
}

static bool finish(struct topo *topo, struct xgft *tree, struct param_problem *problem)
{
    for (uint32_t l = 1; l <= tree->levels; l++)
        if (tree->levels > 1 && tree->children[l] < 2)
            return refuse(problem, 0, "every switch has at least 2 children");
    if (topo->planes > 1)
        add_ports(topo, tree);
    return lay_out(topo, tree, problem);
}

static bool xgft_build(struct topo *topo, struct param_problem *problem)
{
    struct xgft *tree = (void *)topo->data;
    return read_xgft(topo, tree, problem) && finish(topo, tree, problem);
}

static bool leafspine_build(struct topo *topo, struct param_problem *problem)
{
    struct xgft *tree = (void *)topo->data;
    return read_leafspine(topo, tree) && finish(topo, tree, problem);
}

static bool tapered_build(struct topo *topo, struct param_problem *problem)
{
    struct xgft *tree = (void *)topo->data;
    return read_tapered(topo, tree, problem) && finish(topo, tree, problem);
}

/* ------------------------------------------------------------------- links */

/* A switch: its level, from 1, and the numbers of its digits. */
struct xgft_place {
    uint32_t level, b, a;
};

static struct xgft_place place_of(const struct xgft *tree, uint32_t at)
{
    uint32_t level = tree->levels;
    while (at < tree->first_switch[level])
        level--;
    uint32_t nth = at - tree->first_switch[level];
    return (struct xgft_place){level, nth % tree->above[level], nth / tree->above[level]};
}

static uint32_t switch_at(const struct xgft *tree, struct xgft_place place)
{
    return tree->first_switch[place.level] + place.b + tree->above[place.level] * place.a;
}

/* How many links lead up from a switch of the level. */
static uint32_t links_up(const struct xgft *tree, uint32_t level)
{
    return tree->parents[level + 1] * tree->parallel[level + 1];
}

/* Link q up from the switch; the next number leads back. */
static uint32_t link_up(const struct topo *topo, struct xgft_place place, uint32_t q)
{
    const struct xgft *tree = xgft_of(topo);
    uint32_t nth = place.b + tree->above[place.level] * place.a;
    return 2 * (topo->nodes + tree->first_edge[place.level] + nth * links_up(tree, place.level) + q);
}

static struct topo_hop xgft_ends(const struct topo *topo, uint32_t link)
{
    const struct xgft *tree = xgft_of(topo);
    uint32_t edge = link / 2 - topo->nodes, level = tree->levels - 1;
    while (edge < tree->first_edge[level])
        level--;
    edge -= tree->first_edge[level];
    uint32_t nth = edge / links_up(tree, level), q = edge % links_up(tree, level);
    struct xgft_place lower = {level, nth % tree->above[level], nth / tree->above[level]};
    struct xgft_place upper = {level + 1, lower.b + tree->above[level] * (q % tree->parents[level + 1]),
                               lower.a / tree->children[level + 1]};
    uint32_t down = switch_at(tree, lower), up = switch_at(tree, upper);
    return link & 1 ? (struct topo_hop){up, down} : (struct topo_hop){down, up};
}

/* ----------------------------------------------------------------- routing */

/* Up by any link, D-mod-k by floor(destination / B_l); down by any of the parallel links to the one child, of
 * which D-mod-k takes the one that it takes up. */
static struct topo_choice xgft_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct xgft *tree = xgft_of(topo);
    struct xgft_place at = place_of(tree, from);
    if (at.a != destination / tree->below[at.level]) {
        uint32_t count = links_up(tree, at.level);
        return (struct topo_choice){.first = link_up(topo, at, 0),
                                    .step = 2,
                                    .count = count,
                                    .preferred =
                                        topo_prefer(topo, from, destination, tree->above[at.level], count)};
    }
    if (at.level == 1)
        return topo_only(topo_ejection(topo, destination));
    uint32_t level = at.level - 1, parents = tree->parents[at.level];
    uint32_t digit = destination / tree->below[level] % tree->children[at.level];
    struct xgft_place child = {level, at.b % tree->above[level], at.a * tree->children[at.level] + digit};
    uint32_t divisor = tree->above[at.level]; /* B_(l-1) w_l */
    return (struct topo_choice){.first = link_up(topo, child, at.b / tree->above[level]) + 1,
                                .step = 2 * parents,
                                .count = tree->parallel[at.level],
                                .preferred =
                                    topo_prefer(topo, from, destination, divisor, tree->parallel[at.level])};
}

/* All links between a level and the next one, in one direction, of the switches that are above the same nodes
 * on the lower level. */
static uint32_t xgft_alike(const struct topo *topo, uint32_t link, uint32_t *step, uint32_t *count)
{
    const struct xgft *tree = xgft_of(topo);
    uint32_t edge = link / 2 - topo->nodes, level = tree->levels - 1;
    while (edge < tree->first_edge[level])
        level--;
    *step = 2;
    *count = tree->above[level] * links_up(tree, level);
    uint32_t first = (edge - tree->first_edge[level]) / *count * *count + tree->first_edge[level];
    return 2 * (topo->nodes + first) + (link & 1);
}

static uint32_t xgft_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct xgft *tree = xgft_of(topo);
    uint32_t level = 1;
    while (source / tree->below[level] != destination / tree->below[level])
        level++;
    return 2 * (level - 1);
}

/* Routes to M_l - M_(l-1) of the nodes turn round at level l. */
static struct topo_distances xgft_distances(const struct topo *topo)
{
    const struct xgft *tree = xgft_of(topo);
    struct topo_distances distances = {.most = 2 * (tree->levels - 1)};
    for (uint32_t level = 2; level <= tree->levels; level++)
        distances.sum += (unsigned __int128)2 * (level - 1) * (tree->below[level] - tree->below[level - 1]);
    distances.sum *= topo->nodes;
    return distances;
}

static bool xgft_has_choices(const struct topo *topo)
{
    const struct xgft *tree = xgft_of(topo);
    for (uint32_t level = 1; level < tree->levels; level++)
        if (links_up(tree, level) > 1)
            return true;
    return false;
}

/* The cut is between subtrees of the root, at the level at which a subtree has the fewest links up. */
static uint64_t xgft_bisection(const struct topo *topo)
{
    const struct xgft *tree = xgft_of(topo);
    uint32_t top = tree->levels;
    if (top == 1)
        return topo->nodes / 2;
    uint64_t least = UINT64_MAX;
    for (uint32_t level = 1; level < top; level++) {
        uint64_t switches = (uint64_t)tree->below[top - 1] / tree->below[level] * tree->above[level];
        uint64_t links = switches * links_up(tree, level);
        least = links < least ? links : least;
    }
    return least * (tree->children[top] / 2);
}

static uint32_t xgft_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    struct xgft_place place = place_of(xgft_of(topo), at);
    coordinates[0] = place.level - 1;
    coordinates[1] = at - xgft_of(topo)->first_switch[place.level];
    return 2;
}

static void xgft_name_switch(const uint32_t *coordinates, uint32_t count, char *buffer, size_t size)
{
    (void)count;
    snprintf(buffer, size, "%u:%u", coordinates[0], coordinates[1]);
}

static const struct topo_form xgft_forms[] = {
    {"xgft", 2, TOPO_NUMBERS,
     "xgft:4x4x2x1x2x2 (m1 x ... x mh x w1 x ... x wh: children and parents at each level; w1 is 1)"},
    {.name = NULL},
};

static const struct topo_form leafspine_forms[] = {
    {"leafspine", 3, 4,
     "leafspine:8x4x16 (l x s x n: leaf switches, spine switches, nodes of a leaf; x p, links of each pair, "
     "if "
     "not 1)"},
    {.name = NULL},
};

static const struct topo_form tapered_forms[] = {
    {"tapered", 3, 3, "tapered:8x3x2 (k x n x t: a fat tree k x n whose leaf switches have k / t links up)"},
    {.name = NULL},
};

/* What the three families share. */
#define XGFT_OPS                                                                                             \
    .rules = TOPO_RULE_ROUTING | TOPO_RULE_RATES | TOPO_RULE_PLANES, .graphviz = "dot", .ends = xgft_ends,   \
    .choose = xgft_choose, .alike = xgft_alike, .has_choices = xgft_has_choices, .distance = xgft_distance,  \
    .distances = xgft_distances, .bisection = xgft_bisection, .coordinates = xgft_coordinates,               \
    .name_switch = xgft_name_switch, .place = levels_place

const struct topo_ops xgft_family = {.name = "xgft", .forms = xgft_forms, .build = xgft_build, XGFT_OPS};
const struct topo_ops leafspine_family = {
    .name = "leafspine", .forms = leafspine_forms, .build = leafspine_build, XGFT_OPS};
const struct topo_ops tapered_family = {
    .name = "tapered", .forms = tapered_forms, .build = tapered_build, XGFT_OPS};
