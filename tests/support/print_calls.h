#ifndef HELIO_TESTS_PRINT_CALLS_H
#define HELIO_TESTS_PRINT_CALLS_H

#include <stdint.h>
#include <stdio.h>

#include "call/call.h"

/* A line for a call of `rank`; nothing for computations, MPI_Init and MPI_Finalize. */
void print_call(FILE *out, const struct program *program, uint32_t rank, const struct call *call);

#endif
