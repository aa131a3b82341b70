#include "topo/platform_xml.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/mem.h"

/* Zones, and what is in them but routes: hosts, routers, links. */

/* ----------------------------------------------------------- zones, points */

uint32_t platform_read_point(struct platform_reader *reader, const struct xml_element *element,
                             const char *name, enum platform_kind kind)
{
    uint32_t point = platform_add_point(reader->platform, name, kind, reader->zone);
    if (point == PLATFORM_NONE)
        platform_refuse(reader, element, xml_attribute(element, "id") ? "id" : NULL,
                        "there are two elements '%s'", name);
    else if (kind == PLATFORM_ROUTER && reader->platform->zones[reader->zone].routing < PLATFORM_TORUS)
        reader->platform->points[point].place = platform_add_place(reader->platform, name);
    return point;
}

bool platform_read_host(struct platform_reader *reader, const struct xml_element *element, const char *name,
                        double speed, uint32_t *point)
{
    const char *cores = xml_attribute(element, "core");
    struct platform *platform = reader->platform;
    if (platform->host_count >= GRAPH_NODES_LIMIT)
        return platform_refuse(reader, element, NULL, "a network has at most %d nodes", GRAPH_NODES_LIMIT);
    *point = platform_read_point(reader, element, name, PLATFORM_HOST);
    if (*point == PLATFORM_NONE)
        return false;
    platform->has_cores |= cores && strcmp(cores, "1") != 0;
    platform_add_host(platform, *point, speed);
    return true;
}

bool platform_begin_host(struct platform_reader *reader, const struct xml_element *element)
{
    const char *name = platform_needed(reader, element, "id");
    double speed;
    uint32_t point;
    if (!name || !platform_has_no_profile(reader, element) || !platform_read_speed(reader, element, &speed) ||
        !platform_read_host(reader, element, name, speed, &point))
        return false;
    bool is_vivaldi = reader->platform->zones[reader->zone].routing == PLATFORM_VIVALDI;
    reader->platform->points[point].has_up = reader->platform->points[point].has_down = is_vivaldi;
    return platform_read_coordinates(reader, element, point);
}

bool platform_begin_router(struct platform_reader *reader, const struct xml_element *element)
{
    const char *name = platform_needed(reader, element, "id");
    if (!name)
        return false;
    uint32_t point = platform_read_point(reader, element, name, PLATFORM_ROUTER);
    if (point == PLATFORM_NONE)
        return false;
    reader->platform->points[point].has_up = reader->platform->points[point].has_down = true;
    return platform_read_coordinates(reader, element, point);
}

/* A link of its own in each direction, whose latencies the coordinates say. */
bool platform_begin_peer(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform *platform = reader->platform;
    const char *name = platform_needed(reader, element, "id");
    uint64_t in, out;
    double speed;
    uint32_t host;
    if (platform->zones[reader->zone].routing != PLATFORM_VIVALDI)
        return platform_refuse(reader, element, NULL, "a peer is in a zone with routing=\"Vivaldi\"");
    if (!name || !platform_has_no_profile(reader, element) || !platform_read_speed(reader, element, &speed) ||
        !platform_read_rate(reader, element, "bw_in", &in) ||
        !platform_read_rate(reader, element, "bw_out", &out) ||
        !platform_read_host(reader, element, name, speed, &host) ||
        !platform_read_coordinates(reader, element, host))
        return false;
    uint32_t up = platform_add_link(platform, out, 0, true), down = up + 1;
    platform->links[down].rate_bytes_per_s = in;
    struct platform_point *point = &platform->points[host];
    point->own = up;
    point->has_up = point->has_down = true;
    point->up = platform_add_list(platform, &up, 1);
    point->down = platform_add_list(platform, &down, 1);
    return true;
}

