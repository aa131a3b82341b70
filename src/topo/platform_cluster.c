#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "topo/platform.h"

/* The clusters of SimGrid 3.32, wired and routed as there. */

/* -------------------------------------------------------------------- flat */

/* Up: the limiter, the host's link, the backbone; down: the same from the other end. */
void platform_wire_flat(struct platform *platform, uint32_t zone, const struct platform_shape *shape)
{
    const char *name = platform->point_names.texts[platform->zones[zone].point];
    uint32_t center = platform_add_place(platform, name), backbone = PLATFORM_NONE;
    if (shape->has_backbone) {
        backbone = platform_add_link(platform, shape->backbone_rate, shape->backbone_latency_ps, false);
        platform->links[backbone].is_fat = shape->backbone_is_fat;
        platform->links[backbone].from = platform->links[backbone].to = center;
    }
    for (size_t i = 0; i < platform->zones[zone].count; i++) {
        struct platform_point *point = &platform->points[platform->zones[zone].members[i]];
        uint32_t up[3], down[3], count = 0;
        point->place = center;
        point->has_up = point->has_down = true;
        if (point->kind != PLATFORM_HOST)
            continue;
        if (!shape->is_split)
            point->place =
                platform_add_place(platform, platform->point_names.texts[point - platform->points]);
        if (shape->limiter_rate) {
            up[count] = platform_add_link(platform, shape->limiter_rate, 0, false);
            platform->links[up[count]].from = platform->links[up[count]].to = point->place;
            count++;
        }
        up[count] = platform_add_link(platform, shape->rate_bytes_per_s, shape->latency_ps, shape->is_split);
        if (shape->is_split) {
            point->own = up[count];
        } else {
            platform->links[up[count]].from = point->place;
            platform->links[up[count]].to = center;
        }
        count++;
        if (shape->has_backbone)
            up[count++] = backbone;
        for (uint32_t j = 0; j < count; j++)
            down[j] = platform->links[up[count - 1 - j]].twin;
        point->up = platform_add_list(platform, up, count);
        point->down = platform_add_list(platform, down, count);
    }
}

/* -------------------------------------------------------------- parameters */

/* "4,4": at most `most` numbers; returns how many, 0: this is no such list. *text is then behind it. */
static uint32_t read_list(const char **text, uint32_t *numbers, uint32_t most)
{
    uint32_t count = 0;
    for (const char *at = *text;; at++) {
        size_t digits = strspn(at, "0123456789");
        if (!digits || digits > 6 || count == most)
            return 0;
        numbers[count] = 0;
        for (size_t i = 0; i < digits; i++)
            numbers[count] = numbers[count] * 10 + (uint32_t)(at[i] - '0');
        if (!numbers[count++])
            return 0;
        at += digits;
        if (*at != ',') {
            *text = at + (*at == ';');
            return *at && *at != ';' ? 0 : count;
        }
    }
}

static bool read_fat_tree(const char **text, struct platform_cluster *cluster)
{
    return read_list(text, &cluster->levels, 1) == 1 && cluster->levels <= PLATFORM_SIZES &&
           read_list(text, cluster->sizes, PLATFORM_SIZES) == cluster->levels &&
           read_list(text, cluster->parents, PLATFORM_SIZES) == cluster->levels &&
           read_list(text, cluster->cables, PLATFORM_SIZES) == cluster->levels;
}

static bool read_dragonfly(const char **text, struct platform_cluster *cluster)
{
    uint32_t pair[2];
    cluster->levels = 4;
    for (uint32_t i = 0; i < 3; i++) {
        if (read_list(text, pair, 2) != 2)
            return false;
        cluster->sizes[i] = pair[0];
        cluster->cables[i] = pair[1];
    }
    return read_list(text, &cluster->sizes[3], 1) == 1;
}

uint64_t platform_cluster_hosts(const struct platform_cluster *cluster, enum platform_routing routing)
{
    uint64_t hosts = 1;
    uint32_t levels = routing == PLATFORM_DRAGONFLY ? 4 : cluster->levels;
    for (uint32_t i = 0; i < levels && hosts <= GRAPH_NODES_LIMIT; i++)
        hosts *= cluster->sizes[i];
    return hosts;
}

enum { SWITCHES_AT_MOST = 1 << 18 };

