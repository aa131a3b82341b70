#ifndef HELIO_SIM_REPEAT_H
#define HELIO_SIM_REPEAT_H

#include "output/json.h"
#include "sim/experiment.h"

/* A result of helio run --json is computed again from its manifest. */

/* The parameters that a result keeps, on top of the defaults; nothing is to be derived from them. The caller
 * closes the config. NULL, reported: a parameter is wrong. */
struct config *repeat_config(const json_t *parameters, const struct param_table *const *tables,
                             size_t table_count);

/* Computes `kept`, the object of helio run --json, again with the parameters of `config`: the fabrics that it
 * has, and critical paths, slack and what-ifs where it has them. *again is such an object, which the caller
 * frees; NULL after an error. `watch` can cancel the runs. */
enum status repeat_result(const json_t *kept, const struct config *config,
                          const struct experiment_watch *watch, json_t **again);

/* A run on one fabric, twice. */
struct repeat_run {
    const char *fabric;
    double kept_s, again_s;
    bool is_same_time; /* as far as JSON has digits */
    char *others;      /* the names of other fields that differ, joined by commas; "": none do */
};

/* Compares the runs of two results on the same fabrics. The caller frees them with repeat_runs_free. Texts
 * belong to `kept`. */
size_t repeat_compare(const json_t *kept, const json_t *again, struct repeat_run **runs);
void repeat_runs_free(struct repeat_run *runs, size_t count);

#endif
