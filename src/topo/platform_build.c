#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "topo/platform.h"

uint32_t platform_add_point(struct platform *platform, const char *name, enum platform_kind kind,
                            uint32_t zone)
{
    uint32_t point = (uint32_t)platform->point_names.count;
    if (text_index_add(&platform->point_names, name) != point)
        return PLATFORM_NONE;
    platform->points = mem_grow(platform->points, &platform->point_capacity, (size_t)point + 1, "a platform");
    struct platform_point *made = &platform->points[point];
    *made = (struct platform_point){
        .zone = zone, .kind = (uint8_t)kind, .place = PLATFORM_NONE, .own = PLATFORM_NONE};
    if (zone != PLATFORM_NONE) {
        struct platform_zone *around = &platform->zones[zone];
        made->id = (uint32_t)around->count;
        around->members = mem_grow(around->members, &around->capacity, around->count + 1, "a platform");
        around->members[around->count++] = point;
    }
    return point;
}

uint32_t platform_add_zone(struct platform *platform, const char *name, enum platform_routing routing,
                           uint32_t parent)
{
    uint32_t point = platform_add_point(platform, name, PLATFORM_ZONE, parent);
    if (point == PLATFORM_NONE)
        return PLATFORM_NONE;
    uint32_t zone = (uint32_t)platform->zone_count;
    platform->zones =
        mem_grow(platform->zones, &platform->zone_capacity, platform->zone_count + 1, "a platform");
    platform->zones[platform->zone_count++] =
        (struct platform_zone){.parent = parent,
                               .point = point,
                               .depth = parent == PLATFORM_NONE ? 0 : platform->zones[parent].depth + 1,
                               .middle = PLATFORM_NONE,
                               .routing = routing};
    platform->points[point].of = zone;
    return zone;
}

void platform_add_host(struct platform *platform, uint32_t point, double speed)
{
    size_t node = platform->host_count++;
    platform->hosts = mem_grow(platform->hosts, &platform->host_capacity, node + 1, "a platform");
    platform->speeds = mem_grow(platform->speeds, &platform->speed_capacity, node + 1, "a platform");
    platform->hosts[node] = point;
    platform->speeds[node] = speed;
    platform->points[point].of = (uint32_t)node;
}

uint32_t platform_add_place(struct platform *platform, const char *name)
{
    size_t place = platform->places.count;
    char *unique = mem_text(name);
    for (unsigned i = 2; text_index_add(&platform->places, unique) != place; i++) {
        free(unique);
        unique = mem_format("%s~%u", name, i);
    }
    free(unique);
    return (uint32_t)place;
}

/* ------------------------------------------------------------------- links */

uint32_t platform_add_link(struct platform *platform, uint64_t rate_bytes_per_s, ps_t latency_ps,
                           bool is_split)
{
    uint32_t link = (uint32_t)platform->link_count, count = is_split ? 2 : 1;
    platform->links =
        mem_grow(platform->links, &platform->link_capacity, platform->link_count + count, "links");
    for (uint32_t i = 0; i < count; i++)
        platform->links[platform->link_count++] = (struct platform_link){.rate_bytes_per_s = rate_bytes_per_s,
                                                                         .latency_ps = latency_ps,
                                                                         .twin = link + count - 1 - i,
                                                                         .from = PLATFORM_NONE,
                                                                         .to = PLATFORM_NONE,
                                                                         .name = PLATFORM_NONE};
    return link;
}

bool platform_name_link(struct platform *platform, const char *name, uint32_t link)
{
    size_t index = platform->link_names.count;
    if (text_index_add(&platform->link_names, name) != index)
        return false;
    platform->named = mem_grow(platform->named, &platform->named_capacity, index + 1, "links");
    platform->named[index] = link;
    struct platform_link *named = &platform->links[link & ~PLATFORM_SPLIT];
    if (named->name == PLATFORM_NONE) /* before NAME_UP and NAME_DOWN */
        named->name = platform->links[named->twin].name = (uint32_t)index;
    return true;
}

const char *platform_link_name(const struct platform *platform, uint32_t link)
{
    uint32_t name = platform->links[link].name;
    return name == PLATFORM_NONE ? NULL : platform->link_names.texts[name];
}

uint32_t platform_find_link(const struct platform *platform, const char *name)
{
    size_t index = text_index_find(&platform->link_names, name);
    return index == SIZE_MAX ? UINT32_MAX : platform->named[index];
}

struct platform_list platform_add_list(struct platform *platform, const uint32_t *items, uint32_t count)
{
    struct platform_list list = {(uint32_t)platform->item_count, count};
    platform->items =
        mem_grow(platform->items, &platform->item_capacity, platform->item_count + count + 1, "routes");
    if (count)
        memcpy(platform->items + list.first, items, count * sizeof *items);
    platform->item_count += count;
    return list;
}

static uint64_t pair_of(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

bool platform_add_route(struct platform *platform, struct hashmap *map, uint32_t from, uint32_t to,
                        const struct platform_route *route)
{
    uint32_t *slot = hashmap_slot(map, pair_of(from, to));
    if (*slot)
        return false;
    platform->routes =
        mem_grow(platform->routes, &platform->route_capacity, platform->route_count + 1, "routes");
    platform->routes[platform->route_count++] = *route;
    *slot = (uint32_t)platform->route_count;
    return true;
}

const struct platform_route *platform_find_route(const struct platform *platform, const struct hashmap *map,
                                                 uint32_t from, uint32_t to)
{
    uint32_t found = hashmap_get(map, pair_of(from, to));
    return found ? &platform->routes[found - 1] : NULL;
}

bool platform_is_inside(const struct platform *platform, uint32_t point, uint32_t zone)
{
    uint32_t at = platform->points[point].zone;
    while (at != PLATFORM_NONE && at != zone)
        at = platform->zones[at].parent;
    return at == zone;
}

void platform_free(struct platform *platform)
{
    if (!platform)
        return;
    for (size_t i = 0; i < platform->zone_count; i++) {
        free(platform->zones[i].members);
        free(platform->zones[i].before);
        free(platform->zones[i].order);
        free(platform->zones[i].cluster);
    }
    text_index_free(&platform->point_names);
    text_index_free(&platform->link_names);
    text_index_free(&platform->places);
    hashmap_free(&platform->by_pair);
    hashmap_free(&platform->bypasses);
    void *const all[] = {platform->points,  platform->zones,     platform->links,   platform->named,
                         platform->items,   platform->routes,    platform->hosts,   platform->speeds,
                         platform->link_at, platform->no_effect, platform->no_ends, platform->is_between};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(platform);
}
