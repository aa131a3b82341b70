#ifndef HELIO_EXTRAPOLATE_EXTRAPOLATE_H
#define HELIO_EXTRAPOLATE_EXTRAPOLATE_H

#include <stdio.h>

#include "base/status.h"
#include "call/call.h"

/* From traces of one program on several numbers of ranks to the program on another number.
 *
 * The calls of the rank that makes most of them are folded into loops; every other rank, of every size, must
 * be the same loops with calls left out where it has no partner. Partners must follow one rule on a line,
 * plane or cuboid of ranks, sizes and passes one exact form. With three traces or more one is held back, the
 * largest where the others decide what it should be: their prediction must equal it call by call. Computation
 * is a fit, not a law: per call site a power of the number of ranks. */
struct extrapolation;

/* `traces`: one program each, two or more, of different numbers of ranks; they are reordered by those.
 * STATUS_BAD_INPUT: the program is not regular in the sense above; reported where and why. */
enum status extrapolate(struct program **traces, size_t count, uint32_t ranks,
                        struct extrapolation **extrapolation);

/* Its calls; lives as long as the extrapolation. */
struct program *extrapolation_program(struct extrapolation *extrapolation);

/* What was found: grid, loops, rules and fits, and what was verified. */
void extrapolation_print(const struct extrapolation *extrapolation, FILE *to);
void extrapolation_free(struct extrapolation *extrapolation);

#endif
