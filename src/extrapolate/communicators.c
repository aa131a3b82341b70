#include "extrapolate/communicators.h"

#include <stdbool.h>
#include <stdio.h>

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
    return grid->ranks / comm_size(code, grid);
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

uint32_t comm_place(uint32_t code, const struct grid *grid, uint32_t rank)
{
    return code ? place_along(grid, COMM_ALL & ~comm_dimensions(code), rank) : rank;
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

uint32_t *comm_codes(const struct program *program, const struct grid *grid)
{
    uint32_t *codes = mem_alloc(program->group_count + UINT64_C(1), sizeof *codes, "communicators");
    for (uint32_t group = 1; group < program->group_count; group++) {
        codes[group] = code_of(&program->groups[group], grid);
        if (codes[group] != COMM_UNKNOWN)
            codes[group] = number_code(program, codes, group, codes[group]);
    }
    return codes;
}

const char *comm_text(uint32_t code, char buffer[COMM_TEXT])
{
    static const char *const texts[COMM_ALL + 1] = {
        "the rank itself",   "the ranks along x",    "the ranks along y",    "the plane along x, y",
        "the ranks along z", "the plane along x, z", "the plane along y, z", "all ranks"};
    uint32_t number = (code - 1) / (COMM_ALL + 1);
    snprintf(buffer, COMM_TEXT, number ? "%s (%u)" : "%s", texts[comm_dimensions(code)], number + 1);
    return buffer;
}
