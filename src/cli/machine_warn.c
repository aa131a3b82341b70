#include "cli/machine_warn.h"

#include <string.h>

#include "base/diag.h"
#include "calibrate/machine_file.h"
#include "sim/components.h"
#include "sim/network.h"

void machine_warn_unsound(const struct machine *machine)
{
    if (machine->doc && strncmp(machine->doc, CALIBRATE_NOT_SOUND, strlen(CALIBRATE_NOT_SOUND)) == 0)
        diag_warning("%s was written with --force: guards of its measurement have failed", machine->given);
}

/* A latency that the user gives in place of the machine's counts, too. */
static bool has_no_latency(const struct experiment *experiment)
{
    const struct machine_config *machine = config_of(experiment->config, &machine_params);
    return !experiment->has_host && !machine->nic_latency_ps && !machine->wire_latency_ps &&
           !machine->switch_latency_ps && !machine->send_ps && !machine->receive_ps;
}

static void warn_of_one_node(const struct machine *machine, const struct experiment *experiment)
{
    if (!machine->doc || !strstr(machine->doc, CALIBRATE_MEASURED) || !has_no_latency(experiment) ||
        network_nodes(experiment->config, experiment->program) < 2)
        return;
    diag_warning("%s has no latency between nodes: it was measured on one node. Messages between nodes take "
                 "only the time that the fabric itself adds. Calibrate on two nodes, or set wire.latency",
                 machine->given);
}

void machine_warn_experiment(const struct experiment *experiment)
{
    struct machine machine;
    const char *given = experiment->chosen->machine;
    if (strcmp(given, MACHINE_AS_PUBLISHED) == 0 || machine_preset(given))
        return;
    const struct diag_silence silence = diag_begin_silence(); /* it has been read without an error before */
    enum status status = machine_open(&machine, given, experiment->config);
    diag_end_silence(&silence);
    if (status != STATUS_OK)
        return;
    machine_warn_unsound(&machine);
    warn_of_one_node(&machine, experiment);
    machine_close(&machine);
}
