#ifndef HELIO_TOPO_PLATFORM_XML_H
#define HELIO_TOPO_PLATFORM_XML_H

#include "topo/platform.h"
#include "xml/xml.h"

/* What the files that read a platform share: the attributes of elements, with their places. */

/* A host of a Cluster zone and its links, which are looked up where the zone ends. */
struct platform_host_link {
    uint32_t host, up, down;
};

struct platform_reader {
    struct xml_reader base;
    const struct network_source *source;
    struct platform *platform;
    uint32_t zone;  /* that is open; PLATFORM_NONE: none */
    uint32_t depth; /* of open elements */
    const struct platform_element *open[PLATFORM_DEPTH_AT_MOST + 8];
    bool has_root;
    /* The route that is open. */
    uint32_t from, to, from_gateway, to_gateway;
    bool is_symmetrical, is_bypass, is_loopback;
    const char *route_at;
    uint32_t *forth, *back; /* its links, and what the way back has in their place */
    size_t count, forth_capacity, back_capacity;
    /* Of the Cluster zone that is open. */
    struct platform_host_link *host_links;
    size_t host_link_count, host_link_capacity;
    uint32_t backbone;
};

/* Reports an error at the attribute (NULL: at the element). Returns false. */
bool platform_refuse(const struct platform_reader *reader, const struct xml_element *element,
                     const char *attribute, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What reads numbers in the text of the file (struct network_source) reports its errors by this. */
void platform_refuse_text(const void *text, uint64_t line, uint64_t column, const char *message);

/* The text of an attribute as the file has it; not there or empty: false. */
bool platform_value(const struct platform_reader *reader, const struct xml_element *element,
                    const char *attribute, struct source_part *value);

/* An attribute that has to be there. NULL, reported: it is not. */
const char *platform_needed(const struct platform_reader *reader, const struct xml_element *element,
                            const char *attribute);
bool platform_read_rate(const struct platform_reader *reader, const struct xml_element *element,
                        const char *attribute, uint64_t *rate_bytes_per_s);
/* Not there: 0. */
bool platform_read_latency(const struct platform_reader *reader, const struct xml_element *element,
                           const char *attribute, ps_t *latency_ps);
bool platform_read_speed(const struct platform_reader *reader, const struct xml_element *element,
                         double *speed);
bool platform_read_coordinates(const struct platform_reader *reader, const struct xml_element *element,
                               uint32_t point);

/* Whether no profile changes the element over time. */
bool platform_has_no_profile(const struct platform_reader *reader, const struct xml_element *element);

/* A point with the name, in the zone that is open. PLATFORM_NONE, reported: there is another one. */
uint32_t platform_read_point(struct platform_reader *reader, const struct xml_element *element,
                             const char *name, enum platform_kind kind);
/* One more host. False, reported: its name is taken, or there are too many. */
bool platform_read_host(struct platform_reader *reader, const struct xml_element *element, const char *name,
                        double speed, uint32_t *point);

/* The link that an attribute names, as platform_find_link(). False, reported: there is none. */
bool platform_read_link(const struct platform_reader *reader, const struct xml_element *element,
                        const char *attribute, uint32_t *link);

/* platform_xml_zones.c: what an element means, where it begins or ends. False, reported: it is wrong. */
bool platform_begin_zone(struct platform_reader *reader, const struct xml_element *element);
bool platform_end_zone(struct platform_reader *reader);
bool platform_begin_host(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_router(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_peer(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_link(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_backbone(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_host_link(struct platform_reader *reader, const struct xml_element *element);

/* platform_xml_routes.c */
bool platform_begin_route(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_zone_route(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_bypass(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_zone_bypass(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_link_ctn(struct platform_reader *reader, const struct xml_element *element);
bool platform_end_route(struct platform_reader *reader);

/* platform_xml_cluster.c */
bool platform_begin_cluster(struct platform_reader *reader, const struct xml_element *element);
bool platform_begin_cabinet(struct platform_reader *reader, const struct xml_element *element);

#endif
