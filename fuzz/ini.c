/* Any bytes as a configuration file of SimpleComm: read or refused. A file that was read names one of
 * SimpleComm's topologies. */
#include <stdint.h>

#include "engine/simplecomm/ini.h"
#include "engine/simplecomm/simplecomm.h"
#include "fabric/list.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_config.h"
#include "sim/experiment.h"

static size_t errors;

static void count_errors(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)message;
    errors += level == DIAG_ERROR;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    errors = 0;
    diag_set_sink(count_errors, NULL); /* in place of the silent one */
    struct config *config = fuzz_config_open();
    enum status status = simplecomm_read_ini_text(config, "fuzz.ini", (const char *)data, size);
    fuzz_must((status == STATUS_OK) == (errors == 0), "refused without a word, or read in spite of an error");
    if (status == STATUS_OK) {
        const struct experiment_config *chosen = config_of(config, &experiment_params);
        const struct fabric_ops *fabric = fabric_find(chosen->fabric);
        fuzz_must(chosen->compat == COMPAT_SIMPLECOMM, "not SimpleComm");
        fuzz_must(fabric && simplecomm_has(fabric), "a topology that SimpleComm does not have");
    }
    config_close(config);
    return status == STATUS_OK;
}
