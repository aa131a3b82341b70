#ifndef HELIO_CLI_LAUNCH_H
#define HELIO_CLI_LAUNCH_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Other programs: where they are, and how they are run. Paths are to be freed. */

/* The folder of this program's own file. */
char *launch_own_folder(void);

/* The first program of that name in PATH; the name itself where it is a path. NULL: there is none. */
char *launch_find(const char *name);

/* A program whose standard output is read. */
struct launch {
    pid_t process;
    FILE *lines; /* what it prints */
};

/* Starts the command; the words end with NULL. False: reported. Where words[0] cannot be run, the new process
 * says so and ends with 127. */
bool launch_start(struct launch *launch, char *const *words);

/* Reads what is left, waits, and returns the status of waitpid; -1 where it cannot be waited for. */
int launch_end(struct launch *launch);

#endif
