#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "topo/platform_xml.h"

/* <cluster> and <cabinet>: hosts whose names have numbers in the middle. */

/* The next "3" or "1-29" of a radical. False: it is none. */
static bool next_range(const char **text, uint32_t *first, uint32_t *last)
{
    uint32_t *ends[] = {first, last};
    int count = 0;
    for (; count < 2; count++) {
        size_t digits = strspn(*text, "0123456789");
        if (!digits || digits > 7)
            return false;
        *ends[count] = 0;
        for (size_t i = 0; i < digits; i++)
            *ends[count] = *ends[count] * 10 + (uint32_t)((*text)[i] - '0');
        *text += digits;
        if (count == 0)
            *last = *first;
        if (**text != '-')
            break;
        (*text)++;
    }
    if (**text == ',')
        return *++*text && *first <= *last;
    return !**text && count < 2 && *first <= *last;
}

/* What is done with a host of a cluster or a cabinet. */
typedef bool use_host(struct platform_reader *reader, const struct xml_element *element, uint32_t point,
                      const void *with);

static bool read_hosts(struct platform_reader *reader, const struct xml_element *element, use_host *use,
                       const void *with)
{
    const char *prefix = platform_needed(reader, element, "prefix"),
               *suffix = xml_attribute(element, "suffix");
    const char *radical = platform_needed(reader, element, "radical"), *at = radical;
    double speed;
    uint32_t first, last, point;
    if (!suffix || !prefix)
        return prefix ? platform_refuse(reader, element, NULL, "<%s> needs the attribute 'suffix'",
                                        element->name)
                      : false;
    if (!radical || !platform_read_speed(reader, element, &speed))
        return false;
    do {
        if (!next_range(&at, &first, &last))
            return platform_refuse(reader, element, "radical",
                                   "numbers and ranges of hosts are expected here, such as 0-9,12");
        for (uint32_t i = first; i <= last; i++) {
            char *name = mem_format("%s%u%s", prefix, i, suffix);
            bool good = platform_read_host(reader, element, name, speed, &point) &&
                        (!use || use(reader, element, point, with));
            free(name);
            if (!good)
                return false;
        }
    } while (*at);
    return true;
}

/* ---------------------------------------------------------------- clusters */

/* SHARED or SPLITDUPLEX. */
static bool read_policy(const struct platform_reader *reader, const struct xml_element *element,
                        bool *is_split)
{
    const char *policy = xml_attribute(element, "sharing_policy");
    *is_split = !policy || strcmp(policy, "SPLITDUPLEX") == 0 || strcmp(policy, "FULLDUPLEX") == 0;
    if (*is_split || strcmp(policy, "SHARED") == 0)
        return true;
    return platform_refuse(
        reader, element, "sharing_policy",
        strcmp(policy, "FATPIPE") == 0
            ? "the links of a cluster are SPLITDUPLEX or SHARED; SimGrid makes SHARED ones of "
              "FATPIPE, so write SHARED"
            : "the links of a cluster are SPLITDUPLEX or SHARED");
}

static bool read_backbone(const struct platform_reader *reader, const struct xml_element *element,
                          struct platform_shape *shape)
{
    const char *policy = xml_attribute(element, "bb_sharing_policy");
    struct source_part value;
    shape->backbone_is_fat = policy && strcmp(policy, "FATPIPE") == 0;
    if (policy && !shape->backbone_is_fat && strcmp(policy, "SHARED") != 0)
        return platform_refuse(reader, element, "bb_sharing_policy", "a backbone is SHARED or FATPIPE");
    if (!platform_read_latency(reader, element, "bb_lat", &shape->backbone_latency_ps))
        return false;
    shape->has_backbone = platform_value(reader, element, "bb_bw", &value);
    if (shape->has_backbone)
        return platform_read_rate(reader, element, "bb_bw", &shape->backbone_rate);
    if (shape->backbone_latency_ps)
        return platform_refuse(reader, element, "bb_lat", "a backbone needs a rate too, bb_bw");
    return true;
}

static bool read_shape(const struct platform_reader *reader, const struct xml_element *element,
                       struct platform_shape *shape)
{
    struct source_part value;
    reader->platform->has_loopbacks |= platform_value(reader, element, "loopback_bw", &value);
    return platform_read_rate(reader, element, "bw", &shape->rate_bytes_per_s) &&
           platform_read_latency(reader, element, "lat", &shape->latency_ps) &&
           read_policy(reader, element, &shape->is_split) && read_backbone(reader, element, shape) &&
           (!platform_value(reader, element, "limiter_link", &value) ||
            platform_read_rate(reader, element, "limiter_link", &shape->limiter_rate));
}

