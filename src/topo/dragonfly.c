#include <math.h>
#include <stdio.h>

#include "topo/layout.h"
#include "topo/picture.h"

/* The dragonfly of Kim, Dally, Scott and Abts (ISCA 2008): g groups of a routers, each with p nodes and h
 * global links. The routers of a group are linked to each other directly. The paper does not say which router
 * has the link to which group. Here a group counts the other groups in the order of their numbers and gives
 * its global links to them in turn, the first h from router 0, the next h from router 1, and so on. With
 * fewer than a h + 1 groups each pair of groups has several links, its copies. Links that do not suffice for
 * one more copy with every group are left out. */

/* p, a, h and g of the paper, and the links that each pair of groups has. */
struct dragonfly {
    uint32_t terminals, routers, globals, groups, copies;
};

_Static_assert(sizeof(struct dragonfly) <= TOPO_DATA, "a dragonfly fits a topology's data");

static const struct dragonfly *dragonfly_of(const struct topo *topo)
{
    return (const void *)topo->data;
}

static bool dragonfly_build(struct topo *topo, struct param_problem *problem)
{
    uint64_t p = topo->numbers[0], a = topo->numbers[1], h = topo->numbers[2], most = a * h + 1;
    uint64_t g = topo->number_count == 4 ? topo->numbers[3] : most, limit = UINT64_MAX;
    if (g < 2 || g > most) {
        problem->at = 0;
        snprintf(problem->text, sizeof problem->text,
                 "%llu groups: a dragonfly has at least 2, and at most %llu with %llu global links out of "
                 "each group",
                 (unsigned long long)g, (unsigned long long)most, (unsigned long long)(a * h));
        return false;
    }
    unsigned __int128 nodes = (unsigned __int128)a * g * p;
    unsigned __int128 links = 2 * nodes + (unsigned __int128)a * g * (a + h);
    if (!topo_fits(nodes > limit ? limit : (uint64_t)nodes, links > limit ? limit : (uint64_t)links, problem))
        return false;
    struct dragonfly *dragonfly = (void *)topo->data;
    *dragonfly = (struct dragonfly){.terminals = (uint32_t)p,
                                    .routers = (uint32_t)a,
                                    .globals = (uint32_t)h,
                                    .groups = (uint32_t)g,
                                    .copies = (uint32_t)(a * h / (g - 1))};
    topo->numbers[3] = dragonfly->groups;
    topo->number_count = 4;
    topo->switches = dragonfly->groups * dragonfly->routers;
    topo->nodes = topo->switches * dragonfly->terminals;
    topo->nodes_per_switch = dragonfly->terminals;
    topo->links = 2 * topo->nodes + topo->switches * (dragonfly->routers - 1) +
                  dragonfly->groups * dragonfly->copies * (dragonfly->groups - 1);
    return true;
}

/* Links within groups come first, by router; then those between groups, by group. */
static uint32_t first_local(const struct topo *topo)
{
    return 2 * topo->nodes;
}

static uint32_t first_global(const struct topo *topo)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    return first_local(topo) + topo->switches * (dragonfly->routers - 1);
}

/* The place of `other` in a list of all but `self`, and which one is at a place of it. */
static uint32_t place_among_others(uint32_t self, uint32_t other)
{
    return other < self ? other : other - 1;
}

static uint32_t other_at(uint32_t self, uint32_t place)
{
    return place < self ? place : place + 1;
}

static uint32_t local_link(const struct topo *topo, uint32_t from, uint32_t to)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint32_t place = place_among_others(from % dragonfly->routers, to % dragonfly->routers);
    return first_local(topo) + from * (dragonfly->routers - 1) + place;
}

/* The number of a global link among those out of its group. */
static uint32_t channel_to(const struct topo *topo, uint32_t group, uint32_t other, uint32_t copy)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    return copy * (dragonfly->groups - 1) + place_among_others(group, other);
}

static uint32_t global_link(const struct topo *topo, uint32_t group, uint32_t channel)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    return first_global(topo) + group * dragonfly->copies * (dragonfly->groups - 1) + channel;
}

static uint32_t owner_of(const struct topo *topo, uint32_t group, uint32_t channel)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    return group * dragonfly->routers + channel / dragonfly->globals;
}

/* A global link taken apart. */
struct dragonfly_link {
    uint32_t group, other, copy;
};

static struct dragonfly_link global_of(const struct topo *topo, uint32_t link)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint32_t per_group = dragonfly->copies * (dragonfly->groups - 1), nth = link - first_global(topo);
    uint32_t group = nth / per_group, channel = nth % per_group;
    return (struct dragonfly_link){.group = group,
                                   .other = other_at(group, channel % (dragonfly->groups - 1)),
                                   .copy = channel / (dragonfly->groups - 1)};
}

