#include "output/cache.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/stream.h"
#include "output/unfinished.h"

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
    FILE *file = path ? file_open_regular(path) : NULL;
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

/* False, with errno. */
static bool write_whole(const char *path, const void *bytes, size_t size)
{
    struct unfinished *unfinished = unfinished_file(path);
    if (!unfinished)
        return false;
    struct stream stream;
    struct cache_trailer trailer = trailer_of(bytes, size);
    FILE *file = stream_open(&stream, unfinished_descriptor(unfinished));
    if (file) {
        fwrite(bytes, 1, size, file);
        fwrite(&trailer, sizeof trailer, 1, file);
    }
    int error = file && fclose(file) == 0 ? 0 : errno;
    if (stream.error)
        error = stream.error;
    if (!error && unfinished_publish(unfinished, path, UNFINISHED_NO_SYNC))
        return true;
    if (error) {
        unfinished_discard(unfinished);
        errno = error;
    }
    return false;
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
