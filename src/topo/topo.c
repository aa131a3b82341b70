#include "topo/topo.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "topo/faults.h"
#include "topo/graph.h"
#include "topo/grid.h"
#include "topo/rates.h"
#include "topo/updown.h"

/* -------------------------------------------------------------------- links */

struct topo_ends topo_link_ends(const struct topo *topo, uint32_t link)
{
    if (topo_is_network(topo, link)) {
        struct topo_hop hop = topo->ops->ends(topo, link);
        return (struct topo_ends){{.id = hop.from}, {.id = hop.to}};
    }
    uint32_t node = link % topo->nodes;
    struct topo_end end = {.is_node = true, .id = node}, other = {.id = topo_switch_of(topo, node)};
    return topo_is_injection(topo, link) ? (struct topo_ends){end, other} : (struct topo_ends){other, end};
}

uint32_t topo_link_reverse(const struct topo *topo, uint32_t link)
{
    if (!topo_is_network(topo, link))
        return topo_is_injection(topo, link) ? link + topo->nodes : link - topo->nodes;
    return topo->ops->reverse ? topo->ops->reverse(topo, link) : link ^ 1;
}

uint32_t topo_coordinates(const struct topo *topo, uint32_t at, uint32_t coordinates[TOPO_COORDINATES])
{
    if (topo->ops->coordinates)
        return topo->ops->coordinates(topo, at, coordinates);
    coordinates[0] = at;
    return 1;
}

uint32_t topo_level(const struct topo *topo, uint32_t at)
{
    uint32_t coordinates[TOPO_COORDINATES];
    return topo->levels && topo_coordinates(topo, at, coordinates) ? coordinates[0] : 0;
}

uint32_t topo_grid_switch(const struct topo_grid *grid, const uint32_t *coordinates)
{
    uint32_t at = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        at += coordinates[d] * grid->dimension[d].stride;
    return at;
}

void topo_forget(void)
{
    faults_forget();
    updown_forget();
    graph_forget();
    by_class_forget();
}

/* -------------------------------------------------------------------- names */

void topo_print_list(const uint32_t *numbers, uint32_t count, char *buffer, size_t size)
{
    size_t length = (size_t)snprintf(buffer, size, "(");
    for (uint32_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(buffer + length, size - length, "%s%u", i ? "," : "", numbers[i]);
    if (length < size)
        snprintf(buffer + length, size - length, ")");
}

const char *topo_end_name(const struct topo *topo, struct topo_end end, char *buffer, size_t size)
{
    uint32_t coordinates[TOPO_COORDINATES];
    if (end.is_node) {
        snprintf(buffer, size, "%u", end.id);
        return buffer;
    }
    if (topo->ops->given_name) {
        snprintf(buffer, size, "%s", topo->ops->given_name(topo, end.id));
        return buffer;
    }
    uint32_t count = topo_coordinates(topo, end.id, coordinates);
    (topo->ops->name_switch ? topo->ops->name_switch : topo_print_list)(coordinates, count, buffer, size);
    return buffer;
}

static const char *name_link(const struct topo *topo, uint32_t link, struct topo_ends ends, char *buffer,
                             size_t size)
{
    char from[TOPO_TEXT], to[TOPO_TEXT];
    const char *given = topo->ops->given_link ? topo->ops->given_link(topo, link) : NULL;
    snprintf(buffer, size, given ? "%s>%s (%s)" : "%s>%s", topo_end_name(topo, ends.from, from, sizeof from),
             topo_end_name(topo, ends.to, to, sizeof to), given);
    return buffer;
}

const char *topo_link_name(const struct topo *topo, uint32_t link, char *buffer, size_t size)
{
    return name_link(topo, link, topo_link_ends(topo, link), buffer, size);
}

struct topo_ends topo_ends_from(const struct topo *topo, uint32_t at, uint32_t link)
{
    struct topo_ends ends = topo_link_ends(topo, link);
    if (topo_is_network(topo, link) && topo_behind(topo, at, link) != ends.to.id)
        return (struct topo_ends){ends.to, ends.from};
    return ends;
}

const char *topo_link_name_from(const struct topo *topo, uint32_t at, uint32_t link, char *buffer,
                                size_t size)
{
    return name_link(topo, link, topo_ends_from(topo, at, link), buffer, size);
}

/* ------------------------------------------------------------------ routing */

const char *const topo_routing_names[] = {
    [TOPO_ROUTING_D_MOD_K] = "d-mod-k", [TOPO_ROUTING_LOWEST] = "lowest", [TOPO_ROUTING_HASH] = "hash", NULL};

const char *const topo_routes_names[] = {[TOPO_ROUTES_OWN] = "own", [TOPO_ROUTES_UPDOWN] = "updown", NULL};

uint32_t topo_prefer(const struct topo *topo, uint32_t from, uint32_t destination, uint32_t divisor,
                     uint32_t count)
{
    switch (topo->routing) {
    case TOPO_ROUTING_LOWEST:
        return 0;
    case TOPO_ROUTING_HASH:
        return (uint32_t)(hash_key(hash_add(hash_add(topo->seed, from), destination)) % count);
    default:
        return destination / divisor % count;
    }
}

uint32_t topo_bundle_divisor(struct topo_choice choice, uint32_t lower)
{
    uint64_t apart = (topo_candidate(choice, 1) - topo_candidate(choice, 0)) / 2;
    return lower * apart < TOPO_NODES_LIMIT ? (uint32_t)(lower * apart) : TOPO_NODES_LIMIT;
}

/* The network links that topo_next leads along. */
static uint32_t follow(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t count = 0, at = topo_switch_of(topo, source), link;
    while (topo_is_network(topo, link = topo_next(topo, at, destination))) {
        links[count++] = link;
        at = topo_link_to(topo, link);
    }
    return count;
}

uint32_t topo_route(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t count = 0;
    bool is_own = topo->ops->route && ((!topo->faults && !topo->updown) || !topo->ops->choose);
    links[count++] = topo_injection(topo, source);
    count += (is_own ? topo->ops->route : follow)(topo, source, destination, links + count);
    links[count++] = topo_ejection(topo, destination);
    return count;
}

uint32_t topo_way(const struct topo *topo, uint32_t source, uint32_t destination, uint32_t *links)
{
    uint32_t all = topo_route(topo, source, destination, links), count = 0;
    if (!topo->link_kinds)
        return all;
    for (uint32_t i = 0; i < all; i++)
        if (topo_link_kind(topo, links[i]) != TOPO_LINK_FREE)
            links[count++] = links[i];
    return count;
}

uint32_t topo_way_length(const struct topo *topo, uint32_t source, uint32_t destination)
{
    uint32_t length = topo_distance(topo, source, destination) + 2;
    length -= topo_link_kind(topo, topo_injection(topo, source)) == TOPO_LINK_FREE;
    return length - (topo_link_kind(topo, topo_ejection(topo, destination)) == TOPO_LINK_FREE);
}

uint32_t topo_behind(const struct topo *topo, uint32_t at, uint32_t link)
{
    if (!topo_is_network(topo, link))
        return topo_switch_of(topo, link % topo->nodes);
    struct topo_hop hop = topo->ops->ends(topo, link);
    bool is_back = hop.to == at && topo_link_reverse(topo, link) == link;
    return is_back ? hop.from : hop.to;
}

/* What the route says where no switch does. */
static uint64_t rate_of_pair(const struct topo *topo, uint32_t source, uint32_t destination,
                             uint64_t of_fabric)
{
    uint32_t links[TOPO_ROUTE_OF_PAIR], count = topo_route(topo, source, destination, links);
    uint64_t rate = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t other = topo_link_rate(topo, links[i], of_fabric);
        rate = other < rate && topo_link_kind(topo, links[i]) != TOPO_LINK_FREE ? other : rate;
    }
    return rate == UINT64_MAX ? of_fabric : rate;
}

