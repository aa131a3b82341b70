#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/status.h"
#include "cli/cli.h"

static const struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc;
} subcommands[] = {
    {"run", cli_run, "replay a trace or a workload over one or several fabrics"},
    {"sweep", cli_sweep, "run an experiment for every combination of values, and keep the results"},
    {"export", cli_export, "print the results of a sweep as comma-separated values"},
    {"report", cli_report, "draw the results of a sweep as one page with charts"},
    {"rerun", cli_rerun, "do one run of a sweep again, to the byte"},
    {"merge", cli_merge, "put the results of several sweeps into one file"},
    {"trace", cli_trace, "look at, check and convert traces"},
    {"gen", cli_gen, "write a generated workload as a trace"},
    {"reproduce", cli_reproduce, "the papers recomputed: published numbers beside ours"},
    {"breakdown", cli_breakdown, "where each nanosecond of a small message goes, and what would help"},
    {"alltoall", cli_alltoall, "what each algorithm of MPI_Alltoall asks of nodes, step by step"},
    {"topo", cli_topo, "facts about a topology, its routes, and pictures of it"},
    {"schedule", cli_schedule, "schedule light paths on a time-multiplexed network, with a proven bound"},
    {"params", cli_params, "every parameter, as an editable file"},
    {"doctor", cli_doctor, "what this machine offers, and what is missing"},
};

enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(FILE *out)
{
    fprintf(out, "helio: an interconnect laboratory. What would my messages cost on that network?\n\n"
                 "Usage: helio SUBCOMMAND [OPTIONS] ...\n\n");
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        fprintf(out, "  %-10s %s\n", subcommands[i].name, subcommands[i].doc);
    fprintf(out, "\n  helio SUBCOMMAND --help     its options\n"
                 "  helio --version\n\n"
                 "Try: helio run --workload alltoall:ranks=64,bytes=8KiB --fabric hockney,packet\n");
}

static const char *subcommand_name_at(const void *list, size_t index)
{
    return ((const struct subcommand *)list)[index].name;
}

static int unknown_subcommand(const char *word)
{
    diag_error("there is no subcommand '%s'%s", word,
               diag_did_you_mean(diag_nearest(word, subcommands, SUBCOMMANDS, subcommand_name_at)));
    diag_note("helio --help lists them");
    return STATUS_BAD_INPUT;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return STATUS_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return STATUS_OK;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("helio %s\n", HELIO_VERSION);
        return STATUS_OK;
    }
    for (size_t i = 0; i < SUBCOMMANDS; i++)
        if (strcmp(word, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    return unknown_subcommand(word);
}
