#include "topo/platform_xml.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "topo/formats.h"

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
    {"zone", IN_PLATFORM | IN_ZONE, IN_ZONE, platform_begin_zone, platform_end_zone, " id routing "},
    {"AS", IN_PLATFORM | IN_ZONE, IN_ZONE, platform_begin_zone, platform_end_zone, " id routing "},
    {"cluster", IN_PLATFORM | IN_ZONE, 0, platform_begin_cluster, NULL,
     " id prefix suffix radical speed core bw lat sharing_policy topology topo_parameters bb_bw bb_lat "
     "bb_sharing_policy router_id limiter_link loopback_bw loopback_lat "},
    {"cabinet", IN_ZONE, 0, platform_begin_cabinet, NULL, " id prefix suffix radical speed bw lat "},
    {"peer", IN_ZONE, 0, platform_begin_peer, NULL,
     " id speed bw_in bw_out lat coordinates speed_file availability_file state_file "},
    {"host", IN_ZONE, 0, platform_begin_host, NULL,
     " id speed core speed_file availability_file state_file coordinates pstate "},
    {"router", IN_ZONE, 0, platform_begin_router, NULL, " id coordinates "},
    {"link", IN_ZONE, 0, platform_begin_link, NULL,
     " id bandwidth bandwidth_file latency latency_file state_file sharing_policy "},
    {"backbone", IN_ZONE, 0, platform_begin_backbone, NULL, " id bandwidth latency "},
    {"host_link", IN_ZONE, 0, platform_begin_host_link, NULL, " id up down "},
    {"route", IN_ZONE, IN_ROUTE, platform_begin_route, platform_end_route, ROUTE_ATTRIBUTES},
    {"zoneRoute", IN_ZONE, IN_ROUTE, platform_begin_zone_route, platform_end_route, ZONE_ROUTE_ATTRIBUTES},
    {"ASroute", IN_ZONE, IN_ROUTE, platform_begin_zone_route, platform_end_route, ZONE_ROUTE_ATTRIBUTES},
    {"bypassRoute", IN_ZONE, IN_ROUTE, platform_begin_bypass, platform_end_route, ROUTE_ATTRIBUTES},
    {"bypassZoneRoute", IN_ZONE, IN_ROUTE, platform_begin_zone_bypass, platform_end_route,
     ZONE_ROUTE_ATTRIBUTES},
    {"bypassASroute", IN_ZONE, IN_ROUTE, platform_begin_zone_bypass, platform_end_route,
     ZONE_ROUTE_ATTRIBUTES},
    {"link_ctn", IN_ROUTE, 0, platform_begin_link_ctn, NULL, " id direction "},
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
                                              .refuse = platform_refuse_text,
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