static struct topo_hop dragonfly_ends(const struct topo *topo, uint32_t link)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    if (link < first_global(topo)) {
        uint32_t nth = link - first_local(topo), from = nth / (dragonfly->routers - 1);
        uint32_t self = from % dragonfly->routers;
        return (struct topo_hop){from, from - self + other_at(self, nth % (dragonfly->routers - 1))};
    }
    struct dragonfly_link global = global_of(topo, link);
    uint32_t out = channel_to(topo, global.group, global.other, global.copy);
    uint32_t in = channel_to(topo, global.other, global.group, global.copy);
    return (struct topo_hop){owner_of(topo, global.group, out), owner_of(topo, global.other, in)};
}

/* 1 within a group, 2 between groups. */
static uint32_t dragonfly_class(const struct topo *topo, uint32_t link)
{
    return link < first_global(topo) ? 1 : 2;
}

static uint32_t dragonfly_reverse(const struct topo *topo, uint32_t link)
{
    if (link < first_global(topo)) {
        struct topo_hop ends = dragonfly_ends(topo, link);
        return local_link(topo, ends.to, ends.from);
    }
    struct dragonfly_link global = global_of(topo, link);
    return global_link(topo, global.other, channel_to(topo, global.other, global.group, global.copy));
}

/* The copy that makes the route between two routers of different groups shortest. Among equal ones it is the
 * first from a copy on that depends on the destination, so destinations share the copies. */
struct dragonfly_passage {
    uint32_t link, owner, hops;
};

static struct dragonfly_passage nearest_passage(const struct topo *topo, uint32_t from, uint32_t to,
                                                uint32_t spread)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint32_t group = from / dragonfly->routers, other = to / dragonfly->routers;
    struct dragonfly_passage best = {.hops = UINT32_MAX};
    for (uint32_t i = 0, copy = spread % dragonfly->copies; i < dragonfly->copies; i++) {
        uint32_t channel = channel_to(topo, group, other, copy);
        uint32_t owner = owner_of(topo, group, channel);
        uint32_t landing = owner_of(topo, other, channel_to(topo, other, group, copy));
        uint32_t hops = 1u + (owner != from) + (landing != to);
        if (hops < best.hops)
            best = (struct dragonfly_passage){global_link(topo, group, channel), owner, hops};
        copy = copy + 1 < dragonfly->copies ? copy + 1 : 0;
    }
    return best;
}

static struct topo_choice dragonfly_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint32_t to = destination / dragonfly->terminals;
    if (from == to)
        return topo_only(topo_ejection(topo, destination));
    if (from / dragonfly->routers == to / dragonfly->routers)
        return topo_only(local_link(topo, from, to));
    struct dragonfly_passage passage = nearest_passage(topo, from, to, destination);
    return topo_only(passage.owner == from ? passage.link : local_link(topo, from, passage.owner));
}

static uint32_t dragonfly_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint32_t from = source / dragonfly->terminals, to = destination / dragonfly->terminals;
    if (from / dragonfly->routers == to / dragonfly->routers)
        return from != to;
    return nearest_passage(topo, from, to, destination).hops;
}

/* Distances between the routers of two groups: 1 between the two ends of a copy, 2 from an end of a copy, or
 * to one, and 3 for all others. The numbers of the ends do not fall from copy to copy, so equal ones follow
 * each other. */
static void add_between_groups(const struct topo *topo, uint32_t group, uint32_t other,
                               struct topo_distances *distances)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint64_t owners = 0, landings = 0, near = 0, routers = dragonfly->routers;
    uint32_t last_owner = UINT32_MAX, last_landing = UINT32_MAX;
    for (uint32_t copy = 0; copy < dragonfly->copies; copy++) {
        uint32_t owner = owner_of(topo, group, channel_to(topo, group, other, copy));
        uint32_t landing = owner_of(topo, other, channel_to(topo, other, group, copy));
        owners += owner != last_owner;
        landings += landing != last_landing;
        near += owner != last_owner || landing != last_landing;
        last_owner = owner;
        last_landing = landing;
    }
    uint64_t far = (routers - owners) * (routers - landings), middle = routers * routers - near - far;
    uint32_t most = far ? 3 : middle ? 2 : 1;
    distances->sum += near + 2 * middle + 3 * far;
    distances->most = most > distances->most ? most : distances->most;
}

static struct topo_distances dragonfly_distances(const struct topo *topo)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint64_t routers = dragonfly->routers;
    struct topo_distances distances = {.sum = dragonfly->groups * routers * (routers - 1),
                                       .most = routers > 1};
    for (uint32_t group = 0; group < dragonfly->groups; group++)
        for (uint32_t other = 0; other < dragonfly->groups; other++)
            if (other != group)
                add_between_groups(topo, group, other, &distances);
    distances.sum *= (uint64_t)dragonfly->terminals * dragonfly->terminals;
    return distances;
}

