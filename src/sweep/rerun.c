#include "sweep/rerun.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/machine.h"
#include "sweep/sweep.h"

enum status rerun_point_open(struct rerun_point *rerun, const struct store_run *run,
                             const struct param_table *const *tables, size_t table_count)
{
    const char *name;
    json_t *value;
    *rerun = (struct rerun_point){.parameters = json_read_object(run->parameters)};
    if (!rerun->parameters) {
        diag_error("run %" PRId64 " is damaged: its parameters are not a JSON object", run->id);
        return STATUS_BAD_INPUT;
    }
    rerun->base = config_open(tables, table_count);
    if (!rerun->base) {
        json_decref(rerun->parameters);
        return STATUS_FAILED;
    }
    /* The parameters are kept as the machine left them. Results from before there were machines have none. */
    config_assign(rerun->base, "machine", MACHINE_AS_PUBLISHED, "rerun");
    config_finish(rerun->base);
    rerun->settings = mem_alloc(json_object_size(rerun->parameters), sizeof *rerun->settings, "parameters");
    rerun->point =
        (struct sweep_point){.base = rerun->base, .settings = rerun->settings, .fabric = run->fabric};
    json_object_foreach(rerun->parameters, name, value)
    {
        if (json_is_string(value)) /* a parameter without a value is null */
            rerun->settings[rerun->point.count++] =
                (struct sweep_setting){.name = name, .value = json_string_value(value)};
    }
    return STATUS_OK;
}

void rerun_point_close(struct rerun_point *rerun)
{
    free(rerun->settings);
    config_close(rerun->base);
    json_decref(rerun->parameters);
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