bool platform_begin_zone(struct platform_reader *reader, const struct xml_element *element)
{
    static const struct {
        const char *name;
        enum platform_routing routing;
    } routings[] = {{"Full", PLATFORM_FULL},         {"Floyd", PLATFORM_FLOYD},
                    {"Dijkstra", PLATFORM_DIJKSTRA}, {"DijkstraCache", PLATFORM_DIJKSTRA},
                    {"Cluster", PLATFORM_STAR},      {"Vivaldi", PLATFORM_VIVALDI},
                    {"None", PLATFORM_EMPTY}};
    struct platform *platform = reader->platform;
    const char *name = platform_needed(reader, element, "id");
    const char *routing = platform_needed(reader, element, "routing");
    size_t found = 0, count = sizeof routings / sizeof *routings;
    if (!name || !routing)
        return false;
    while (found < count && strcasecmp(routing, routings[found].name) != 0)
        found++;
    if (found == count)
        return platform_refuse(
            reader, element, "routing",
            "a zone with routing Full, Floyd, Dijkstra, Cluster, Vivaldi or None is expected");
    if (reader->zone != PLATFORM_NONE && platform->zones[reader->zone].routing >= PLATFORM_STAR &&
        platform->zones[reader->zone].routing != PLATFORM_EMPTY)
        return platform_refuse(reader, element, NULL, "a zone inside one with routing %s is not read",
                               platform->zones[reader->zone].routing == PLATFORM_STAR ? "Cluster"
                                                                                      : "Vivaldi");
    uint32_t zone = platform_add_zone(platform, name, routings[found].routing, reader->zone);
    if (zone == PLATFORM_NONE)
        return platform_refuse(reader, element, "id", "there are two elements '%s'", name);
    platform->has_vivaldi |= routings[found].routing == PLATFORM_VIVALDI;
    reader->zone = zone;
    reader->host_link_count = 0;
    reader->backbone = PLATFORM_NONE;
    return true;
}

/* The switch in the middle of a Cluster zone: its router if it has one. */
static void find_middle(struct platform *platform, struct platform_zone *zone)
{
    uint32_t routers = 0;
    for (size_t i = 0; i < zone->count; i++)
        if (platform->points[zone->members[i]].kind == PLATFORM_ROUTER) {
            zone->middle = platform->points[zone->members[i]].place;
            routers++;
        }
    if (routers != 1)
        zone->middle = platform_add_place(platform, platform->point_names.texts[zone->point]);
}

static void link_hosts(struct platform_reader *reader)
{
    struct platform *platform = reader->platform;
    struct platform_zone *zone = &platform->zones[reader->zone];
    bool has_backbone = reader->backbone != PLATFORM_NONE;
    find_middle(platform, zone);
    if (has_backbone)
        platform->links[reader->backbone].from = platform->links[reader->backbone].to = zone->middle;
    for (size_t i = 0; i < reader->host_link_count; i++) {
        const struct platform_host_link *link = &reader->host_links[i];
        struct platform_point *host = &platform->points[link->host];
        const uint32_t up[] = {link->up, reader->backbone}, down[] = {reader->backbone, link->down};
        host->has_up = host->has_down = true;
        host->up = platform_add_list(platform, up, has_backbone ? 2 : 1);
        host->down = platform_add_list(platform, down + !has_backbone, has_backbone ? 2 : 1);
        if (host->own != PLATFORM_NONE)
            host->place = zone->middle;
    }
    reader->host_link_count = 0;
}

bool platform_end_zone(struct platform_reader *reader)
{
    struct platform *platform = reader->platform;
    struct platform_zone *zone = &platform->zones[reader->zone];
    if (zone->routing == PLATFORM_STAR)
        link_hosts(reader);
    if (zone->routing == PLATFORM_VIVALDI) {
        zone->middle = platform_add_place(platform, platform->point_names.texts[zone->point]);
        for (size_t i = 0; i < zone->count; i++)
            if (platform->points[zone->members[i]].own != PLATFORM_NONE)
                platform->points[zone->members[i]].place = zone->middle;
    }
    if ((zone->routing == PLATFORM_FLOYD || zone->routing == PLATFORM_DIJKSTRA) &&
        zone->count > PLATFORM_TABLE_AT_MOST)
        return source_refuse(reader->source, NULL, 0,
                             "zone %s has %zu members; shortest ways are for at most %d",
                             platform->point_names.texts[zone->point], zone->count, PLATFORM_TABLE_AT_MOST);
    reader->zone = zone->parent;
    return true;
}

/* ------------------------------------------------------------------- links */

static bool name_link(struct platform_reader *reader, const struct xml_element *element, const char *name,
                      const char *ending, uint32_t link)
{
    char *whole = mem_format("%s%s", name, ending);
    bool good = platform_name_link(reader->platform, whole, link) ||
                platform_refuse(reader, element, "id", "there are two links '%s'", whole);
    free(whole);
    return good;
}

