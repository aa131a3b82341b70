#ifndef HELIO_SWEEP_RERUN_H
#define HELIO_SWEEP_RERUN_H

#include "base/param.h"
#include "sweep/point.h"
#include "sweep/store.h"

/* The point that led to a kept run: its parameters on top of the defaults. */
struct rerun_point {
    struct sweep_point point;
    struct config *base;
};

/* STATUS_BAD_INPUT, reported: the parameters are no JSON object, or one of them is wrong. Otherwise the
 * caller closes it. The fabric's name belongs to the run. */
enum status rerun_point_open(struct rerun_point *rerun, const struct store_run *run,
                             const struct param_table *const *tables, size_t table_count);
void rerun_point_close(struct rerun_point *rerun);

/* Repeats a run with its own parameters. `again` gets the result; the caller frees it with store_run_free.
 * When its `key` is that of `run`, program, parameters and inputs are the same. */
enum status sweep_rerun(const struct store_run *run, const struct param_table *const *tables,
                        size_t table_count, struct store_run *again);

#endif
