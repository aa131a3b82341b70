#include "cli/cli.h"
#include "cli/sweep_command.h"

static const struct cli_command command = {
    .name = "sweep",
    .words = "EXPERIMENT.yaml -o RESULTS.db",
    .doc =
        "Runs an experiment for every combination of values that its `sweep:` lists, and keeps each result\n"
        "as soon as it is there: a sweep that was ended continues where it stopped.",
    .options = sweep_command_options,
    .option_count = SWEEP_OPTIONS,
    .after =
        "Example, as sweep.yaml:\n"
        "  workload: alltoall:ranks=16,bytes=8KiB\n"
        "  fabric: [packet, fmu]\n"
        "  sweep: {fmu.count: [8, 16, 32]}\n"
        "  baseline: packet\n\n"
        "  helio sweep sweep.yaml -o results.db && helio export results.db\n\n"
        "helio-sweep is the same with the ranks of an MPI program for workers: mpirun -n N helio-sweep ...",
};

int cli_sweep(int argc, char **argv)
{
    struct sweep_command sweep;
    enum status status = sweep_command_init(&sweep, &command, argc, argv);
    if (status == STATUS_OK && sweep.dry_run)
        status = sweep_command_forecast(&sweep, sweep_jobs(&sweep.options), "job", "jobs");
    else if (status == STATUS_OK && !sweep.help)
        status = sweep_command_run(&sweep, NULL);
    sweep_command_free(&sweep);
    return status;
}
