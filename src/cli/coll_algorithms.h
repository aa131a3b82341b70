#ifndef HELIO_CLI_COLL_ALGORITHMS_H
#define HELIO_CLI_COLL_ALGORITHMS_H

#include "coll/coll.h"

/* Reads the name of a collective that has algorithms. False: there is none, reported. */
bool coll_kind_read(const char *text, enum coll_kind *kind);

/* The algorithm of a collective of that name, or NULL, reported. */
const struct coll_algorithm *coll_kind_algorithm(enum coll_kind kind, const char *name);

/* The index-th algorithm of a collective; NULL behind the last. */
const struct coll_algorithm *coll_kind_algorithm_at(enum coll_kind kind, size_t index);

/* The same with those that only plans know (coll/leaders_vector.h). */
const struct coll_algorithm *coll_planned(enum coll_kind kind, const char *name);
const struct coll_algorithm *coll_planned_at(enum coll_kind kind, size_t index);

#endif
