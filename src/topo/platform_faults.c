#include <string.h>

#include "base/mem.h"
#include "topo/faults.h"
#include "topo/platform.h"

/* The ways that are left on a platform with failed links. A route stays as the file gives it if its links are
 * intact. Where a zone has shortest ways (Floyd, Dijkstra), a part of a route with a failed link takes the
 * shortest one over the zone's routes whose links are intact. All other routes are fixed: the pair is cut. */

bool platform_is_intact(const struct platform *platform, const struct platform_detours *detours,
                        const struct platform_way *way, uint32_t begin)
{
    for (uint32_t i = begin; i < way->count; i++)
        if (detours->links[platform->links[way->links[i]].number] & FAULT_FAILED)
            return false;
    return true;
}

static bool has_twice(const struct platform_way *way)
{
    for (uint32_t i = 0; i < way->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (way->links[i] == way->links[j])
                return true;
    return false;
}

void platform_find_around(const struct platform *platform, const struct platform_detours *detours,
                          uint32_t from, uint32_t to, struct platform_way *way)
{
    *way = (struct platform_way){.detours = detours};
    bool is_there = platform_find_way(platform, from, to, way);
    if (is_there && !way->is_too_long && !(way->has_detour && has_twice(way)))
        return;
    /* no fabric has what the detours make: the pair is cut */
    *way = (struct platform_way){.count = 0};
    platform_find_way(platform, from, to, way);
}

/* ---------------------------------------------------------------- distances */

static uint32_t hops_of(const struct platform *platform, const struct platform_way *way, uint32_t source,
                        uint32_t destination)
{
    uint32_t hops = 0, nodes = (uint32_t)platform->host_count;
    for (uint32_t i = 0; i < way->count; i++) {
        uint32_t number = platform->links[way->links[i]].number;
        hops += number != source && number != nodes + destination;
    }
    return hops;
}

static bool are_ends_intact(const struct platform *platform, const struct platform_detours *detours,
                            uint32_t source, uint32_t destination)
{
    size_t nodes = platform->host_count;
    return !((detours->links[source] | detours->links[nodes + destination]) & FAULT_FAILED);
}

/* Whether routes can change. */
static bool has_tables(const struct platform *platform)
{
    for (size_t i = 0; i < platform->zone_count; i++)
        if (platform->zones[i].before)
            return true;
    return false;
}

/* Of very many hosts some, evenly spread, as platform_check() does. */
static void measure(const struct platform *platform, struct platform_detours *detours)
{
    uint32_t nodes = (uint32_t)platform->host_count, step = 1 + nodes / PLATFORM_SAMPLE;
    for (uint32_t source = 0; source < nodes; source += step)
        for (uint32_t destination = 0; destination < nodes; destination += step) {
            struct platform_way way;
            if (source == destination)
                continue;
            platform_find_around(platform, detours, platform->hosts[source], platform->hosts[destination],
                                 &way);
            detours->looked_at++;
            if (!platform_is_intact(platform, detours, &way, 0) ||
                !are_ends_intact(platform, detours, source, destination))
                continue;
            uint32_t hops = hops_of(platform, &way, source, destination);
            detours->pairs++;
            detours->distances.sum += hops;
            if (hops > detours->distances.most)
                detours->distances.most = hops;
        }
    if (step > 1)
        detours->distances.most =
            has_tables(platform) ? PLATFORM_ROUTE_AT_MOST : platform->distances.most; /* routes stay */
}

/* ------------------------------------------------------------------ tables */

struct platform_detours *platform_detours_make(const struct platform *platform, const uint8_t *links)
{
    struct platform_detours *detours = mem_alloc(1, sizeof *detours, "routes");
    detours->links = links;
    detours->zones = platform->zone_count;
    detours->before = mem_alloc(platform->zone_count, sizeof *detours->before, "routes");
    for (size_t i = 0; i < platform->zone_count; i++)
        if (platform->zones[i].before)
            detours->before[i] = platform_shortest(platform, &platform->zones[i], detours);
    measure(platform, detours);
    return detours;
}

void platform_detours_free(struct platform_detours *detours)
{
    if (!detours)
        return;
    for (size_t i = 0; i < detours->zones; i++)
        free(detours->before[i]);
    free(detours->before);
    free(detours);
}
