#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "topo/faults.h"
#include "topo/platform.h"

/* Routes as SimGrid 3.32 computes them: from the two points up to the innermost zone around both, which says
 * how to go from the zone of one to the zone of the other, and from gateway to gateway; and so on inside. */

/* ------------------------------------------------------------- in one zone */

static void take_list(const struct platform *platform, struct platform_list list, struct platform_way *way)
{
    for (uint32_t i = 0; i < list.count; i++)
        platform_take(way, platform->items[list.first + i]);
}

/* In a star a link that is in both lists counts once. */
static void take_once(const struct platform *platform, struct platform_list list, uint32_t begin,
                      struct platform_way *way)
{
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t link = platform->items[list.first + i], at = begin;
        while (at < way->count && way->links[at] != link)
            at++;
        if (at == way->count)
            platform_take(way, link);
    }
}

static bool cross_star(const struct platform *platform, uint32_t from, uint32_t to, struct platform_way *way)
{
    const struct platform_point *a = &platform->points[from], *b = &platform->points[to];
    uint32_t begin = way->count;
    if (!a->has_up || !b->has_down)
        return false;
    take_once(platform, a->up, begin, way);
    take_once(platform, b->down, begin, way);
    if (platform->zones[a->zone].routing != PLATFORM_VIVALDI)
        return true;
    double x = a->coordinates[0] - b->coordinates[0], y = a->coordinates[1] - b->coordinates[1];
    double distance_ms = sqrt(x * x + y * y) + fabs(a->coordinates[2]) + fabs(b->coordinates[2]);
    way->more_ps += (ps_t)nearbyint(distance_ms * 1e9);
    return true;
}

/* Over the members of the zone between `from` and `to` on the shortest way, which `before` says from the last
 * one to the first. */
static bool cross_table(const struct platform *platform, uint32_t from, uint32_t to, const uint32_t *before,
                        struct platform_way *way, uint32_t *from_gateway, uint32_t *to_gateway)
{
    const struct platform_point *points = platform->points;
    const struct platform_zone *zone = &platform->zones[points[from].zone];
    uint32_t steps[PLATFORM_TABLE_AT_MOST], count = 0, at = points[to].id;
    before += (size_t)points[from].id * zone->count;
    for (; at != points[from].id; at = before[at]) {
        if (before[at] == PLATFORM_NONE || count == PLATFORM_TABLE_AT_MOST)
            return false;
        steps[count++] = at;
    }
    uint32_t last = PLATFORM_NONE;
    for (uint32_t here = from; count > 0; here = zone->members[at]) {
        at = steps[--count];
        const struct platform_route *route =
            platform_find_route(platform, &platform->by_pair, here, zone->members[at]);
        if (last == PLATFORM_NONE)
            *from_gateway = route->from_gateway;
        else if (last != route->from_gateway && !platform_find_way(platform, last, route->from_gateway, way))
            return false;
        take_list(platform, route->links, way);
        last = *to_gateway = route->to_gateway;
    }
    return true;
}

/* The shortest way of the zone; if a link on it has failed, the shortest one over intact links, if there is
 * one. */
static bool cross_shortest(const struct platform *platform, uint32_t from, uint32_t to,
                           struct platform_way *way, uint32_t *from_gateway, uint32_t *to_gateway)
{
    uint32_t number = platform->points[from].zone, begin = way->count;
    const uint32_t *before = platform->zones[number].before;
    bool is_too_long = way->is_too_long, had_detour = way->has_detour;
    ps_t more_ps = way->more_ps;
    bool is_there = cross_table(platform, from, to, before, way, from_gateway, to_gateway);
    if (!way->detours || !is_there || platform_is_intact(platform, way->detours, way, begin))
        return is_there;
    const uint32_t *const tables[] = {way->detours->before[number], before};
    for (int i = 0; i < 2; i++) {
        way->count = begin;
        way->more_ps = more_ps;
        way->is_too_long = is_too_long;
        way->has_detour = had_detour || i == 0;
        if (cross_table(platform, from, to, tables[i], way, from_gateway, to_gateway))
            return true;
    }
    return false;
}

