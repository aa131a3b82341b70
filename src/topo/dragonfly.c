#include "topo/shapes.h"

/* The dragonfly of Kim, Dally, Scott and Abts (ISCA 2008): g groups of a routers, each with p nodes and h
 * global links, the routers of a group linked to each other directly. The paper leaves open which router has
 * the link to which group. Here a group counts the others in the order of their numbers and gives its global
 * links to them in turn, the first h to router 0, and so on; with fewer than a h + 1 groups each pair has
 * several copies, and links that do not suffice for one more with every group are left out. */

void dragonfly_build(struct topo *topo)
{
    topo->copies = topo->routers * topo->globals / (topo->groups - 1);
    topo->switches = topo->groups * topo->routers;
    topo->nodes = topo->switches * topo->terminals;
    topo->links = 2 * topo->nodes + topo->switches * (topo->routers - 1) +
                  topo->groups * topo->copies * (topo->groups - 1);
}

/* Links within groups come first, by router; then those between groups, by group. */
static uint32_t first_local(const struct topo *topo)
{
    return 2 * topo->nodes;
}

static uint32_t first_global(const struct topo *topo)
{
    return first_local(topo) + topo->switches * (topo->routers - 1);
}

/* The place of `other` in a list that leaves `self` out, and what is at a place in it. */
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
    uint32_t place = place_among_others(from % topo->routers, to % topo->routers);
    return first_local(topo) + from * (topo->routers - 1) + place;
}

/* One global link out of a group by its number there. */
static uint32_t channel_to(const struct topo *topo, uint32_t group, uint32_t other, uint32_t copy)
{
    return copy * (topo->groups - 1) + place_among_others(group, other);
}

static uint32_t global_link(const struct topo *topo, uint32_t group, uint32_t channel)
{
    return first_global(topo) + group * topo->copies * (topo->groups - 1) + channel;
}

static uint32_t owner_of(const struct topo *topo, uint32_t group, uint32_t channel)
{
    return group * topo->routers + channel / topo->globals;
}

/* A global link taken apart. */
struct global {
    uint32_t group, other, copy;
};

static struct global global_of(const struct topo *topo, uint32_t link)
{
    uint32_t per_group = topo->copies * (topo->groups - 1), nth = link - first_global(topo);
    uint32_t group = nth / per_group, channel = nth % per_group;
    return (struct global){.group = group,
                           .other = other_at(group, channel % (topo->groups - 1)),
                           .copy = channel / (topo->groups - 1)};
}

struct switch_pair dragonfly_ends(const struct topo *topo, uint32_t link)
{
    if (link < first_global(topo)) {
        uint32_t nth = link - first_local(topo), from = nth / (topo->routers - 1);
        uint32_t self = from % topo->routers;
        return (struct switch_pair){from, from - self + other_at(self, nth % (topo->routers - 1))};
    }
    struct global global = global_of(topo, link);
    uint32_t out = channel_to(topo, global.group, global.other, global.copy);
    uint32_t in = channel_to(topo, global.other, global.group, global.copy);
    return (struct switch_pair){owner_of(topo, global.group, out), owner_of(topo, global.other, in)};
}

uint32_t dragonfly_reverse(const struct topo *topo, uint32_t link)
{
    if (link < first_global(topo)) {
        struct switch_pair ends = dragonfly_ends(topo, link);
        return local_link(topo, ends.to, ends.from);
    }
    struct global global = global_of(topo, link);
    return global_link(topo, global.other, channel_to(topo, global.other, global.group, global.copy));
}

/* The copy by which two routers of different groups are nearest: the lowest of equally near ones, counted
 * from a copy that differs from destination to destination so that these share the copies. */
struct passage {
    uint32_t link, owner, hops;
};

static struct passage nearest_passage(const struct topo *topo, uint32_t from, uint32_t to, uint32_t spread)
{
    uint32_t group = from / topo->routers, other = to / topo->routers;
    struct passage best = {.hops = UINT32_MAX};
    for (uint32_t i = 0, copy = spread % topo->copies; i < topo->copies; i++) {
        uint32_t channel = channel_to(topo, group, other, copy);
        uint32_t owner = owner_of(topo, group, channel);
        uint32_t landing = owner_of(topo, other, channel_to(topo, other, group, copy));
        uint32_t hops = 1u + (owner != from) + (landing != to);
        if (hops < best.hops)
            best = (struct passage){global_link(topo, group, channel), owner, hops};
        copy = copy + 1 < topo->copies ? copy + 1 : 0;
    }
    return best;
}

struct topo_choice dragonfly_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    uint32_t to = destination / topo->terminals;
    if (from == to)
        return only(topo_ejection(topo, destination));
    if (from / topo->routers == to / topo->routers)
        return only(local_link(topo, from, to));
    struct passage passage = nearest_passage(topo, from, to, destination);
    return only(passage.owner == from ? passage.link : local_link(topo, from, passage.owner));
}

uint32_t dragonfly_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    uint32_t from = source / topo->terminals, to = destination / topo->terminals;
    if (from / topo->routers == to / topo->routers)
        return from != to;
    return nearest_passage(topo, from, to, destination).hops;
}

/* Between two groups: pairs of routers at 1 hop are the ends of copies; at 2 those of which one is an end;
 * the others at 3. Numbers of ends do not fall from copy to copy, so equal ones follow each other. */
static void add_between_groups(const struct topo *topo, uint32_t group, uint32_t other,
                               struct distances *distances)
{
    uint64_t owners = 0, landings = 0, near = 0, routers = topo->routers;
    uint32_t last_owner = UINT32_MAX, last_landing = UINT32_MAX;
    for (uint32_t copy = 0; copy < topo->copies; copy++) {
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

struct distances dragonfly_distances(const struct topo *topo)
{
    uint64_t routers = topo->routers;
    struct distances distances = {.sum = topo->groups * routers * (routers - 1), .most = routers > 1};
    for (uint32_t group = 0; group < topo->groups; group++)
        for (uint32_t other = 0; other < topo->groups; other++)
            if (other != group)
                add_between_groups(topo, group, other, &distances);
    distances.sum *= (uint64_t)topo->terminals * topo->terminals;
    return distances;
}
