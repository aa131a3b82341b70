#ifndef HELIO_BASE_PATH_H
#define HELIO_BASE_PATH_H

/* The folder of a file's path: all up to the last slash, "/" for a file in the root folder, "." for a path
 * without a slash. To be freed. */
char *path_folder(const char *path);

/* A path that stands in `file` and is relative to it, as seen from the working directory: "cg.ti" in
 * "examples/demo.yaml" is "examples/cg.ti". An absolute path stays as it is, and so does a path in what is no
 * regular file, such as a pipe, which has no folder of its own. To be freed. */
char *path_beside(const char *file, const char *path);

/* What `file` has to say for something that exists at `path`, seen from the working directory: "../cg.ti".
 * To be freed; NULL: one of them does not exist. */
char *path_to_write(const char *file, const char *path);

#endif
