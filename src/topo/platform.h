#ifndef HELIO_TOPO_PLATFORM_H
#define HELIO_TOPO_PLATFORM_H

#include "base/text_index.h"
#include "topo/graph.h"
#include "topo/source.h"

/* A platform of SimGrid: zones in zones, with hosts, routers and links in them, and routes that are lists of
 * links. Routes are computed as SimGrid 3.32 does, on demand and without a table of all pairs.
 *
 *     platform_xml.c      the file, element by element
 *     platform_build.c    what the elements make: points, links, routes
 *     platform_cluster.c  <cluster>: flat, torus, fat tree, dragonfly
 *     platform_route.c    the route between two hosts
 *     platform_ends.c     where links begin and end, which the file does not say
 *     platform_check.c    whether there is a route between any two hosts
 *     platform_longest.c  how long a route can be
 *     platform_faults.c   the ways that are left with failed links
 *     platform.c          the topology that it is
 *     platform_write.c    the platform that a topology is
 *
 * A link of a platform is a resource with a rate, wherever it is used. So a link between switches is one of
 * these, or one direction of one; both directions of a shared one are the same link. */

enum { PLATFORM_NONE = INT32_MAX }; /* no point, link, route */
enum {
    PLATFORM_LINKS_AT_MOST = 1 << 22,
    PLATFORM_ROUTE_AT_MOST = 250,  /* links */
    PLATFORM_DEPTH_AT_MOST = 32,   /* zones in zones */
    PLATFORM_TABLE_AT_MOST = 1024, /* points of a zone with shortest ways */
    PLATFORM_SAMPLE = 512          /* hosts, of which all pairs are looked at; of more, so many */
};

enum platform_routing {
    PLATFORM_FULL,
    PLATFORM_FLOYD,
    PLATFORM_DIJKSTRA,
    PLATFORM_STAR, /* Cluster, Vivaldi: of each point, the links up and down */
    PLATFORM_VIVALDI,
    PLATFORM_EMPTY,
    PLATFORM_TORUS,
    PLATFORM_FAT_TREE,
    PLATFORM_DRAGONFLY
};

enum platform_kind { PLATFORM_ZONE, PLATFORM_HOST, PLATFORM_ROUTER };

/* Numbers in platform->items. */
struct platform_list {
    uint32_t first, count;
};

/* A host, a router, or a zone as a member of the zone around it. */
struct platform_point {
    uint32_t zone;  /* around it; of the root: PLATFORM_NONE */
    uint32_t id;    /* its place among the members of that zone */
    uint32_t of;    /* the node of a host, the number of a zone */
    uint32_t place; /* the switch that it is or hangs on; of a zone: PLATFORM_NONE */
    uint32_t own;   /* of a host: the direction up of a link that nobody else uses; or PLATFORM_NONE */
    uint8_t kind;   /* enum platform_kind */
    bool is_needed; /* messages can begin, end or enter here */
    bool is_passed; /* a host that is a gateway, or has a bypass: not all its ways use its own link */
    bool has_up, has_down, has_coordinates, is_ordered;
    struct platform_list up, down; /* in a star */
    double coordinates[3];         /* in ms */
};

struct platform_link {
    uint64_t rate_bytes_per_s;
    ps_t latency_ps;
    bool is_fat;       /* each message has the whole rate */
    uint32_t twin;     /* the other direction; itself if it is shared */
    uint32_t from, to; /* places; PLATFORM_NONE: not known */
    uint32_t number;   /* of the topology's link */
    uint32_t name;     /* in link_names; PLATFORM_NONE: it has none */
};

struct platform_route {
    struct platform_list links;
    uint32_t from_gateway, to_gateway; /* points; PLATFORM_NONE between hosts and routers */
};

/* TORUS: sizes are its dimensions. FAT_TREE: of each level the children, parents and cables of a switch.
 * DRAGONFLY: groups, chassis, blades, nodes. */
enum { PLATFORM_SIZES = 16 };
struct platform_cluster {
    uint32_t levels; /* of sizes */
    uint32_t sizes[PLATFORM_SIZES], parents[PLATFORM_SIZES], cables[PLATFORM_SIZES];
    bool is_split;                         /* a link is two: up, and behind it down */
    uint32_t first[PLATFORM_SIZES];        /* links of each level; see platform_cluster.c */
    uint32_t limiter, switch_limiter;      /* of the first host and the first switch; or PLATFORM_NONE */
    uint32_t switch_first[PLATFORM_SIZES]; /* number of the first switch of each level */
};

