#include "topo/platform_xml.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/mem.h"
#include "topo/formats.h"

/* ---------------------------------------------------------------- messages */

/* The text between the quotes of an attribute, in the tag that begins at `at`. */
static bool find_value(const struct network_source *source, const char *at, const char *name,
                       struct source_part *value)
{
    const char *end = source->text + source->length;
    size_t length = strlen(name);
    for (char quote = 0; at < end && (quote || *at != '>'); at++) {
        if (quote && *at == quote) {
            quote = 0;
            continue;
        }
        if (quote)
            continue;
        if (*at == '"' || *at == '\'') {
            quote = *at;
            continue;
        }
        bool begins = at[-1] == ' ' || at[-1] == '\t' || at[-1] == '\n' || at[-1] == '\r';
        if (!begins || (size_t)(end - at) <= length || memcmp(at, name, length) != 0)
            continue;
        const char *after = at + length + strspn(at + length, " \t\r\n");
        if (after >= end || *after != '=')
            continue;
        after += 1 + strspn(after + 1, " \t\r\n");
        const char *close = after < end ? memchr(after + 1, *after, (size_t)(end - after - 1)) : NULL;
        if (!close)
            return false;
        *value = (struct source_part){after + 1, (size_t)(close - after - 1)};
        return true;
    }
    return false;
}

bool platform_refuse(const struct platform_reader *reader, const struct xml_element *element,
                     const char *attribute, const char *format, ...)
{
    char message[512];
    struct source_part place = {element->at, strlen(element->name) + 1};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (attribute)
        find_value(reader->source, element->at + 1, attribute, &place);
    return source_refuse(reader->source, place.text, place.length ? place.length : 1, "%s", message);
}

static void refuse_text(const void *text, uint64_t line, uint64_t column, const char *message)
{
    const struct network_source *source = text;
    const char *at = source->text, *end = source->text + source->length;
    for (uint64_t i = 1; at && i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    at = at && column && column - 1 <= (uint64_t)(end - at) ? at + column - 1 : at;
    source_refuse(source, at, 1, "%s", message);
}

/* -------------------------------------------------------------- attributes */

bool platform_value(const struct platform_reader *reader, const struct xml_element *element,
                    const char *attribute, struct source_part *value)
{
    return find_value(reader->source, element->at + 1, attribute, value) && value->length;
}

const char *platform_needed(const struct platform_reader *reader, const struct xml_element *element,
                            const char *attribute)
{
    const char *value = xml_attribute(element, attribute);
    if (!value)
        platform_refuse(reader, element, NULL, "<%s> needs the attribute '%s'", element->name, attribute);
    return value;
}

bool platform_read_rate(const struct platform_reader *reader, const struct xml_element *element,
                        const char *attribute, uint64_t *rate_bytes_per_s)
{
    struct source_part value;
    if (!platform_value(reader, element, attribute, &value))
        return platform_refuse(reader, element, NULL, "<%s> needs a rate as the attribute '%s'",
                               element->name, attribute);
    return source_rate(reader->source, value, attribute, 1, rate_bytes_per_s);
}

bool platform_read_latency(const struct platform_reader *reader, const struct xml_element *element,
                           const char *attribute, ps_t *latency_ps)
{
    struct source_part value;
    *latency_ps = 0;
    return !platform_value(reader, element, attribute, &value) ||
           source_latency(reader->source, value, attribute, 1e12, latency_ps);
}

/* Of several speeds (power states): the one that pstate counts. */
bool platform_read_speed(const struct platform_reader *reader, const struct xml_element *element,
                         double *speed)
{
    static const struct source_unit units[] = {
        {"f", 1},           {"kf", 1e3},         {"Mf", 1e6},         {"Gf", 1e9},        {"Tf", 1e12},
        {"Pf", 1e15},       {"Ef", 1e18},        {"flops", 1},        {"kiloflops", 1e3}, {"megaflops", 1e6},
        {"gigaflops", 1e9}, {"teraflops", 1e12}, {"petaflops", 1e15}, {"exaflops", 1e18}, {NULL, 0}};
    struct source_part value;
    const char *state = xml_attribute(element, "pstate");
    if (!platform_value(reader, element, "speed", &value))
        return platform_refuse(reader, element, NULL, "<%s> needs the attribute 'speed'", element->name);
    const char *at = value.text, *end = value.text + value.length;
    for (long skip = state ? strtol(state, NULL, 10) : 0; skip > 0; skip--) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            return platform_refuse(reader, element, "pstate", "there is no such speed");
        at = comma + 1;
    }
    while (at < end && *at == ' ')
        at++;
    const char *comma = memchr(at, ',', (size_t)(end - at));
    struct source_part one = {at, (size_t)((comma ? comma : end) - at)};
    if (!source_quantity(reader->source, one, units, "the speed of a host", 1, speed))
        return false;
    return *speed > 0 || platform_refuse(reader, element, "speed", "a host has a speed above 0");
}

