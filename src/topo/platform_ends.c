#include <stdio.h>

#include "base/mem.h"
#include "topo/platform.h"

/* Where links begin and end. A platform does not say it: a route is a list of links. But a route from a to b
 * over links x, y and z says that x begins at a, that y begins where x ends, and so on. Ends that are the
 * same place are joined (union-find); those that stay without a name become switches of their own. If routes
 * do not fit together in this way, the ends are as the first routes say. platform_check() then finds a route
 * that contradicts them. Ends are for names and pictures, and for what stands in switches; routes do not
 * depend on them. */

struct joiner {
    struct platform *platform;
    uint32_t *parent; /* [2 links + places] the ends of links, then places */
    bool *is_used;    /* [links] a route has gone over it */
    uint32_t first_place;
};

static uint32_t root_of(struct joiner *joiner, uint32_t at)
{
    uint32_t *parent = joiner->parent;
    while (parent[at] != at)
        at = parent[at] = parent[parent[at]];
    return at;
}

static bool is_place(const struct joiner *joiner, uint32_t root)
{
    return root >= joiner->first_place;
}

/* Does nothing if these are two different places. A place stays the root. */
static void join(struct joiner *joiner, uint32_t a, uint32_t b)
{
    a = root_of(joiner, a);
    b = root_of(joiner, b);
    if (a == b || (is_place(joiner, a) && is_place(joiner, b)))
        return;
    if (is_place(joiner, a))
        joiner->parent[b] = a;
    else
        joiner->parent[a] = b;
}

/* The ends of both directions of a link are those of the lower one, in turn. */
static uint32_t end_of(const struct joiner *joiner, uint32_t link, bool is_far)
{
    uint32_t twin = joiner->platform->links[link].twin;
    return twin < link ? 2 * twin + !is_far : 2 * link + is_far;
}

static bool is_shared(const struct joiner *joiner, uint32_t link)
{
    return joiner->platform->links[link].twin == link;
}

/* Whether it is known, or may be chosen, at which of its ends the place is. Only a link that both directions
 * share can be gone over either way. */
static bool can_go(struct joiner *joiner, uint32_t place, uint32_t link)
{
    uint32_t at = root_of(joiner, place);
    return !is_shared(joiner, link) || !joiner->is_used[link] ||
           root_of(joiner, end_of(joiner, link, false)) == at ||
           root_of(joiner, end_of(joiner, link, true)) == at;
}

/* Goes over the link from the place, or with `is_back` against the route; returns the place behind it. */
static uint32_t go_over(struct joiner *joiner, uint32_t place, uint32_t link, bool is_back)
{
    uint32_t near = end_of(joiner, link, is_back), far = end_of(joiner, link, !is_back);
    uint32_t at = root_of(joiner, place);
    joiner->is_used[link] = true;
    if (is_shared(joiner, link) && root_of(joiner, near) != at && root_of(joiner, far) == at)
        return near;
    join(joiner, near, place);
    return far;
}

/* From both ends, as far as it is known which way the links are gone over, or `is_forced`. Returns whether
 * that is the whole route. */
static bool follow(struct joiner *joiner, uint32_t from, uint32_t to, struct platform_list list,
                   bool is_forced)
{
    const uint32_t *links = joiner->platform->items + list.first;
    if (from == PLATFORM_NONE || to == PLATFORM_NONE)
        return true;
    uint32_t front = joiner->first_place + from, back = joiner->first_place + to, first = 0, end = list.count;
    while (first < end) {
        bool can_front = can_go(joiner, front, links[first]), can_back = can_go(joiner, back, links[end - 1]);
        /* a link that was never gone over says less than one whose ends are known */
        if (can_front && can_back && joiner->is_used[links[end - 1]] && !joiner->is_used[links[first]])
            can_front = false;
        if (!can_front && !can_back && !is_forced)
            return false;
        if (can_front || !can_back)
            front = go_over(joiner, front, links[first++], false);
        else
            back = go_over(joiner, back, links[--end], true);
    }
    join(joiner, front, back);
    return true;
}

static uint32_t place_of(const struct platform *platform, uint32_t point)
{
    return point == PLATFORM_NONE ? PLATFORM_NONE : platform->points[point].place;
}

/* A route of the file, between these places. */
struct ended_route {
    uint32_t from, to;
    struct platform_list links;
    size_t at; /* in the order of the tables */
};

static int compare_lengths(const void *a, const void *b)
{
    const struct ended_route *left = a, *right = b;
    if (left->links.count != right->links.count)
        return left->links.count < right->links.count ? -1 : 1;
    return left->at < right->at ? -1 : 1;
}

