#ifndef HELIO_OUTPUT_UNFINISHED_H
#define HELIO_OUTPUT_UNFINISHED_H

#include <stdbool.h>

/* A file or folder that has a private name beside its target until it is whole:
 *
 *     TARGET.XXXXXXXX.helio-unfinished
 *
 * The name is created exclusively. Its process holds a lock (flock) on it, and the kernel gives the lock up
 * when the process ends, however it ends. So a private name whose lock can be taken belongs to nobody, and
 * who creates the next one in the same folder removes it. Names of a process that ends by exit or by a signal
 * (output/interrupt.h) are removed by the process itself. */
struct unfinished;

/* NULL, with errno. The folder's files are created in unfinished_path. The target's folder must exist. */
struct unfinished *unfinished_file(const char *target);
struct unfinished *unfinished_folder(const char *target);

int unfinished_descriptor(const struct unfinished *unfinished);
const char *unfinished_path(const struct unfinished *unfinished);

/* Writes everything to the disk, then gives it the name `target`: a file replaces what was there, a folder
 * does not. False, with errno, and the private name is gone: it cannot. Frees. */
bool unfinished_publish(struct unfinished *unfinished, const char *target);

/* Removes the file, or the folder and what is in it. Frees. */
void unfinished_discard(struct unfinished *unfinished);

/* Removes all private names of this process. Safe in a signal handler: the process ends after it. */
void unfinished_discard_all(void);

/* Removes the private names in `folder` that belong to nobody. */
void unfinished_remove_leftovers(const char *folder);

#endif
