#ifndef HELIO_OUTPUT_CACHE_H
#define HELIO_OUTPUT_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* The cache keeps what takes long to compute, in files in $XDG_CACHE_HOME/heliograph, else in
 * $HOME/.cache/heliograph. It can be deleted at any time, and several processes can fill it at the same time.
 */

/* The folder, which may not exist yet. The caller frees the path. NULL: the environment names none. By the
 * XDG rules a path that is not absolute is ignored. */
char *cache_folder(void);

/* Makes the folder and those above it, readable only by the user. False, with errno: that failed. */
bool cache_folder_make(char *folder);

/* Reads the `size` bytes that were kept as `name`. False: there are none, or they are damaged, that is of
 * another size or with a wrong checksum; a note reports damage. */
bool cache_load(const char *name, void *bytes, size_t size);

/* Keeps bytes as `name`. A warning reports a failure, unless the environment names no folder. */
void cache_keep(const char *name, const void *bytes, size_t size);

#endif
