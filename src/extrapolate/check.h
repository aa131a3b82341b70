#ifndef HELIO_EXTRAPOLATE_CHECK_H
#define HELIO_EXTRAPOLATE_CHECK_H

#include <stdio.h>

#include "extrapolate/model.h"

/* How far the forecast of computation is off on a number of ranks that was held back. */
enum { CLASS_NAMES = GRID_DIMENSIONS + 1 };

struct computation_check {
    uint32_t ranks;             /* 0: nothing was held back */
    bool named;                 /* classes have names, by the sides of the grid at which their ranks are */
    uint32_t seen[CLASS_NAMES]; /* ranks, by sides */
    double worst[CLASS_NAMES];  /* the largest error of the sum of a rank, relative, by sides */
    uint32_t rank[CLASS_NAMES]; /* whose it is */
    /* How much a rank of the ranks asked for would compute if the fits lacked one of the samples, relative to
     * the forecast: the extremes. */
    double least, most;
};

/* Fits the computation without sample `held` and compares with it: rank by rank in *check, and class by class
 * at each call in the model's bursts. */
void computation_check(struct program_model *model, struct sample *samples, size_t held,
                       struct computation_check *check);

/* Fits the computation without each of the samples in turn, of which there are three or more, and compares
 * what ranks would compute on `ranks` ranks. */
void computation_range(struct program_model *model, uint32_t ranks, struct computation_check *check);

/* "at a corner", "inside": the ranks at `sides` sides of the grid. */
const char *class_name(const struct grid *grid, unsigned sides);

/* `grid`: of the ranks asked for. */
void computation_check_print(const struct computation_check *check, const struct grid *grid, FILE *to);

#endif
