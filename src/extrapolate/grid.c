#include "extrapolate/grid.h"

#include <stdio.h>

/* The greatest divisor of `number` whose `power`-th power is at most `number`. */
static uint32_t balanced_divisor(uint32_t number, unsigned power)
{
    uint32_t best = 1;
    for (uint32_t d = 2;; d++) {
        uint64_t product = 1;
        for (unsigned i = 0; i < power; i++)
            product *= d;
        if (product > number)
            return best;
        if (number % d == 0)
            best = d;
    }
}

struct grid grid_of(enum grid_kind kind, uint32_t ranks)
{
    struct grid grid = {kind, ranks, {ranks, 1, 1}};
    if (kind == GRID_LINE)
        return grid;
    if (kind > GRID_NODES) {
        uint32_t node = (uint32_t)kind - GRID_NODES;
        if (ranks % node == 0)
            grid = (struct grid){kind, ranks, {node, ranks / node, 1}};
        return grid;
    }
    uint32_t depth = kind == GRID_CUBE || kind == GRID_COLUMN ? balanced_divisor(ranks, 3) : 1;
    uint32_t side = balanced_divisor(ranks / depth, 2);
    uint32_t longest = ranks / depth / side;
    switch (kind) {
    case GRID_TALL:
        return (struct grid){kind, ranks, {side, longest, 1}};
    case GRID_COLUMN:
        return (struct grid){kind, ranks, {depth, side, longest}};
    default:
        return (struct grid){kind, ranks, {longest, side, depth}};
    }
}

const char *grid_text(const struct grid *grid, char buffer[GRID_TEXT])
{
    int length = snprintf(buffer, GRID_TEXT, "%u", grid->size[0]);
    for (int d = 1; d < grid_dimensions(grid->kind); d++)
        length += snprintf(buffer + length, GRID_TEXT - (size_t)length, " x %u", grid->size[d]);
    return buffer;
}

bool grid_log2(uint32_t number, uint32_t *log2)
{
    if (number == 0 || (number & (number - 1)))
        return false;
    *log2 = (uint32_t)__builtin_ctz(number);
    return true;
}
