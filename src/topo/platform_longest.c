#include "base/mem.h"
#include "topo/platform.h"

/* A bound on the hops of any route, without a look at all pairs of hosts. A way across a zone has at most the
 * links of the longest way between two of its members, and inside these what the zones below need. */

/* ------------------------------------------------------------- in one zone */

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t longest_route(const struct platform *platform)
{
    uint32_t longest = 0;
    for (size_t i = 0; i < platform->route_count; i++)
        longest = most(longest, platform->routes[i].links.count);
    return longest;
}

static uint32_t longest_in_star(const struct platform *platform, const struct platform_zone *zone)
{
    uint32_t up = 0, down = 0;
    for (size_t i = 0; i < zone->count; i++) {
        up = most(up, platform->points[zone->members[i]].up.count);
        down = most(down, platform->points[zone->members[i]].down.count);
    }
    return up + down;
}

/* Of the shortest ways from one member; `lengths` and `way` have room for a number of each member. */
static uint32_t longest_from(const struct platform *platform, const struct platform_zone *zone, uint32_t from,
                             uint32_t *lengths, uint32_t *way)
{
    const uint32_t *before = zone->before + (size_t)from * zone->count;
    uint32_t longest = 0;
    for (size_t i = 0; i < zone->count; i++)
        lengths[i] = i == from ? 0 : PLATFORM_NONE;
    for (uint32_t to = 0; to < zone->count; to++) {
        uint32_t at = to, steps = 0;
        for (; lengths[at] == PLATFORM_NONE && before[at] != PLATFORM_NONE && steps < zone->count;
             at = before[at])
            way[steps++] = at;
        for (; steps && lengths[at] != PLATFORM_NONE; at = way[steps]) {
            uint32_t next = way[--steps];
            lengths[next] = lengths[at] + platform_find_route(platform, &platform->by_pair, zone->members[at],
                                                              zone->members[next])
                                              ->links.count;
            longest = most(longest, lengths[next]);
        }
    }
    return longest;
}

static uint32_t longest_in_table(const struct platform *platform, const struct platform_zone *zone)
{
    uint32_t *lengths = mem_alloc(zone->count, sizeof *lengths, "routes"), longest = 0;
    uint32_t *way = mem_alloc(zone->count, sizeof *way, "routes");
    for (uint32_t from = 0; from < zone->count; from++)
        longest = most(longest, longest_from(platform, zone, from, lengths, way));
    free(lengths);
    free(way);
    return longest;
}

/* Between links there are limiters, and at both ends. */
static uint32_t with_limiters(const struct platform_cluster *cluster, uint32_t links)
{
    return cluster->limiter == PLATFORM_NONE ? links : 2 * links + 1;
}

static uint32_t longest_in_cluster(const struct platform_zone *zone)
{
    const struct platform_cluster *cluster = zone->cluster;
    uint32_t links = 0;
    switch (zone->routing) {
    case PLATFORM_TORUS:
        for (uint32_t i = 0; i < cluster->levels; i++)
            links += cluster->sizes[i] / 2;
        break;
    case PLATFORM_FAT_TREE:
        links = 2 * cluster->levels;
        break;
    default: /* a dragonfly: blade and chassis in both groups, one link between them, and both nodes' links */
        links = 7;
    }
    return with_limiters(cluster, links);
}

/* The most links of a way inside each of its members: the two largest numbers, and the sum of all. */
struct below {
    uint64_t first, second, sum;
};

static void add_below(struct below *below, uint64_t longest)
{
    below->sum += longest;
    if (longest > below->first) {
        below->second = below->first;
        below->first = longest;
    } else if (longest > below->second) {
        below->second = longest;
    }
}

/* From a member to another one. */
static uint64_t longest_across(const struct platform *platform, const struct platform_zone *zone,
                               const struct below *below)
{
    const uint64_t ends = below->first + below->second;
    switch (zone->routing) {
    case PLATFORM_FULL:
        return longest_route(platform) + ends;
    case PLATFORM_FLOYD:
    case PLATFORM_DIJKSTRA: /* a way goes through a member once */
        return longest_in_table(platform, zone) + below->sum;
    case PLATFORM_STAR:
    case PLATFORM_VIVALDI:
        return longest_in_star(platform, zone) + ends;
    case PLATFORM_EMPTY:
        return ends;
    default:
        return longest_in_cluster(zone) + ends;
    }
}

static uint64_t longest_inside(const struct platform *platform, const struct platform_zone *zone,
                               const struct below *below)
{
    if (zone->count < 2)
        return below->first;
    const uint64_t bypass =
        platform->bypasses.count ? longest_route(platform) + below->first + below->second : 0;
    const uint64_t across = longest_across(platform, zone, below);
    return across > bypass ? across : bypass;
}

/* ------------------------------------------------------------- of all zones */

/* Whether all hosts have links that they alone use: a route's first and last links, which are no hops. */
static bool have_own_links(const struct platform *platform)
{
    for (size_t node = 0; node < platform->host_count; node++)
        if (platform->link_at[node] == PLATFORM_NONE ||
            platform->link_at[platform->host_count + node] == PLATFORM_NONE)
            return false;
    return true;
}

uint32_t platform_longest(const struct platform *platform)
{
    struct below *below = mem_alloc(platform->zone_count, sizeof *below, "a platform");
    uint64_t longest = 0;
    for (size_t i = platform->zone_count; i-- > 0;) { /* zones stand before those in them */
        const struct platform_zone *zone = &platform->zones[i];
        longest = longest_inside(platform, zone, &below[i]);
        longest = longest < PLATFORM_ROUTE_AT_MOST ? longest : PLATFORM_ROUTE_AT_MOST;
        if (zone->parent != PLATFORM_NONE)
            add_below(&below[zone->parent], longest);
    }
    free(below);
    return (uint32_t)longest - (longest >= 2 && have_own_links(platform) ? 2 : 0);
}
