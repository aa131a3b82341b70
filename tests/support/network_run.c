#include "support/network_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "sim/components.h"
#include "sim/experiment.h"

char network_said[8192];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(network_said, message, sizeof network_said - strlen(network_said) - 1);
}

ps_t network_run(const char *workload, const char *fabric, const char *topology, const char *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    char *texts = mem_text(settings), *rest = texts;
    ps_t makespan = -1;
    *network_said = '\0';
    diag_set_sink(keep_message, NULL);
    config_assign(config, "fabric", fabric, "test");
    config_assign(config, "workload", workload, "test");
    config_assign(config, "machine", "as-published", "test");
    if (config_assign(config, "topology", topology, "test") != STATUS_OK)
        fail_msg("%s", network_said);
    for (char *text; (text = strsep(&rest, " "));)
        if (*text && config_set(config, text) != STATUS_OK)
            fail_msg("%s", network_said);
    free(texts);
    struct experiment experiment;
    struct result result = {.fabric = NULL};
    enum status status = experiment_init(&experiment, config);
    if (status == STATUS_OK)
        status = experiment_run(&experiment, 0, &(struct experiment_watch){.messages = NULL}, &result);
    if (status == STATUS_OK)
        makespan = result.makespan;
    result_free(&result);
    diag_set_sink(NULL, NULL);
    experiment_free(&experiment);
    config_close(config);
    return makespan;
}
