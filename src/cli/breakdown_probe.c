#include "cli/breakdown_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "cli/launch.h"

const struct probe probes[PROBES] = {
    {"uct", NULL}, {"mpich", HELIO_MPIEXEC_MPICH}, {"openmpi", HELIO_MPIEXEC_OPENMPI}};

/* In $HELIO_PROBES, or beside this program. To be freed. */
static char *path_of(const struct probe *probe)
{
    const char *given = getenv("HELIO_PROBES");
    char *folder = given ? mem_text(given) : launch_own_folder();
    char *path = mem_format("%s/helio-probe-%s", folder, probe->kind);
    free(folder);
    return path;
}

bool probe_is_there(const struct probe *probe, char **why)
{
    char *path = path_of(probe);
    bool there = access(path, X_OK) == 0;
    *why = NULL;
    if (probe->mpiexec && !*probe->mpiexec)
        *why = mem_format("this build of helio has no %s", probe->kind);
    else if (!there)
        *why = mem_format("%s is not there; it is built where libucx-dev%s%s%s", path,
                          probe->mpiexec ? " and lib" : "", probe->mpiexec ? probe->kind : "",
                          probe->mpiexec ? "-dev are" : " is");
    free(path);
    return !*why;
}

/* The probe itself, or two processes of it under its MPI's launcher. */
static bool start(const struct probe *probe, char *path, struct launch *launch)
{
    char *mpiexec = mem_text(probe->mpiexec ? probe->mpiexec : "");
    char *alone[] = {path, NULL};
    char *mpich[] = {mpiexec, "-n", "2", path, NULL};
    char *openmpi[] = {mpiexec, "--bind-to", "none", "--oversubscribe", "-n", "2", path, NULL};
    char **command = !probe->mpiexec ? alone : strcmp(probe->kind, "openmpi") == 0 ? openmpi : mpich;
    if (geteuid() == 0) { /* Open MPI asks for both variables */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    bool started = launch_start(launch, command);
    free(mpiexec);
    return started;
}

static enum status run(const struct probe *probe, char *path, struct measurement *measurement)
{
    struct launch launch;
    if (!start(probe, path, &launch))
        return STATUS_FAILED;
    enum status status = measure_read(measurement, launch.lines, path);
    if (launch_end(&launch) != 0) {
        diag_error("%s has failed", path);
        status = STATUS_FAILED;
    }
    return status;
}

enum status probe_run(const struct probe *probe, struct measurement *measurement)
{
    char *path = path_of(probe);
    *measurement = (struct measurement){.timer_ns = 0};
    enum status status = run(probe, path, measurement);
    free(path);
    return status;
}
