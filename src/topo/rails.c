#include <stdio.h>

#include "topo/graph.h"
#include "topo/rows.h"

/* Clusters of GPUs by rails (Wang et al., Rail-only: a low-cost high-performance network for training LLMs
 * with trillion parameters, 2023; NVIDIA, DGX SuperPOD): g GPUs in a server, linked to its NVSwitch; s
 * servers in a pod, whose GPUs of number r are linked to leaf switch r of the pod, by a NIC each: rail r; n
 * pods; u spine switches, each linked to all leaf switches. A GPU has two links, so the first switches are
 * the ports of the GPUs. GPU r of server v of pod b is node (b s + v) g + r.
 *
 * Switches: ports, NVSwitches by server, leaf switches by pod and rail, spine switches. Edges, of two links
 * each, the first of which leads up: ports to NVSwitches, ports to leaf switches, leaf switches to spine
 * switches.
 *
 * Within a server routes go over its NVSwitch; within a rail of a pod over its leaf switch; to another pod
 * over a spine switch. To another server and rail of the same pod two ways are equally short: over the
 * NVSwitch to the GPU of the server that is on the other's rail, and on from there (PXN, in NCCL), or over a
 * spine switch. */

struct rails {
    uint32_t gpus, servers, pods, spines;             /* g, s, n, u */
    uint32_t first_nvswitch, first_leaf, first_spine; /* switches */
};

_Static_assert(sizeof(struct rails) <= TOPO_DATA, "rails fit a topology's data");

static const struct rails *rails_of(const struct topo *topo)
{
    return (const void *)topo->data;
}

static bool rails_build(struct topo *topo, struct param_problem *problem)
{
    uint64_t g = topo->numbers[0], s = topo->numbers[1], n = topo->numbers[2], u = topo->numbers[3];
    uint64_t limit = TOPO_LINKS_LIMIT, servers = s * n > limit ? limit : s * n;
    uint64_t nodes = g * servers > limit ? limit : g * servers, leaves = g * n > limit ? limit : g * n;
    uint64_t edges = 2 * nodes + (leaves * u > limit ? limit : leaves * u);
    if (!topo_fits(nodes + servers + leaves + u, 2 * (nodes + edges), problem))
        return false;
    struct rails *rails = (void *)topo->data;
    *rails = (struct rails){.gpus = (uint32_t)g,
                            .servers = (uint32_t)s,
                            .pods = (uint32_t)n,
                            .spines = (uint32_t)u,
                            .first_nvswitch = (uint32_t)nodes,
                            .first_leaf = (uint32_t)(nodes + servers),
                            .first_spine = (uint32_t)(nodes + servers + leaves)};
    topo->nodes = (uint32_t)nodes;
    topo->switches = rails->first_spine + rails->spines;
    topo->links = (uint32_t)(2 * (nodes + edges));
    topo->nodes_per_switch = 1;
    topo->nodes_per_server = rails->gpus;
    topo->has_ports = true;
    topo->levels = 3;
    return true;
}

/* Where a GPU, or its ports, is. */
struct rails_place {
    uint32_t server, pod, rail; /* the server counts over all pods */
};

static struct rails_place place_of(const struct rails *rails, uint32_t node)
{
    uint32_t server = node / rails->gpus;
    return (struct rails_place){server, server / rails->servers, node % rails->gpus};
}

static uint32_t link_up(const struct topo *topo, uint32_t edge)
{
    return 2 * (topo->nodes + edge);
}

static uint32_t leaf_of(const struct rails *rails, struct rails_place place)
{
    return rails->first_leaf + place.pod * rails->gpus + place.rail;
}

static struct topo_hop rails_ends(const struct topo *topo, uint32_t link)
{
    const struct rails *rails = rails_of(topo);
    uint32_t edge = link / 2 - topo->nodes, nodes = topo->nodes, low, high;
    if (edge < 2 * nodes) {
        low = edge % nodes;
        high =
            edge < nodes ? rails->first_nvswitch + low / rails->gpus : leaf_of(rails, place_of(rails, low));
    } else {
        low = rails->first_leaf + (edge - 2 * nodes) / rails->spines;
        high = rails->first_spine + (edge - 2 * nodes) % rails->spines;
    }
    return link & 1 ? (struct topo_hop){high, low} : (struct topo_hop){low, high};
}

/* 1 NVLink, 2 NICs, 3 between leaf and spine switches. */
static uint32_t rails_class(const struct topo *topo, uint32_t link)
{
    uint32_t edge = link / 2 - topo->nodes;
    return edge < topo->nodes ? 1 : edge < 2 * topo->nodes ? 2 : 3;
}

/* ----------------------------------------------------------------- routing */

static struct topo_choice from_port(const struct topo *topo, uint32_t at, uint32_t destination)
{
    const struct rails *rails = rails_of(topo);
    struct rails_place here = place_of(rails, at), there = place_of(rails, destination);
    uint32_t nvlink = link_up(topo, at), nic = link_up(topo, topo->nodes + at);
    if (at == destination)
        return topo_only(topo_ejection(topo, destination));
    if (here.server == there.server)
        return topo_only(nvlink);
    if (here.rail == there.rail || here.pod != there.pod || topo->relay == TOPO_RELAY_SPINE)
        return topo_only(nic);
    if (topo->relay == TOPO_RELAY_NVLINK)
        return topo_only(nvlink);
    return (struct topo_choice){.first = nvlink, .step = nic - nvlink, .count = 2};
}

