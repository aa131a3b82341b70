#ifndef HELIO_FUZZ_FUZZ_GOAL_H
#define HELIO_FUZZ_FUZZ_GOAL_H

#include "call/graph.h"
#include "fuzz/fuzz.h"

/* GOAL, text or binary, in inputs. NULL: it is refused. The caller closes the program. */
struct program *fuzz_goal(struct fuzz_piece piece);

#endif
