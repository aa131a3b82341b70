/* Resources of this process that calls could leak. */
#ifndef HELIO_TESTS_MPI_HOLDINGS_H
#define HELIO_TESTS_MPI_HOLDINGS_H

#include <dirent.h>

#include "checks.h"

struct holdings {
    long resident_pages, descriptors, mappings;
};

static inline struct holdings holdings_now(const char *check)
{
    struct holdings now = {0};
    char line[4096];
    FILE *statm = fopen("/proc/self/statm", "r"), *maps = fopen("/proc/self/maps", "r");
    DIR *descriptors = opendir("/proc/self/fd");
    if (!statm || !maps || !descriptors || fscanf(statm, "%*d %ld", &now.resident_pages) != 1)
        fail(check, "/proc cannot be read", 0, 0);
    while (fgets(line, sizeof line, maps))
        now.mappings++;
    while (readdir(descriptors))
        now.descriptors++;
    fclose(statm);
    fclose(maps);
    closedir(descriptors);
    return now;
}

#endif
