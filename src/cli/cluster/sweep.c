#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "cli/cluster/program.h"
#include "cli/cluster/ranks.h"
#include "cli/sweep_command.h"
#include "sweep/process_pool.h"

/* helio-sweep is `helio sweep` with the ranks of an MPI program as workers. Rank 0 reads the experiment,
 * hands out runs and keeps their results. */
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

static void say_what_is_kept(void *self, const struct sweep_progress *at)
{
    const struct sweep_command *sweep = self;
    rank_program_set_last_words(
        "(Ctrl-C, a lost rank or a time limit): %zu of %zu runs are kept in %.300s; run "
        "it again to go on\n",
        at->kept, at->runs, sweep->output);
}

static void add_text(XXH3_state_t *hash, const char *text)
{
    XXH3_64bits_update(hash, text, strlen(text) + 1);
}

static void add_parameter(void *hash, const struct param *param, const char *value, const char *origin)
{
    (void)origin;
    add_text(hash, param->name);
    add_text(hash, value ? value : "");
}

/* A hash of the program's version, all parameters and all points; 0: the sweep could not be read. */
static uint64_t fingerprint(const struct sweep_command *sweep)
{
    if (!sweep->points)
        return 0;
    XXH3_state_t *hash = XXH3_createState();
    if (!hash)
        mem_exhausted("the hash of a sweep");
    XXH3_64bits_reset(hash);
    add_text(hash, HELIO_VERSION);
    config_each(sweep->config, hash, add_parameter);
    for (size_t i = 0; i < sweep->count; i++) {
        char *label = sweep_label(&sweep->points[i]);
        add_text(hash, label);
        free(label);
    }
    uint64_t digest = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return digest;
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
        sweep.options.progress = say_what_is_kept;
        sweep.options.self = &sweep;
        rank_program_expect_the_end();
        rank_pool_init(&worker_pool);
        status = ranks_have_the_same(fingerprint(&sweep), "sweep", sweep.file)
                     ? sweep_command_run(&sweep, &worker_pool)
                     : STATUS_FAILED;
    }
    sweep_command_free(&sweep);
    return status;
}

/* A rank that is not 0, one of `here` ranks on its machine. It goes on only if rank 0 has read the sweep
 * without an error. */
static void run_as_another(int argc, char **argv, unsigned here)
{
    struct sweep_command sweep;
    struct worker_pool own;
    if (!ranks_agree_to_go_on(false))
        return;
    if (sweep_command_init(&sweep, &command, argc, argv) != STATUS_OK)
        sweep.points = NULL; /* differs from what rank 0 has */
    if (ranks_have_the_same(fingerprint(&sweep), "sweep", sweep.file)) {
        process_pool_init(&own, 1, sweep.points, sweep_room(&sweep.options, here));
        ranks_serve(&own);
    }
    sweep_command_free(&sweep);
}

int main(int argc, char **argv)
{
    static const struct rank_program program = {"helio-sweep", run_as_rank_0, run_as_another};
    return rank_program_run(&program, argc, argv);
}
