#ifndef HELIO_WORKLOAD_NPB_SOLVER_H
#define HELIO_WORKLOAD_NPB_SOLVER_H

#include "workload/npb.h"

/* SP and BT: implicit solvers that sweep along the three axes of a cube in turn. The cube is cut into p x p x
 * p cells for p x p ranks. A rank holds p cells on a diagonal, one in each slice across any axis. So in every
 * stage of a sweep each rank has a cell to compute, and sends its edge to the next rank along the axis. The
 * two differ in what they solve, so in sizes, and in how they tag and await messages. */

/* Shares of the operations of an iteration, measured in the class S traces. */
struct solver_shares {
    double rhs, forward, backward, update; /* the sweeps: of each axis */
};

struct solver {
    struct npb npb;
    bool is_block; /* BT */
    uint32_t points, iterations,
        side;          /* points along an edge of the cube; iterations of the method; side x side ranks */
    double operations; /* of one iteration, all ranks */
    struct solver_shares shares;
};

/* Whether a cube of so many points along an edge can be cut for so many ranks. */
bool solver_fits(uint32_t points, uint64_t ranks);

/* To be called when points, iterations, operations and shares are set. False refuses the number of ranks. */
bool solver_prepare(struct solver *solver, const char *name,
                    bool (*fits)(const struct npb *npb, uint64_t ranks), struct workload_problem *problem);

bool solver_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase);

enum { SOLVER_SLOTS = SLOT_FIRST + 12 };

#endif
