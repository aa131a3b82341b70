#include <stdio.h>

#include "topo/graph.h"

/* Dragonfly+ (Shpiner et al., Dragonfly+: low cost topology for scaling datacenters, HiPINEB 2017), the same
 * as Megafly (Flajslik, Borch and Parker, Megafly: a topology for exascale systems, ISC 2018): groups of l
 * leaf switches with p nodes each and s spine switches with h global links each; every leaf of a group is
 * linked to every spine of it. Groups give their global links to each other as those of a dragonfly do
 * (dragonfly.c): a group counts the other groups in the order of their numbers, the first h links from spine
 * 0, the next h from spine 1, and so on. With fewer than s h + 1 groups each pair has several links. Switches
 * are numbered by group, leaves before spines. */

struct dragonflyplus {
    uint32_t terminals, leaves, spines, globals, groups, copies;
};

static struct dragonflyplus shape_of(const struct topo *topo)
{
    const uint32_t *n = topo->numbers;
    return (struct dragonflyplus){n[0], n[1], n[2], n[3], n[4], n[2] * n[3] / (n[4] - 1)};
}

static uint32_t spine_at(const struct dragonflyplus *shape, uint32_t group, uint32_t other, uint32_t copy)
{
    uint32_t channel = copy * (shape->groups - 1) + (other < group ? other : other - 1);
    return group * (shape->leaves + shape->spines) + shape->leaves + channel / shape->globals;
}

static struct topo_graph *dragonflyplus_fill(const struct topo *topo)
{
    struct dragonflyplus shape = shape_of(topo);
    uint32_t of_group = shape.leaves + shape.spines, per_group = shape.leaves * shape.terminals;
    struct topo_graph *graph = graph_new(shape.groups * per_group, shape.groups * of_group);
    for (uint32_t node = 0; node < graph->nodes; node++)
        graph_set_node(graph, node, node / per_group * of_group + node % per_group / shape.terminals);
    for (uint32_t group = 0; group < shape.groups; group++)
        for (uint32_t leaf = 0; leaf < shape.leaves; leaf++)
            for (uint32_t spine = 0; spine < shape.spines; spine++)
                graph_add_link(graph, group * of_group + leaf, group * of_group + shape.leaves + spine);
    for (uint32_t group = 0; group < shape.groups; group++)
        for (uint32_t other = group + 1; other < shape.groups; other++)
            for (uint32_t copy = 0; copy < shape.copies; copy++)
                graph_add_link(graph, spine_at(&shape, group, other, copy),
                               spine_at(&shape, other, group, copy));
    return graph;
}

static bool dragonflyplus_build(struct topo *topo, struct param_problem *problem)
{
    uint32_t *n = topo->numbers;
    uint64_t most = (uint64_t)n[2] * n[3] + 1, groups = topo->number_count == 5 ? n[4] : most;
    if (groups < 2 || groups > most) {
        problem->at = topo->number_count == 5 ? 4 : 0;
        snprintf(
            problem->text, sizeof problem->text,
            "%llu groups: there are at least 2, and at most %llu with %llu global links out of each group",
            (unsigned long long)groups, (unsigned long long)most, (unsigned long long)most - 1);
        return false;
    }
    uint64_t leaves = groups * n[1], switches = leaves + groups * n[2];
    uint64_t nodes = leaves <= GRAPH_NODES_LIMIT ? leaves * n[0] : leaves;
    uint64_t links = leaves <= GRAPH_NODES_LIMIT ? leaves * n[2] + groups * (most - 1) / 2 : leaves;
    if (!graph_fits(nodes, switches, leaves, links, problem))
        return false;
    n[4] = (uint32_t)groups;
    topo->number_count = 5;
    return graph_build(topo, dragonflyplus_fill, problem);
}

/* 1 within a group, 2 between groups. */
static uint32_t dragonflyplus_class(const struct topo *topo, uint32_t link)
{
    uint32_t of_group = topo->numbers[1] + topo->numbers[2];
    struct topo_hop hop = graph_ends(topo, link);
    return hop.from / of_group == hop.to / of_group ? 1 : 2;
}

/* The cut is between groups. */
static uint64_t dragonflyplus_bisection(const struct topo *topo)
{
    struct dragonflyplus shape = shape_of(topo);
    uint64_t half = shape.groups / 2;
    return half * (shape.groups - half) * shape.copies;
}

/* Group, number in the group, and whether it is a spine. */
static uint32_t dragonflyplus_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    struct dragonflyplus shape = shape_of(topo);
    uint32_t of_group = shape.leaves + shape.spines, nth = at % of_group;
    coordinates[0] = at / of_group;
    coordinates[2] = nth >= shape.leaves;
    coordinates[1] = nth - (coordinates[2] ? shape.leaves : 0);
    return 3;
}

static void dragonflyplus_name_switch(const uint32_t *coordinates, uint32_t count, char *buffer, size_t size)
{
    (void)count;
    snprintf(buffer, size, "g%u%c%u", coordinates[0], coordinates[2] ? 's' : 'l', coordinates[1]);
}

static const struct topo_form forms[] = {
    {"dragonflyplus", 4, 5,
     "dragonflyplus:2x4x4x2 (p x l x s x h: nodes of a leaf, leaves and spines of a group, global links of a "
     "spine; x g, the groups, if not all s h + 1)"},
    {"megafly", 4, 5, "megafly:2x4x4x2 (the same)"},
    {.name = NULL},
};

const struct topo_ops dragonflyplus_family = {
    .name = "dragonflyplus",
    .forms = forms,
    .rules = TOPO_RULE_ROUTING | TOPO_RULE_RATES,
    .build = dragonflyplus_build,
    .ends = graph_ends,
    .link_class = dragonflyplus_class,
    .link_classes = 2,
    .choose = graph_choose,
    .has_choices = graph_has_choices,
    .distance = graph_distance,
    .distances = graph_distances,
    .bisection = dragonflyplus_bisection,
    .coordinates = dragonflyplus_coordinates,
    .name_switch = dragonflyplus_name_switch,
    .place = graph_place,
};
