#include <string.h>

#include "base/diag.h"
#include "fabric/list.h"
#include "machine/machine.h"

struct application {
    struct config *config;
    enum status status;
};

static void apply_value(void *self, const struct param *param, const char *value, const char *origin)
{
    struct application *application = self;
    struct param_problem problem;
    if (strcmp(origin, "default") == 0 || !value || !config_field(application->config, param->name) ||
        strcmp(config_origin(application->config, param->name), "default") != 0)
        return;
    if (!config_try(application->config, param->name, value, origin, &problem)) {
        diag_error("%s: %s", origin, problem.text);
        application->status = STATUS_BAD_INPUT;
    }
}

static enum status derive_all(struct derivation *derivation)
{
    for (size_t i = 0; fabrics[i]; i++)
        if (fabrics[i]->derive)
            fabrics[i]->derive(derivation);
    return derivation->status;
}

enum status machine_apply(const struct machine *machine, struct config *config,
                          void (*tell)(void *self, const struct derived *derived), void *self)
{
    struct application application = {.config = config, .status = STATUS_OK};
    config_each(machine->config, &application, apply_value);
    const struct machine_config *values = config_of(config, &machine_params);
    if (application.status != STATUS_OK || !values)
        return application.status;
    if (!values->nic_rate_bytes_per_s) {
        diag_error("machine %s gives no nic.rate, from which every fabric derives its rate; add 'nic: {rate: "
                   "400 Gb/s}'",
                   machine->given);
        return STATUS_BAD_INPUT;
    }
    char *origin = mem_format("machine %s", machine->given);
    enum status status = derive_all(&(struct derivation){.config = config,
                                                         .machine = values,
                                                         .node_rate_bytes_per_s = machine_node_rate(values),
                                                         .origin = origin,
                                                         .tell = tell,
                                                         .self = self,
                                                         .status = STATUS_OK});
    free(origin);
    return status;
}