struct platform_zone {
    uint32_t parent, point, depth;
    uint32_t middle; /* STAR: the switch that its points are linked to; or PLATFORM_NONE */
    enum platform_routing routing;
    uint32_t *members; /* points */
    size_t count, capacity;
    uint32_t *order; /* DIJKSTRA: members in the order in which routes first name them */
    size_t ordered, order_capacity;
    uint32_t *before; /* FLOYD, DIJKSTRA: [count x count] the member before, on the way from one to another */
    struct platform_cluster *cluster;
};

struct platform {
    const char *name; /* of the file */
    struct text_index point_names, link_names;
    struct platform_point *points; /* by their numbers in point_names */
    size_t point_capacity;
    struct platform_zone *zones;
    size_t zone_count, zone_capacity;
    struct platform_link *links;
    size_t link_count, link_capacity;
    uint32_t
        *named; /* [link_names] the link, or of a split one the direction up, or-ed with PLATFORM_SPLIT */
    size_t named_capacity;
    uint32_t *items; /* of lists */
    size_t item_count, item_capacity;
    struct platform_route *routes;
    size_t route_count, route_capacity;
    struct hashmap by_pair, bypasses; /* of points: the route */
    uint32_t *hosts;                  /* [nodes] points */
    size_t host_count, host_capacity;
    double *speeds; /* [nodes] flop/s */
    size_t speed_capacity;
    struct text_index places; /* switches */
    uint32_t network_links;   /* links of the topology between switches */
    uint32_t *link_at;        /* [links of the topology] the link of the platform; PLATFORM_NONE: free */
    bool has_vivaldi, has_loopbacks, has_disks, has_config, has_actors, has_cores;
    char *no_ends; /* where the ends of links do not fit together, as a clause; NULL: they do */
    struct topo_distances distances;
    bool *is_between; /* [places] the way of some hosts leads through it that are elsewhere */
    bool is_sampled;  /* the distances, and is_between, are those of some pairs, evenly spread */
    char *no_effect;
};

#define PLATFORM_SPLIT UINT32_C(0x80000000)

/* ---------------------------------------------------------------- building */

/* A point in the zone. PLATFORM_NONE: the name is taken. */
uint32_t platform_add_point(struct platform *platform, const char *name, enum platform_kind kind,
                            uint32_t zone);
uint32_t platform_add_zone(struct platform *platform, const char *name, enum platform_routing routing,
                           uint32_t parent);
void platform_add_host(struct platform *platform, uint32_t point, double speed);
/* A new switch; its name is made different from all others. */
uint32_t platform_add_place(struct platform *platform, const char *name);

/* A link without a name; with `is_split` the direction up, and behind it the one down. */
uint32_t platform_add_link(struct platform *platform, uint64_t rate_bytes_per_s, ps_t latency_ps,
                           bool is_split);
/* A name for it. False: the name is taken. */
bool platform_name_link(struct platform *platform, const char *name, uint32_t link);

/* The link of this name; UINT32_MAX: there is none. Of a split one: up, or-ed with PLATFORM_SPLIT. */
uint32_t platform_find_link(const struct platform *platform, const char *name);

/* The name that the file gives the link, both directions of it; NULL: it gives none. */
const char *platform_link_name(const struct platform *platform, uint32_t link);

struct platform_list platform_add_list(struct platform *platform, const uint32_t *items, uint32_t count);
/* False: there is one already. */
bool platform_add_route(struct platform *platform, struct hashmap *map, uint32_t from, uint32_t to,
                        const struct platform_route *route);
/* NULL: there is none. */
const struct platform_route *platform_find_route(const struct platform *platform, const struct hashmap *map,
                                                 uint32_t from, uint32_t to);

/* Whether the point is in the zone, or in one inside it. */
bool platform_is_inside(const struct platform *platform, uint32_t point, uint32_t zone);

void platform_free(struct platform *platform);

/* ---------------------------------------------------------------- clusters */

