#ifndef HELIO_EXTRAPOLATE_GENERATE_H
#define HELIO_EXTRAPOLATE_GENERATE_H

#include "extrapolate/model.h"

/* What a model makes of so many ranks, as a program that streams its calls. It is walked through once before
 * it is handed out: NULL and *why where a rank's partner or size would mean nothing, a wait would find no
 * request, sends and receives would not pair up, or ranks would call different collectives. The model must
 * outlive the program. */
struct program *generate_open(const struct model *model, uint32_t ranks, char *why, size_t why_size);

/* Of all calls of all ranks, computation apart: two such programs with one hash make the same calls. */
uint64_t generate_hash(const struct program *program);

/* Whether the model calls what the sample has called, rank by rank and call by call; computation apart. On a
 * number of ranks that it was not learned from, this is its test. */
bool generate_verify(const struct model *model, struct sample *sample, struct misfit *misfit);

#endif