bool platform_read_coordinates(const struct platform_reader *reader, const struct xml_element *element,
                               uint32_t point)
{
    struct platform_point *of = &reader->platform->points[point];
    const char *text = xml_attribute(element, "coordinates");
    char *end;
    if (!text || !*text)
        return true;
    for (int i = 0; i < 3; i++, text = end) {
        of->coordinates[i] = strtod(text, &end);
        if (end == text || !isfinite(of->coordinates[i]) || fabs(of->coordinates[i]) > 1e5)
            return platform_refuse(reader, element, "coordinates",
                                   "three numbers are expected here, in milliseconds, such as 25.5 9.4 1.4");
    }
    of->has_coordinates = !*end;
    return of->has_coordinates ||
           platform_refuse(reader, element, "coordinates", "three numbers are expected here");
}

/* Whether no profile changes the element over time. */
static bool has_no_profile(const struct platform_reader *reader, const struct xml_element *element)
{
    static const char *const profiles[] = {"speed_file", "availability_file", "state_file", "bandwidth_file",
                                           "latency_file"};
    struct source_part value;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (platform_value(reader, element, profiles[i], &value))
            return platform_refuse(
                reader, element, profiles[i],
                "profiles, by which something changes over time, are not read; remove it, or "
                "see docs/faults.md for links that fail or become slow");
    return true;
}

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

static bool begin_host(struct platform_reader *reader, const struct xml_element *element)
{
    const char *name = platform_needed(reader, element, "id");
    double speed;
    uint32_t point;
    if (!name || !has_no_profile(reader, element) || !platform_read_speed(reader, element, &speed) ||
        !platform_read_host(reader, element, name, speed, &point))
        return false;
    bool is_vivaldi = reader->platform->zones[reader->zone].routing == PLATFORM_VIVALDI;
    reader->platform->points[point].has_up = reader->platform->points[point].has_down = is_vivaldi;
    return platform_read_coordinates(reader, element, point);
}

