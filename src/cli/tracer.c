#include "cli/tracer.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/launch.h"

const char *const tracer_mpis[] = {"openmpi", "mpich", NULL};

/* Beside helio, both in a build and as installed. */
char *tracer_library(const char *mpi)
{
    static const char *const folders[] = {"lib", HELIO_LIBDIR};
    char *bin = launch_own_folder(), *found = NULL;
    for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; i++) {
        char *path = mem_format("%s/../%s/libhelio_capture_%s.so", bin, folders[i], mpi);
        char *real = realpath(path, NULL);
        if (real && access(real, R_OK) == 0)
            found = mem_text(real);
        free(real);
        free(path);
    }
    free(bin);
    return found;
}

/* From the name of its file behind all links: mpirun is orterun, or hydra. */
const char *tracer_mpi_of(const char *launcher)
{
    char file[PATH_MAX];
    char *found = launch_find(launcher);
    bool known = found && realpath(found, file);
    free(found);
    if (!known)
        return NULL;
    const char *name = strrchr(file, '/') + 1;
    if (strstr(name, "openmpi") || strstr(name, "orte") || strstr(name, "prte"))
        return "openmpi";
    return strstr(name, "mpich") || strstr(name, "hydra") ? "mpich" : NULL;
}
