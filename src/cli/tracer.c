#include "cli/tracer.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/launch.h"

const char *const tracer_mpis[] = {"openmpi", "mpich", NULL};

bool tracer_take_mpi(const char *name)
{
    for (size_t i = 0; tracer_mpis[i]; i++)
        if (strcmp(tracer_mpis[i], name) == 0)
            return true;
    diag_error("--mpi %s: openmpi or mpich is expected", name);
    return false;
}

char *tracer_library(const char *mpi)
{
    return launch_library("capture", mpi);
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
