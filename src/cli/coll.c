#include "cli/coll.h"

#include "cli/cli.h"
#include "cli/group.h"

static const struct cli_subcommand commands[] = {
    {"plan", cli_coll_plan, "messages, queue pairs, posted sends and memory of each algorithm", NULL},
    {"explain", cli_coll_explain, "one algorithm, step by step, and whether it is proven", NULL},
    {"bench", cli_coll_bench, "measure the preloaded library beside the MPI on a real cluster", NULL},
    {"prove", cli_coll_prove, "whether a schedule of another program is right, and what it moves", NULL},
    {"circuits", cli_coll_circuits,
     "which algorithm to take on optical circuit switches, and when to change circuits", NULL},
    {"export", cli_coll_export, "an algorithm as a schedule that MSCCL's runtimes read", NULL},
    {"tune", cli_coll_tune, "measure, and write which algorithm the library is to take when", NULL},
};

const struct cli_group cli_coll_group = {
    .title = "helio coll",
    .doc = "Collectives of MPI on nodes with many ranks: the algorithms, and what they cost.",
    .commands = commands,
    .count = sizeof commands / sizeof *commands,
};

int cli_coll(int argc, char **argv)
{
    return cli_group_run(&cli_coll_group, argc, argv);
}
