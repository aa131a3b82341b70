#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "topo/platform.h"

/* Whether any two hosts have a way. A zone needs ways between its members with hosts, and to the gateways by
 * which messages come in; gateways lie inside the zones that they serve. So it is enough to look at each zone
 * once, and ways never go in circles. */

static const char *name_of(const struct platform *platform, uint32_t point)
{
    return platform->point_names.texts[point];
}

/* The point, and the zones around it, are needed. */
static void need(struct platform *platform, uint32_t point)
{
    while (point != PLATFORM_NONE && !platform->points[point].is_needed) {
        platform->points[point].is_needed = true;
        uint32_t zone = platform->points[point].zone;
        point = zone == PLATFORM_NONE ? PLATFORM_NONE : platform->zones[zone].point;
    }
}

static void need_gateways(struct platform *platform)
{
    for (size_t i = 0; i < platform->route_count; i++) {
        need(platform, platform->routes[i].from_gateway);
        need(platform, platform->routes[i].to_gateway);
    }
    for (size_t i = 0; i < platform->host_count; i++)
        need(platform, platform->hosts[i]);
}

static bool refuse_pair(const struct platform *platform, const struct network_source *source, uint32_t from,
                        uint32_t to)
{
    const struct platform_zone *zone = &platform->zones[platform->points[from].zone];
    static const char *const hints[] = {
        [PLATFORM_FULL] = "with routing=\"Full\" each pair needs a route",
        [PLATFORM_FLOYD] = "no routes lead there",
        [PLATFORM_DIJKSTRA] = "no routes lead there",
        [PLATFORM_STAR] = "one of them has no host_link",
        [PLATFORM_VIVALDI] = "one of them has no link",
        [PLATFORM_EMPTY] = "routing=\"None\" has no routes",
    };
    const char *hint = zone->routing < PLATFORM_TORUS
                           ? hints[zone->routing]
                           : "a router of this cluster has no links: give the gateway as one of its hosts";
    return source_refuse(source, NULL, 0, "there is no way from %s to %s in zone %s: %s",
                         name_of(platform, from), name_of(platform, to), name_of(platform, zone->point),
                         hint);
}

/* Whether the member can be an end of a way: zones need gateways, clusters know their hosts alone. */
static bool can_cross(const struct platform *platform, uint32_t from, uint32_t to)
{
    struct platform_way way = {.count = 0};
    uint32_t from_gateway, to_gateway;
    const struct platform_point *a = &platform->points[from], *b = &platform->points[to];
    if (platform->zones[a->zone].routing >= PLATFORM_TORUS)
        return a->kind == PLATFORM_HOST && b->kind == PLATFORM_HOST;
    if (platform_find_route(platform, &platform->bypasses, from, to))
        return true;
    if (!platform_cross(platform, from, to, &way, &from_gateway, &to_gateway))
        return false;
    bool are_zones = a->kind == PLATFORM_ZONE || b->kind == PLATFORM_ZONE;
    return !are_zones || (from_gateway != PLATFORM_NONE && to_gateway != PLATFORM_NONE);
}

/* All members of a flat cluster are alike: the first few and the last ones stand for them. */
static bool is_sample(const struct platform_zone *zone, size_t index)
{
    bool is_large = zone->routing >= PLATFORM_STAR && zone->count > 64;
    return !is_large || index < 32 || index + 32 > zone->count;
}

static bool check_zone(const struct platform *platform, const struct network_source *source,
                       const struct platform_zone *zone)
{
    for (size_t i = 0; i < zone->count; i++)
        for (size_t j = 0; j < zone->count; j++) {
            uint32_t from = zone->members[i], to = zone->members[j];
            if (i == j || !platform->points[from].is_needed || !platform->points[to].is_needed ||
                !is_sample(zone, i) || !is_sample(zone, j))
                continue;
            if (!can_cross(platform, from, to))
                return refuse_pair(platform, source, from, to);
        }
    return true;
}

