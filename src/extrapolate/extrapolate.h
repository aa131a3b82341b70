#ifndef HELIO_EXTRAPOLATE_EXTRAPOLATE_H
#define HELIO_EXTRAPOLATE_EXTRAPOLATE_H

#include <stdio.h>

#include "base/status.h"
#include "call/call.h"

/* Extrapolation: traces of one program on several numbers of ranks give the program on another number.
 *
 * The calls of the rank with the most calls are folded into loops. Every other rank, in every trace, must
 * make the calls of the same loops; it may leave out calls for which it has no partner. Partners must follow
 * one rule on a line, plane or cuboid of ranks; sizes and passes must follow one exact form. If there are
 * three traces or more, one is held back as a test, and the others must predict it call by call. Computation
 * is a fit: for each place in the program a power of the number of ranks.
 *
 *   extrapolate    tries one hypothesis after another, and tests the result
 *   rank_events    the calls of one rank as they are compared
 *   sample         one trace or several of the same number of ranks
 *   pattern        folds the calls of a rank into loops
 *   peer, grid     rules for partners, and the grids of ranks that they refer to
 *   evidence       reads every rank of a trace as a pattern
 *   communicators  those that are all ranks, a part of the grid, or nodes
 *   fit, vectors   forms for sizes and passes, and for sizes that differ from peer to peer
 *   computation    where bursts of computation belong, and how they grow
 *   check          how far the computation is off on a number of ranks held back
 *   model          finds patterns, rules and fits that explain all traces
 *   model_walk     goes through the calls of one rank on any number of ranks
 *   generate       the extrapolated program
 *   describe       prints a model */
struct extrapolation;

/* `traces`: of one program on two numbers of ranks or more; they are sorted by it. Several traces of the same
 * number make the same calls, and their computation is put together (sample.h). They must outlive the
 * extrapolation. STATUS_BAD_INPUT, reported with the place: the program is not as regular as that. */
enum status extrapolation_open(struct program **traces, size_t count, uint32_t ranks,
                               struct extrapolation **extrapolation);

/* The extrapolated program, which lives as long as the extrapolation. */
struct program *extrapolation_program(struct extrapolation *extrapolation);

/* Prints the grid, the loops, the rules and the fits, and the test. */
void extrapolation_print(const struct extrapolation *extrapolation, FILE *to);
void extrapolation_close(struct extrapolation *extrapolation);

#endif
