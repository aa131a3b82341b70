#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "plugin/plugin.h"
#include "topo/topo.h"

/* A family of the public header behind the ops of topo/topo.h. The shape is what the family keeps in a
 * topology. Links between switches have numbers from 0 there, and behind those of the nodes here. */

enum { COUNTED_SWITCHES = 4096, CHECKED_PAIRS = 1 << 20 };

struct plugin_family {
    struct topo_ops ops; /* first: a topology knows its ops */
    const struct heliograph_topology *family;
    struct topo_form forms[2];
};

_Static_assert(sizeof(struct heliograph_shape) <= TOPO_DATA, "a shape fits a topology's data");
_Static_assert((int)HELIOGRAPH_NUMBERS == (int)TOPO_NUMBERS, "a text has as many numbers on both sides");

static const struct heliograph_topology *family_of(const struct topo *topo)
{
    return ((const struct plugin_family *)topo->ops)->family;
}

static const struct heliograph_shape *shape_of(const struct topo *topo)
{
    return (const void *)topo->data;
}

/* ---------------------------------------------------------------- building */

/* Whether the first link of the route from one switch to another begins there and leads nearer. */
static bool leads_on(const struct heliograph_topology *family, const struct heliograph_shape *shape,
                     uint32_t from, uint32_t to)
{
    uint32_t link = family->next(family->self, shape, from, to), begin = 0, end = 0;
    if (link >= shape->links)
        return false;
    family->ends(family->self, shape, link, &begin, &end);
    return begin == from && end < shape->switches &&
           family->distance(family->self, shape, end, to) + 1 ==
               family->distance(family->self, shape, from, to);
}

/* Fabrics have room for as many links as the largest distance has. */
static uint32_t largest_distance(const struct heliograph_topology *family,
                                 const struct heliograph_shape *shape)
{
    uint64_t sum = 0;
    uint32_t most = 0;
    if (!family->distances)
        return UINT32_MAX;
    family->distances(family->self, shape, &sum, &most);
    return most;
}

static bool has_good_distance(const struct heliograph_topology *family, const struct heliograph_shape *shape,
                              uint32_t from, uint32_t to, uint32_t most)
{
    uint32_t distance = family->distance(family->self, shape, from, to);
    uint32_t last = (shape->nodes - 1) / shape->nodes_per_switch; /* that has nodes */
    bool has_nodes = from <= last && to <= last;
    return from == to ? distance == 0
                      : distance && distance < shape->switches && (!has_nodes || distance <= most);
}

static bool has_good_distances(const struct heliograph_topology *family, const struct heliograph_shape *shape,
                               uint32_t from, uint32_t to, uint32_t most, struct param_problem *problem)
{
    if (has_good_distance(family, shape, from, to, most))
        return true;
    snprintf(
        problem->text, sizeof problem->text,
        "the distance of %s from switch %u to switch %u is %u; it is 0 to the same switch, else 1 to %u, "
        "and at most the largest one of distances()",
        family->name, from, to, family->distance(family->self, shape, from, to), shape->switches - 1);
    return false;
}

/* All pairs, or CHECKED_PAIRS of them that are spread evenly. */
static bool has_good_routes(const struct heliograph_topology *family, const struct heliograph_shape *shape,
                            struct param_problem *problem)
{
    uint64_t pairs = (uint64_t)shape->switches * shape->switches;
    uint64_t step = pairs / CHECKED_PAIRS + 1;
    uint32_t most = largest_distance(family, shape);
    for (uint64_t pair = 0; pair < pairs; pair += step) {
        uint32_t from = (uint32_t)(pair / shape->switches), to = (uint32_t)(pair % shape->switches);
        if (!has_good_distances(family, shape, from, to, most, problem))
            return false;
        if (from == to || leads_on(family, shape, from, to))
            continue;
        snprintf(problem->text, sizeof problem->text,
                 "the route of %s from switch %u to switch %u does not begin at the one and lead nearer to "
                 "the other",
                 family->name, from, to);
        return false;
    }
    return true;
}

static bool has_good_links(const struct heliograph_topology *family, const struct heliograph_shape *shape,
                           struct param_problem *problem)
{
    for (uint32_t link = 0; link < shape->links; link++) {
        uint32_t from = 0, to = 0, back = 0, forth = 0;
        family->ends(family->self, shape, link, &from, &to);
        family->ends(family->self, shape, link ^ 1, &back, &forth);
        if (from < shape->switches && to < shape->switches && from == forth && to == back)
            continue;
        snprintf(problem->text, sizeof problem->text,
                 "links %u and %u of %s do not join the same two switches, one each way", link & ~1u,
                 link | 1, family->name);
        return false;
    }
    return true;
}

static bool has_good_sizes(const struct heliograph_topology *family, const struct heliograph_shape *shape,
                           struct param_problem *problem)
{
    uint64_t hanging = (uint64_t)shape->nodes_per_switch * shape->switches;
    if (!topo_fits(shape->nodes > shape->switches ? shape->nodes : shape->switches,
                   2 * (uint64_t)shape->nodes + shape->links, problem))
        return false;
    if (shape->nodes && shape->switches && hanging >= shape->nodes && shape->links % 2 == 0 &&
        (family->distances || shape->switches <= COUNTED_SWITCHES))
        return true;
    snprintf(problem->text, sizeof problem->text,
             "%s builds %u nodes, %u on each of %u switches, and %u links; there have to be nodes, places "
             "for all, an "
             "even number of links and, without a function distances, at most %d switches",
             family->name, shape->nodes, shape->nodes_per_switch, shape->switches, shape->links,
             COUNTED_SWITCHES);
    return false;
}

