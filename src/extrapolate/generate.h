#ifndef HELIO_EXTRAPOLATE_GENERATE_H
#define HELIO_EXTRAPOLATE_GENERATE_H

#include "extrapolate/model.h"

/* The program of a model on `ranks` ranks. All of its calls are checked first. NULL: `why` says which rank
 * would have an undefined partner or size, or wait without a request, or call other collectives than rank 0;
 * or that sends and receives would not pair up. The model must outlive the program. */
struct program *generate_open(const struct program_model *model, uint32_t ranks, char *why, size_t why_size);

/* A hash of all calls of all ranks without computation. Programs with equal hashes make the same calls. */
uint64_t generate_hash(const struct program *program);

/* Whether the model makes the calls of the sample, rank by rank and call by call, without computation. It is
 * a test of the model if it was not learned from this sample. */
bool generate_verify(const struct program_model *model, struct sample *sample, struct misfit *misfit);

#endif