static ps_t latency_of_pair(const struct topo *topo, uint32_t source, uint32_t destination, ps_t of_network,
                            ps_t of_node)
{
    uint32_t links[TOPO_ROUTE_OF_PAIR], count = topo_route(topo, source, destination, links);
    ps_t sum = topo->ops->more_latency ? topo->ops->more_latency(topo, source, destination) : 0;
    for (uint32_t i = 0; i < count; i++)
        sum = ps_add(
            sum, topo_link_latency(topo, links[i], topo_is_network(topo, links[i]) ? of_network : of_node));
    return sum;
}

uint64_t topo_route_rate(const struct topo *topo, uint32_t source, uint32_t destination, uint64_t of_fabric)
{
    if (!topo->ops->choose)
        return rate_of_pair(topo, source, destination, of_fabric);
    uint32_t at = topo_switch_of(topo, source), link = topo_injection(topo, source);
    uint64_t rate = topo_link_rate(topo, link, of_fabric), other;
    do {
        link = topo_next(topo, at, destination);
        other = topo_link_rate(topo, link, of_fabric);
        rate = other < rate ? other : rate;
        at = topo_is_network(topo, link) ? topo_link_to(topo, link) : at;
    } while (topo_is_network(topo, link));
    return rate;
}

ps_t topo_route_latency(const struct topo *topo, uint32_t source, uint32_t destination, ps_t of_network,
                        ps_t of_node)
{
    if (!topo->ops->choose)
        return latency_of_pair(topo, source, destination, of_network, of_node);
    uint32_t at = topo_switch_of(topo, source), link;
    ps_t sum = ps_add(topo_link_latency(topo, topo_injection(topo, source), of_node),
                      topo_link_latency(topo, topo_ejection(topo, destination), of_node));
    while (topo_is_network(topo, link = topo_next(topo, at, destination))) {
        sum = ps_add(sum, topo_link_latency(topo, link, of_network));
        at = topo_link_to(topo, link);
    }
    return sum;
}

uint32_t topo_delays(const struct topo *topo, uint32_t source, uint32_t destination)
{
    if (!topo->has_ports)
        return topo_distance(topo, source, destination);
    uint32_t at = topo_switch_of(topo, source), count = 0, link;
    while (topo_is_network(topo, link = topo_next(topo, at, destination))) {
        at = topo_link_to(topo, link);
        count += !topo_is_port(topo, at);
    }
    return count ? count - 1 : 0;
}

/* -------------------------------------------------------------------- facts */

double topo_mean_distance(const struct topo *topo)
{
    if (topo->updown)
        return updown_mean_distance(topo);
    if (topo->faults && topo->faults->routes)
        return topo_mean_distance_around(topo);
    if (topo->faults && topo->faults->detours)
        return topo_mean_distance_around(topo);
    unsigned __int128 pairs = (unsigned __int128)topo->nodes * (topo->nodes - 1);
    return pairs ? (double)topo->ops->distances(topo).sum / (double)pairs : 0;
}

bool topo_bisection_is_bound(const struct topo *topo)
{
    const struct fault_counts counts = faults_count(topo);
    return counts.links || counts.node_links;
}

/* What is left of each of these cuts is an upper bound, and a failed link raises none of them. */
uint64_t topo_bisection(const struct topo *topo)
{
    uint64_t least = topo->ops->bisection(topo);
    if (!topo_bisection_is_bound(topo))
        return least;
    const uint64_t cuts[] = {graph_bisection(topo), topo_grid(topo) ? grid_least_cut(topo) : least};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        least = cuts[i] < least ? cuts[i] : least;
    return least;
}
