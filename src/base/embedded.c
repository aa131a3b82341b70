#include "base/embedded.h"

#include <string.h>

const struct embedded_file *embedded_find(const struct embedded_file *files, const char *path)
{
    while (files->path && strcmp(files->path, path) != 0)
        files++;
    return files->path ? files : NULL;
}
