#include "sweep/rerun.h"

#include <inttypes.h>

#include "base/diag.h"
#include "output/json.h"
#include "sim/repeat.h"
#include "sweep/sweep.h"

enum status rerun_point_open(struct rerun_point *rerun, const struct store_run *run,
                             const struct param_table *const *tables, size_t table_count)
{
    *rerun = (struct rerun_point){.base = NULL};
    json_t *parameters = json_read_object(run->parameters);
    if (!parameters) {
        diag_error("run %" PRId64 " is damaged: its parameters are not a JSON object", run->id);
        return STATUS_BAD_INPUT;
    }
    rerun->base = repeat_config(parameters, tables, table_count);
    rerun->point = (struct sweep_point){.base = rerun->base, .fabric = run->fabric};
    json_decref(parameters);
    return rerun->base ? STATUS_OK : STATUS_BAD_INPUT;
}

void rerun_point_close(struct rerun_point *rerun)
{
    config_close(rerun->base);
}

enum status sweep_rerun(const struct store_run *run, const struct param_table *const *tables,
                        size_t table_count, struct store_run *again)
{
    struct rerun_point rerun;
    struct store *store;
    enum status status = rerun_point_open(&rerun, run, tables, table_count);
    if (status != STATUS_OK)
        return status;
    status = store_open(":memory:", STORE_WRITE, &store);
    if (status == STATUS_OK) {
        status = sweep_run(store, &rerun.point, 1, &(struct sweep_options){.jobs = 1}, again);
        store_close(store);
    }
    rerun_point_close(&rerun);
    return status;
}
