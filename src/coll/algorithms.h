#ifndef HELIO_COLL_ALGORITHMS_H
#define HELIO_COLL_ALGORITHMS_H

#include "coll/coll.h"

/* The algorithms of algorithms.def, each defined in the file of its family. */
#define COLL_ALGORITHM(name) extern const struct coll_algorithm coll_##name;
#include "coll/algorithms.def"
#undef COLL_ALGORITHM

#endif