/* Of all levels of a fat tree, hosts included: how many there are, and how many links up they have. */
static void count_tree(const struct platform_cluster *cluster, double *switches, double *links)
{
    for (uint32_t level = 0; level <= cluster->levels; level++) {
        double count = 1;
        for (uint32_t i = 0; i < cluster->levels; i++)
            count *= i < level ? cluster->parents[i] : cluster->sizes[i];
        *switches += count;
        if (level < cluster->levels)
            *links += count * cluster->parents[level] * cluster->cables[level];
    }
}

static bool is_small(const struct platform_cluster *cluster, enum platform_routing routing)
{
    double switches = 0, links = 0, hosts = (double)platform_cluster_hosts(cluster, routing);
    const uint32_t *sizes = cluster->sizes;
    if (routing == PLATFORM_TORUS)
        links = hosts * cluster->levels;
    if (routing == PLATFORM_FAT_TREE)
        count_tree(cluster, &switches, &links);
    if (routing == PLATFORM_DRAGONFLY) {
        switches = (double)sizes[0] * sizes[1] * sizes[2];
        links = hosts + switches * (sizes[1] + sizes[2]) + (double)sizes[0] * sizes[0];
    }
    return hosts <= GRAPH_NODES_LIMIT && switches <= SWITCHES_AT_MOST && links <= PLATFORM_LINKS_AT_MOST / 4;
}

bool platform_read_shape(const char *text, enum platform_routing routing, struct platform_cluster *cluster,
                         char *problem, size_t size)
{
    static const char *const examples[] = {
        [PLATFORM_TORUS] = "the sizes of a torus, such as 3,2,2",
        [PLATFORM_FAT_TREE] = "levels;children;parents;cables of a fat tree, such as 2;4,4;1,2;1,2",
        [PLATFORM_DRAGONFLY] =
            "groups,links;chassis,links;blades,links;nodes of a dragonfly, such as 3,4;4,3;5,1;2"};
    bool good = true;
    if (routing == PLATFORM_TORUS)
        good = (cluster->levels = read_list(&text, cluster->sizes, PLATFORM_SIZES)) > 0;
    else if (routing == PLATFORM_FAT_TREE)
        good = read_fat_tree(&text, cluster);
    else
        good = read_dragonfly(&text, cluster);
    if (!good || *text) {
        snprintf(problem, size, "%s are expected here, at most %d sizes above 0", examples[routing],
                 PLATFORM_SIZES);
        return false;
    }
    if (!is_small(cluster, routing)) {
        snprintf(problem, size, "this cluster is too large: at most %d hosts, %d switches and %d links",
                 GRAPH_NODES_LIMIT, SWITCHES_AT_MOST, PLATFORM_LINKS_AT_MOST / 4);
        return false;
    }
    if (routing != PLATFORM_DRAGONFLY || cluster->sizes[0] <= cluster->sizes[2])
        return true;
    snprintf(problem, size,
             "%" PRIu32 " groups and %" PRIu32 " blades: SimGrid reaches group i by blade i of each chassis, "
             "so that there are at least as many blades as groups",
             cluster->sizes[0], cluster->sizes[2]);
    return false;
}

/* ------------------------------------------------------------------ common */

static void set_ends(struct platform *platform, uint32_t link, uint32_t from, uint32_t to)
{
    struct platform_link *links = platform->links;
    links[link].from = from;
    links[link].to = to;
    if (links[link].twin != link) {
        links[links[link].twin].from = to;
        links[links[link].twin].to = from;
    }
}

/* One limiter for each of `count` hosts or switches. */
static uint32_t add_limiters(struct platform *platform, const struct platform_shape *shape, uint32_t count)
{
    uint32_t first = (uint32_t)platform->link_count;
    if (!shape->limiter_rate)
        return PLATFORM_NONE;
    for (uint32_t i = 0; i < count; i++)
        platform_add_link(platform, shape->limiter_rate, 0, false);
    return first;
}

static void take_limiter(uint32_t first, uint32_t index, struct platform_way *way)
{
    if (first != PLATFORM_NONE)
        platform_take(way, first + index);
}

/* The hosts' places, each its own. Returns the first. */
static uint32_t add_own_places(struct platform *platform, uint32_t zone)
{
    uint32_t first = (uint32_t)platform->places.count;
    for (size_t i = 0; i < platform->zones[zone].count; i++) {
        uint32_t point = platform->zones[zone].members[i];
        platform->points[point].place = platform_add_place(platform, platform->point_names.texts[point]);
    }
    return first;
}

static void name_limiters(struct platform *platform, uint32_t first, uint32_t count, uint32_t first_place)
{
    for (uint32_t i = 0; first != PLATFORM_NONE && i < count; i++)
        set_ends(platform, first + i, first_place + i, first_place + i);
}

