#include "cli/breakdown.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/group.h"

int breakdown_flush(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return STATUS_OK;
    diag_error("cannot write to standard output");
    return STATUS_FAILED;
}

json_t *breakdown_json_ns(ps_t time_ps)
{
    return json_real((double)time_ps / 1000);
}

int breakdown_print_json(json_t *object)
{
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(object);
    putchar('\n');
    if (failed) {
        diag_error("cannot write JSON to standard output");
        return STATUS_FAILED;
    }
    return breakdown_flush();
}

bool breakdown_read_payload(const char *text, uint64_t *bytes)
{
    struct units_problem problem;
    const uint64_t at_most = UINT64_C(1) << 40;
    if (!units_count(text, bytes, &problem) && !units_size(text, bytes, &problem))
        diag_error("--payload: %s", problem.text);
    else if (*bytes > at_most)
        diag_error("--payload: a message is at most 1 TiB, not %s", text);
    else
        return true;
    return false;
}

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
