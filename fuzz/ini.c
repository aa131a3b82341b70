/* Any bytes as a configuration file of SimpleComm: read or refused. A file that was read names one of
 * SimpleComm's topologies. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/simplecomm/ini.h"
#include "engine/simplecomm/simplecomm.h"
#include "fabric/list.h"
#include "sim/components.h"
#include "sim/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t errors;

static void count_errors(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)message;
    errors += level == DIAG_ERROR;
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    errors = 0;
    diag_set_sink(count_errors, NULL);
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    enum status status = simplecomm_read_ini_text(config, "fuzz.ini", (const char *)data, size);
    must((status == STATUS_OK) == (errors == 0), "refused without a word, or read in spite of an error");
    if (status == STATUS_OK) {
        const struct experiment_config *chosen = config_of(config, &experiment_params);
        const struct fabric_ops *fabric = fabric_find(chosen->fabric);
        must(chosen->compat == COMPAT_SIMPLECOMM, "not SimpleComm");
        must(fabric && simplecomm_has(fabric), "a topology that SimpleComm does not have");
    }
    config_close(config);
    return 0;
}
