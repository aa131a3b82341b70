#ifndef HELIO_BASE_PATH_H
#define HELIO_BASE_PATH_H

/* The folder of a file's path: all up to the last slash, "/" for a file in the root folder, "." for a path
 * without a slash. To be freed. */
char *path_folder(const char *path);

#endif