static bool plugin_topology_build(struct topo *topo, struct param_problem *problem)
{
    const struct heliograph_topology *family = family_of(topo);
    struct heliograph_shape *shape = (void *)topo->data;
    uint32_t index = 0;
    *shape = (struct heliograph_shape){.number_count = topo->number_count};
    memcpy(shape->numbers, topo->numbers, sizeof shape->numbers);
    problem->at = 0;
    problem->text[0] = '\0';
    if (!family->build(family->self, shape, &index, problem->text, sizeof problem->text)) {
        problem->at = index < topo->number_count ? index : 0;
        if (!problem->text[0])
            snprintf(problem->text, sizeof problem->text, "%s refuses this number, and does not say why",
                     family->name);
        return false;
    }
    topo->nodes = shape->nodes;
    topo->switches = shape->switches;
    topo->nodes_per_switch = shape->nodes_per_switch;
    topo->links = 2 * shape->nodes + shape->links;
    return has_good_sizes(family, shape, problem) && has_good_links(family, shape, problem) &&
           has_good_routes(family, shape, problem);
}

/* ----------------------------------------------------------------- routing */

static struct topo_hop plugin_topology_ends(const struct topo *topo, uint32_t link)
{
    const struct heliograph_topology *family = family_of(topo);
    struct topo_hop hop = {0};
    family->ends(family->self, shape_of(topo), link - 2 * topo->nodes, &hop.from, &hop.to);
    return hop;
}

static struct topo_choice plugin_topology_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct heliograph_topology *family = family_of(topo);
    uint32_t to = topo_switch_of(topo, destination);
    if (from == to)
        return topo_only(topo_ejection(topo, destination));
    return topo_only(2 * topo->nodes + family->next(family->self, shape_of(topo), from, to));
}

static uint32_t plugin_topology_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    const struct heliograph_topology *family = family_of(topo);
    return family->distance(family->self, shape_of(topo), topo_switch_of(topo, source),
                            topo_switch_of(topo, destination));
}

/* ------------------------------------------------------------------- facts */

static uint32_t nodes_on(const struct topo *topo, uint32_t at)
{
    uint64_t before = (uint64_t)at * topo->nodes_per_switch;
    uint64_t left = topo->nodes > before ? topo->nodes - before : 0;
    return left < topo->nodes_per_switch ? (uint32_t)left : topo->nodes_per_switch;
}

static struct topo_distances plugin_topology_distances(const struct topo *topo)
{
    const struct heliograph_topology *family = family_of(topo);
    const struct heliograph_shape *shape = shape_of(topo);
    struct topo_distances distances = {.sum = 0};
    if (family->distances) {
        uint64_t sum = 0;
        family->distances(family->self, shape, &sum, &distances.most);
        distances.sum = sum;
        return distances;
    }
    for (uint32_t from = 0; from < topo->switches; from++)
        for (uint32_t to = 0; to < topo->switches; to++) {
            uint64_t pairs = (uint64_t)nodes_on(topo, from) * nodes_on(topo, to);
            uint32_t distance = from == to || !pairs ? 0 : family->distance(family->self, shape, from, to);
            distances.sum += pairs * distance;
            distances.most = distance > distances.most ? distance : distances.most;
        }
    return distances;
}

static uint64_t plugin_topology_bisection(const struct topo *topo)
{
    const struct heliograph_topology *family = family_of(topo);
    return family->bisection(family->self, shape_of(topo));
}

/* ------------------------------------------------------------- registering */

static bool is_complete(const struct heliograph_topology *topology)
{
    if (topology->build && topology->ends && topology->next && topology->distance && topology->bisection &&
        topology->example && topology->least_numbers && topology->least_numbers <= topology->most_numbers &&
        topology->most_numbers <= HELIOGRAPH_NUMBERS)
        return true;
    diag_error(
        "topology %s needs an example, 1 to %d numbers, and the functions build, ends, next, distance and "
        "bisection",
        topology->name, HELIOGRAPH_NUMBERS);
    return false;
}

enum status plugin_register_topology(const struct heliograph_topology *topology)
{
    size_t least = offsetof(struct heliograph_topology, bisection) + sizeof topology->bisection;
    if (!plugin_struct_is_valid("a topology", topology->struct_size, least, topology->name, topology->doc) ||
        !is_complete(topology))
        return STATUS_BAD_INPUT;
    struct heliograph_topology *copy = plugin_copy(topology, topology->struct_size, sizeof *copy);
    copy->name = mem_text(topology->name);
    copy->doc = mem_text(topology->doc);
    struct plugin_family *entry = mem_alloc(1, sizeof *entry, "a topology");
    entry->family = copy;
    entry->forms[0] =
        (struct topo_form){copy->name, copy->least_numbers, copy->most_numbers, mem_text(copy->example)};
    entry->ops = (struct topo_ops){.name = copy->name,
                                   .forms = entry->forms,
                                   .build = plugin_topology_build,
                                   .ends = plugin_topology_ends,
                                   .choose = plugin_topology_choose,
                                   .distance = plugin_topology_distance,
                                   .distances = plugin_topology_distances,
                                   .bisection = plugin_topology_bisection};
    enum status status = topo_add(&entry->ops);
    if (status == STATUS_OK)
        return status;
    free((char *)copy->name);
    free((char *)copy->doc);
    free(copy);
    free((char *)entry->forms[0].example);
    free(entry);
    return status;
}
