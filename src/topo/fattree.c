#include <stdio.h>

#include "topo/rows.h"
#include "topo/topo.h"

/* The k-ary n-tree of Petrini and Vanneschi (IPPS 1997): k^n nodes, n levels of k^(n-1) switches. A switch is
 * (level, w), w of n-1 digits to the base k; (l, w) and (l+1, w') are linked when they differ in digit l at
 * most. Node q hangs on leaf switch q / k, so that digit i of w is digit i+1 of the nodes below. Going up
 * from level l by port u puts u in the place of digit l of w; going down to level l puts digit l+1 of the
 * destination there. */

struct fattree {
    uint32_t arity, levels;          /* k and n */
    uint32_t power[TOPO_LEVELS + 1]; /* k^i */
};

_Static_assert(sizeof(struct fattree) <= TOPO_DATA, "a fat tree fits a topology's data");

static const struct fattree *fattree_of(const struct topo *topo)
{
    return (const void *)topo->data;
}

static bool check_size(uint32_t arity, uint32_t levels, struct param_problem *problem)
{
    uint64_t nodes = 1;
    problem->at = 0;
    if (levels > 1 && arity == 1) {
        snprintf(problem->text, sizeof problem->text, "a fat tree of several levels needs k of at least 2");
        return false;
    }
    if (levels > TOPO_LEVELS) {
        problem->at = 1;
        snprintf(problem->text, sizeof problem->text, "at most %d levels", TOPO_LEVELS);
        return false;
    }
    for (uint32_t level = 0; level < levels; level++) {
        nodes *= arity;
        if (!topo_fits(nodes * levels / arity, nodes * 2 * levels, problem) || !topo_fits(nodes, 0, problem))
            return false;
    }
    return true;
}

static bool fattree_build(struct topo *topo, struct param_problem *problem)
{
    struct fattree *tree = (void *)topo->data;
    uint32_t arity = topo->numbers[0], levels = topo->numbers[1];
    if (!check_size(arity, levels, problem))
        return false;
    *tree = (struct fattree){.arity = arity, .levels = levels, .power = {1}};
    for (uint32_t i = 1; i <= levels; i++)
        tree->power[i] = tree->power[i - 1] * arity;
    topo->nodes = tree->power[levels];
    topo->switches = levels * tree->power[levels - 1];
    topo->links = 2 * topo->nodes * levels;
    topo->nodes_per_switch = arity;
    topo->levels = levels;
    return true;
}

static uint32_t digit(const struct fattree *tree, uint32_t number, uint32_t nth)
{
    return number / tree->power[nth] % tree->arity;
}

static uint32_t with_digit(const struct fattree *tree, uint32_t number, uint32_t nth, uint32_t value)
{
    return number + (value - digit(tree, number, nth)) * tree->power[nth];
}

/* The link up from (level, w) by this port. The link down between the same switches has the next number. */
static uint32_t link_up(const struct topo *topo, uint32_t level, uint32_t w, uint32_t port)
{
    return 2 * (topo->nodes + level * topo->nodes + w * topo->nodes_per_switch + port);
}

static struct topo_hop fattree_ends(const struct topo *topo, uint32_t link)
{
    const struct fattree *tree = fattree_of(topo);
    uint32_t width = tree->power[tree->levels - 1], edge = link / 2 - topo->nodes;
    uint32_t level = edge / topo->nodes, w = edge % topo->nodes / tree->arity, port = edge % tree->arity;
    uint32_t lower = level * width + w, upper = (level + 1) * width + with_digit(tree, w, level, port);
    return link & 1 ? (struct topo_hop){upper, lower} : (struct topo_hop){lower, upper};
}

static struct topo_choice fattree_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct fattree *tree = fattree_of(topo);
    uint32_t width = tree->power[tree->levels - 1];
    uint32_t level = from / width, w = from % width;
    if (w / tree->power[level] != destination / tree->power[level + 1])
        return (struct topo_choice){.first = link_up(topo, level, w, 0),
                                    .step = 2,
                                    .count = tree->arity,
                                    .preferred = digit(tree, destination, level)};
    if (level == 0)
        return topo_only(topo_ejection(topo, destination));
    uint32_t below = with_digit(tree, w, level - 1, digit(tree, destination, level));
    return topo_only(link_up(topo, level - 1, below, digit(tree, w, level - 1)) + 1);
}

/* All links between a level and the next one, in one direction, of the switches that are above the same nodes
 * on the lower level: those of ports 0, 1, ... of switches that follow each other. */
static uint32_t fattree_alike(const struct topo *topo, uint32_t link, uint32_t *step, uint32_t *count)
{
    const struct fattree *tree = fattree_of(topo);
    uint32_t edge = link / 2 - topo->nodes, level = edge / topo->nodes;
    *step = 2;
    *count = tree->power[level + 1];
    return 2 * (topo->nodes + edge / *count * *count) + (link & 1);
}

static uint32_t fattree_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct fattree *tree = fattree_of(topo);
    uint32_t level = 0;
    while (source / tree->power[level + 1] != destination / tree->power[level + 1])
        level++;
    return 2 * level;
}

/* Routes to k^(l+1) - k^l of the nodes turn round at level l. */
static struct topo_distances fattree_distances(const struct topo *topo)
{
    const struct fattree *tree = fattree_of(topo);
    struct topo_distances distances = {.most = 2 * (tree->levels - 1)};
    for (uint32_t level = 1; level < tree->levels; level++)
        distances.sum += (unsigned __int128)2 * level * (tree->power[level + 1] - tree->power[level]);
    distances.sum *= topo->nodes;
    return distances;
}

static bool fattree_has_choices(const struct topo *topo)
{
    return topo->levels > 1;
}

/* The cut is between the subtrees of the root. */
static uint64_t fattree_bisection(const struct topo *topo)
{
    uint32_t arity = fattree_of(topo)->arity;
    return (uint64_t)topo->nodes / arity * (arity / 2);
}

static uint32_t fattree_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    const struct fattree *tree = fattree_of(topo);
    uint32_t count = 0, width = tree->power[tree->levels - 1];
    coordinates[count++] = at / width;
    for (uint32_t digits = at % width; count < tree->levels; digits /= tree->arity)
        coordinates[count++] = digits % tree->arity;
    return count;
}

static void fattree_name_switch(const uint32_t *coordinates, uint32_t count, char *buffer, size_t size)
{
    size_t length = (size_t)snprintf(buffer, size, "%u:", coordinates[0]);
    if (length < size)
        topo_print_list(coordinates + 1, count - 1, buffer + length, size - length);
}

static const struct topo_form forms[] = {
    {"fattree", 2, 2, "fattree:12x3 (k x n: links up and down a switch, levels)"},
    {.name = NULL},
};

const struct topo_ops fattree_family = {
    .name = "fattree",
    .forms = forms,
    .rules = TOPO_RULE_RATES,
    .graphviz = "dot",
    .build = fattree_build,
    .ends = fattree_ends,
    .choose = fattree_choose,
    .alike = fattree_alike,
    .has_choices = fattree_has_choices,
    .distance = fattree_distance,
    .distances = fattree_distances,
    .bisection = fattree_bisection,
    .coordinates = fattree_coordinates,
    .name_switch = fattree_name_switch,
    .place = rows_place,
    .draw = rows_draw,
};
