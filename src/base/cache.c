#include "base/cache.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/mem.h"

char *cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return mem_format("%s/heliograph", cache);
    return home && home[0] == '/' ? mem_format("%s/.cache/heliograph", home) : NULL;
}

/* mkdir -p, with the mode that the XDG rules ask for */
bool cache_folder_make(char *folder)
{
    for (char *slash = folder + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        bool there = !mkdir(folder, 0700) || errno == EEXIST;
        *slash = '/';
        if (!there)
            return false;
    }
    return !mkdir(folder, 0700) || errno == EEXIST;
}

/* The last bytes of a kept file. */
struct cache_trailer {
    uint64_t size, checksum;
};

static struct cache_trailer trailer_of(const void *bytes, size_t size)
{
    return (struct cache_trailer){.size = size, .checksum = XXH3_64bits(bytes, size)};
}

bool cache_load(const char *name, void *bytes, size_t size)
{
    char *folder = cache_folder(), *path = folder ? mem_format("%s/%s", folder, name) : NULL;
    FILE *file = path ? fopen(path, "rbe") : NULL;
    bool whole = false;
    if (file) {
        struct cache_trailer found, expected;
        whole = fread(bytes, 1, size, file) == size && fread(&found, sizeof found, 1, file) == 1;
        expected = trailer_of(bytes, size);
        whole = whole && found.size == expected.size && found.checksum == expected.checksum;
        fclose(file);
        if (!whole)
            diag_note("%s is damaged, so it is not used and made again", path);
    }
    free(path);
    free(folder);
    return whole;
}

/* Writes under another name and renames, so that other processes see the old file or the new one, never a
 * part of it. */
static bool write_whole(const char *path, const void *bytes, size_t size)
{
    char *temporary = mem_format("%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    bool whole = false;
    if (file) {
        struct cache_trailer trailer = trailer_of(bytes, size);
        whole = fwrite(bytes, 1, size, file) == size && fwrite(&trailer, sizeof trailer, 1, file) == 1;
        whole = fclose(file) == 0 && whole && rename(temporary, path) == 0;
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    int cause = errno;
    if (descriptor >= 0 && !whole)
        unlink(temporary);
    free(temporary);
    errno = cause;
    return whole;
}

void cache_keep(const char *name, const void *bytes, size_t size)
{
    char *folder = cache_folder();
    if (!folder)
        return;
    char *path = mem_format("%s/%s", folder, name);
    if (!cache_folder_make(folder) || !write_whole(path, bytes, size))
        diag_warning("cannot write %s: %s; it is made again in each run", path, strerror(errno));
    free(path);
    free(folder);
}
