#ifndef HELIO_COLL_CHOICE_H
#define HELIO_COLL_CHOICE_H

#include "base/param.h"
#include "coll/coll.h"

/* Reads "binomial<=64KiB,scatter-allgather" for one kind: algorithms with rising limits, the last one without
 * a limit. Blanks around names, signs and commas are ignored. Returns false, fills *problem and leaves
 * *choice alone if the text is wrong. The message names the algorithms of the kind. For parse() of a
 * PARAM_CUSTOM. */
bool coll_choice_parse(enum coll_kind kind, const char *text, struct coll_choice *choice,
                       struct param_problem *problem);

/* What the text of a choice can also be, for those who have a table of an MPI. */
#define COLL_CHOICE_TUNED "tuned"

/* The shortest text that reads back as the same choice; returns buffer. */
const char *coll_choice_print(const struct coll_choice *choice, char *buffer, size_t size);

#endif
