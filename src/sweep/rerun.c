#include "sweep/rerun.h"

#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/json.h"
#include "sweep/sweep.h"

static enum status rerun_with(const struct config *base, const json_t *parameters, const char *fabric,
                              struct store_run *again)
{
    struct store *store;
    struct sweep_setting *settings = mem_alloc(json_object_size(parameters), sizeof *settings, "parameters");
    struct sweep_point point = {.base = base, .settings = settings, .fabric = fabric};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)parameters, name, value)
    {
        if (json_is_string(value)) /* a parameter without a value is null */
            settings[point.count++] = (struct sweep_setting){.name = name, .value = json_string_value(value)};
    }
    enum status status = store_open(":memory:", STORE_WRITE, &store);
    if (status == STATUS_OK) {
        status = sweep_run(store, &point, 1, &(struct sweep_options){.jobs = 1}, again);
        store_close(store);
    }
    free(settings);
    return status;
}

enum status sweep_rerun(const struct store_run *run, const struct param_table *const *tables,
                        size_t table_count, struct store_run *again)
{
    json_t *parameters = json_read_object(run->parameters);
    if (!parameters) {
        diag_error("run %" PRId64 " is damaged: its parameters are not a JSON object", run->id);
        return STATUS_BAD_INPUT;
    }
    struct config *base = config_open(tables, table_count);
    enum status status = base ? rerun_with(base, parameters, run->fabric, again) : STATUS_FAILED;
    if (base)
        config_close(base);
    json_decref(parameters);
    return status;
}
