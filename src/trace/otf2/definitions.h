#ifndef HELIO_TRACE_OTF2_DEFINITIONS_H
#define HELIO_TRACE_OTF2_DEFINITIONS_H

#include <stdbool.h>

#include "base/hashmap.h"
#include "base/mem.h"
#include "call/recorded.h"
#include "trace/otf2/anchor.h"
#include "trace/otf2/regions.h"

/* The global definitions of an archive, as far as calls need them. */

enum { OTF2_GROUP_LOCATIONS = 4, OTF2_GROUP_RANKS = 5, OTF2_GROUP_SELF = 6 }; /* of struct otf2_group, type */

struct otf2_group {
    uint32_t id;
    uint8_t type;    /* of communicators; 0: another one */
    uint32_t *ranks; /* members, by rank in the group; of all groups together in `members` */
    uint32_t size;
};

/* A communicator. Of an inter-communicator `remote` is the second group. */
struct otf2_comm {
    uint32_t id;
    uint32_t group, remote; /* indices of groups; OTF2_NONE: there is none */
    bool is_world;
    const struct otf2_grid *grid; /* that its ranks form (grids.h); NULL: none */
};

struct otf2_definitions {
    const char *path;    /* of the file, for messages */
    struct arena memory; /* of names and members */
    uint64_t resolution; /* ticks per second */
    struct hashmap string_index, region_index, group_index, comm_index, rank_index;
    const char **strings;
    size_t string_count, string_capacity;
    struct otf2_region *regions;
    size_t region_count, region_capacity;
    struct otf2_group *groups;
    size_t group_count, group_capacity;
    struct otf2_comm *comms;
    size_t comm_count, comm_capacity;
    uint32_t attributes[RECORDED_KINDS]; /* the numbers of those that timelines of helio have */
    bool has_attributes;
    const struct otf2_comm **grid_of; /* of each rank: the one grid that it is in; NULL: none, or several */
    uint64_t *locations;              /* of ranks */
    uint32_t ranks;
    uint64_t other_locations, other_events; /* of threads, accelerators and metrics, which are left out */
};

/* Reads the file of global definitions. STATUS_BAD_INPUT, reported: it is damaged, or has no ranks. Free it
 * in any case. */
enum status otf2_definitions_read(struct otf2_definitions *definitions, const char *path,
                                  struct otf2_bytes bytes);
void otf2_definitions_free(struct otf2_definitions *definitions);

/* The number of rank `world` in a group; its size: it is no member. */
uint32_t otf2_group_rank(const struct otf2_group *group, uint32_t world);

/* By global number; NULL: there is none. */
const struct otf2_region *otf2_region_at(const struct otf2_definitions *definitions, uint64_t id);
struct otf2_comm *otf2_comm_at(const struct otf2_definitions *definitions, uint64_t id);
const char *otf2_string_at(const struct otf2_definitions *definitions, uint64_t id);

#endif