/* The host's only link is its own, so that it hangs on the switch at the other end. */
static void hang_host(struct platform *platform, uint32_t zone, uint32_t host, uint32_t link)
{
    struct platform_point *point = &platform->points[platform->zones[zone].members[host]];
    point->own = link;
    point->place = platform->links[link].to;
    set_ends(platform, link, point->place, point->place);
}

/* The limiters of hosts stand where the hosts do. */
static void limit_hosts(struct platform *platform, uint32_t zone)
{
    const struct platform_zone *of = &platform->zones[zone];
    for (uint32_t i = 0; of->cluster->limiter != PLATFORM_NONE && i < of->count; i++)
        name_limiters(platform, of->cluster->limiter + i, 1, platform->points[of->members[i]].place);
}

/* ------------------------------------------------------------------- torus */

/* Of host r and dimension j, the link to the next host: first[0] + (r levels + j) times 1 or 2. */
void platform_wire_torus(struct platform *platform, uint32_t zone, const struct platform_shape *shape)
{
    struct platform_cluster *cluster = platform->zones[zone].cluster;
    uint32_t hosts = (uint32_t)platform->zones[zone].count, place = add_own_places(platform, zone);
    cluster->is_split = shape->is_split;
    cluster->limiter = add_limiters(platform, shape, hosts);
    name_limiters(platform, cluster->limiter, hosts, place);
    cluster->first[0] = (uint32_t)platform->link_count;
    for (uint32_t host = 0; host < hosts; host++)
        for (uint32_t j = 0, stride = 1; j < cluster->levels; stride *= cluster->sizes[j++]) {
            bool wraps = host / stride % cluster->sizes[j] == cluster->sizes[j] - 1;
            uint32_t next = wraps ? host - (cluster->sizes[j] - 1) * stride : host + stride;
            uint32_t link =
                platform_add_link(platform, shape->rate_bytes_per_s, shape->latency_ps, shape->is_split);
            set_ends(platform, link, place + host, place + next);
        }
}

/* Whether the way in a dimension goes to higher coordinates. */
static bool goes_up(uint32_t from, uint32_t to, uint32_t size)
{
    return (to > from && to <= from + size / 2) || (from > size / 2 && (from + size / 2) % size >= to);
}

void platform_cross_torus(const struct platform_zone *zone, uint32_t from, uint32_t to,
                          struct platform_way *way)
{
    const struct platform_cluster *cluster = zone->cluster;
    uint32_t at = from, width = cluster->is_split ? 2 : 1;
    for (uint32_t j = 0, stride = 1; j < cluster->levels; stride *= cluster->sizes[j++]) {
        uint32_t size = cluster->sizes[j], goal = to / stride % size;
        bool is_up = goes_up(from / stride % size, goal, size);
        for (uint32_t own; !way->is_too_long && (own = at / stride % size) != goal;) {
            uint32_t next = is_up ? (own + 1 == size ? at + stride - stride * size : at + stride)
                                  : (own == 0 ? at - stride + stride * size : at - stride);
            uint32_t link = cluster->first[0] + ((is_up ? at : next) * cluster->levels + j) * width;
            take_limiter(cluster->limiter, at, way);
            platform_take(way, link + (is_up ? 0 : width - 1));
            at = next;
        }
    }
    take_limiter(cluster->limiter, to, way);
}

/* ---------------------------------------------------------------- fat tree */

/* A host or switch of level l has the digits of its number, the lowest first: below l to the base of the
 * parents, from l on to that of the children. */
static void digits_of(const struct platform_cluster *cluster, uint32_t level, uint32_t number,
                      uint32_t *digits)
{
    for (uint32_t i = 0; i < cluster->levels; i++) {
        uint32_t base = i < level ? cluster->parents[i] : cluster->sizes[i];
        digits[i] = number % base;
        number /= base;
    }
}

static uint32_t number_of(const struct platform_cluster *cluster, uint32_t level, const uint32_t *digits)
{
    uint32_t number = 0;
    for (uint32_t i = cluster->levels; i-- > 0;)
        number = number * (i < level ? cluster->parents[i] : cluster->sizes[i]) + digits[i];
    return number;
}

