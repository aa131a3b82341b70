#ifndef HELIO_CLI_SWEEP_COMMAND_H
#define HELIO_CLI_SWEEP_COMMAND_H

#include <stdbool.h>

#include "base/config.h"
#include "cli/options.h"
#include "sweep/definition.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"
#include "sweep/worker_pool.h"

/* The command line of a sweep, which `helio sweep` and `helio-sweep` share, and what it asks for. --jobs is
 * the last of the options: where the workers are those of an MPI program, nobody can choose how many. */
enum sweep_command_option {
    SWEEP_OUTPUT,
    SWEEP_SHARD,
    SWEEP_DRY_RUN,
    SWEEP_SET,
    SWEEP_PLUGIN,
    SWEEP_JOBS,
    SWEEP_OPTIONS
};
extern const struct cli_option sweep_command_options[SWEEP_OPTIONS];

struct sweep_command {
    const char *file, *output; /* the arguments' own */
    bool dry_run;
    struct sweep_options options;
    struct config *config;
    struct definition definition;
    struct sweep_point *points; /* the definition's */
    size_t count;
    bool help; /* was asked for and has been printed; there are no points */
};

/* Everything up to the points; errors are reported. To be closed also then. */
enum status sweep_command_open(struct sweep_command *sweep, const struct cli_command *command, int argc,
                               char **argv);
void sweep_command_close(struct sweep_command *sweep);

/* Prints what the sweep would take with as many workers. */
enum status sweep_command_forecast(struct sweep_command *sweep, unsigned workers, const char *one,
                                   const char *several);

/* Runs what is missing, and shows the progress on a terminal. Always shuts the pool of workers down; NULL:
 * processes of this machine. */
enum status sweep_command_run(struct sweep_command *sweep, struct worker_pool *worker_pool);

#endif
