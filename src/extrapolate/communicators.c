#include "extrapolate/communicators.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/mem.h"

uint32_t comm_size(uint32_t code, const struct grid *grid)
{
    uint32_t size = 1;
    if (code == COMM_WORLD_CODE)
        return grid->ranks;
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        size *= comm_dimensions(code) >> d & 1 ? grid->size[d] : 1;
    return size;
}

uint32_t comm_count(uint32_t code, const struct grid *grid)
{
    return code & COMM_FIRST ? 1 : grid->ranks / comm_size(code, grid);
}

/* The number of the rank among those with the same coordinates in `others`: bit d. */
static uint32_t place_along(const struct grid *grid, unsigned others, uint32_t rank)
{
    int64_t at[GRID_DIMENSIONS];
    uint32_t place = 0;
    grid_coordinates(grid, rank, at);
    for (int d = GRID_DIMENSIONS; d-- > 0;)
        if (!(others >> d & 1))
            place = place * grid->size[d] + (uint32_t)at[d];
    return place;
}

uint32_t comm_index(uint32_t code, const struct grid *grid, uint32_t rank)
{
    return place_along(grid, comm_dimensions(code), rank);
}

bool comm_has(uint32_t code, const struct grid *grid, uint32_t rank)
{
    return !(code & COMM_FIRST) || comm_index(code, grid, rank) == 0;
}

uint32_t comm_place(uint32_t code, const struct grid *grid, uint32_t rank)
{
    return code ? place_along(grid, COMM_ALL & ~comm_dimensions(code), rank) : rank;
}

/* The rank that is member `index` of the communicator of `rank`. */
static uint32_t member(uint32_t code, const struct grid *grid, uint32_t rank, uint32_t index)
{
    int64_t at[GRID_DIMENSIONS];
    grid_coordinates(grid, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        if (comm_dimensions(code) >> d & 1) {
            at[d] = index % grid->size[d];
            index /= grid->size[d];
        }
    return (uint32_t)grid_rank(grid, at);
}

uint64_t comm_hash(uint32_t code, const struct grid *grid, uint32_t rank)
{
    uint32_t size = comm_size(code, grid);
    if (code == COMM_WORLD_CODE)
        return 0;
    uint64_t hash = hash_add(size, ((code & ~COMM_FIRST) - 1) / (COMM_ALL + 1));
    hash = hash_add(hash, member(code, grid, rank, 0));
    for (uint32_t index = 1; index < size; index *= 2)
        hash =
            hash_add(hash_add(hash, member(code, grid, rank, index)), member(code, grid, rank, size - index));
    return hash;
}

/* The dimensions along which the members differ. All of the grid: COMM_ALL. */
static unsigned dimensions_of(const struct group *group, const struct grid *grid)
{
    unsigned along = 0, all = 0;
    int64_t first[GRID_DIMENSIONS], at[GRID_DIMENSIONS];
    grid_coordinates(grid, group_world(group, 0), first);
    for (int d = 0; d < GRID_DIMENSIONS; d++)
        all |= (unsigned)(grid->size[d] > 1) << d;
    for (uint32_t i = 1; i < group->size; i++) {
        grid_coordinates(grid, group_world(group, i), at);
        for (int d = 0; d < GRID_DIMENSIONS; d++)
            along |= (unsigned)(at[d] != first[d]) << d;
    }
    return along == all ? COMM_ALL : along;
}

static uint32_t code_of(const struct group *group, const struct grid *grid)
{
    uint32_t code = 1 + dimensions_of(group, grid);
    if (!group->size || comm_size(code, grid) != group->size)
        return COMM_UNKNOWN;
    for (uint32_t i = 0; i < group->size; i++)
        if (place_along(grid, COMM_ALL & ~comm_dimensions(code), group_world(group, i)) != i)
            return COMM_UNKNOWN;
    return code;
}

/* Communicators with the same members are told apart by the order in which they are made. */
static uint32_t number_code(const struct program *program, const uint32_t *codes, uint32_t group,
                            uint32_t code)
{
    uint32_t earlier = 0;
    for (uint32_t i = 1; i < group; i++)
        earlier += codes[i] != COMM_UNKNOWN && comm_dimensions(codes[i]) == comm_dimensions(code) &&
                   group_world(&program->groups[i], 0) == group_world(&program->groups[group], 0);
    return code + earlier * (COMM_ALL + 1);
}

/* Marks the code of the first of several possible communicators, if the others do not exist. */
static void mark_first(const struct program *program, const struct grid *grid, uint32_t *codes,
                       uint32_t group)
{
    uint32_t code = codes[group];
    if (code == COMM_UNKNOWN || comm_count(code, grid) < 2 || group_world(&program->groups[group], 0) != 0)
        return;
    for (uint32_t i = 1; i < program->group_count; i++)
        if (i != group && codes[i] == code)
            return;
    codes[group] = code | COMM_FIRST;
}

uint32_t *comm_codes(const struct program *program, const struct grid *grid)
{
    uint32_t *codes = mem_alloc(program->group_count + UINT64_C(1), sizeof *codes, "communicators");
    for (uint32_t group = 1; group < program->group_count; group++) {
        codes[group] = code_of(&program->groups[group], grid);
        if (codes[group] != COMM_UNKNOWN)
            codes[group] = number_code(program, codes, group, codes[group]);
    }
    for (uint32_t group = 1; group < program->group_count; group++)
        mark_first(program, grid, codes, group);
    return codes;
}

/* ------------------------------------------------------------------- nodes */

static bool has_nodes(const struct program *program, uint32_t size)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < program->group_count; i++) {
        const struct group *group = &program->groups[i];
        bool fits = group->size == size && group_world(group, 0) % size == 0;
        for (uint32_t k = 1; k < group->size && fits; k++)
            fits = group_world(group, k) == group_world(group, 0) + k;
        found += fits;
    }
    return program->ranks % size == 0 && found >= program->ranks / size;
}

uint32_t comm_node_size(struct program *const *programs, size_t count, uint32_t above)
{
    uint32_t least = 0, failed = 0;
    for (uint32_t i = 1; i < programs[0]->group_count; i++) {
        uint32_t size = programs[0]->groups[i].size;
        bool everywhere = true;
        if (size < 2 || size <= above || size == failed || (least && size >= least))
            continue;
        for (size_t p = 0; p < count && everywhere; p++)
            everywhere = programs[p]->ranks > size && has_nodes(programs[p], size);
        *(everywhere ? &least : &failed) = size;
    }
    return least;
}

const char *comm_text(uint32_t code, char buffer[COMM_TEXT])
{
    static const char *const texts[COMM_ALL + 1] = {
        "the rank itself",   "the ranks along x",    "the ranks along y",    "the plane along x, y",
        "the ranks along z", "the plane along x, z", "the plane along y, z", "all ranks"};
    uint32_t number = ((code & ~COMM_FIRST) - 1) / (COMM_ALL + 1);
    const char *first = code & COMM_FIRST ? " with rank 0" : "";
    snprintf(buffer, COMM_TEXT, number ? "%s%s (%u)" : "%s%s", texts[comm_dimensions(code)], first,
             number + 1);
    return buffer;
}
