#include "base/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return mem_text(".");
    return slash == path ? mem_text("/") : mem_format("%.*s", (int)(slash - path), path);
}

char *path_beside(const char *file, const char *path)
{
    struct stat about;
    const char *slash = strrchr(file, '/');
    if (*path == '/' || !*path || !slash || stat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return mem_text(path);
    return mem_format("%.*s/%s", (int)(slash - file), file, path);
}

/* The bytes that two absolute paths have in common, up to a slash. */
static size_t common_folders(const char *a, const char *b)
{
    size_t common = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '/')
            common = i + 1;
    return common;
}

/* Both are absolute, without links and dots; `folder` ends with a slash. */
static char *path_between(const char *folder, const char *target)
{
    size_t common = common_folders(folder, target), ups = 0;
    for (const char *at = folder + common; (at = strchr(at, '/')); at++)
        ups++;
    char *text = mem_alloc(3 * ups + strlen(target + common) + 1, 1, "a path"), *end = text;
    for (size_t i = 0; i < ups; i++)
        end = stpcpy(end, "../");
    strcpy(end, target + common);
    return text;
}

char *path_to_write(const char *file, const char *path)
{
    char *above = path_folder(file), *real_folder = realpath(above, NULL), *real = realpath(path, NULL);
    char *text = NULL;
    if (real_folder && real) {
        char *folder = mem_format("%s/", strcmp(real_folder, "/") == 0 ? "" : real_folder);
        text = path_between(folder, real);
        free(folder);
    }
    free(above);
    free(real_folder);
    free(real);
    return text;
}
