#include "trace/otf2/definitions.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/image/format.h"
#include "trace/otf2/grids.h"

enum {
    RECORD_CLOCK = 5,
    RECORD_STRING = 10,
    RECORD_ATTRIBUTE = 11,
    RECORD_LOCATION = 14,
    RECORD_REGION = 15,
    RECORD_GROUP = 18,
    RECORD_COMM = 22,
    RECORD_DIMENSION = 30,
    RECORD_GRID = 31,
    RECORD_INTER_COMM = 43,
};
enum { PARADIGM_MPI = 4, GROUP_HAS_LOCATIONS = 1 /* a flag: members are locations */ };

/* A definition of something by the number of a name, until all names are known. */
struct named {
    uint32_t id, name;
};

struct location {
    uint64_t id, events;
};

/* Members as the file has them: locations, or numbers in the list of locations. */
struct raw_group {
    uint64_t *members;
    bool has_locations;
};

struct reader {
    struct otf2_definitions *definitions;
    const unsigned char *begin;
    const char *fault; /* NULL: none so far */
    struct named *regions, *attributes;
    size_t region_count, region_capacity, attribute_count, attribute_capacity;
    struct location *locations;
    size_t location_count, location_capacity;
    struct otf2_grids grids;
    struct raw_group *raw; /* of each group */
    size_t raw_capacity;
    uint32_t locations_group; /* index of the group with the locations of MPI's ranks; OTF2_NONE: none */
    uint32_t world_name;      /* of the communicator that is named so; OTF2_NONE: none */
};

/* Keeps a number; its value is `count`. A number defined twice is an error. */
static bool keep(struct reader *reader, struct hashmap *index, uint64_t id, size_t count, const char *fault)
{
    uint32_t *slot = hashmap_slot(index, id);
    if (*slot || count >= UINT32_MAX - 1) {
        reader->fault = fault;
        return false;
    }
    *slot = (uint32_t)count + 1;
    return true;
}

static void read_string(struct reader *reader, struct otf2_bytes *fields)
{
    struct otf2_definitions *definitions = reader->definitions;
    uint32_t id = otf2_number32(fields);
    const char *text = otf2_text(fields);
    if (fields->failed || !keep(reader, &definitions->string_index, id, definitions->string_count,
                                "this string has been defined before"))
        return;
    definitions->strings = mem_grow(definitions->strings, &definitions->string_capacity,
                                    definitions->string_count + 1, "the names of an archive");
    definitions->strings[definitions->string_count++] = arena_text(&definitions->memory, text, strlen(text));
    if (strcmp(text, "MPI_COMM_WORLD") == 0)
        reader->world_name = id;
}

static void read_location(struct reader *reader, struct otf2_bytes *fields)
{
    struct location location = {.id = otf2_number(fields)};
    otf2_number32(fields); /* its name */
    otf2_byte(fields);     /* thread, accelerator or metric */
    location.events = otf2_number(fields);
    reader->locations = mem_grow(reader->locations, &reader->location_capacity, reader->location_count + 1,
                                 "the locations of an archive");
    reader->locations[reader->location_count++] = location;
}

static void read_region(struct reader *reader, struct otf2_bytes *fields)
{
    struct named region = {.id = otf2_number32(fields)};
    region.name = otf2_number32(fields);
    if (fields->failed || !keep(reader, &reader->definitions->region_index, region.id, reader->region_count,
                                "this region has been defined before"))
        return;
    reader->regions = mem_grow(reader->regions, &reader->region_capacity, reader->region_count + 1,
                               "the regions of an archive");
    reader->regions[reader->region_count++] = region;
}

static void read_attribute(struct reader *reader, struct otf2_bytes *fields)
{
    struct named attribute = {.id = otf2_number32(fields)};
    attribute.name = otf2_number32(fields);
    reader->attributes = mem_grow(reader->attributes, &reader->attribute_capacity,
                                  reader->attribute_count + 1, "the attributes of an archive");
    reader->attributes[reader->attribute_count++] = attribute;
}