bool platform_cross(const struct platform *platform, uint32_t from, uint32_t to, struct platform_way *way,
                    uint32_t *from_gateway, uint32_t *to_gateway)
{
    const struct platform_point *points = platform->points;
    const struct platform_zone *zone = &platform->zones[points[from].zone];
    const struct platform_route *route;
    *from_gateway = *to_gateway = PLATFORM_NONE;
    switch (zone->routing) {
    case PLATFORM_FULL:
        if (!(route = platform_find_route(platform, &platform->by_pair, from, to)))
            return false;
        take_list(platform, route->links, way);
        *from_gateway = route->from_gateway;
        *to_gateway = route->to_gateway;
        return true;
    case PLATFORM_FLOYD:
    case PLATFORM_DIJKSTRA:
        return cross_shortest(platform, from, to, way, from_gateway, to_gateway);
    case PLATFORM_STAR:
    case PLATFORM_VIVALDI:
        return cross_star(platform, from, to, way);
    case PLATFORM_TORUS:
        platform_cross_torus(zone, points[from].id, points[to].id, way);
        return true;
    case PLATFORM_FAT_TREE:
        platform_cross_fat_tree(zone, points[from].id, points[to].id, way);
        return true;
    case PLATFORM_DRAGONFLY:
        platform_cross_dragonfly(zone, points[from].id, points[to].id, way);
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------ across zones */

/* The zones around a point, the innermost first. */
struct path {
    uint32_t zones[PLATFORM_DEPTH_AT_MOST + 1], count;
};

static void find_path(const struct platform *platform, uint32_t point, struct path *path)
{
    path->count = 0;
    for (uint32_t zone = platform->points[point].zone; zone != PLATFORM_NONE;
         zone = platform->zones[zone].parent)
        path->zones[path->count++] = zone;
}

/* Leaves of both paths what lies below the innermost zone around both, which it returns. */
static uint32_t cut_common(struct path *a, struct path *b)
{
    uint32_t common = PLATFORM_NONE;
    while (a->count && b->count && a->zones[a->count - 1] == b->zones[b->count - 1]) {
        common = a->zones[--a->count];
        b->count--;
    }
    return common;
}

/* The point that stands for the way in the common zone: the zone below it, or the point itself. */
static uint32_t member_of(const struct platform *platform, const struct path *path, uint32_t point)
{
    return path->count ? platform->zones[path->zones[path->count - 1]].point : point;
}

/* What a bypass of the common zone joins: a point in it, or one of the zones below. SimGrid looks at the
 * innermost ones first. */
static const struct platform_route *find_bypass(const struct platform *platform, const struct path *a,
                                                const struct path *b, uint32_t *from, uint32_t *to)
{
    const struct platform_route *found = NULL;
    uint32_t most = a->count > b->count ? a->count : b->count;
    for (uint32_t high = 0; high < most && !found; high++)
        for (uint32_t low = 0; low <= high && !found; low++)
            for (int turn = 0; turn < 2 && !found; turn++) {
                uint32_t i = turn ? high : low, j = turn ? low : high;
                if (i >= a->count || j >= b->count)
                    continue;
                *from = platform->zones[a->zones[i]].point;
                *to = platform->zones[b->zones[j]].point;
                found = platform_find_route(platform, &platform->bypasses, *from, *to);
            }
    return found;
}

static bool go_on(const struct platform *platform, uint32_t from, uint32_t to, struct platform_way *way)
{
    return from == to || platform_find_way(platform, from, to, way);
}

bool platform_find_way(const struct platform *platform, uint32_t from, uint32_t to, struct platform_way *way)
{
    struct path a, b;
    uint32_t from_gateway, to_gateway, member, other;
    const struct platform_route *bypass = NULL;
    if (platform->points[from].zone == platform->points[to].zone) {
        if (platform->bypasses.count)
            bypass = platform_find_route(platform, &platform->bypasses, from, to);
        if (bypass)
            take_list(platform, bypass->links, way);
        return bypass || platform_cross(platform, from, to, way, &from_gateway, &to_gateway);
    }
    find_path(platform, from, &a);
    find_path(platform, to, &b);
    cut_common(&a, &b);
    if (!a.count || !b.count)
        return false; /* one is in a zone that stands beside the other point: no route can say how */
    if (platform->bypasses.count && (bypass = find_bypass(platform, &a, &b, &member, &other))) {
        if (!go_on(platform, from, bypass->from_gateway, way))
            return false;
        take_list(platform, bypass->links, way);
        return go_on(platform, bypass->to_gateway, to, way);
    }
    struct platform_way middle = {.detours = way->detours};
    member = member_of(platform, &a, from);
    other = member_of(platform, &b, to);
    if (!platform_cross(platform, member, other, &middle, &from_gateway, &to_gateway) ||
        from_gateway == PLATFORM_NONE || to_gateway == PLATFORM_NONE ||
        !go_on(platform, from, from_gateway, way))
        return false;
    for (uint32_t i = 0; i < middle.count; i++)
        platform_take(way, middle.links[i]);
    way->is_too_long |= middle.is_too_long;
    way->has_detour |= middle.has_detour;
    way->more_ps += middle.more_ps;
    return go_on(platform, to_gateway, to, way);
}

/* ------------------------------------------------------------------ tables */

static bool is_list_intact(const struct platform *platform, const struct platform_detours *detours,
                           struct platform_list list)
{
    for (uint32_t i = 0; detours && i < list.count; i++)
        if (detours->links[platform->links[platform->items[list.first + i]].number] & FAULT_FAILED)
            return false;
    return true;
}

/* [count x count] how many links the route from one member to another has; PLATFORM_NONE: there is none, or a
 * link of it has failed. */
static uint32_t *costs_of(const struct platform *platform, const struct platform_zone *zone,
                          const struct platform_detours *detours)
{
    size_t n = zone->count;
    uint32_t *costs = mem_alloc(n * n, sizeof *costs, "routes");
    for (size_t i = 0; i < n * n; i++) {
        const struct platform_route *route =
            platform_find_route(platform, &platform->by_pair, zone->members[i / n], zone->members[i % n]);
        bool is_there = route && i / n != i % n && is_list_intact(platform, detours, route->links);
        costs[i] = is_there ? route->links.count : PLATFORM_NONE;
    }
    return costs;
}

/* Floyd and Warshall, with SimGrid's order of loops, which decides among equals. */
static void fill_floyd(size_t n, uint32_t *costs, uint32_t *before)
{
    for (size_t i = 0; i < n * n; i++)
        before[i] = costs[i] == PLATFORM_NONE ? PLATFORM_NONE : (uint32_t)(i / n);
    for (size_t c = 0; c < n; c++)
        for (size_t a = 0; a < n; a++) {
            uint32_t first = costs[a * n + c];
            for (size_t b = 0; first != PLATFORM_NONE && b < n; b++) {
                uint32_t second = costs[c * n + b];
                if (second == PLATFORM_NONE || first + second >= costs[a * n + b] || a == b)
                    continue;
                costs[a * n + b] = first + second;
                before[a * n + b] = before[c * n + b];
            }
        }
}

/* The nearest member that is not done; of equals the one that stands first in a route, as in SimGrid. */
static uint32_t nearest(const struct platform_zone *zone, const uint32_t *way_costs, const bool *done)
{
    uint32_t best = PLATFORM_NONE;
    for (size_t k = 0; k < zone->ordered; k++) {
        uint32_t at = zone->order[k];
        if (!done[at] && way_costs[at] != PLATFORM_NONE &&
            (best == PLATFORM_NONE || way_costs[at] < way_costs[best]))
            best = at;
    }
    return best;
}

static void search_from(const struct platform_zone *zone, const uint32_t *costs, uint32_t start,
                        uint32_t *before, uint32_t *way_costs, bool *done)
{
    size_t n = zone->count;
    for (size_t i = 0; i < n; i++) {
        way_costs[i] = before[i] = PLATFORM_NONE;
        done[i] = false;
    }
    way_costs[start] = 0;
    for (uint32_t at; (at = nearest(zone, way_costs, done)) != PLATFORM_NONE;) {
        done[at] = true;
        for (size_t to = 0; to < n; to++) {
            uint32_t cost = costs[at * n + to];
            if (cost == PLATFORM_NONE || done[to] || way_costs[at] + cost >= way_costs[to])
                continue;
            way_costs[to] = way_costs[at] + cost;
            before[to] = at;
        }
    }
}

static void fill_dijkstra(const struct platform_zone *zone, const uint32_t *costs, uint32_t *before)
{
    uint32_t *way_costs = mem_alloc(zone->count, sizeof *way_costs, "routes");
    bool *done = mem_alloc(zone->count, sizeof *done, "routes");
    for (uint32_t start = 0; start < zone->count; start++)
        search_from(zone, costs, start, before + start * zone->count, way_costs, done);
    free(way_costs);
    free(done);
}

uint32_t *platform_shortest(const struct platform *platform, const struct platform_zone *zone,
                            const struct platform_detours *detours)
{
    uint32_t *costs = costs_of(platform, zone, detours);
    uint32_t *before = mem_alloc(zone->count * zone->count, sizeof *before, "routes");
    if (zone->routing == PLATFORM_FLOYD)
        fill_floyd(zone->count, costs, before);
    else
        fill_dijkstra(zone, costs, before);
    free(costs);
    return before;
}

void platform_make_tables(struct platform *platform)
{
    for (size_t i = 0; i < platform->zone_count; i++) {
        struct platform_zone *zone = &platform->zones[i];
        if ((zone->routing == PLATFORM_FLOYD || zone->routing == PLATFORM_DIJKSTRA) && zone->count)
            zone->before = platform_shortest(platform, zone, NULL);
    }
}
