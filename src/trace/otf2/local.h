#ifndef HELIO_TRACE_OTF2_LOCAL_H
#define HELIO_TRACE_OTF2_LOCAL_H

#include "base/hashmap.h"
#include "trace/otf2/source.h"

/* The definitions of one location: its own numbers of regions, communicators and strings, and what its clock
 * shows beside that of the archive. */

/* A number of the location as a global one. A number without an entry is global already. */
struct otf2_map {
    uint32_t *to; /* of the numbers below `count` */
    size_t count, capacity;
    struct hashmap others;
};

/* From `time` on, until the next one, the clock of the archive shows `offset` ticks more, and `slope` ticks
 * more with each tick. */
struct otf2_clock {
    uint64_t time;
    int64_t offset;
    double slope;
};

enum otf2_mapped { OTF2_MAP_STRINGS, OTF2_MAP_ATTRIBUTES, OTF2_MAP_REGIONS, OTF2_MAP_COMMS, OTF2_MAPS };

struct otf2_local {
    struct otf2_map maps[OTF2_MAPS];
    struct otf2_clock *clocks;
    size_t clock_count, clock_capacity;
    size_t clock; /* the one in which the last time was */
};

/* Reads the file of a location. Memory of an earlier location is used again. STATUS_BAD_INPUT, reported. */
enum status otf2_local_read(struct otf2_local *local, const char *path, struct otf2_bytes bytes);
void otf2_local_free(struct otf2_local *local);

static inline uint32_t otf2_map(const struct otf2_map *map, uint32_t id)
{
    if (id < map->count)
        return map->to[id];
    uint32_t other = map->others.count ? hashmap_get(&map->others, id) : 0;
    return other ? other - 1 : id;
}

/* The archive's time of a time of the location. Times come in their order. */
uint64_t otf2_local_time(struct otf2_local *local, uint64_t time);

#endif
