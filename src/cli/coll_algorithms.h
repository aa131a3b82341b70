#ifndef HELIO_CLI_COLL_ALGORITHMS_H
#define HELIO_CLI_COLL_ALGORITHMS_H

#include "coll/coll.h"

/* Reads the name of a collective that has algorithms. False: there is none, reported. */
bool coll_kind_read(const char *text, enum coll_kind *kind);

/* The same for a function of MPI, too, that is no collective of its own here: alltoallw is executed as
 * alltoallv, and reduce_scatterv, MPI_Reduce_scatter with blocks that differ, as reduce_scatter. */
bool coll_function_read(const char *text, enum coll_kind *kind);

/* The algorithm of a collective of that name, or NULL, reported. */
const struct coll_algorithm *coll_kind_algorithm(enum coll_kind kind, const char *name);

/* The index-th algorithm of a collective; NULL behind the last. */
const struct coll_algorithm *coll_kind_algorithm_at(enum coll_kind kind, size_t index);

/* The same with those that only plans know (coll/leaders_vector.h). */
const struct coll_algorithm *coll_planned(enum coll_kind kind, const char *name);
const struct coll_algorithm *coll_planned_at(enum coll_kind kind, size_t index);

#endif