static void read_group(struct reader *reader, struct otf2_bytes *fields)
{
    struct otf2_definitions *definitions = reader->definitions;
    struct otf2_group group = {.id = otf2_number32(fields)};
    otf2_number32(fields); /* its name */
    otf2_byte(fields);     /* the type before OTF2 1.2 */
    uint32_t size = otf2_number32(fields);
    if (fields->failed || size > otf2_left(fields)) { /* each member has a byte at least */
        fields->failed = true;
        return;
    }
    uint64_t *members = arena_alloc(&definitions->memory, (size + 1) * sizeof *members);
    for (uint32_t i = 0; i < size; i++)
        members[i] = otf2_number(fields);
    group.size = size;
    group.type = otf2_byte(fields);
    uint8_t paradigm = otf2_byte(fields);
    uint32_t flags = otf2_number32(fields);
    if (fields->failed || !keep(reader, &definitions->group_index, group.id, definitions->group_count,
                                "this group has been defined before"))
        return;
    if (paradigm != PARADIGM_MPI)
        group.type = 0;
    if (group.type == OTF2_GROUP_LOCATIONS)
        reader->locations_group = (uint32_t)definitions->group_count;
    reader->raw = mem_grow(reader->raw, &reader->raw_capacity, definitions->group_count + 1,
                           "the groups of an archive");
    reader->raw[definitions->group_count] = (struct raw_group){
        .members = members,
        .has_locations = group.type == OTF2_GROUP_LOCATIONS || flags & GROUP_HAS_LOCATIONS};
    definitions->groups = mem_grow(definitions->groups, &definitions->group_capacity,
                                   definitions->group_count + 1, "the groups of an archive");
    definitions->groups[definitions->group_count++] = group;
}

static void read_comm(struct reader *reader, struct otf2_bytes *fields, bool is_inter)
{
    struct otf2_definitions *definitions = reader->definitions;
    struct otf2_comm comm = {.id = otf2_number32(fields), .remote = OTF2_NONE};
    uint32_t name = otf2_number32(fields);
    comm.group = otf2_number32(fields);
    if (is_inter)
        comm.remote = otf2_number32(fields);
    if (fields->failed || !keep(reader, &definitions->comm_index, comm.id, definitions->comm_count,
                                "this communicator has been defined before"))
        return;
    comm.is_world = name != OTF2_NONE && name == reader->world_name;
    definitions->comms = mem_grow(definitions->comms, &definitions->comm_capacity,
                                  definitions->comm_count + 1, "the communicators of an archive");
    definitions->comms[definitions->comm_count++] = comm;
}

static void read_record(struct reader *reader, uint8_t kind, struct otf2_bytes *fields)
{
    switch (kind) {
    case RECORD_CLOCK:
        reader->definitions->resolution = otf2_number(fields);
        break;
    case RECORD_STRING:
        read_string(reader, fields);
        break;
    case RECORD_ATTRIBUTE:
        read_attribute(reader, fields);
        break;
    case RECORD_LOCATION:
        read_location(reader, fields);
        break;
    case RECORD_REGION:
        read_region(reader, fields);
        break;
    case RECORD_GROUP:
        read_group(reader, fields);
        break;
    case RECORD_COMM:
    case RECORD_INTER_COMM:
        read_comm(reader, fields, kind == RECORD_INTER_COMM);
        break;
    case RECORD_DIMENSION:
        if (!otf2_grids_dimension(&reader->grids, fields))
            reader->fault = "this dimension of a grid has been defined before";
        break;
    case RECORD_GRID:
        otf2_grids_grid(&reader->grids, fields);
        break;
    default: /* of no use here, or of a newer version: skipped by its length */
        break;
    }
    if (fields->failed && !reader->fault)
        reader->fault = "this definition is damaged";
}

static enum status read_all(struct reader *reader, struct otf2_bytes *bytes)
{
    const char *path = reader->definitions->path;
    if (!otf2_chunk(bytes))
        return otf2_refuse(path, 0, "it does not begin as a file of OTF2 does");
    for (;;) {
        uint64_t at = (uint64_t)(bytes->at - reader->begin);
        uint8_t kind = otf2_byte(bytes);
        if (bytes->failed)
            return otf2_refuse(path, at, "the definitions are cut short");
        if (kind == OTF2_END_OF_FILE)
            return STATUS_OK;
        struct otf2_bytes fields = otf2_record(bytes);
        if (bytes->failed)
            return otf2_refuse(path, at, "the definitions are cut short, or damaged here");
        read_record(reader, kind, &fields);
        if (reader->fault)
            return otf2_refuse(path, at, reader->fault);
    }
}

