#ifndef HELIO_EXTRAPOLATE_GRID_H
#define HELIO_EXTRAPOLATE_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* An arrangement of ranks: rank = x + size[0] (y + size[1] z). The extents are as nearly equal as the
 * divisors of the number of ranks allow. A trace does not name the arrangement of its program. It is the one
 * in which the partners of all ranks follow one rule. */
enum grid_kind {
    GRID_LINE,
    GRID_WIDE,   /* a plane, x its longer side: NPB's CG and LU */
    GRID_TALL,   /* a plane, y its longer side */
    GRID_CUBE,   /* x its longest side */
    GRID_COLUMN, /* a cuboid, z its longest side */
    GRID_KINDS,
    /* GRID_NODES + n: a plane with n ranks along x, whatever the number of ranks, as of nodes with n ranks
       each. It is tried if communicators show n. */
    GRID_NODES = GRID_KINDS
};

enum { GRID_DIMENSIONS = 3 };

static inline int grid_dimensions(enum grid_kind kind)
{
    return kind == GRID_LINE ? 1 : kind == GRID_CUBE || kind == GRID_COLUMN ? GRID_DIMENSIONS : 2;
}

struct grid {
    enum grid_kind kind;
    uint32_t ranks;
    uint32_t size[GRID_DIMENSIONS]; /* 1: there is no such dimension */
};

struct grid grid_of(enum grid_kind kind, uint32_t ranks);

static inline void grid_coordinates(const struct grid *grid, uint32_t rank, int64_t at[GRID_DIMENSIONS])
{
    at[0] = rank % grid->size[0];
    at[1] = rank / grid->size[0] % grid->size[1];
    at[2] = rank / grid->size[0] / grid->size[1];
}

static inline int64_t grid_rank(const struct grid *grid, const int64_t at[GRID_DIMENSIONS])
{
    return at[0] + grid->size[0] * (at[1] + grid->size[1] * at[2]);
}

/* Numbers of ranks that are proposed for the next trace: 2 to this one. */
enum { GRID_MOST_PROPOSED = 64 };

/* "8 x 4" into buffer, which is returned. */
enum { GRID_TEXT = 40 };
const char *grid_text(const struct grid *grid, char buffer[GRID_TEXT]);

/* log2 of a power of two; false for other numbers. */
bool grid_log2(uint32_t number, uint32_t *log2);

#endif