static bool has_twice(const struct platform_way *way, uint32_t *link)
{
    for (uint32_t i = 0; i < way->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (way->links[i] == way->links[j]) {
                *link = way->links[i];
                return true;
            }
    return false;
}

/* Whether each link of the way begins at the switch where the one before it ends; if not, and it is the first
 * such way, platform->no_ends says where. Notes the switches between its ends. */
static void check_ends(struct platform *platform, const struct platform_way *way, uint32_t from, uint32_t to)
{
    uint32_t at = platform->points[from].place, nodes = (uint32_t)platform->host_count, i = 0;
    for (; i < way->count && !platform->no_ends; i++) {
        const struct platform_link *link = &platform->links[way->links[i]];
        bool is_shared = link->twin == way->links[i];
        if (link->number < 2 * nodes)
            continue;
        if (link->from != at && (!is_shared || link->to != at))
            break;
        at = link->from == at ? link->to : link->from;
        if (at != platform->points[from].place && at != platform->points[to].place)
            platform->is_between[at] = true;
    }
    if (platform->no_ends || (i == way->count && at == platform->points[to].place))
        return;
    const char *name = i < way->count ? platform_link_name(platform, way->links[i]) : NULL;
    platform->no_ends = mem_format("on the route from %s to %s, %s%s%s where the link before it ends",
                                   name_of(platform, from), name_of(platform, to), name ? "link " : "",
                                   name             ? name
                                   : i < way->count ? "a link"
                                                    : "the end",
                                   i < way->count ? " does not begin" : " is not");
}

/* How many links of the way lie between switches. */
static uint32_t hops_of(const struct platform *platform, const struct platform_way *way, uint32_t from,
                        uint32_t to)
{
    uint32_t hops = 0, nodes = (uint32_t)platform->host_count;
    for (uint32_t i = 0; i < way->count; i++) {
        uint32_t number = platform->links[way->links[i]].number;
        hops += number != platform->points[from].of && number != nodes + platform->points[to].of;
    }
    return hops;
}

static void count_hops(struct platform *platform, const struct platform_way *way, uint32_t from, uint32_t to)
{
    uint32_t hops = hops_of(platform, way, from, to);
    platform->distances.sum += hops;
    if (hops > platform->distances.most)
        platform->distances.most = hops;
}

/* Of the pairs that were looked at, to all pairs. */
static void spread_hops(struct platform *platform, uint64_t looked_at)
{
    unsigned __int128 pairs = (unsigned __int128)platform->host_count * (platform->host_count - 1);
    if (looked_at && looked_at < pairs) {
        platform->distances.sum = platform->distances.sum * pairs / looked_at;
        platform->distances.most = platform_longest(platform);
    }
}

static bool refuse_twice(const struct platform *platform, const struct network_source *source, uint32_t from,
                         uint32_t to, uint32_t link)
{
    const char *name = platform_link_name(platform, link);
    char *text = name ? mem_format("link %s", name)
                      : mem_format("one link of %" PRIu64 " B/s", platform->links[link].rate_bytes_per_s);
    (void)source_refuse(source, NULL, 0,
                        "the route from %s to %s goes twice over %s; SimGrid then counts it double, and no "
                        "fabric here does",
                        name_of(platform, from), name_of(platform, to), text);
    free(text);
    return false;
}

/* Of very many hosts, as many as 2^18 pairs allow, evenly spread. */
static bool check_ways(struct platform *platform, const struct network_source *source)
{
    size_t step = 1 + platform->host_count / PLATFORM_SAMPLE;
    uint64_t looked_at = 0;
    platform->is_between = mem_alloc(platform->places.count + 1, sizeof *platform->is_between, "a platform");
    platform->is_sampled = step > 1;
    for (size_t i = 0; i < platform->host_count; i += step)
        for (size_t j = 0; j < platform->host_count; j += step) {
            uint32_t from = platform->hosts[i], to = platform->hosts[j], link;
            struct platform_way way = {.count = 0};
            if (i == j)
                continue;
            if (!platform_find_way(platform, from, to, &way))
                return source_refuse(source, NULL, 0, "there is no way from %s to %s: no route leads there",
                                     name_of(platform, from), name_of(platform, to));
            if (way.is_too_long)
                return source_refuse(source, NULL, 0, "the route from %s to %s has more than %d links",
                                     name_of(platform, from), name_of(platform, to), PLATFORM_ROUTE_AT_MOST);
            if (!way.count)
                return source_refuse(source, NULL, 0, "the route from %s to %s has no link",
                                     name_of(platform, from), name_of(platform, to));
            if (has_twice(&way, &link))
                return refuse_twice(platform, source, from, to, link);
            check_ends(platform, &way, from, to);
            count_hops(platform, &way, from, to);
            looked_at++;
        }
    spread_hops(platform, looked_at);
    return true;
}

bool platform_check(struct platform *platform, const struct network_source *source)
{
    need_gateways(platform);
    for (size_t i = 0; i < platform->zone_count; i++)
        if (!check_zone(platform, source, &platform->zones[i]))
            return false;
    return check_ways(platform, source);
}