static uint32_t count_level(const struct platform_cluster *cluster, uint32_t level)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < cluster->levels && count <= PLATFORM_LINKS_AT_MOST; i++)
        count *= i < level ? cluster->parents[i] : cluster->sizes[i];
    return (uint32_t)(count < PLATFORM_LINKS_AT_MOST ? count : PLATFORM_LINKS_AT_MOST);
}

/* Port d up of number n at level l: first[l] + (n ports + d) times 1 or 2; its parent has digit d mod
 * parents. */
static uint32_t fat_tree_link(const struct platform_cluster *cluster, uint32_t level, uint32_t number,
                              uint32_t port)
{
    uint32_t ports = cluster->parents[level] * cluster->cables[level];
    return cluster->first[level] + (number * ports + port) * (cluster->is_split ? 2 : 1);
}

static void wire_level(struct platform *platform, struct platform_cluster *cluster,
                       const struct platform_shape *shape, uint32_t level, const uint32_t *places)
{
    uint32_t count = count_level(cluster, level), ports = cluster->parents[level] * cluster->cables[level];
    uint32_t digits[PLATFORM_SIZES];
    cluster->first[level] = (uint32_t)platform->link_count;
    for (uint32_t number = 0; number < count; number++)
        for (uint32_t port = 0; port < ports && platform->link_count < PLATFORM_LINKS_AT_MOST; port++) {
            uint32_t link =
                platform_add_link(platform, shape->rate_bytes_per_s, shape->latency_ps, shape->is_split);
            digits_of(cluster, level, number, digits);
            digits[level] = port % cluster->parents[level];
            set_ends(platform, link, places[level] + number,
                     places[level + 1] + number_of(cluster, level + 1, digits));
        }
}

void platform_wire_fat_tree(struct platform *platform, uint32_t zone, const struct platform_shape *shape)
{
    struct platform_cluster *cluster = platform->zones[zone].cluster;
    const char *name = platform->point_names.texts[platform->zones[zone].point];
    uint32_t hosts = (uint32_t)platform->zones[zone].count, places[PLATFORM_SIZES + 1], switches = 0;
    cluster->is_split = shape->is_split;
    bool has_own = shape->is_split && cluster->parents[0] * cluster->cables[0] == 1;
    places[0] = has_own ? 0 : add_own_places(platform, zone);
    cluster->limiter = add_limiters(platform, shape, hosts);
    for (uint32_t level = 1; level <= cluster->levels; level++) {
        uint32_t count = count_level(cluster, level);
        places[level] = (uint32_t)platform->places.count;
        cluster->switch_first[level - 1] = switches;
        switches += count;
        for (uint32_t i = 0; i < count && platform->places.count < PLATFORM_LINKS_AT_MOST; i++) {
            char *text = mem_format("%s_%" PRIu32 "_%" PRIu32, name, level, i);
            platform_add_place(platform, text);
            free(text);
        }
    }
    cluster->switch_limiter = add_limiters(platform, shape, switches);
    name_limiters(platform, cluster->switch_limiter, switches, places[1]);
    for (uint32_t level = 0; level < cluster->levels; level++)
        wire_level(platform, cluster, shape, level, places);
    for (uint32_t i = 0; has_own && i < hosts; i++)
        hang_host(platform, zone, i, cluster->first[0] + 2 * i);
    limit_hosts(platform, zone);
}

static void take_tree_limiter(const struct platform_cluster *cluster, uint32_t level, uint32_t number,
                              struct platform_way *way)
{
    if (level)
        take_limiter(cluster->switch_limiter, cluster->switch_first[level - 1] + number, way);
    else
        take_limiter(cluster->limiter, number, way);
}

/* Whether the destination hangs below this switch. */
static bool is_above(const struct platform_cluster *cluster, uint32_t level, const uint32_t *digits,
                     const uint32_t *goal)
{
    bool is = level > 0;
    for (uint32_t i = level; is && i < cluster->levels; i++)
        is = digits[i] == goal[i];
    return is;
}

/* SimGrid's way down: at each switch the cable is the source's number modulo the cables. Below, the search
 * for it goes on from the next port on, as there. */
static void go_down(const struct platform_cluster *cluster, uint32_t level, uint32_t from, uint32_t *digits,
                    const uint32_t *goal, struct platform_way *way)
{
    while (level > 0) {
        uint32_t port = from % cluster->cables[level - 1] * cluster->sizes[level - 1];
        for (; level > 0 && port < cluster->sizes[level - 1] * cluster->cables[level - 1]; port++) {
            if (port % cluster->sizes[level - 1] != goal[level - 1])
                continue;
            uint32_t parent = digits[level - 1], cable = port / cluster->sizes[level - 1];
            take_tree_limiter(cluster, level, number_of(cluster, level, digits), way);
            level--;
            digits[level] = goal[level];
            uint32_t child = number_of(cluster, level, digits);
            uint32_t link = fat_tree_link(cluster, level, child, parent + cable * cluster->parents[level]);
            platform_take(way, link + (cluster->is_split ? 1 : 0));
        }
    }
}

