#include "sim/settle.h"

#include <string.h>

#include "base/diag.h"
#include "engine/params.h"
#include "machine/machine.h"
#include "sim/experiment.h"

static enum status apply(const struct config *config, const char *given, struct config *settled)
{
    enum status status = machine_apply_named(given, settled);
    if (status != STATUS_OK)
        config_note_origin(config, "machine");
    return status;
}

/* SimpleComm has no machine, and no algorithms of an MPI. */
static enum status leave_out(const struct config *config, struct config *settled)
{
    if (strcmp(config_origin(config, "machine"), "default") == 0)
        return config_assign(settled, "machine", MACHINE_AS_PUBLISHED, "compat");
    diag_error("compat=simplecomm computes what SimpleComm computes, which knows no machine; use machine: %s",
               MACHINE_AS_PUBLISHED);
    config_note_origin(config, "machine");
    return STATUS_BAD_INPUT;
}

enum status settle_config(const struct config *config, struct config **settled)
{
    const struct experiment_config *chosen = config_of(config, &experiment_params);
    const bool has_machine = strcmp(chosen->machine, MACHINE_AS_PUBLISHED) != 0;
    const bool is_tuned = chosen->compat != COMPAT_SIMPLECOMM && collective_config_is_tuned(config);
    *settled = NULL;
    if (config_is_finished(config) || (!has_machine && !is_tuned))
        return STATUS_OK;
    struct config *copy = config_copy(config);
    if (!copy)
        return STATUS_FAILED;
    enum status status = STATUS_OK;
    if (has_machine)
        status =
            chosen->compat == COMPAT_NONE ? apply(config, chosen->machine, copy) : leave_out(config, copy);
    if (status == STATUS_OK && chosen->compat != COMPAT_SIMPLECOMM)
        status = collective_config_settle(copy);
    if (status == STATUS_OK) {
        config_finish(copy);
        *settled = copy;
    } else {
        config_close(copy);
    }
    return status;
}
