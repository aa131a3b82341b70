#ifndef HELIO_EXTRAPOLATE_FIT_H
#define HELIO_EXTRAPOLATE_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extrapolate/grid.h"

/* A formula for a whole number (the size of a message, the passes of a loop) on a grid. A formula that does
 * not give every observed number exactly is dropped. */
enum fit_form {
    FIT_CONSTANT,
    FIT_LOGARITHM, /* log2(extent) + add */
    FIT_EXTENT,    /* unit x (extent + add) */
    FIT_POWER,     /* value x product of (extent / its reference)^power */
    FIT_FLOOR,     /* unit x (whole / extent), rounded down */
    FIT_CEILING,   /* the same, rounded up */
    FIT_BLOCK,     /* unit x the share of `whole` that is the rank's along a dimension, + add */
    FIT_REST,      /* unit x (whole / extent), rounded down; the last rank has the rest as well */
    FIT_FULL       /* unit x (whole / extent), rounded up, as long as there is so much left */
};

struct fit {
    enum fit_form form;
    int dimension; /* all but CONSTANT and POWER: which extent; -1 = all ranks */
    int64_t add;
    uint64_t value;
    struct grid reference;
    int power[GRID_DIMENSIONS];
    uint64_t unit, whole;
    uint32_t decider; /* AMBIGUOUS, UNDIVIDED: a trace on so many ranks would decide; 0: unknown */
};

struct observation {
    const struct grid *grid;
    uint32_t rank;
    uint64_t value;
};

/* Whether ranks have different numbers. */
static inline bool fit_is_by_rank(const struct fit *fit)
{
    return fit->form >= FIT_BLOCK;
}

/* False: the formula gives no whole number there. */
bool fit_value(const struct fit *fit, const struct grid *grid, uint32_t rank, uint64_t *value);

enum fit_outcome {
    FIT_FOUND,
    FIT_ONE_SIZE,  /* there are observations on one number of ranks only */
    FIT_NO_FORM,   /* no form gives all observations */
    FIT_UNDIVIDED, /* a form does, but gives no whole number on the target */
    FIT_AMBIGUOUS, /* several forms do, with different numbers on the target */
};

/* Finds the simplest form that gives all observations and a whole number on the target. `passes`: they are
 * the passes of a loop; else sizes. */
enum fit_outcome fit_find(const struct observation *observations, size_t count, const struct grid *target,
                          bool passes, struct fit *fit);

#endif