void platform_cross_fat_tree(const struct platform_zone *zone, uint32_t from, uint32_t to,
                             struct platform_way *way)
{
    const struct platform_cluster *cluster = zone->cluster;
    uint32_t digits[PLATFORM_SIZES], goal[PLATFORM_SIZES], level = 0, divided = to;
    digits_of(cluster, 0, from, digits);
    digits_of(cluster, 0, to, goal);
    while (!is_above(cluster, level, digits, goal)) {
        uint32_t number = number_of(cluster, level, digits);
        uint32_t port = divided % (cluster->parents[level] * cluster->cables[level]);
        take_tree_limiter(cluster, level, number, way);
        platform_take(way, fat_tree_link(cluster, level, number, port));
        digits[level] = port % cluster->parents[level];
        divided /= cluster->parents[level];
        level++;
    }
    go_down(cluster, level, from, digits, goal, way);
    take_tree_limiter(cluster, 0, to, way);
}

/* --------------------------------------------------------------- dragonfly */

enum { GROUPS, CHASSIS, BLADES, NODES }; /* of cluster->sizes; the first three also of ->first */

static uint32_t routers_of(const struct platform_cluster *cluster)
{
    return cluster->sizes[GROUPS] * cluster->sizes[CHASSIS] * cluster->sizes[BLADES];
}

/* The number of the pair a < b of n. */
static uint32_t pair_number(uint32_t a, uint32_t b, uint32_t n)
{
    return a * n - a * (a + 1) / 2 + b - a - 1;
}

/* Links of all pairs of `count` routers, `step` apart from `router` on. */
static void wire_pairs(struct platform *platform, const struct platform_shape *shape, uint32_t cables,
                       uint32_t router, uint32_t count, uint32_t step)
{
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count && platform->link_count < PLATFORM_LINKS_AT_MOST; b++) {
            uint32_t link = platform_add_link(platform, shape->rate_bytes_per_s * cables, shape->latency_ps,
                                              shape->is_split);
            set_ends(platform, link, router + a * step, router + b * step);
        }
}

/* first[]: of BLADES the links of a chassis (green), of CHASSIS those of blades of a group (black), of GROUPS
 * those between groups (blue), of NODES those of hosts. */
void platform_wire_dragonfly(struct platform *platform, uint32_t zone, const struct platform_shape *shape)
{
    struct platform_cluster *cluster = platform->zones[zone].cluster;
    const char *name = platform->point_names.texts[platform->zones[zone].point];
    const uint32_t *sizes = cluster->sizes;
    uint32_t hosts = (uint32_t)platform->zones[zone].count, routers = routers_of(cluster);
    uint32_t host_place = shape->is_split ? 0 : add_own_places(platform, zone);
    uint32_t place = (uint32_t)platform->places.count;
    for (uint32_t i = 0; i < routers; i++) {
        char *text = mem_format("%s_r%" PRIu32, name, i);
        platform_add_place(platform, text);
        free(text);
    }
    cluster->is_split = shape->is_split;
    cluster->limiter = add_limiters(platform, shape, hosts);
    cluster->switch_limiter = add_limiters(platform, shape, routers);
    name_limiters(platform, cluster->switch_limiter, routers, place);
    cluster->first[NODES] = (uint32_t)platform->link_count;
    for (uint32_t i = 0; i < hosts; i++) {
        uint32_t link =
            platform_add_link(platform, shape->rate_bytes_per_s, shape->latency_ps, shape->is_split);
        set_ends(platform, link, host_place + i, place + i / sizes[NODES]);
        if (shape->is_split)
            hang_host(platform, zone, i, link);
    }
    limit_hosts(platform, zone);
    cluster->first[BLADES] = (uint32_t)platform->link_count;
    for (uint32_t i = 0; i < sizes[GROUPS] * sizes[CHASSIS]; i++)
        wire_pairs(platform, shape, cluster->cables[BLADES], place + i * sizes[BLADES], sizes[BLADES], 1);
    cluster->first[CHASSIS] = (uint32_t)platform->link_count;
    for (uint32_t group = 0; group < sizes[GROUPS]; group++)
        for (uint32_t blade = 0; blade < sizes[BLADES]; blade++)
            wire_pairs(platform, shape, cluster->cables[CHASSIS],
                       place + group * sizes[CHASSIS] * sizes[BLADES] + blade, sizes[CHASSIS], sizes[BLADES]);
    cluster->first[GROUPS] = (uint32_t)platform->link_count;
    uint32_t per_group = sizes[CHASSIS] * sizes[BLADES];
    for (uint32_t a = 0; a < sizes[GROUPS]; a++)
        for (uint32_t b = a + 1; b < sizes[GROUPS]; b++) {
            uint32_t link = platform_add_link(platform, shape->rate_bytes_per_s * cluster->cables[GROUPS],
                                              shape->latency_ps, shape->is_split);
            set_ends(platform, link, place + a * per_group + b, place + b * per_group + a);
        }
}

