#ifndef HELIO_SWEEP_RERUN_H
#define HELIO_SWEEP_RERUN_H

#include "base/param.h"
#include "sweep/store.h"

/* Repeats a run with its own parameters. `again` gets the result; the caller frees it with store_run_free.
 * When its `key` is that of `run`, program, parameters and inputs are the same. */
enum status sweep_rerun(const struct store_run *run, const struct param_table *const *tables,
                        size_t table_count, struct store_run *again);

#endif
