#ifndef HELIO_CLI_SWEEP_COMMAND_H
#define HELIO_CLI_SWEEP_COMMAND_H

#include <stdbool.h>

#include "base/config.h"
#include "cli/options.h"
#include "sweep/definition.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"
#include "sweep/worker_pool.h"

/* The command line of a sweep, which `helio sweep` and `helio-sweep` share. --jobs is the last of the
 * options, because helio-sweep does not have it: its workers are the ranks. */
enum sweep_command_option {
    SWEEP_OUTPUT,
    SWEEP_SHARD,
    SWEEP_DRY_RUN,
    SWEEP_SET,
    SWEEP_MACHINE,
    SWEEP_AS_PUBLISHED,
    SWEEP_PLUGIN,
    SWEEP_FORCE,
    SWEEP_JOBS,
    SWEEP_OPTIONS
};
extern const struct cli_option sweep_command_options[SWEEP_OPTIONS];

struct sweep_command {
    const char *file, *output; /* texts of the command line */
    bool dry_run;
    struct sweep_options options;
    struct config *config;
    struct definition definition;
    struct sweep_point *points; /* owned by the definition */
    size_t count;
    bool help; /* --help was asked for and has been printed; there are no points */
};

/* Reads everything up to the points. Errors are reported. It is to be closed also after an error. */
enum status sweep_command_init(struct sweep_command *sweep, const struct cli_command *command, int argc,
                               char **argv);
void sweep_command_free(struct sweep_command *sweep);

/* Prints the time and the memory that the sweep would take with so many workers; `one` and `several` are what
 * workers are called. */
enum status sweep_command_forecast(struct sweep_command *sweep, unsigned workers, const char *one,
                                   const char *several);

/* Runs what is missing, and shows the progress on a terminal. Always shuts the pool of workers down; NULL:
 * processes of this machine. */
enum status sweep_command_run(struct sweep_command *sweep, struct worker_pool *worker_pool);

#endif