/* ------------------------------------------------------ what refers to what */

static enum status refuse(const struct reader *reader, const char *what)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = reader->definitions->path}, "%s", what);
    return STATUS_BAD_INPUT;
}

static enum status name_regions(struct reader *reader)
{
    struct otf2_definitions *definitions = reader->definitions;
    definitions->regions = mem_grow(definitions->regions, &definitions->region_capacity,
                                    reader->region_count + 1, "the regions of an archive");
    for (size_t i = 0; i < reader->region_count; i++) {
        const char *name = otf2_string_at(definitions, reader->regions[i].name);
        definitions->regions[definitions->region_count++] = otf2_region_of(name ? name : "");
    }
    return STATUS_OK;
}

static void name_attributes(struct reader *reader)
{
    struct otf2_definitions *definitions = reader->definitions;
    for (int what = 0; what < RECORDED_KINDS; what++)
        definitions->attributes[what] = OTF2_NONE;
    for (size_t i = 0; i < reader->attribute_count; i++) {
        const char *name = otf2_string_at(definitions, reader->attributes[i].name);
        for (int what = 0; name && what < RECORDED_KINDS; what++) {
            if (strcmp(name, recorded_name((enum recorded)what)) != 0)
                continue;
            definitions->attributes[what] = reader->attributes[i].id;
            definitions->has_attributes = true;
        }
    }
}

/* The k-th member of the group of MPI's locations is rank k of the world. */
static enum status number_ranks(struct reader *reader)
{
    struct otf2_definitions *definitions = reader->definitions;
    if (reader->locations_group == OTF2_NONE || !definitions->groups[reader->locations_group].size)
        return refuse(reader, "no location of this archive is a rank of MPI: it has no group of MPI's "
                              "locations, as the archives of MPI programs do");
    uint32_t size = definitions->groups[reader->locations_group].size;
    if (size > TRACE_MOST_RANKS)
        return refuse(reader, "it has more than 16777216 ranks");
    definitions->ranks = size;
    definitions->locations = reader->raw[reader->locations_group].members;
    for (uint32_t rank = 0; rank < size; rank++)
        if (!keep(reader, &definitions->rank_index, definitions->locations[rank], rank, ""))
            return refuse(reader, "two ranks of MPI have the same location");
    return STATUS_OK;
}

/* The ranks of a group's members; each is there once. */
static const char *resolve_group(struct reader *reader, size_t index, uint32_t *seen)
{
    struct otf2_definitions *definitions = reader->definitions;
    struct otf2_group *group = &definitions->groups[index];
    const struct raw_group *raw = &reader->raw[index];
    group->ranks = arena_alloc(&definitions->memory, (group->size + 1) * sizeof *group->ranks);
    for (uint32_t i = 0; i < group->size; i++) {
        uint64_t member = raw->members[i];
        if (raw->has_locations)
            member = (uint64_t)hashmap_get(&definitions->rank_index, member) - 1;
        if (member >= definitions->ranks)
            return "a group of ranks has a member that is no rank";
        if (seen[member] == index + 1)
            return "a group of ranks has a rank twice";
        seen[member] = (uint32_t)index + 1;
        group->ranks[i] = (uint32_t)member;
    }
    return NULL;
}

static enum status resolve_groups(struct reader *reader)
{
    struct otf2_definitions *definitions = reader->definitions;
    uint32_t *seen = mem_alloc(definitions->ranks, sizeof *seen, "the ranks of an archive");
    const char *fault = NULL;
    for (size_t i = 0; !fault && i < definitions->group_count; i++)
        if (definitions->groups[i].type)
            fault = resolve_group(reader, i, seen);
    free(seen);
    return fault ? refuse(reader, fault) : STATUS_OK;
}

static bool is_all_ranks(const struct otf2_definitions *definitions, const struct otf2_group *group)
{
    bool all = group->type != OTF2_GROUP_SELF && group->size == definitions->ranks;
    for (uint32_t i = 0; all && i < group->size; i++)
        all = group->ranks[i] == i;
    return all;
}

static bool find_group(const struct otf2_definitions *definitions, uint32_t *group)
{
    uint32_t found = hashmap_get(&definitions->group_index, *group);
    *group = found - 1;
    return found && definitions->groups[found - 1].type;
}

