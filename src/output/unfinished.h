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

/* Of a file: to write and read, and no longer valid once it is published or discarded. */
int unfinished_descriptor(const struct unfinished *unfinished);
const char *unfinished_path(const struct unfinished *unfinished);

/* Writes everything to the disk. False, with errno. */
bool unfinished_sync(const struct unfinished *unfinished);

/* Gives it the name `target`: a file replaces what was there, a folder does not, nor a file with
 * UNFINISHED_NEW. All but UNFINISHED_NO_SYNC write everything to the disk first, so that the name never
 * stands for less, whatever happens to the machine. False, with errno, and the private name is gone: it
 * cannot (EEXIST: something is there). Frees. */
enum unfinished_care { UNFINISHED_SYNC, UNFINISHED_NEW, UNFINISHED_NO_SYNC };
bool unfinished_publish(struct unfinished *unfinished, const char *target, enum unfinished_care care);

/* Removes the file, or the folder and what is in it. Frees. */
void unfinished_discard(struct unfinished *unfinished);

/* Removes all private names of this process. Safe in a signal handler: the process ends after it. */
void unfinished_discard_all(void);

/* Removes the private names in `folder` that belong to nobody. */
void unfinished_remove_leftovers(const char *folder);

#endif