static bool read_routing(const struct platform_reader *reader, const struct xml_element *element,
                         enum platform_routing *routing)
{
    static const struct {
        const char *name;
        enum platform_routing routing;
    } topologies[] = {{"FLAT", PLATFORM_STAR},
                      {"TORUS", PLATFORM_TORUS},
                      {"FAT_TREE", PLATFORM_FAT_TREE},
                      {"DRAGONFLY", PLATFORM_DRAGONFLY}};
    const char *text = xml_attribute(element, "topology");
    *routing = PLATFORM_STAR;
    for (size_t i = 0; text && i < sizeof topologies / sizeof *topologies; i++)
        if (strcmp(text, topologies[i].name) == 0) {
            *routing = topologies[i].routing;
            return true;
        }
    return !text ||
           platform_refuse(reader, element, "topology", "topology is FLAT, TORUS, FAT_TREE or DRAGONFLY");
}

/* The router by which messages come in and out. */
static bool add_router(struct platform_reader *reader, const struct xml_element *element)
{
    const char *given = xml_attribute(element, "router_id"), *prefix = xml_attribute(element, "prefix");
    char *name = given && *given ? mem_text(given)
                                 : mem_format("%s%s_router%s", prefix, xml_attribute(element, "id"),
                                              xml_attribute(element, "suffix"));
    uint32_t point = platform_read_point(reader, element, name, PLATFORM_ROUTER);
    free(name);
    return point != PLATFORM_NONE;
}

static bool wire_shaped(struct platform_reader *reader, const struct xml_element *element, uint32_t zone,
                        const struct platform_shape *shape)
{
    struct platform_zone *made = &reader->platform->zones[zone];
    const char *parameters = platform_needed(reader, element, "topo_parameters");
    char problem[256];
    if (!parameters)
        return false;
    if (shape->has_backbone)
        return platform_refuse(reader, element, "bb_bw",
                               "a cluster of this topology has no backbone in SimGrid");
    made->cluster = mem_alloc(1, sizeof *made->cluster, "a platform");
    if (!platform_read_shape(parameters, made->routing, made->cluster, problem, sizeof problem))
        return platform_refuse(reader, element, "topo_parameters", "%s", problem);
    uint64_t hosts = platform_cluster_hosts(made->cluster, made->routing);
    if (hosts != made->count)
        return platform_refuse(reader, element, "radical", "there are %zu hosts; this topology has %llu",
                               made->count, (unsigned long long)hosts);
    if (made->routing == PLATFORM_TORUS)
        platform_wire_torus(reader->platform, zone, shape);
    else if (made->routing == PLATFORM_FAT_TREE)
        platform_wire_fat_tree(reader->platform, zone, shape);
    else
        platform_wire_dragonfly(reader->platform, zone, shape);
    return true;
}

/* Cables of a dragonfly multiply a rate. */
static bool check_rates(const struct platform_reader *reader, const struct xml_element *element, size_t first)
{
    const struct platform *platform = reader->platform;
    for (size_t i = first; i < platform->link_count; i++)
        if (platform->links[i].rate_bytes_per_s > UINT64_C(70000000000000))
            return platform_refuse(reader, element, "bw",
                                   "the links that are one here have more than 70 TB/s together");
    return true;
}

bool platform_begin_cluster(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform_shape shape = {.rate_bytes_per_s = 0};
    enum platform_routing routing;
    const char *name = platform_needed(reader, element, "id");
    uint32_t parent = reader->zone;
    size_t first = reader->platform->link_count;
    if (!name || !read_routing(reader, element, &routing) || !read_shape(reader, element, &shape))
        return false;
    uint32_t zone = platform_add_zone(reader->platform, name, routing, parent);
    if (zone == PLATFORM_NONE)
        return platform_refuse(reader, element, "id", "there are two elements '%s'", name);
    reader->zone = zone;
    bool good = read_hosts(reader, element, NULL, NULL);
    if (good && routing == PLATFORM_STAR)
        good = add_router(reader, element);
    if (good && routing == PLATFORM_STAR)
        platform_wire_flat(reader->platform, zone, &shape);
    else
        good = good && wire_shaped(reader, element, zone, &shape);
    reader->zone = parent;
    return good && check_rates(reader, element, first);
}

/* ---------------------------------------------------------------- cabinets */

static bool add_cabinet_host(struct platform_reader *reader, const struct xml_element *element,
                             uint32_t point, const void *with)
{
    const struct platform_shape *shape = with;
    uint32_t up = platform_add_link(reader->platform, shape->rate_bytes_per_s, shape->latency_ps, true);
    (void)element;
    reader->platform->points[point].own = up;
    reader->host_links =
        mem_grow(reader->host_links, &reader->host_link_capacity, reader->host_link_count + 1, "a platform");
    reader->host_links[reader->host_link_count++] = (struct platform_host_link){point, up, up + 1};
    return true;
}

bool platform_begin_cabinet(struct platform_reader *reader, const struct xml_element *element)
{
    struct platform_shape shape = {.rate_bytes_per_s = 0};
    return platform_read_rate(reader, element, "bw", &shape.rate_bytes_per_s) &&
           platform_read_latency(reader, element, "lat", &shape.latency_ps) &&
           read_hosts(reader, element, add_cabinet_host, &shape);
}
