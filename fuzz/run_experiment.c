/* Any bytes as an experiment file with a workload: refused, or run. */
#include "fuzz/fuzz_config.h"
#include "fuzz/fuzz_run.h"
#include "sim/experiment.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct config *config = fuzz_config_open();
    bool has_ended = false;
    if (config_read_text(config, "fuzz.yaml", (const char *)data, size) == STATUS_OK) {
        const struct experiment_config *chosen = config_of(config, &experiment_params);
        struct program *program = chosen->workload && !chosen->trace ? fuzz_workload(chosen->workload) : NULL;
        if (program) {
            has_ended = fuzz_run(config, program);
            program->ops->close(program);
        }
    }
    config_close(config);
    return has_ended;
}
