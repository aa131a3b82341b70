#ifndef HELIO_CLI_COLL_FOOTPRINT_H
#define HELIO_CLI_COLL_FOOTPRINT_H

#include "cli/coll_shape.h"

/* Prints what the preloaded library takes for a communicator of this shape and the calls of this collective
 * and size. `mpi`: "openmpi" or "mpich". */
enum status coll_footprint_print(const struct coll_shape *shape, const char *mpi, bool as_json);

#endif
