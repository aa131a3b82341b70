#include <string.h>

#include "base/diag.h"
#include "fabric/list.h"
#include "machine/machine.h"

struct application {
    struct config *config;
    enum status status;
};

/* Sets a parameter that has its default. */
static void give(struct application *application, const char *param, const char *value, const char *origin)
{
    struct param_problem problem;
    if (!config_field(application->config, param) ||
        strcmp(config_origin(application->config, param), "default") != 0)
        return;
    if (!config_try(application->config, param, value, origin, &problem)) {
        diag_error("%s: %s", origin, problem.text);
        application->status = STATUS_BAD_INPUT;
    }
}

static void apply_value(void *self, const struct param *param, const char *value, const char *origin)
{
    if (value && strcmp(origin, "default") != 0)
        give(self, param->name, value, origin);
}

static enum status derive_all(struct derivation *derivation)
{
    for (size_t i = 0; fabrics[i]; i++)
        if (fabrics[i]->derive)
            fabrics[i]->derive(derivation);
    return derivation->status;
}

/* The config has the machine's own values. */
static enum status derive_from(const char *given, struct config *config,
                               void (*tell)(void *self, const struct derived *derived), void *self)
{
    const struct machine_config *values = config_of(config, &machine_params);
    if (!values)
        return STATUS_OK;
    if (!values->nic_rate_bytes_per_s) {
        diag_error("machine %s gives no nic.rate, from which every fabric derives its rate; add 'nic: {rate: "
                   "400 Gb/s}'",
                   given);
        return STATUS_BAD_INPUT;
    }
    char *origin = mem_format("machine %s", given);
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

enum status machine_apply(const struct machine *machine, struct config *config,
                          void (*tell)(void *self, const struct derived *derived), void *self)
{
    struct application application = {.config = config, .status = STATUS_OK};
    config_each(machine->config, &application, apply_value);
    return application.status == STATUS_OK ? derive_from(machine->given, config, tell, self)
                                           : application.status;
}

enum status machine_apply_named(const char *given, struct config *config)
{
    const struct machine_preset *preset = machine_preset(given);
    struct machine machine;
    enum status status = STATUS_OK;
    if (preset) {
        struct application application = {.config = config, .status = STATUS_OK};
        for (const struct machine_value *value = preset->values; value->param; value++)
            give(&application, value->param, value->value, value->origin);
        return application.status == STATUS_OK ? derive_from(given, config, NULL, NULL) : application.status;
    }
    status = machine_open(&machine, given, config);
    if (status != STATUS_OK)
        return status;
    status = machine_apply(&machine, config, NULL, NULL);
    machine_close(&machine);
    return status;
}
