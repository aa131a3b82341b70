#include "cli/launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"

char *launch_own_folder(void)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    return mem_text(slash ? self : ".");
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
    if (launch->lines)
        return true;
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
    return waitpid(launch->process, &status, 0) == launch->process ? status : -1;
}
