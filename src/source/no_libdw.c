#include "source/source.h"

bool source_is_built_in(void)
{
    return false;
}

struct source *source_open(void)
{
    return NULL;
}

void source_close(struct source *source)
{
    (void)source;
}

const char *source_obstacle(struct source *source, const char *path, const char *build)
{
    (void)source, (void)path, (void)build;
    return "";
}

struct source_place source_find(struct source *source, const char *path, uint64_t address)
{
    (void)source, (void)path, (void)address;
    return (struct source_place){.file = NULL};
}
