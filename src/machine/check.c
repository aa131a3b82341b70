#include <string.h>

#include "base/diag.h"
#include "machine/machine.h"

const char *machine_source_of(const struct machine *machine, const char *param)
{
    for (size_t i = 0; i < machine->source_count; i++)
        if (strcmp(machine->sources[i].param, param) == 0)
            return machine->sources[i].text;
    return NULL;
}

struct check {
    const struct machine *machine;
    enum status status;
};

static void report(struct check *check, const char *origin, const char *format, const char *param)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = origin}, format, param);
    check->status = STATUS_BAD_INPUT;
}

static void check_value(void *self, const struct param *param, const char *value, const char *origin)
{
    struct check *check = self;
    bool is_given = value && strcmp(origin, "default") != 0;
    const char *source = machine_source_of(check->machine, param->name);
    if (is_given && !source)
        report(check, origin, "%s has no source; add it to sources", param->name);
    if (!is_given && source)
        report(check, check->machine->file, "sources has %s, which the file does not set", param->name);
}

enum status machine_check(const struct machine *machine)
{
    struct check check = {.machine = machine, .status = STATUS_OK};
    config_each(machine->config, &check, check_value);
    const char *const needed[] = {machine->name ? NULL : "name", machine->doc ? NULL : "doc"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (needed[i])
            report(&check, machine->file, "%s is missing: a line of text", needed[i]);
    const struct machine_config *values = config_of(machine->config, &machine_params);
    if (!values->nic_rate_bytes_per_s)
        report(&check, machine->file, "%s is missing, from which every fabric derives its rate", "nic.rate");
    return check.status;
}
