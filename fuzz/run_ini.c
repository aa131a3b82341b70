/* Any bytes as a configuration file of SimpleComm: refused, or a small program is run as it says. */
#include "engine/simplecomm/ini.h"
#include "fuzz/fuzz_config.h"
#include "fuzz/fuzz_run.h"

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct config *config = fuzz_config_open();
    bool has_ended = false;
    if (simplecomm_read_ini_text(config, "fuzz.ini", (const char *)data, size) == STATUS_OK) {
        struct program *program = fuzz_workload("alltoall:ranks=8,bytes=10kB");
        has_ended = fuzz_run(config, program);
        program->ops->close(program);
    }
    config_close(config);
    return has_ended;
}
