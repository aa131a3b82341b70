#include "cli/breakdown_probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"

const struct probe probes[PROBES] = {
    {"uct", NULL}, {"mpich", HELIO_MPIEXEC_MPICH}, {"openmpi", HELIO_MPIEXEC_OPENMPI}};

/* In $HELIO_PROBES, or beside this program. To be freed. */
static char *path_of(const struct probe *probe)
{
    char self[4096];
    const char *folder = getenv("HELIO_PROBES");
    if (folder)
        return mem_format("%s/helio-probe-%s", folder, probe->kind);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    return mem_format("%s/helio-probe-%s", slash ? self : ".", probe->kind);
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

static _Noreturn void become(const struct probe *probe, char *path, int out)
{
    dup2(out, STDOUT_FILENO);
    close(out);
    char mpiexec[4096];
    snprintf(mpiexec, sizeof mpiexec, "%s", probe->mpiexec ? probe->mpiexec : "");
    char *alone[] = {path, NULL};
    char *mpich[] = {mpiexec, "-n", "2", path, NULL};
    char *openmpi[] = {mpiexec, "--bind-to", "none", "--oversubscribe", "-n", "2", path, NULL};
    char **command = !probe->mpiexec ? alone : strcmp(probe->kind, "openmpi") == 0 ? openmpi : mpich;
    if (geteuid() == 0) { /* Open MPI wants to be told twice */
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    execvp(command[0], command);
    fprintf(stderr, "helio: error: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

static enum status run(const struct probe *probe, char *path, struct measurement *measurement)
{
    int ends[2];
    if (pipe(ends) != 0) {
        diag_error("cannot start %s: %s", path, strerror(errno));
        return STATUS_FAILED;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become(probe, path, ends[1]);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    enum status status = child > 0 ? measure_read(measurement, from, path) : STATUS_FAILED;
    while (fgetc(from) != EOF) /* what else it prints must not stop it */
        ;
    fclose(from);
    int how = 0;
    if (child > 0 && (waitpid(child, &how, 0) != child || how != 0)) {
        diag_error("%s did not end well", path);
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
