#ifndef HELIO_EXTRAPOLATE_COMMUNICATORS_H
#define HELIO_EXTRAPOLATE_COMMUNICATORS_H

#include <stdbool.h>
#include <stddef.h>

#include "call/call.h"
#include "extrapolate/grid.h"

/* Communicators that exist on any number of ranks: all ranks, and the rows, columns and planes of the grid,
 * which may have nodes along x, with their members in the order of ranks. A code names such a communicator of
 * a rank; it is the same on all ranks and grids. */
enum { COMM_WORLD_CODE = 0, COMM_ALL = (1 << GRID_DIMENSIONS) - 1 };
#define COMM_UNKNOWN UINT32_MAX
/* Only the one with rank 0 exists, as a communicator of one rank of each node. */
#define COMM_FIRST (UINT32_C(1) << 31)

/* The dimensions along which its members differ: bit d. COMM_ALL: all ranks. */
static inline unsigned comm_dimensions(uint32_t code)
{
    return (code - 1) & COMM_ALL;
}

/* The codes of a program's groups: [group], to be freed. COMM_UNKNOWN: no such communicator. */
uint32_t *comm_codes(const struct program *program, const struct grid *grid);

/* How many communicators of this code there are, each of how many members, and which is that of a rank. */
uint32_t comm_count(uint32_t code, const struct grid *grid);
uint32_t comm_size(uint32_t code, const struct grid *grid);
uint32_t comm_index(uint32_t code, const struct grid *grid, uint32_t rank);

/* Whether the rank is in such a communicator. */
bool comm_has(uint32_t code, const struct grid *grid, uint32_t rank);

/* The size of groups of consecutive ranks, all alike, that is the same in all programs, as that of nodes. It
 * is the smallest above `above`; 0: there is none. */
uint32_t comm_node_size(struct program *const *programs, size_t count, uint32_t above);

/* A hash of the members of the rank's communicator. Different members may have the same hash by accident, and
 * large communicators if they differ in few members. */
uint64_t comm_hash(uint32_t code, const struct grid *grid, uint32_t rank);

/* The rank in its communicator. Code 0: in the world. */
uint32_t comm_place(uint32_t code, const struct grid *grid, uint32_t rank);

/* "all ranks", "the ranks along x", "the plane x, y". */
enum { COMM_TEXT = 64 };
const char *comm_text(uint32_t code, char buffer[COMM_TEXT]);

#endif
