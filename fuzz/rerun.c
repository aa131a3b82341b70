/* Any bytes as the parameters that a file of results keeps of a run: refused, or made a configuration again
 * and run. */
#include <stdlib.h>

#include "fuzz/fuzz_run.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "sweep/rerun.h"

static bool run(const struct config *config)
{
    const struct experiment_config *chosen = config_of(config, &experiment_params);
    struct program *program = chosen->workload && !chosen->trace ? fuzz_workload(chosen->workload) : NULL;
    bool has_ended = program && fuzz_run(config, program);
    if (program)
        program->ops->close(program);
    return has_ended;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct rerun_point point;
    char *parameters = fuzz_text(data, size);
    const struct store_run kept = {.id = 1, .fabric = "packet", .parameters = parameters};
    bool has_ended = false;
    if (rerun_point_open(&point, &kept, tables, count) == STATUS_OK) {
        struct config *config = sweep_config(&point.point);
        if (config) {
            has_ended = run(config);
            config_close(config);
        }
        rerun_point_close(&point);
    }
    free(parameters);
    return has_ended;
}
