#include "cli/cli.h"
#include "cli/group.h"

static const struct cli_subcommand commands[] = {
    {"run", cli_run, "replay a trace or a workload over one or several fabrics", NULL},
    {"sweep", cli_sweep, "run an experiment for every combination of values, and keep the results", NULL},
    {"compare", cli_compare, "two results of runs beside each other, and what makes the difference", NULL},
    {"export", cli_export, "print the results of a sweep as comma-separated values", NULL},
    {"report", cli_report, "draw the results of a sweep as one page with charts", NULL},
    {"plot", cli_plot, "write a figure of the results of a sweep, for gnuplot", NULL},
    {"rerun", cli_rerun, "repeat a result of helio run --json, or one run of a sweep", NULL},
    {"merge", cli_merge, "put the results of several sweeps into one file", NULL},
    {"trace", cli_trace, "look at, check and convert traces", &cli_trace_group},
    {"capture", cli_capture, "run an MPI program and write the trace of its calls", NULL},
    {"gen", cli_gen, "write a generated workload as a trace", NULL},
    {"reproduce", cli_reproduce, "the papers recomputed: published numbers beside ours", NULL},
    {"breakdown", cli_breakdown, "where each nanosecond of a small message goes, and what would help",
     &cli_breakdown_group},
    {"coll", cli_coll, "what each algorithm of a collective asks of nodes, step by step; measure them",
     &cli_coll_group},
    {"tolerance", cli_tolerance, "how much of a latency or a rate a program bears", NULL},
    {"place", cli_place, "which node should have which rank", NULL},
    {"cost", cli_cost, "what networks cost and draw, and what a program takes on them", NULL},
    {"calibrate", cli_calibrate, "measure this machine into a machine file", NULL},
    {"machine", cli_machine, "machines that fabrics are compared on: list, show, check", &cli_machine_group},
    {"topo", cli_topo, "facts about a topology, its routes, and pictures of it", NULL},
    {"schedule", cli_schedule, "schedule light paths on a time-multiplexed network, with a proven bound",
     NULL},
    {"params", cli_params, "every parameter, as an editable file", NULL},
    {"manual", cli_manual, "the manual's pages, of helio and of each command", NULL},
    {"completion", cli_completion, "what lets a shell complete command lines", NULL},
    {"doctor", cli_doctor, "what this machine offers, and what is missing", NULL},
};

const struct cli_group cli_helio = {
    .title = "helio",
    .doc = "helio: an interconnect laboratory. What would my messages cost on that network?",
    .commands = commands,
    .count = sizeof commands / sizeof *commands,
    .after = "  helio --version\n\n"
             "Try: helio run --workload alltoall:ranks=64,bytes=8KiB --fabric hockney,packet",
};
