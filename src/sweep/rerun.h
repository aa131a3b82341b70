#ifndef HELIO_SWEEP_RERUN_H
#define HELIO_SWEEP_RERUN_H

#include "base/param.h"
#include "sweep/store.h"

/* Does a run again, with the parameters that it was done with. `again` gets the result, to be freed with
 * store_run_free; that it has the same `key` means that program, parameters and inputs are what they were. */
enum status sweep_rerun(const struct store_run *run, const struct param_table *const *tables,
                        size_t table_count, struct store_run *again);

#endif
