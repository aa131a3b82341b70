#include "cli/breakdown.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/units.h"
#include "cli/cli.h"

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

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc;
} subcommands[] = {
    {"model", cli_breakdown_model, "where each nanosecond of a small message goes"},
    {"whatif", cli_breakdown_whatif, "what a change of its components would buy, or cost"},
    {"pcie", cli_breakdown_pcie, "component times from the trace of a PCIe analyzer"},
};

enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(FILE *out)
{
    fprintf(out, "The small-message model of \"Breaking Band\" (Zambre et al., ICPP 2019).\n\n"
                 "Usage: helio breakdown COMMAND [OPTIONS]\n\n");
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        fprintf(out, "  %-10s %s\n", subcommands[i].name, subcommands[i].doc);
    fprintf(out, "\n  helio breakdown COMMAND --help     its options\n");
}

static const char *name_at(const void *list, size_t index)
{
    return ((const struct subcommand *)list)[index].name;
}

int cli_breakdown(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_BAD_INPUT;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help(stdout);
        return STATUS_OK;
    }
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (!strcmp(argv[1], subcommands[i].name))
            return subcommands[i].run(argc - 1, argv + 1);
    diag_error("helio breakdown has no command '%s'%s", argv[1],
               diag_did_you_mean(diag_nearest(argv[1], subcommands, SUBCOMMANDS, name_at)));
    diag_note("helio breakdown --help lists them");
    return STATUS_BAD_INPUT;
}