static struct topo_choice from_leaf(const struct topo *topo, uint32_t at, uint32_t destination)
{
    const struct rails *rails = rails_of(topo);
    uint32_t nth = at - rails->first_leaf;
    if (at == leaf_of(rails, place_of(rails, destination)))
        return topo_only(link_up(topo, topo->nodes + destination) + 1);
    return (struct topo_choice){
        .first = link_up(topo, 2 * topo->nodes + nth * rails->spines),
        .step = 2,
        .count = rails->spines,
        .preferred = topo_prefer(topo, at, destination, rails->gpus, rails->spines),
    };
}

static struct topo_choice rails_choose(const struct topo *topo, uint32_t from, uint32_t destination)
{
    const struct rails *rails = rails_of(topo);
    struct rails_place there = place_of(rails, destination);
    if (from < rails->first_nvswitch)
        return from_port(topo, from, destination);
    if (from < rails->first_leaf) { /* to the GPU, or to the one of this server that is on its rail */
        uint32_t server = from - rails->first_nvswitch;
        return topo_only(link_up(topo, server * rails->gpus + there.rail) + 1);
    }
    if (from < rails->first_spine)
        return from_leaf(topo, from, destination);
    uint32_t leaf = leaf_of(rails, there) - rails->first_leaf, spine = from - rails->first_spine;
    return topo_only(link_up(topo, 2 * topo->nodes + leaf * rails->spines + spine) + 1);
}

static bool rails_has_choices(const struct topo *topo)
{
    const struct rails *rails = rails_of(topo);
    return rails->spines > 1 || (topo->relay == TOPO_RELAY_EITHER && rails->gpus > 1 && rails->servers > 1);
}

static uint32_t rails_distance(const struct topo *topo, uint32_t source, uint32_t destination)
{
    struct rails_place a = place_of(rails_of(topo), source), b = place_of(rails_of(topo), destination);
    return source == destination ? 0 : a.server == b.server || (a.pod == b.pod && a.rail == b.rail) ? 2 : 4;
}

/* Two hops to the others of the server and of the rail in the pod, four to all others. */
static struct topo_distances rails_distances(const struct topo *topo)
{
    const struct rails *rails = rails_of(topo);
    uint64_t near = (uint64_t)rails->gpus - 1 + rails->servers - 1, far = topo->nodes - 1 - near;
    return (struct topo_distances){.sum = (unsigned __int128)topo->nodes * (2 * near + 4 * far),
                                   .most = far    ? 4
                                           : near ? 2
                                                  : 0};
}

/* Between pods: at the NICs or above the leaf switches. In one pod between servers: at the NICs. In one
 * server at the NVSwitch. */
static uint64_t rails_bisection(const struct topo *topo)
{
    const struct rails *rails = rails_of(topo);
    if (rails->pods > 1) {
        uint64_t of_leaf = rails->servers < rails->spines ? rails->servers : rails->spines;
        return of_leaf * rails->gpus * (rails->pods / 2);
    }
    return rails->servers > 1 ? (uint64_t)rails->gpus * (rails->servers / 2) : rails->gpus / 2;
}

/* ------------------------------------------------------------------- names */

static uint32_t rails_coordinates(const struct topo *topo, uint32_t at, uint32_t *coordinates)
{
    const struct rails *rails = rails_of(topo);
    bool is_leaf = at >= rails->first_leaf && at < rails->first_spine;
    coordinates[0] = at < rails->first_nvswitch ? 0 : at < rails->first_spine ? 1 : 2;
    coordinates[1] = at < rails->first_nvswitch ? at
                     : at < rails->first_leaf   ? at - rails->first_nvswitch
                     : is_leaf                  ? (at - rails->first_leaf) / rails->gpus
                                                : at - rails->first_spine;
    if (is_leaf)
        coordinates[2] = (at - rails->first_leaf) % rails->gpus;
    return is_leaf ? 3 : 2;
}

static void rails_name_switch(const uint32_t *coordinates, uint32_t count, char *buffer, size_t size)
{
    static const char *const names[] = {"ports", "nvswitch", "spine"};
    if (count == 3)
        snprintf(buffer, size, "pod%u.rail%u", coordinates[1], coordinates[2]);
    else
        snprintf(buffer, size, "%s%u", names[coordinates[0]], coordinates[1]);
}

static enum topo_switch_kind rails_switch_kind(const struct topo *topo, uint32_t at)
{
    const struct rails *rails = rails_of(topo);
    return at < rails->first_leaf ? TOPO_SWITCH_PREFERRED
                                  : TOPO_SWITCH_PASSES; /* ports are asked for before */
}

static const struct topo_form forms[] = {
    {"rails", 4, 4,
     "rails:8x4x2x4 (g x s x n x u: GPUs of a server, servers of a pod, pods, spine switches)"},
    {.name = NULL},
};

const struct topo_ops rails_family = {
    .name = "rails",
    .forms = forms,
    .rules = TOPO_RULE_ROUTING | TOPO_RULE_RATES | TOPO_RULE_RELAY,
    .graphviz = "dot",
    .build = rails_build,
    .ends = rails_ends,
    .link_class = rails_class,
    .link_classes = 3,
    .choose = rails_choose,
    .has_choices = rails_has_choices,
    .distance = rails_distance,
    .distances = rails_distances,
    .bisection = rails_bisection,
    .coordinates = rails_coordinates,
    .name_switch = rails_name_switch,
    .switch_kind = rails_switch_kind,
    .place = levels_place,
};
