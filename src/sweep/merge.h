#ifndef HELIO_SWEEP_MERGE_H
#define HELIO_SWEEP_MERGE_H

#include "sweep/store.h"

/* Adds the runs of `from`, planned and done, to `into`, in their order and in a transaction of the caller's;
 * runs that are in both count once. STATUS_FAILED, reported: a run has two results, which its key rules out,
 * so one of the files is not to be trusted. */
enum status store_merge(struct store *into, struct store *from);

#endif
