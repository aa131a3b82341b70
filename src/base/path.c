#include "base/path.h"

#include <string.h>

#include "base/mem.h"

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return mem_text(".");
    return slash == path ? mem_text("/") : mem_format("%.*s", (int)(slash - path), path);
}