/* A <cluster> of the hosts, which are members of the zone already. */
struct platform_shape {
    uint64_t rate_bytes_per_s, backbone_rate, limiter_rate; /* 0: none */
    ps_t latency_ps, backbone_latency_ps;
    bool is_split, has_backbone, backbone_is_fat;
};
void platform_wire_flat(struct platform *platform, uint32_t zone, const struct platform_shape *shape);
/* The parameters of `topology`: "3,2,2", "2;4,4;1,2;1,2", "3,4;4,3;5,1;2". False fills *problem. */
bool platform_read_shape(const char *text, enum platform_routing routing, struct platform_cluster *cluster,
                         char *problem, size_t size);
uint64_t platform_cluster_hosts(const struct platform_cluster *cluster, enum platform_routing routing);
void platform_wire_torus(struct platform *platform, uint32_t zone, const struct platform_shape *shape);
void platform_wire_fat_tree(struct platform *platform, uint32_t zone, const struct platform_shape *shape);
void platform_wire_dragonfly(struct platform *platform, uint32_t zone, const struct platform_shape *shape);

/* ------------------------------------------------------------------ routes */

/* The links of a way, and what SimGrid adds to their latencies. */
struct platform_way {
    uint32_t links[PLATFORM_ROUTE_AT_MOST];
    uint32_t count;
    bool is_too_long;
    ps_t more_ps;
    const struct platform_detours *detours; /* around failed links; NULL: as the file says */
    bool has_detour;                        /* it has one */
};

/* What failed links change. */
struct platform_detours {
    const uint8_t *links; /* [links of the topology] FAULT_FAILED (faults.h) */
    uint32_t **before;    /* [zones] as zone->before, over intact links; NULL: the zone has no table */
    size_t zones;
    struct topo_distances distances; /* of pairs that reach each other */
    uint64_t pairs, looked_at;       /* how many they are; of so many */
};

/* The links of the way inside one of these clusters, behind those that *way has. */
void platform_cross_torus(const struct platform_zone *zone, uint32_t from, uint32_t to,
                          struct platform_way *way);
void platform_cross_fat_tree(const struct platform_zone *zone, uint32_t from, uint32_t to,
                             struct platform_way *way);
void platform_cross_dragonfly(const struct platform_zone *zone, uint32_t from, uint32_t to,
                              struct platform_way *way);

static inline void platform_take(struct platform_way *way, uint32_t link)
{
    if (way->count < PLATFORM_ROUTE_AT_MOST)
        way->links[way->count++] = link;
    else
        way->is_too_long = true;
}

/* The way inside a zone, between two of its members. False: there is none. */
bool platform_cross(const struct platform *platform, uint32_t from, uint32_t to, struct platform_way *way,
                    uint32_t *from_gateway, uint32_t *to_gateway);

/* The whole way between two hosts or routers. False: there is none. */
bool platform_find_way(const struct platform *platform, uint32_t from, uint32_t to, struct platform_way *way);

/* The tables of shortest ways. And the table of a zone that has one, over intact links. */
void platform_make_tables(struct platform *platform);
uint32_t *platform_shortest(const struct platform *platform, const struct platform_zone *zone,
                            const struct platform_detours *detours);

/* ------------------------------------------------------------- failed links */

/* Whether the links of the way from `begin` on are intact. */
bool platform_is_intact(const struct platform *platform, const struct platform_detours *detours,
                        const struct platform_way *way, uint32_t begin);
/* The way between two hosts, around failed links where zones know one; else that of the file, which has some.
 */
void platform_find_around(const struct platform *platform, const struct platform_detours *detours,
                          uint32_t from, uint32_t to, struct platform_way *way);
/* `links` stays the caller's. */
struct platform_detours *platform_detours_make(const struct platform *platform, const uint8_t *links);
void platform_detours_free(struct platform_detours *detours);

/* ------------------------------------------------------------ ends, checks */

void platform_find_ends(struct platform *platform);

/* Whether there is a way between any two hosts, with each link once. False, reported. */
bool platform_check(struct platform *platform, const struct network_source *source);
/* A bound on the hops of any route, PLATFORM_ROUTE_AT_MOST at most. */
uint32_t platform_longest(const struct platform *platform);

/* Numbers the links as the topology does: those that are a host's own are its node's. */
void platform_number(struct platform *platform);
/* The graph that is the topology of the platform, which it then owns. */
struct topo_graph *platform_graph(struct platform *platform);
void platform_topo(const struct topo_graph *graph, struct topo *topo);

extern const struct topo_ops platform_family;

#endif
