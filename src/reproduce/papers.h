#ifndef HELIO_REPRODUCE_PAPERS_H
#define HELIO_REPRODUCE_PAPERS_H

#include <stddef.h>

/* The CSV files of papers/ as the build puts them into the program (embed.cmake), so that it needs none of
 * them beside itself; ends with path NULL. */
struct paper_file {
    const char *path; /* "papers/fmu/published.csv" */
    const char *text;
    size_t length;
};

extern const struct paper_file paper_files[];

#endif
