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

/* The library libhelio_NAME_MPI.so of this program; NULL: it is not where helio looks. */
char *launch_library(const char *name, const char *mpi);

/* What makes the dynamic loader load a library into a program, before the libraries that are preloaded
 * already. The loader separates names at blanks. So a library in a folder with a blank is named without its
 * folder, which becomes the last one of LD_LIBRARY_PATH. */
struct launch_preload {
    char *libraries; /* LD_PRELOAD */
    char *folders;   /* LD_LIBRARY_PATH; NULL: as it is */
};

/* False, reported: the loader cannot be told this path. */
bool launch_preload(const char *library, struct launch_preload *preload);
void launch_preload_free(struct launch_preload *preload);

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