/* 3, unless each router of a group has a link to each other group. The copies of the links between two groups
 * leave the fewest routers if both groups are the first in each other's order. */
static uint32_t dragonfly_diameter(const struct topo *topo)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint64_t others = dragonfly->groups - 1, owners = dragonfly->copies;
    if (dragonfly->globals > others) /* a router has several copies */
        owners = (dragonfly->copies - 1) * others / dragonfly->globals + 1;
    return owners < dragonfly->routers ? 3 : dragonfly->routers > 1 ? 2 : 1;
}

/* Each copy is a route between two groups; choose() names one of them. */
static bool dragonfly_has_choices(const struct topo *topo)
{
    return dragonfly_of(topo)->copies > 1;
}

static uint64_t dragonfly_bisection(const struct topo *topo)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    uint64_t half = dragonfly->groups / 2;
    return half * (dragonfly->groups - half) * dragonfly->copies;
}

static uint32_t dragonfly_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    coordinates[0] = at / dragonfly_of(topo)->routers;
    coordinates[1] = at % dragonfly_of(topo)->routers;
    return 2;
}

static void dragonfly_name_switch(const uint32_t *coordinates, uint32_t count, char *buffer, size_t size)
{
    (void)count;
    snprintf(buffer, size, "g%ur%u", coordinates[0], coordinates[1]);
}

/* ----------------------------------------------------------------- pictures */

/* A circle of groups, each a circle of routers with their nodes outside. */
static void dragonfly_place(const struct topo *topo, struct topo_layout *layout)
{
    const struct dragonfly *dragonfly = dragonfly_of(topo);
    const double pi = 3.14159265358979323846;
    uint32_t routers = dragonfly->routers, terminals = dragonfly->terminals, groups = dragonfly->groups;
    double router_circle = routers > 1 ? fmax(30, routers * 34 / (2 * pi)) : 0;
    double node_circle = router_circle + 26;
    double node_turns = fmin(12 / (2 * pi * node_circle), 0.8 / routers / terminals);
    double group_circle = fmax(2.2 * node_circle, groups * (2 * node_circle + 24) / (2 * pi));
    double half = group_circle + node_circle + TOPO_MARGIN / 2.0;
    for (uint32_t i = 0; i < topo->switches; i++) {
        struct topo_point group = topo_point_on_circle((struct topo_point){half, half}, group_circle,
                                                       (double)(i / routers) / groups);
        double turns = (double)(i % routers) / routers;
        layout->switches[i] = topo_point_on_circle(group, router_circle, turns);
        for (uint32_t k = 0; k < terminals; k++)
            layout->nodes[i * terminals + k] =
                topo_point_on_circle(group, node_circle, turns + node_turns * (k - (terminals - 1) / 2.0));
    }
    layout->width = layout->height = 2 * half;
}

/* A line for each router: its nodes and where its global links lead. */
static void dragonfly_draw(const struct topo_picture *picture, FILE *out)
{
    const struct topo *topo = picture->topo;
    char name[TOPO_TEXT];
    uint32_t link = first_global(topo);
    for (uint32_t i = 0; i < topo->switches; i++) {
        if (i && i % dragonfly_of(topo)->routers == 0)
            fputc('\n', out);
        picture_put_switch(picture, i, out);
        for (; link < topo->links && topo_link_ends(topo, link).from.id == i; link++)
            fprintf(out, " %s%s", topo_picture_arrow(picture, link),
                    topo_end_name(topo, topo_link_ends(topo, link).to, name, sizeof name));
        fputc('\n', out);
    }
}

static const struct topo_form forms[] = {
    {"dragonfly", 3, 4,
     "dragonfly:2x4x2 (p x a x h: nodes of a router, routers of a group, global links of a router; x g, the "
     "groups, if not all a h + 1)"},
    {.name = NULL},
};

const struct topo_ops dragonfly_family = {
    .name = "dragonfly",
    .forms = forms,
    .rules = TOPO_RULE_RATES,
    .build = dragonfly_build,
    .ends = dragonfly_ends,
    .reverse = dragonfly_reverse,
    .link_class = dragonfly_class,
    .link_classes = 2,
    .choose = dragonfly_choose,
    .has_choices = dragonfly_has_choices,
    .distance = dragonfly_distance,
    .distances = dragonfly_distances,
    .diameter = dragonfly_diameter,
    .bisection = dragonfly_bisection,
    .coordinates = dragonfly_coordinates,
    .name_switch = dragonfly_name_switch,
    .place = dragonfly_place,
    .draw = dragonfly_draw,
};