bool platform_begin_link(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform *platform = reader->platform;
    const char *name = platform_needed(reader, element, "id"),
               *policy = xml_attribute(element, "sharing_policy");
    uint64_t rate;
    ps_t latency;
    if (!name || !platform_has_no_profile(reader, element) ||
        !platform_read_rate(reader, element, "bandwidth", &rate) ||
        !platform_read_latency(reader, element, "latency", &latency))
        return false;
    bool is_fat = policy && strcmp(policy, "FATPIPE") == 0;
    bool is_split = policy && (strcmp(policy, "SPLITDUPLEX") == 0 || strcmp(policy, "FULLDUPLEX") == 0);
    if (policy && !is_fat && !is_split && strcmp(policy, "SHARED") != 0)
        return platform_refuse(reader, element, "sharing_policy",
                               "a link is SHARED, SPLITDUPLEX or FATPIPE; no fabric has %s",
                               strcmp(policy, "WIFI") == 0 ? "wireless links" : "others");
    if (platform->link_count >= PLATFORM_LINKS_AT_MOST)
        return platform_refuse(reader, element, NULL, "a platform has at most %d links",
                               PLATFORM_LINKS_AT_MOST);
    uint32_t link = platform_add_link(platform, rate, latency, is_split);
    platform->links[link].is_fat = is_fat;
    if (!is_split)
        return name_link(reader, element, name, "", link);
    return name_link(reader, element, name, "", link | PLATFORM_SPLIT) &&
           name_link(reader, element, name, "_UP", link) &&
           name_link(reader, element, name, "_DOWN", link + 1);
}

bool platform_begin_backbone(struct platform_reader *reader, const struct xml_element *element)
{
    const char *name = platform_needed(reader, element, "id");
    uint64_t rate;
    ps_t latency;
    if (reader->platform->zones[reader->zone].routing != PLATFORM_STAR)
        return platform_refuse(reader, element, NULL, "a backbone is in a zone with routing=\"Cluster\"");
    if (reader->backbone != PLATFORM_NONE)
        return platform_refuse(reader, element, NULL, "a zone has one backbone");
    if (!name || !platform_read_rate(reader, element, "bandwidth", &rate) ||
        !platform_read_latency(reader, element, "latency", &latency))
        return false;
    reader->backbone = platform_add_link(reader->platform, rate, latency, false);
    return name_link(reader, element, name, "", reader->backbone);
}

bool platform_read_link(const struct platform_reader *reader, const struct xml_element *element,
                        const char *attribute, uint32_t *link)
{
    const char *name = platform_needed(reader, element, attribute);
    if (!name)
        return false;
    *link = platform_find_link(reader->platform, name);
    if (*link == UINT32_MAX) {
        const struct text_index *names = &reader->platform->link_names;
        const char *guess = diag_nearest_of(name, (const char *const *)names->texts, names->count);
        return platform_refuse(reader, element, attribute,
                               "there is no link '%s'%s; links stand before routes", name,
                               diag_did_you_mean(guess));
    }
    return true;
}

bool platform_begin_host_link(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform *platform = reader->platform;
    const char *name = platform_needed(reader, element, "id");
    struct platform_host_link link;
    if (platform->zones[reader->zone].routing != PLATFORM_STAR)
        return platform_refuse(reader, element, NULL, "a host_link is in a zone with routing=\"Cluster\"");
    if (!name || !platform_read_link(reader, element, "up", &link.up) ||
        !platform_read_link(reader, element, "down", &link.down))
        return false;
    size_t host = text_index_find(&platform->point_names, name);
    if (host == SIZE_MAX || platform->points[host].zone != reader->zone ||
        platform->points[host].kind != PLATFORM_HOST)
        return platform_refuse(reader, element, "id", "this zone has no host '%s'", name);
    if ((link.up | link.down) & PLATFORM_SPLIT)
        return platform_refuse(reader, element, link.up & PLATFORM_SPLIT ? "up" : "down",
                               "this link has two directions; give one, as NAME_UP or NAME_DOWN");
    link.host = (uint32_t)host;
    reader->host_links =
        mem_grow(reader->host_links, &reader->host_link_capacity, reader->host_link_count + 1, "a platform");
    reader->host_links[reader->host_link_count++] = link;
    return true;
}
