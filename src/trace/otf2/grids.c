#include "trace/otf2/grids.h"

#include <stdlib.h>

struct otf2_dimension {
    uint32_t size;
    bool wraps;
};

struct otf2_raw_grid {
    uint32_t comm, dimensions;
    const uint32_t *ids; /* of its dimensions */
};

bool otf2_grids_dimension(struct otf2_grids *grids, struct otf2_bytes *fields)
{
    uint32_t id = otf2_number32(fields);
    otf2_number32(fields); /* its name */
    struct otf2_dimension dimension = {.size = otf2_number32(fields)};
    dimension.wraps = otf2_byte(fields);
    if (fields->failed)
        return true;
    uint32_t *slot = hashmap_slot(&grids->index, id);
    if (*slot)
        return false;
    grids->known =
        mem_grow(grids->known, &grids->known_capacity, grids->known_count + 1, "the grids of an archive");
    grids->known[grids->known_count++] = dimension;
    *slot = (uint32_t)grids->known_count;
    return true;
}

void otf2_grids_grid(struct otf2_grids *grids, struct otf2_bytes *fields)
{
    otf2_number32(fields); /* its own number */
    otf2_number32(fields); /* its name */
    struct otf2_raw_grid grid = {.comm = otf2_number32(fields)};
    grid.dimensions = otf2_byte(fields);
    uint32_t *ids = arena_alloc(&grids->definitions->memory, (grid.dimensions + 1) * sizeof *ids);
    for (uint32_t i = 0; i < grid.dimensions; i++)
        ids[i] = otf2_number32(fields);
    grid.ids = ids;
    if (fields->failed)
        return;
    grids->list = mem_grow(grids->list, &grids->capacity, grids->count + 1, "the grids of an archive");
    grids->list[grids->count++] = grid;
}

/* NULL: it is no grid of MPI. MPI_Cart_create makes a communicator of its own, with a rank at each place.
 * Score-P also defines grids of processes and threads, on other communicators. */
static struct otf2_comm *comm_of(const struct otf2_grids *grids, const struct otf2_raw_grid *raw,
                                 uint64_t places)
{
    struct otf2_comm *comm = otf2_comm_at(grids->definitions, raw->comm);
    if (!comm || comm->group == OTF2_NONE || comm->remote != OTF2_NONE || comm->is_world || comm->grid)
        return NULL;
    const struct otf2_group *group = &grids->definitions->groups[comm->group];
    return raw->dimensions && group->type != OTF2_GROUP_SELF && group->size == places ? comm : NULL;
}

static const char *resolve(struct otf2_grids *grids, const struct otf2_raw_grid *raw)
{
    struct arena *memory = &grids->definitions->memory;
    struct otf2_grid *grid = arena_alloc(memory, sizeof *grid);
    uint32_t *sizes = arena_alloc(memory, (raw->dimensions + 1) * sizeof *sizes);
    bool *wraps = arena_alloc(memory, (raw->dimensions + 1) * sizeof *wraps);
    uint64_t places = 1;
    for (uint32_t i = 0; i < raw->dimensions; i++) {
        uint32_t found = hashmap_get(&grids->index, raw->ids[i]);
        if (!found)
            return "a grid of ranks has a dimension that is not defined";
        sizes[i] = grids->known[found - 1].size;
        wraps[i] = grids->known[found - 1].wraps;
        places = places <= UINT32_MAX ? places * sizes[i] : places;
    }
    struct otf2_comm *comm = comm_of(grids, raw, places);
    *grid = (struct otf2_grid){raw->dimensions, sizes, wraps};
    if (comm)
        comm->grid = grid;
    return NULL;
}

/* A grid counts if none of its ranks is in another one: all its ranks then take it for the same. */
static void choose(struct otf2_definitions *definitions)
{
    uint32_t *counts = mem_alloc(definitions->ranks, sizeof *counts, "the ranks of an archive");
    definitions->grid_of =
        mem_alloc(definitions->ranks, sizeof *definitions->grid_of, "the ranks of an archive");
    for (size_t i = 0; i < definitions->comm_count; i++) {
        const struct otf2_group *group = &definitions->groups[definitions->comms[i].group];
        for (uint32_t k = 0; definitions->comms[i].grid && k < group->size; k++)
            counts[group->ranks[k]]++;
    }
    for (size_t i = 0; i < definitions->comm_count; i++) {
        const struct otf2_comm *comm = &definitions->comms[i];
        if (!comm->grid)
            continue;
        const struct otf2_group *group = &definitions->groups[comm->group];
        bool is_only = true;
        for (uint32_t k = 0; k < group->size; k++)
            is_only &= counts[group->ranks[k]] == 1;
        for (uint32_t k = 0; is_only && k < group->size; k++)
            definitions->grid_of[group->ranks[k]] = comm;
    }
    free(counts);
}

const char *otf2_grids_resolve(struct otf2_grids *grids)
{
    const char *fault = NULL;
    for (size_t i = 0; !fault && i < grids->count; i++)
        fault = resolve(grids, &grids->list[i]);
    if (!fault)
        choose(grids->definitions);
    return fault;
}

void otf2_grids_free(struct otf2_grids *grids)
{
    hashmap_free(&grids->index);
    free(grids->known);
    free(grids->list);
}

/* Ranks of a grid are in row-major order (MPI 3.1, section 7.5): the last dimension counts fastest. */
void otf2_grid_neighbours(const struct otf2_grid *grid, uint32_t rank, uint32_t *neighbours)
{
    uint32_t stride = 1;
    for (uint32_t i = grid->dimensions; i-- > 0;) {
        uint32_t size = grid->sizes[i], at = rank / stride % size, base = rank - at * stride;
        uint32_t below = at ? at - 1 : size - 1, above = at + 1 < size ? at + 1 : 0;
        neighbours[2 * i] = at || grid->wraps[i] ? base + below * stride : OTF2_NONE;
        neighbours[2 * i + 1] = at + 1 < size || grid->wraps[i] ? base + above * stride : OTF2_NONE;
        stride *= size;
    }
}
