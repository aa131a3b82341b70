#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/cluster/ranks.h"
#include "output/interrupt.h"
#include "output/progress_line.h"
#include "output/standard.h"

/* helio-sweep is `helio sweep` with the ranks of an MPI program as workers. Rank 0 reads the experiment,
 * hands out runs and keeps their results. Only rank 0 prints. */
static const struct cli_command command = {
    .name = "helio-sweep",
    .alone = true,
    .words = "EXPERIMENT.yaml -o RESULTS.db",
    .doc =
        "helio sweep on a cluster: mpirun -n N helio-sweep ... runs an experiment for every combination of\n"
        "values that its `sweep:` lists. Rank 0 keeps the results, the others run; alone it does both.\n"
        "For programs of " HELIO_MPI ".",
    .options = sweep_command_options,
    .option_count = SWEEP_JOBS,
    .after = "Example:\n"
             "  mpirun -n 65 helio-sweep sweep.yaml -o results.db && helio export results.db",
};

static void be_silent(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

/* The launcher of another MPI starts n programs of one rank each, and each would run the whole sweep. */
static bool is_launched_well(int ranks)
{
    static const char *const launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; ranks == 1 && i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = getenv(launchers[i]);
        struct units_problem problem;
        uint64_t count;
        if (!size || !units_count(size, &count, &problem) || count <= 1)
            continue;
        diag_error("this helio-sweep is for " HELIO_MPI ", but it was launched as one of %s by another MPI; "
                   "mpirun.%s launches it, or take the helio-sweep.MPI of that MPI",
                   size, HELIO_MPI);
        return false;
    }
    return true;
}

/* ---------------------------------------------------------- ended by others */

/* A signal may come while the next words are made, so they are made in the other place. */
static struct {
    const char *results;
    char places[2][512];
    const char *volatile now;
} last_words;

static void make_last_words(void *self, const struct sweep_progress *at)
{
    (void)self;
    char *place = last_words.places[last_words.now == last_words.places[0]];
    snprintf(place, sizeof last_words.places[0],
             "helio-sweep: error: ended by a signal (Ctrl-C, a lost rank or a time limit): %zu of %zu runs "
             "are kept "
             "in %.300s; run it again to go on\n",
             at->kept, at->runs, last_words.results);
    last_words.now = place;
}

/* Ctrl-C, a launcher that has lost a rank, and a batch system whose time is over end all ranks by a signal.
 * Only the runs that are under way are lost, and the user is told so. */
static void expect_the_end(struct sweep_command *sweep)
{
    last_words.results = sweep->output;
    last_words.now = "helio-sweep: error: ended by a signal before the first run\n";
    sweep->options.progress = make_last_words;
    interrupt_end_with(&last_words.now);
}

/* Without other ranks: one run after another in this process. */
static enum status run_alone(struct sweep_command *sweep)
{
    sweep->options.jobs = 1;
    return sweep_command_run(sweep, NULL);
}

static enum status run_as_rank_0(int argc, char **argv, int ranks)
{
    struct sweep_command sweep;
    struct worker_pool worker_pool;
    enum status status = sweep_command_init(&sweep, &command, argc, argv);
    if (status == STATUS_OK && sweep.dry_run)
        status = sweep_command_forecast(&sweep, ranks > 1 ? (unsigned)ranks - 1 : 1, "worker", "workers");
    bool runs = status == STATUS_OK && !sweep.dry_run && !sweep.help;
    if (runs && ranks == 1) {
        status = run_alone(&sweep);
    } else if (ranks > 1 && ranks_agree_to_go_on(runs)) {
        expect_the_end(&sweep);
        rank_pool_init(&worker_pool);
        status = ranks_have_the_same(&sweep) ? sweep_command_run(&sweep, &worker_pool) : STATUS_FAILED;
    }
    sweep_command_free(&sweep);
    return status;
}

/* A rank that is not 0, one of `here` ranks on its machine. It goes on only if rank 0 has read the sweep
 * without an error. */
static void run_as_another(int argc, char **argv, unsigned here)
{
    struct sweep_command sweep;
    diag_set_sink(be_silent, NULL);
    if (!ranks_agree_to_go_on(false))
        return;
    if (sweep_command_init(&sweep, &command, argc, argv) != STATUS_OK)
        sweep.points = NULL; /* differs from what rank 0 has */
    if (ranks_have_the_same(&sweep))
        ranks_serve(sweep.points, sweep_room(&sweep.options, here));
    sweep_command_free(&sweep);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    enum status status = STATUS_OK;
    standard_open();
    interrupt_install();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned here = ranks_of_machine();
    if (rank == 0)
        progress_line_start();
    if (!is_launched_well(ranks))
        status = STATUS_BAD_INPUT;
    else if (rank == 0)
        status = run_as_rank_0(argc, argv, ranks);
    else
        run_as_another(argc, argv, here);
    progress_line_stop();
    MPI_Finalize();
    status = standard_close(status);
    return status == STATUS_CANCELLED ? interrupt_exit_status(status) : (int)status;
}
