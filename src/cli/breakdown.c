#include "cli/breakdown.h"

#include "cli/cli.h"
#include "cli/group.h"

static const struct cli_subcommand commands[] = {
    {"model", cli_breakdown_model, "where each nanosecond of a small message goes", NULL},
    {"whatif", cli_breakdown_whatif, "what a change of its components would buy, or cost", NULL},
    {"measure", cli_breakdown_measure, "the components of this machine's own messages", NULL},
    {"pcie", cli_breakdown_pcie, "component times from the trace of a PCIe analyzer", NULL},
};

const struct cli_group cli_breakdown_group = {
    .title = "helio breakdown",
    .doc = "The small-message model of \"Breaking Band\" (Zambre et al., ICPP 2019).",
    .commands = commands,
    .count = sizeof commands / sizeof *commands,
};

int cli_breakdown(int argc, char **argv)
{
    return cli_group_run(&cli_breakdown_group, argc, argv);
}
