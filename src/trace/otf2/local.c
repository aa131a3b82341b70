#include "trace/otf2/local.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { RECORD_MAP = 5, RECORD_CLOCK_OFFSET = 6 };
enum { MAP_DENSE = 0, MAP_SPARSE = 1 };
enum { KIND_STRING = 0, KIND_ATTRIBUTE = 1, KIND_REGION = 3, KIND_COMM = 6 };

static struct otf2_map *map_of(struct otf2_local *local, uint8_t kind)
{
    switch (kind) {
    case KIND_STRING:
        return &local->maps[OTF2_MAP_STRINGS];
    case KIND_ATTRIBUTE:
        return &local->maps[OTF2_MAP_ATTRIBUTES];
    case KIND_REGION:
        return &local->maps[OTF2_MAP_REGIONS];
    case KIND_COMM:
        return &local->maps[OTF2_MAP_COMMS];
    default:
        return NULL;
    }
}

static void read_map(struct otf2_local *local, struct otf2_bytes *fields)
{
    struct otf2_map *map = map_of(local, otf2_byte(fields));
    uint64_t size = otf2_number(fields);
    uint8_t mode = otf2_byte(fields);
    if (!map)
        return;
    if (size > otf2_left(fields) || mode > MAP_SPARSE) { /* each entry has a byte at least */
        fields->failed = true;
        return;
    }
    for (uint64_t i = 0; i < size && !fields->failed; i++) {
        uint64_t own = mode == MAP_DENSE ? i : otf2_number(fields);
        uint32_t global = otf2_number32(fields);
        if (own == map->count && own < UINT32_MAX) {
            map->to = mem_grow(map->to, &map->capacity, map->count + 1, "the numbers of a location");
            map->to[map->count++] = global;
        } else if (own > map->count && global != OTF2_NONE) {
            *hashmap_slot(&map->others, own) = global + 1;
        }
    }
}

static void read_clock(struct otf2_local *local, struct otf2_bytes *fields)
{
    struct otf2_clock clock = {.time = otf2_time(fields)};
    clock.offset = (int64_t)otf2_number(fields);
    size_t count = local->clock_count;
    if (count && clock.time <= local->clocks[count - 1].time) {
        if (clock.time < local->clocks[count - 1].time)
            fields->failed = true; /* they come in the order of time */
        return;
    }
    local->clocks = mem_grow(local->clocks, &local->clock_capacity, count + 1, "the offsets of a clock");
    local->clocks[local->clock_count++] = clock;
}

/* Between two offsets the clock drifts evenly. Behind the last one it goes on as before. */
static void draw_slopes(struct otf2_local *local)
{
    for (size_t i = 0; i + 1 < local->clock_count; i++) {
        struct otf2_clock *clock = &local->clocks[i];
        clock->slope =
            ((double)clock[1].offset - (double)clock->offset) / (double)(clock[1].time - clock->time);
    }
    if (local->clock_count > 1)
        local->clock_count--;
}

static enum status read_all(struct otf2_local *local, const char *path, struct otf2_bytes *bytes)
{
    const unsigned char *begin = bytes->at;
    if (!otf2_chunk(bytes))
        return otf2_refuse(path, 0, "it does not begin as a file of OTF2 does");
    for (;;) {
        uint64_t at = (uint64_t)(bytes->at - begin);
        uint8_t kind = otf2_byte(bytes);
        if (bytes->failed)
            return otf2_refuse(path, at, "the definitions are cut short");
        if (kind == OTF2_END_OF_FILE)
            return STATUS_OK;
        struct otf2_bytes fields = otf2_record(bytes);
        if (!bytes->failed && kind == RECORD_MAP)
            read_map(local, &fields);
        else if (!bytes->failed && kind == RECORD_CLOCK_OFFSET)
            read_clock(local, &fields);
        if (bytes->failed || fields.failed)
            return otf2_refuse(path, at, "the definitions are cut short, or damaged here");
    }
}

enum status otf2_local_read(struct otf2_local *local, const char *path, struct otf2_bytes bytes)
{
    for (int i = 0; i < OTF2_MAPS; i++) {
        local->maps[i].count = 0;
        hashmap_clear(&local->maps[i].others);
    }
    local->clock_count = local->clock = 0;
    enum status status = read_all(local, path, &bytes);
    draw_slopes(local);
    return status;
}

void otf2_local_free(struct otf2_local *local)
{
    for (int i = 0; i < OTF2_MAPS; i++) {
        free(local->maps[i].to);
        hashmap_free(&local->maps[i].others);
    }
    free(local->clocks);
    *local = (struct otf2_local){0};
}

uint64_t otf2_local_time(struct otf2_local *local, uint64_t time)
{
    if (!local->clock_count)
        return time;
    while (local->clock + 1 < local->clock_count && time > local->clocks[local->clock + 1].time)
        local->clock++;
    const struct otf2_clock *clock = &local->clocks[local->clock];
    double since = time >= clock->time ? (double)(time - clock->time) : -(double)(clock->time - time);
    double drift = clock->slope * since;
    if (!(fabs(drift) < 0x1p62))
        return time;
    return time + (uint64_t)clock->offset + (uint64_t)(int64_t)rint(drift);
}