/* MPI_COMM_WORLD is the communicator of that name with all ranks in their order; without one, the first with
 * them. A communicator of something other than MPI has no group. */
static enum status resolve_comms(struct reader *reader)
{
    struct otf2_definitions *definitions = reader->definitions;
    struct otf2_comm *world = NULL;
    for (size_t i = 0; i < definitions->comm_count; i++) {
        struct otf2_comm *comm = &definitions->comms[i];
        bool is_inter = comm->remote != OTF2_NONE, named = comm->is_world;
        comm->is_world = false;
        if (!find_group(definitions, &comm->group))
            comm->group = OTF2_NONE;
        if (is_inter && !find_group(definitions, &comm->remote))
            comm->group = comm->remote = OTF2_NONE;
        if (is_inter || comm->group == OTF2_NONE ||
            !is_all_ranks(definitions, &definitions->groups[comm->group]))
            continue;
        if (!world || (named && !world->is_world))
            world = comm;
        world->is_world |= named && world == comm;
    }
    for (size_t i = 0; i < definitions->comm_count; i++)
        definitions->comms[i].is_world = &definitions->comms[i] == world;
    const char *fault = otf2_grids_resolve(&reader->grids);
    return fault ? refuse(reader, fault) : STATUS_OK;
}

static void count_others(struct reader *reader)
{
    struct otf2_definitions *definitions = reader->definitions;
    for (size_t i = 0; i < reader->location_count; i++)
        if (!hashmap_get(&definitions->rank_index, reader->locations[i].id) && reader->locations[i].events) {
            definitions->other_locations++;
            definitions->other_events += reader->locations[i].events;
        }
}

enum status otf2_definitions_read(struct otf2_definitions *definitions, const char *path,
                                  struct otf2_bytes bytes)
{
    *definitions = (struct otf2_definitions){.path = path};
    struct reader reader = {.definitions = definitions,
                            .begin = bytes.at,
                            .locations_group = OTF2_NONE,
                            .world_name = OTF2_NONE,
                            .grids = {.definitions = definitions}};
    enum status status = read_all(&reader, &bytes);
    if (status == STATUS_OK && !definitions->resolution)
        status = refuse(&reader, "it does not say how many ticks of its clock a second has");
    if (status == STATUS_OK)
        status = name_regions(&reader);
    name_attributes(&reader);
    if (status == STATUS_OK)
        status = number_ranks(&reader);
    if (status == STATUS_OK)
        status = resolve_groups(&reader);
    if (status == STATUS_OK)
        status = resolve_comms(&reader);
    if (status == STATUS_OK)
        count_others(&reader);
    free(reader.regions);
    free(reader.attributes);
    free(reader.locations);
    free(reader.raw);
    otf2_grids_free(&reader.grids);
    return status;
}

void otf2_definitions_free(struct otf2_definitions *definitions)
{
    hashmap_free(&definitions->string_index);
    hashmap_free(&definitions->region_index);
    hashmap_free(&definitions->group_index);
    hashmap_free(&definitions->comm_index);
    hashmap_free(&definitions->rank_index);
    free(definitions->strings);
    free(definitions->regions);
    free(definitions->groups);
    free(definitions->comms);
    free(definitions->grid_of);
    arena_free(&definitions->memory);
    *definitions = (struct otf2_definitions){0};
}

const struct otf2_region *otf2_region_at(const struct otf2_definitions *definitions, uint64_t id)
{
    uint32_t found = hashmap_get(&definitions->region_index, id);
    return found ? &definitions->regions[found - 1] : NULL;
}

struct otf2_comm *otf2_comm_at(const struct otf2_definitions *definitions, uint64_t id)
{
    uint32_t found = hashmap_get(&definitions->comm_index, id);
    return found ? &definitions->comms[found - 1] : NULL;
}

const char *otf2_string_at(const struct otf2_definitions *definitions, uint64_t id)
{
    uint32_t found = hashmap_get(&definitions->string_index, id);
    return found ? definitions->strings[found - 1] : NULL;
}

uint32_t otf2_group_rank(const struct otf2_group *group, uint32_t world)
{
    uint32_t rank = 0;
    if (world < group->size && group->ranks[world] == world) /* as in the world */
        return world;
    while (rank < group->size && group->ranks[rank] != world)
        rank++;
    return rank;
}
