#ifndef HELIO_SWEEP_MERGE_H
#define HELIO_SWEEP_MERGE_H

#include "sweep/store.h"

/* STATUS_BAD_INPUT, reported: another program has changed a run's texts or the metadata. */
enum status store_check(struct store *store);

/* Adds the runs of `from`, planned and done, to `into`, in their order. A run that is in both is kept once.
 * Call it in a transaction. STATUS_FAILED, reported: a run has different results in the two files. Its key
 * names everything that a result depends on, so one of the files is wrong. */
enum status store_merge(struct store *into, struct store *from);

#endif
