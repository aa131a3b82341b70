#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "source/source.h"

void source_place_free(struct source_place *place)
{
    free(place->file);
    free(place->function);
}

/* The last `parts` parts of a path. */
static const char *last_parts(const char *path, size_t parts)
{
    const char *at = path + strlen(path);
    for (size_t passed = 0; at > path; at--)
        if (at[-1] == '/' && ++passed == parts)
            break;
    return at;
}

static int by_text(const void *first, const void *second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

/* The files of all places, each once, in ascending order. Returns how many. */
static size_t list_files(const struct source_place *places, size_t count, const char **files)
{
    size_t all = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (places[i].file)
            files[all++] = places[i].file;
    if (all)
        qsort(files, all, sizeof *files, by_text);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || strcmp(files[i], files[kept - 1]) != 0)
            files[kept++] = files[i];
    return kept;
}

const char *source_short_name(const char *file, const char *const *files, size_t count)
{
    for (size_t parts = 1;; parts++) {
        const char *name = last_parts(file, parts);
        size_t same = 0;
        for (size_t i = 0; i < count; i++)
            same += strcmp(last_parts(files[i], parts), name) == 0;
        if (same <= 1 || name == file)
            return name;
    }
}

static char *name_of(const struct source_place *place, const struct source_address *address,
                     const char *const *files, size_t count)
{
    const char *program = last_parts(address->path, 1);
    if (place->file)
        return mem_format("%s:%" PRIu32, source_short_name(place->file, files, count), place->line);
    if (place->function)
        return mem_format("%s+0x%" PRIx64 " in %s", place->function, place->offset, program);
    return mem_format("+0x%" PRIx64 " in %s", address->address, program);
}

static struct source_place place_of(struct source *source, const struct source_address *address)
{
    const char *obstacle = source_obstacle(source, address->path, address->build);
    if (obstacle && *obstacle)
        diag_warning("the call sites in %s stay offsets: %s", address->path, obstacle);
    return obstacle ? (struct source_place){.file = NULL}
                    : source_find(source, address->path, address->address);
}

char **source_names(const struct source_address *addresses, size_t count)
{
    struct source *source = source_open();
    struct source_place *places = mem_alloc(count, sizeof *places, "call sites");
    const char **files = mem_alloc(count, sizeof *files, "call sites");
    char **names = mem_alloc(count, sizeof *names, "call sites");
    for (size_t i = 0; i < count; i++)
        places[i] = place_of(source, &addresses[i]);
    const size_t file_count = list_files(places, count, files);
    for (size_t i = 0; i < count; i++)
        names[i] = name_of(&places[i], &addresses[i], files, file_count);
    for (size_t i = 0; i < count; i++)
        source_place_free(&places[i]);
    free(places);
    free(files);
    source_close(source);
    return names;
}
