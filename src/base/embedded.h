#ifndef HELIO_BASE_EMBEDDED_H
#define HELIO_BASE_EMBEDDED_H

#include <stddef.h>

/* A file that the build has put into the program (cmake/embed.cmake), so that the program needs no file
 * beside itself. A list of them ends with path NULL. */
struct embedded_file {
    const char *path; /* from the top of the source: "papers/fmu/published.csv" */
    const char *text;
    size_t length;
};

/* NULL when the list has no file of that path. */
const struct embedded_file *embedded_find(const struct embedded_file *files, const char *path);

#endif
