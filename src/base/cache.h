#ifndef HELIO_BASE_CACHE_H
#define HELIO_BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* What took long to find and can be found again: files in $XDG_CACHE_HOME/heliograph, else in
 * $HOME/.cache/heliograph. The cache may be deleted at any time, and processes that fill it at the same time
 * do not disturb each other. */

/* The folder, whether it exists or not, to be freed; NULL where the environment names none. By the XDG rules
 * a path that is not absolute is as good as none. */
char *cache_folder(void);

/* Makes the folder and those above it, for the user alone. False: errno says why not. */
bool cache_folder_make(char *folder);

/* The `size` bytes that were kept under `name`. False where there are none; those of another size or with
 * another checksum are reported in a note. */
bool cache_load(const char *name, void *bytes, size_t size);

/* Keeps them. Where that cannot be, a warning says why, unless the environment names no folder. */
void cache_keep(const char *name, const void *bytes, size_t size);

#endif