static bool begin_router(struct platform_reader *reader, const struct xml_element *element)
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
static bool begin_peer(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform *platform = reader->platform;
    const char *name = platform_needed(reader, element, "id");
    uint64_t in, out;
    double speed;
    uint32_t host;
    if (platform->zones[reader->zone].routing != PLATFORM_VIVALDI)
        return platform_refuse(reader, element, NULL, "a peer is in a zone with routing=\"Vivaldi\"");
    if (!name || !has_no_profile(reader, element) || !platform_read_speed(reader, element, &speed) ||
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

static bool begin_zone(struct platform_reader *reader, const struct xml_element *element)
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

static bool end_zone(struct platform_reader *reader)
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

static bool begin_link(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform *platform = reader->platform;
    const char *name = platform_needed(reader, element, "id"),
               *policy = xml_attribute(element, "sharing_policy");
    uint64_t rate;
    ps_t latency;
    if (!name || !has_no_profile(reader, element) ||
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

static bool begin_backbone(struct platform_reader *reader, const struct xml_element *element)
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

/* The link that an attribute names, of one direction. */
static bool find_one(const struct platform_reader *reader, const struct xml_element *element,
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

static bool begin_host_link(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform *platform = reader->platform;
    const char *name = platform_needed(reader, element, "id");
    struct platform_host_link link;
    if (platform->zones[reader->zone].routing != PLATFORM_STAR)
        return platform_refuse(reader, element, NULL, "a host_link is in a zone with routing=\"Cluster\"");
    if (!name || !find_one(reader, element, "up", &link.up) || !find_one(reader, element, "down", &link.down))
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

/* ------------------------------------------------------------------ routes */

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

static bool begin_route(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, false, false);
}

static bool begin_zone_route(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, true, false);
}

static bool begin_bypass(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, false, true);
}

static bool begin_zone_bypass(struct platform_reader *reader, const struct xml_element *element)
{
    return begin_any_route(reader, element, true, true);
}

static bool begin_link_ctn(struct platform_reader *reader, const struct xml_element *element)
{
    const char *direction = xml_attribute(element, "direction");
    bool is_up = direction && strcmp(direction, "UP") == 0,
         is_down = direction && strcmp(direction, "DOWN") == 0;
    uint32_t link;
    if (!find_one(reader, element, "id", &link))
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

static bool end_route(struct platform_reader *reader)
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

/* ------------------------------------------------------- what has no effect */

static bool begin_config(struct platform_reader *reader, const struct xml_element *element)
{
    (void)element;
    reader->platform->has_config = true;
    return true;
}

static bool begin_disk(struct platform_reader *reader, const struct xml_element *element)
{
    (void)element;
    reader->platform->has_disks = true;
    return true;
}

static bool begin_actor(struct platform_reader *reader, const struct xml_element *element)
{
    (void)element;
    reader->platform->has_actors = true;
    return true;
}

static bool begin_prop(struct platform_reader *reader, const struct xml_element *element)
{
    (void)reader, (void)element;
    return true;
}

static bool begin_platform(struct platform_reader *reader, const struct xml_element *element)
{
    const char *version = xml_attribute(element, "version");
    char *end;
    double number = version ? strtod(version, &end) : 0;
    if (version && !*end && number >= 4 && number < 4.15)
        return true;
    return platform_refuse(
        reader, element, version ? "version" : NULL,
        "platforms of version 4 and 4.1 are read; SimGrid's program simgrid_update_xml updates "
        "older ones");
}

/* ---------------------------------------------------------------- elements */

enum platform_where { AT_ROOT = 1, IN_PLATFORM = 2, IN_ZONE = 4, IN_ROUTE = 8, ANYWHERE = 16 };

struct platform_element {
    const char *name;
    unsigned where, inside; /* enum platform_where: where it can stand, and what it is for those in it */
    bool (*begin)(struct platform_reader *reader, const struct xml_element *element);
    bool (*end)(struct platform_reader *reader); /* NULL: nothing is to be done */
    const char *attributes;                      /* with blanks around each */
};

#define ROUTE_ATTRIBUTES      " src dst symmetrical "
#define ZONE_ROUTE_ATTRIBUTES " src dst gw_src gw_dst symmetrical "

static const struct platform_element elements[] = {
    {"platform", AT_ROOT, IN_PLATFORM, begin_platform, NULL, " version "},
    {"zone", IN_PLATFORM | IN_ZONE, IN_ZONE, begin_zone, end_zone, " id routing "},
    {"AS", IN_PLATFORM | IN_ZONE, IN_ZONE, begin_zone, end_zone, " id routing "},
    {"cluster", IN_PLATFORM | IN_ZONE, 0, platform_begin_cluster, NULL,
     " id prefix suffix radical speed core bw lat sharing_policy topology topo_parameters bb_bw bb_lat "
     "bb_sharing_policy router_id limiter_link loopback_bw loopback_lat "},
    {"cabinet", IN_ZONE, 0, platform_begin_cabinet, NULL, " id prefix suffix radical speed bw lat "},
    {"peer", IN_ZONE, 0, begin_peer, NULL,
     " id speed bw_in bw_out lat coordinates speed_file availability_file state_file "},
    {"host", IN_ZONE, 0, begin_host, NULL,
     " id speed core speed_file availability_file state_file coordinates pstate "},
    {"router", IN_ZONE, 0, begin_router, NULL, " id coordinates "},
    {"link", IN_ZONE, 0, begin_link, NULL,
     " id bandwidth bandwidth_file latency latency_file state_file sharing_policy "},
    {"backbone", IN_ZONE, 0, begin_backbone, NULL, " id bandwidth latency "},
    {"host_link", IN_ZONE, 0, begin_host_link, NULL, " id up down "},
    {"route", IN_ZONE, IN_ROUTE, begin_route, end_route, ROUTE_ATTRIBUTES},
    {"zoneRoute", IN_ZONE, IN_ROUTE, begin_zone_route, end_route, ZONE_ROUTE_ATTRIBUTES},
    {"ASroute", IN_ZONE, IN_ROUTE, begin_zone_route, end_route, ZONE_ROUTE_ATTRIBUTES},
    {"bypassRoute", IN_ZONE, IN_ROUTE, begin_bypass, end_route, ROUTE_ATTRIBUTES},
    {"bypassZoneRoute", IN_ZONE, IN_ROUTE, begin_zone_bypass, end_route, ZONE_ROUTE_ATTRIBUTES},
    {"bypassASroute", IN_ZONE, IN_ROUTE, begin_zone_bypass, end_route, ZONE_ROUTE_ATTRIBUTES},
    {"link_ctn", IN_ROUTE, 0, begin_link_ctn, NULL, " id direction "},
    {"prop", ANYWHERE, 0, begin_prop, NULL, " id value key "},
    {"config", IN_PLATFORM, 0, begin_config, NULL, " id "},
    {"disk", ANYWHERE, 0, begin_disk, NULL, " id read_bw write_bw "},
    {"actor", IN_PLATFORM, 0, begin_actor, NULL, NULL},
    {"process", IN_PLATFORM, 0, begin_actor, NULL, NULL},
    {"argument", ANYWHERE, 0, begin_actor, NULL, NULL},
};

static const struct platform_element *find_element(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}

static bool check_attributes(const struct platform_reader *reader, const struct platform_element *rule,
                             const struct xml_element *element)
{
    for (const char **at = element->attributes; rule->attributes && *at; at += 2) {
        char *word = mem_format(" %s ", *at);
        bool is_known = strstr(rule->attributes, word);
        free(word);
        if (!is_known)
            return platform_refuse(reader, element, *at, "<%s> has no attribute '%s'; it has%s",
                                   element->name, *at, rule->attributes);
    }
    return true;
}

static bool refuse_element(const struct platform_reader *reader, const struct xml_element *element)
{
    static const char *const profiles[] = {"trace", "trace_connect"};
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(element->name, profiles[i]) == 0)
            return platform_refuse(
                reader, element, NULL,
                "<%s> makes something change over time, which is not read; remove it, or see "
                "docs/faults.md",
                element->name);
    return platform_refuse(reader, element, NULL, "<%s> is not read in a platform", element->name);
}

static bool on_begin(struct xml_reader *base, const struct xml_element *element)
{
    struct platform_reader *reader = (struct platform_reader *)base;
    const struct platform_element *rule = find_element(element->name);
    unsigned inside = reader->depth ? reader->open[reader->depth - 1]->inside : (unsigned)AT_ROOT;
    if (!rule)
        return refuse_element(reader, element);
    if (reader->depth == sizeof reader->open / sizeof *reader->open ||
        (rule->inside == IN_ZONE && reader->depth > PLATFORM_DEPTH_AT_MOST - 2))
        return platform_refuse(reader, element, NULL, "elements are in elements to a depth of %d",
                               PLATFORM_DEPTH_AT_MOST);
    if (!(rule->where & (inside | ANYWHERE)))
        return platform_refuse(reader, element, NULL, "<%s> does not belong here", element->name);
    if (inside == IN_PLATFORM && rule->where & IN_ZONE) {
        if (reader->has_root)
            return platform_refuse(reader, element, NULL, "a platform has one zone, in which all others are");
        reader->has_root = true;
    }
    if (!check_attributes(reader, rule, element) || !rule->begin(reader, element))
        return false;
    reader->open[reader->depth++] = rule;
    return true;
}

static bool on_end(struct xml_reader *base, const char *name)
{
    struct platform_reader *reader = (struct platform_reader *)base;
    const struct platform_element *rule = reader->open[--reader->depth];
    (void)name;
    return !rule->end || rule->end(reader);
}

/* --------------------------------------------------------------------- file */

/* The least and the most speed, as clauses for people. */
static char *describe_speeds(const struct platform *platform)
{
    double least = platform->speeds[0], most = least;
    for (size_t i = 0; i < platform->host_count; i++) {
        least = platform->speeds[i] < least ? platform->speeds[i] : least;
        most = platform->speeds[i] > most ? platform->speeds[i] : most;
    }
    return least == most
               ? mem_format("the speed of hosts, which compute.rate=%.9gGflop/s gives all ranks", most / 1e9)
               : mem_format("the speeds of hosts, from %.6g to %.6g Gflop/s: compute.rate and "
                            "faults.slow_nodes say how fast ranks compute",
                            least / 1e9, most / 1e9);
}

static void describe(struct platform *platform)
{
    char *speeds = describe_speeds(platform);
    platform->no_effect = mem_format(
        "%s%s%s%s%s%s", speeds, platform->has_cores ? "; cores" : "",
        platform->has_loopbacks ? "; loopbacks (intranode.bandwidth, intranode.latency)" : "",
        platform->has_disks ? "; disks" : "", platform->has_config ? "; settings of SimGrid (config)" : "",
        platform->has_actors ? "; actors" : "");
    free(speeds);
}

static bool check_coordinates(const struct platform *platform, const struct network_source *source)
{
    for (size_t i = 0; i < platform->point_names.count; i++) {
        const struct platform_point *point = &platform->points[i];
        if (point->zone != PLATFORM_NONE && !point->has_coordinates &&
            platform->zones[point->zone].routing == PLATFORM_VIVALDI)
            return source_refuse(source, NULL, 0,
                                 "%s is in a zone with routing=\"Vivaldi\" and has no coordinates",
                                 platform->point_names.texts[i]);
    }
    return true;
}

static bool finish(struct platform *platform, const struct network_source *source)
{
    if (!platform->host_count)
        return source_refuse(source, NULL, 0, "the platform has no host");
    if (!check_coordinates(platform, source))
        return false;
    platform_make_tables(platform);
    platform_number(platform);
    platform_find_ends(platform);
    if (!platform_check(platform, source))
        return false;
    describe(platform);
    return true;
}

static struct topo_graph *read(const struct network_source *source)
{
    struct platform *platform = mem_alloc(1, sizeof *platform, "a platform");
    struct platform_reader reader = {.base = {.text = source,
                                              .bytes = source->text,
                                              .size = source->length,
                                              .takes_doctype = true,
                                              .refuse = refuse_text,
                                              .begin = on_begin,
                                              .end = on_end},
                                     .source = source,
                                     .platform = platform,
                                     .zone = PLATFORM_NONE,
                                     .backbone = PLATFORM_NONE};
    bool good = xml_read(&reader.base) == STATUS_OK && finish(platform, source);
    free(reader.forth);
    free(reader.back);
    free(reader.host_links);
    if (good)
        return platform_graph(platform);
    platform_free(platform);
    return NULL;
}

static bool probe(const struct network_source *source)
{
    char root[32];
    size_t blank = strspn(source->text, " \t\r\n");
    xml_root_name(source->text, source->length, root);
    return strcmp(root, "platform") == 0 || (source->length > blank && source->text[blank] == '<');
}

const struct network_format simgrid_network = {
    .name = "SimGrid platform",
    .doc = "XML with zones, hosts, links and routes",
    .probe = probe,
    .read = read,
};