/* The link of pair `block` of its level that leads from a to b. */
static uint32_t pair_link(const struct platform_cluster *cluster, uint32_t level, uint32_t block, uint32_t a,
                          uint32_t b)
{
    uint32_t n = cluster->sizes[level], width = cluster->is_split ? 2 : 1;
    uint32_t number = block * (n * (n - 1) / 2) + (a < b ? pair_number(a, b, n) : pair_number(b, a, n));
    return cluster->first[level] + number * width + (a < b ? 0 : width - 1);
}

struct dragonfly_place {
    uint32_t group, chassis, blade, node;
};

static struct dragonfly_place place_of(const struct platform_cluster *cluster, uint32_t host)
{
    const uint32_t *sizes = cluster->sizes;
    uint32_t router = host / sizes[NODES], chassis = router / sizes[BLADES];
    return (struct dragonfly_place){chassis / sizes[CHASSIS], chassis % sizes[CHASSIS],
                                    router % sizes[BLADES], host % sizes[NODES]};
}

static void limit_router(const struct platform_cluster *cluster, struct dragonfly_place at,
                         struct platform_way *way)
{
    const uint32_t *sizes = cluster->sizes;
    take_limiter(cluster->switch_limiter, (at.group * sizes[CHASSIS] + at.chassis) * sizes[BLADES] + at.blade,
                 way);
}

static void go_to_blade(const struct platform_cluster *cluster, struct dragonfly_place *at, uint32_t blade,
                        struct platform_way *way)
{
    if (at->blade == blade)
        return;
    limit_router(cluster, *at, way);
    platform_take(
        way, pair_link(cluster, BLADES, at->group * cluster->sizes[CHASSIS] + at->chassis, at->blade, blade));
    at->blade = blade;
}

static void go_to_chassis(const struct platform_cluster *cluster, struct dragonfly_place *at,
                          uint32_t chassis, struct platform_way *way)
{
    if (at->chassis == chassis)
        return;
    limit_router(cluster, *at, way);
    platform_take(way, pair_link(cluster, CHASSIS, at->group * cluster->sizes[BLADES] + at->blade,
                                 at->chassis, chassis));
    at->chassis = chassis;
}

/* To the router of group a that has the link to group b: blade b of chassis 0. */
void platform_cross_dragonfly(const struct platform_zone *zone, uint32_t from, uint32_t to,
                              struct platform_way *way)
{
    const struct platform_cluster *cluster = zone->cluster;
    struct dragonfly_place at = place_of(cluster, from), goal = place_of(cluster, to);
    uint32_t width = cluster->is_split ? 2 : 1;
    take_limiter(cluster->limiter, from, way);
    platform_take(way, cluster->first[NODES] + from * width);
    if (at.group != goal.group) {
        uint32_t source = at.group;
        go_to_blade(cluster, &at, goal.group, way);
        go_to_chassis(cluster, &at, 0, way);
        platform_take(way, pair_link(cluster, GROUPS, 0, source, goal.group));
        limit_router(cluster, at, way);
        at = (struct dragonfly_place){.group = goal.group, .blade = source};
    }
    bool is_turned = at.blade != goal.blade;
    go_to_blade(cluster, &at, goal.blade, way);
    if (is_turned)
        at.chassis = 0; /* as SimGrid goes on, whichever chassis it came from */
    go_to_chassis(cluster, &at, goal.chassis, way);
    limit_router(cluster, goal, way);
    platform_take(way, cluster->first[NODES] + to * width + width - 1);
    take_limiter(cluster->limiter, to, way);
}
