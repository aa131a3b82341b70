#ifndef HELIO_CLI_CLUSTER_PROGRAM_H
#define HELIO_CLI_CLUSTER_PROGRAM_H

#include <stdbool.h>

#include "base/status.h"

/* A program whose ranks work together. Rank 0 reads the command line, hands out work and keeps what comes
 * back; only rank 0 prints. Alone it does all the work.
 *
 *     program.h              what such programs share: begin and end, and the words on a signal
 *     ranks.h                the ranks as workers
 *     sweep.c, search.c      helio-sweep and helio-search */
struct rank_program {
    const char *name;
    enum status (*run_as_rank_0)(int argc, char **argv, int ranks);
    /* `here`: how many ranks are on its machine. */
    void (*run_as_another)(int argc, char **argv, unsigned here);
};

/* Returns the exit status. */
int rank_program_run(const struct rank_program *program, int argc, char **argv);

/* Ctrl-C, a launcher that has lost a rank, and a batch system whose time is over end all ranks by a signal.
 * Only the work that is under way is lost. Rank 0 says so in the words that were set last: what is kept, and
 * where. */
void rank_program_expect_the_end(void);
void rank_program_set_last_words(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