static size_t list_routes(const struct platform *platform, const struct hashmap *map,
                          struct ended_route *routes, size_t count)
{
    for (size_t i = 0; map->entries && i <= map->mask; i++) {
        const struct hashmap_entry *entry = &map->entries[i];
        if (!entry->value)
            continue;
        const struct platform_route *route = &platform->routes[entry->value - 1];
        bool is_inner = route->from_gateway == PLATFORM_NONE;
        uint32_t from = is_inner ? (uint32_t)(entry->key >> 32) : route->from_gateway;
        uint32_t to = is_inner ? (uint32_t)entry->key : route->to_gateway;
        routes[count] =
            (struct ended_route){place_of(platform, from), place_of(platform, to), route->links, count};
        count++;
    }
    return count;
}

/* Short routes first: they say most. Others wait until it is known which way they go over their links, and
 * those that wait for each other go as they are written. */
static void follow_routes(struct joiner *joiner)
{
    const struct platform *platform = joiner->platform;
    struct ended_route *routes = mem_alloc(platform->route_count + 1, sizeof *routes, "routes");
    size_t count = list_routes(platform, &platform->by_pair, routes, 0), left = SIZE_MAX;
    count = list_routes(platform, &platform->bypasses, routes, count);
    qsort(routes, count, sizeof *routes, compare_lengths);
    while (count && count <= left) {
        bool is_forced = count == left;
        left = count;
        count = 0;
        for (size_t i = 0; i < left; i++)
            if (!follow(joiner, routes[i].from, routes[i].to, routes[i].links, is_forced))
                routes[count++] = routes[i];
    }
    free(routes);
}

/* In a star that is no cluster, the point's own links lead to the middle. */
static void follow_stars(struct joiner *joiner)
{
    struct platform *platform = joiner->platform;
    for (size_t i = 0; i < platform->point_names.count; i++) {
        const struct platform_point *point = &platform->points[i];
        if (point->kind == PLATFORM_ZONE || point->zone == PLATFORM_NONE)
            continue;
        uint32_t middle = platform->zones[point->zone].middle;
        if (middle == PLATFORM_NONE)
            continue;
        struct platform_list up = {point->up.first, point->up.count ? 1 : 0};
        struct platform_list down = {point->down.first + (point->down.count ? point->down.count - 1 : 0),
                                     point->down.count ? 1 : 0};
        if (up.count)
            follow(joiner, point->place, middle, up, true);
        if (down.count)
            follow(joiner, middle, point->place, down, true);
    }
}

static uint32_t name_end(struct joiner *joiner, uint32_t end, uint32_t *new_places)
{
    struct platform *platform = joiner->platform;
    uint32_t root = root_of(joiner, end);
    if (is_place(joiner, root))
        return root - joiner->first_place;
    if (new_places[root] == PLATFORM_NONE) {
        char *name = mem_format("x%zu", platform->places.count);
        new_places[root] = platform_add_place(platform, name);
        free(name);
    }
    return new_places[root];
}

void platform_find_ends(struct platform *platform)
{
    uint32_t first_place = 2 * (uint32_t)platform->link_count,
             all = first_place + (uint32_t)platform->places.count;
    struct joiner joiner = {.platform = platform,
                            .parent = mem_alloc(all, sizeof *joiner.parent, "links"),
                            .is_used = mem_alloc(platform->link_count + 1, sizeof *joiner.is_used, "links"),
                            .first_place = first_place};
    uint32_t *new_places = mem_alloc((size_t)first_place + 1, sizeof *new_places, "links");
    for (uint32_t i = 0; i < all; i++)
        joiner.parent[i] = i;
    for (uint32_t i = 0; i < first_place; i++)
        new_places[i] = PLATFORM_NONE;
    for (uint32_t link = 0; link < platform->link_count; link++) {
        const struct platform_link *known = &platform->links[link];
        if (known->from == PLATFORM_NONE)
            continue;
        join(&joiner, end_of(&joiner, link, false), first_place + known->from);
        join(&joiner, end_of(&joiner, link, true), first_place + known->to);
    }
    follow_stars(&joiner);
    follow_routes(&joiner);
    for (uint32_t link = 0; link < platform->link_count; link++) {
        struct platform_link *found = &platform->links[link];
        if (found->number < 2 * platform->host_count || found->from != PLATFORM_NONE)
            continue;
        uint32_t from = name_end(&joiner, end_of(&joiner, link, false), new_places);
        uint32_t to = name_end(&joiner, end_of(&joiner, link, true), new_places);
        platform->links[link].from = from;
        platform->links[link].to = to;
    }
    free(joiner.parent);
    free(joiner.is_used);
    free(new_places);
}
