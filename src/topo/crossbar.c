#include <stdio.h>

#include "topo/rows.h"

/* One switch with all nodes on it. It has no network link. */

static bool crossbar_build(struct topo *topo, struct param_problem *problem)
{
    (void)problem; /* any number of nodes that the text allows fits */
    topo->nodes = topo->nodes_per_switch = topo->numbers[0];
    topo->switches = 1;
    topo->links = 2 * topo->nodes;
    return true;
}

static struct topo_hop crossbar_ends(const struct topo *topo, uint32_t link)
{
    (void)topo, (void)link;
    return (struct topo_hop){0, 0};
}

static struct topo_choice crossbar_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    (void)from;
    return topo_only(topo_ejection(topo, destination));
}

static uint32_t crossbar_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    (void)topo, (void)source, (void)destination;
    return 0;
}

static struct topo_distances crossbar_distances(const struct topo *topo)
{
    (void)topo;
    return (struct topo_distances){.sum = 0, .most = 0};
}

static uint64_t crossbar_bisection(const struct topo *topo)
{
    return topo->nodes / 2;
}

static uint32_t crossbar_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    (void)topo, (void)at, (void)coordinates;
    return 0;
}

static void crossbar_name_switch(const uint32_t *coordinates, uint32_t count, char *buffer, size_t size)
{
    (void)coordinates, (void)count;
    snprintf(buffer, size, "crossbar");
}

static const struct topo_form forms[] = {
    {"crossbar", 1, 1, "crossbar:64 (nodes)"},
    {.name = NULL},
};

const struct topo_ops crossbar_family = {
    .name = "crossbar",
    .forms = forms,
    .rules = TOPO_RULE_RATES,
    .graphviz = "dot",
    .build = crossbar_build,
    .ends = crossbar_ends,
    .choose = crossbar_choose,
    .distance = crossbar_distance,
    .distances = crossbar_distances,
    .bisection = crossbar_bisection,
    .coordinates = crossbar_coordinates,
    .name_switch = crossbar_name_switch,
    .place = rows_place,
    .draw = rows_draw,
};
