#include "topo/platform_xml.h"

#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/mem.h"

/* Routes between points of a zone, and bypasses. */

static bool find_point(const struct platform_reader *reader, const struct xml_element *element,
                       const char *attribute, uint32_t *point)
{
    const struct text_index *names = &reader->platform->point_names;
    const char *name = platform_needed(reader, element, attribute);
    size_t found = name ? text_index_find(names, name) : SIZE_MAX;
    *point = (uint32_t)found;
    if (!name || found != SIZE_MAX)
        return name;
    const char *guess = diag_nearest_of(name, (const char *const *)names->texts, names->count);
    return platform_refuse(reader, element, attribute, "there is no host, router or zone '%s'%s", name,
                           diag_did_you_mean(guess));
}

/* One end of a route, in the zone that is open; between zones with its gateway. */
static bool read_end(const struct platform_reader *reader, const struct xml_element *element, bool of_zones,
                     const char *attribute, const char *gateway_attribute, uint32_t *point, uint32_t *gateway)
{
    const struct platform *platform = reader->platform;
    *gateway = PLATFORM_NONE;
    if (!find_point(reader, element, attribute, point))
        return false;
    const struct platform_point *found = &platform->points[*point];
    const char *name = platform->point_names.texts[*point];
    if ((found->kind == PLATFORM_ZONE) != of_zones)
        return platform_refuse(reader, element, attribute,
                               of_zones ? "'%s' is no zone; a <route> joins hosts and routers"
                                        : "'%s' is a zone; a <zoneRoute> joins zones",
                               name);
    if (!reader->is_bypass && found->zone != reader->zone)
        return platform_refuse(reader, element, attribute, "'%s' is not in this zone", name);
    if (!of_zones)
        return true;
    if (!find_point(reader, element, gateway_attribute, gateway))
        return false;
    if (platform->points[*gateway].kind == PLATFORM_ZONE ||
        !platform_is_inside(platform, *gateway, found->of))
        return platform_refuse(reader, element, gateway_attribute,
                               "'%s' is no host or router inside zone '%s'",
                               platform->point_names.texts[*gateway], name);
    return true;
}

static bool begin_any_route(struct platform_reader *reader, const struct xml_element *element, bool of_zones,
                            bool is_bypass)
{
    const struct platform_zone *zone = &reader->platform->zones[reader->zone];
    const char *symmetrical = xml_attribute(element, "symmetrical");
    reader->is_bypass = is_bypass;
    reader->is_symmetrical = !is_bypass && (!symmetrical || strcasecmp(symmetrical, "NO") != 0);
    reader->count = 0;
    reader->route_at = element->at;
    if (!is_bypass && zone->routing >= PLATFORM_STAR)
        return platform_refuse(reader, element, NULL,
                               "routes are in zones with routing Full, Floyd or Dijkstra; a Cluster zone has "
                               "host_links");
    if (!read_end(reader, element, of_zones, "src", "gw_src", &reader->from, &reader->from_gateway) ||
        !read_end(reader, element, of_zones, "dst", "gw_dst", &reader->to, &reader->to_gateway))
        return false;
    reader->is_loopback = reader->from == reader->to;
    if (reader->is_loopback && of_zones)
        return platform_refuse(reader, element, "dst", "this joins a zone with itself");
    return true;
}

bool platform_begin_route(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, false, false);
}

bool platform_begin_zone_route(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, true, false);
}

bool platform_begin_bypass(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, false, true);
}

bool platform_begin_zone_bypass(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, true, true);
}

bool platform_begin_link_ctn(struct platform_reader *reader, const struct xml_element *element)
{
    const char *direction = xml_attribute(element, "direction");
    bool is_up = direction && strcmp(direction, "UP") == 0,
         is_down = direction && strcmp(direction, "DOWN") == 0;
    uint32_t link;
    if (!platform_read_link(reader, element, "id", &link))
        return false;
    bool is_split = link & PLATFORM_SPLIT;
    if (direction && !is_up && !is_down && strcmp(direction, "NONE") != 0)
        return platform_refuse(reader, element, "direction", "a direction is UP, DOWN or NONE");
    if (is_split != (is_up || is_down))
        return platform_refuse(reader, element, is_split ? "id" : "direction",
                               is_split ? "this link is SPLITDUPLEX: it needs direction=\"UP\" or \"DOWN\""
                                        : "this link has no directions: it is not SPLITDUPLEX");
    if (reader->count == PLATFORM_ROUTE_AT_MOST)
        return platform_refuse(reader, element, NULL, "a route has at most %d links", PLATFORM_ROUTE_AT_MOST);
    link &= ~PLATFORM_SPLIT;
    reader->forth = mem_grow(reader->forth, &reader->forth_capacity, reader->count + 1, "a route");
    reader->back = mem_grow(reader->back, &reader->back_capacity, reader->count + 1, "a route");
    reader->forth[reader->count] = is_down ? link + 1 : link;
    reader->back[reader->count++] = is_up ? link + 1 : link;
    return true;
}

static bool add_route(struct platform_reader *reader, uint32_t from, uint32_t to, uint32_t from_gateway,
                      uint32_t to_gateway, const uint32_t *links)
{
    struct platform *platform = reader->platform;
    const struct platform_route route = {.links = platform_add_list(platform, links, (uint32_t)reader->count),
                                         .from_gateway = from_gateway,
                                         .to_gateway = to_gateway};
    struct hashmap *map = reader->is_bypass ? &platform->bypasses : &platform->by_pair;
    return platform_add_route(platform, map, from, to, &route) ||
           source_refuse(reader->source, reader->route_at, 6, "there is a route from %s to %s already%s",
                         platform->point_names.texts[from], platform->point_names.texts[to],
                         reader->is_symmetrical ? "; routes lead back too, unless symmetrical=\"NO\"" : "");
}

/* Of shortest ways: which members routes name first. */
static void order_member(struct platform *platform, uint32_t point)
{
    struct platform_zone *zone = &platform->zones[platform->points[point].zone];
    if (zone->routing != PLATFORM_DIJKSTRA || platform->points[point].is_ordered)
        return;
    platform->points[point].is_ordered = true;
    zone->order = mem_grow(zone->order, &zone->order_capacity, zone->ordered + 1, "routes");
    zone->order[zone->ordered++] = platform->points[point].id;
}

static void pass(struct platform *platform, uint32_t point)
{
    if (point != PLATFORM_NONE)
        platform->points[point].is_passed = true;
}

bool platform_end_route(struct platform_reader *reader)
{
    struct platform *platform = reader->platform;
    if (!reader->count)
        return source_refuse(reader->source, reader->route_at, 6,
                             "this route has no link; <link_ctn> names one");
    if (reader->is_loopback) {
        platform->has_loopbacks = true;
        return true;
    }
    pass(platform, reader->from_gateway);
    pass(platform, reader->to_gateway);
    if (reader->is_bypass && reader->from_gateway == PLATFORM_NONE) {
        pass(platform, reader->from);
        pass(platform, reader->to);
    }
    order_member(platform, reader->from);
    order_member(platform, reader->to);
    if (!add_route(reader, reader->from, reader->to, reader->from_gateway, reader->to_gateway, reader->forth))
        return false;
    for (size_t i = 0; reader->is_symmetrical && i < reader->count; i++)
        reader->forth[i] = reader->back[reader->count - 1 - i];
    return !reader->is_symmetrical || add_route(reader, reader->to, reader->from, reader->to_gateway,
                                                reader->from_gateway, reader->forth);
}
