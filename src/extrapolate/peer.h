#ifndef HELIO_EXTRAPOLATE_PEER_H
#define HELIO_EXTRAPOLATE_PEER_H

#include <stddef.h>
#include <stdint.h>

#include "extrapolate/grid.h"

/* A rule that gives the partner of a rank on a grid of any size. In a loop over stages (log2(P) exchanges, P
 * - 1 steps of a ring) the partner also depends on the stage. */
enum peer_kind {
    PEER_OFFSET,     /* a neighbour; none beyond the edge */
    PEER_WRAP,       /* a neighbour, round the edge */
    PEER_XOR_BIT,    /* one bit of the rank flipped */
    PEER_TRANSPOSE,  /* the rank at (y, x); on a grid twice as wide as high, of pairs of ranks (NPB's CG) */
    PEER_RING,       /* rank + a + stage, modulo P */
    PEER_RING_POWER, /* rank + a x 2^stage, modulo P */
    PEER_XOR_COUNT,  /* rank xor (a + stage) */
    PEER_RANK,       /* rank a (+ stage), for all ranks */
    PEER_FROM_END,   /* rank P - 1 - a */
    PEER_WILDCARD    /* MPI_ANY_SOURCE */
};

/* The bit from which PEER_XOR_BIT counts. */
enum peer_base { PEER_LOWEST, PEER_ROW_TOP, PEER_ROW_END, PEER_TOP };

struct peer_rule {
    uint8_t kind;
    uint8_t base; /* enum peer_base */
    int8_t step;  /* per stage; 0 outside of loops over stages */
    int32_t a[GRID_DIMENSIONS];
};

/* No partner: the rank is at the edge. Equal to CALL_PROC_NULL. */
#define PEER_NONE (-1)
/* The rule is not defined on this grid, or leads out of it. */
#define PEER_INVALID (-3)

int64_t peer_of(const struct peer_rule *rule, const struct grid *grid, uint32_t rank, uint32_t stage);

/* Finds the rules that give `rank` the partners peers[0 .. stages - 1] in that order, simple rules first, at
 * most PEER_RULES. `stages` is 1 outside of a loop over stages. */
enum { PEER_RULES = 32 };
size_t peer_rules(const struct grid *grid, uint32_t rank, const int32_t *peers, uint32_t stages,
                  struct peer_rule rules[PEER_RULES]);

#endif
