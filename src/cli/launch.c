#include "cli/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/progress.h"

char *launch_own_folder(void)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    return path_folder(self);
}

/* Beside helio, both in a build and as installed. */
char *launch_library(const char *name, const char *mpi)
{
    static const char *const folders[] = {"lib", HELIO_LIBDIR};
    char *bin = launch_own_folder(), *found = NULL;
    for (size_t i = 0; !found && i < sizeof folders / sizeof *folders; i++) {
        char *path = mem_format("%s/../%s/libhelio_%s_%s.so", bin, folders[i], name, mpi);
        char *real = realpath(path, NULL);
        if (real && access(real, R_OK) == 0)
            found = mem_text(real);
        free(real);
        free(path);
    }
    free(bin);
    return found;
}

/* "a:b", or "b" if a is NULL or empty. */
static char *joined(const char *first, const char *second)
{
    return first && *first ? mem_format("%s:%s", first, second) : mem_text(second);
}

bool launch_preload(const char *library, struct launch_preload *preload)
{
    const char *others = getenv("LD_PRELOAD");
    char *folder = path_folder(library);
    bool has_blank = strchr(folder, ' ');
    if (strpbrk(folder, ":;$")) {
        diag_error(
            "%s cannot be loaded: the dynamic loader reads ':', ';' and '$' in the name of a folder as "
            "separators; install Heliograph in a folder without them",
            library);
        free(folder);
        return false;
    }
    const char *name = has_blank ? library + strlen(folder) + 1 : library;
    preload->libraries = others && *others ? joined(name, others) : mem_text(name);
    preload->folders = has_blank ? joined(getenv("LD_LIBRARY_PATH"), folder) : NULL;
    free(folder);
    return true;
}

void launch_preload_free(struct launch_preload *preload)
{
    free(preload->libraries);
    free(preload->folders);
}

char *launch_find(const char *name)
{
    const char *path = getenv("PATH");
    char *folders = mem_text(path ? path : ""), *rest = folders,
         *found = strchr(name, '/') ? mem_text(name) : NULL;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        char *candidate = mem_format("%s/%s", folder, name);
        if (access(candidate, X_OK) == 0)
            found = candidate;
        else
            free(candidate);
    }
    free(folders);
    return found;
}

bool launch_start(struct launch *launch, char *const *words)
{
    int ends[2];
    if (pipe(ends) != 0) {
        diag_error("cannot start %s: %s", words[0], strerror(errno));
        return false;
    }
    fflush(NULL);
    launch->process = fork();
    if (launch->process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], words);
        diag_error("cannot start '%s': %s", words[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    launch->lines = launch->process > 0 ? fdopen(ends[0], "r") : NULL;
    if (launch->lines) {
        progress_begin("measuring", 0);
        return true;
    }
    diag_error("cannot start %s: %s", words[0], strerror(errno));
    close(ends[0]); /* which ends the process that writes there */
    if (launch->process > 0)
        waitpid(launch->process, NULL, 0);
    return false;
}

int launch_end(struct launch *launch)
{
    int status = -1;
    while (fgetc(launch->lines) != EOF) /* until it has printed everything, so that it does not block */
        ;
    fclose(launch->lines);
    progress_end();
    return waitpid(launch->process, &status, 0) == launch->process ? status : -1;
}
