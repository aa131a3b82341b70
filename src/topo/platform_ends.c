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

/* Goes over the link from the place; returns the one behind it. */
static uint32_t go_over(struct joiner *joiner, uint32_t place, uint32_t link)
{
    uint32_t near = end_of(joiner, link, false), far = end_of(joiner, link, true);
    bool is_shared = joiner->platform->links[link].twin == link;
    if (is_shared && root_of(joiner, far) == root_of(joiner, place))
        return near;
    join(joiner, near, place);
    return far;
}

static void follow(struct joiner *joiner, uint32_t from, uint32_t to, struct platform_list list)
{
    struct platform *platform = joiner->platform;
    if (from == PLATFORM_NONE || to == PLATFORM_NONE)
        return;
    uint32_t place = joiner->first_place + from;
    for (uint32_t i = 0; i < list.count; i++)
        place = go_over(joiner, place, platform->items[list.first + i]);
    join(joiner, place, joiner->first_place + to);
}

static uint32_t place_of(const struct platform *platform, uint32_t point)
{
    return point == PLATFORM_NONE ? PLATFORM_NONE : platform->points[point].place;
}

/* Routes of one link first: they say most. */
static void follow_routes(struct joiner *joiner, const struct hashmap *map, bool of_one)
{
    const struct platform *platform = joiner->platform;
    for (size_t i = 0; map->entries && i <= map->mask; i++) {
        const struct hashmap_entry *entry = &map->entries[i];
        if (!entry->value)
            continue;
        const struct platform_route *route = &platform->routes[entry->value - 1];
        bool is_inner = route->from_gateway == PLATFORM_NONE;
        uint32_t from = is_inner ? (uint32_t)(entry->key >> 32) : route->from_gateway;
        uint32_t to = is_inner ? (uint32_t)entry->key : route->to_gateway;
        if ((route->links.count == 1) == of_one)
            follow(joiner, place_of(platform, from), place_of(platform, to), route->links);
    }
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
            follow(joiner, point->place, middle, up);
        if (down.count)
            follow(joiner, middle, point->place, down);
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
    for (int of_one = 1; of_one >= 0; of_one--) {
        follow_routes(&joiner, &platform->by_pair, of_one);
        follow_routes(&joiner, &platform->bypasses, of_one);
    }
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
    free(new_places);
}
