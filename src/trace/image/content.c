#include "trace/image/content.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/progress.h"

enum status content_cannot_read(const char *path)
{
    diag_error("cannot read %s: %s", path, strerror(errno));
    return STATUS_BAD_INPUT;
}

enum status content_load(const char *path, char **bytes, size_t *size)
{
    FILE *file = file_open_regular(path);
    if (!file && errno == EINVAL) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "it is no regular file");
        return STATUS_BAD_INPUT;
    }
    if (!file)
        return content_cannot_read(path);
    struct stat about;
    size_t capacity = 0, used = 0;
    char *buffer = NULL;
    if (!fstat(fileno(file), &about) && about.st_size > 0)
        buffer = mem_grow(buffer, &capacity, (size_t)about.st_size + 1, "the text of a trace");
    setvbuf(file, NULL, _IONBF, 0);
    progress_begin("reading a file", capacity);
    for (;;) {
        const size_t step = 1 << 26; /* bytes, so that the progress shows */
        buffer = mem_grow(buffer, &capacity, used + 1, "the text of a trace");
        size_t got = fread(buffer + used, 1, capacity - used < step ? capacity - used : step, file);
        used += got;
        progress_tell(used);
        if (!got)
            break;
    }
    progress_end();
    bool failed = ferror(file);
    if (failed) {
        content_cannot_read(path);
        free(buffer);
    }
    fclose(file);
    if (failed)
        return STATUS_BAD_INPUT;
    *bytes = buffer;
    *size = used;
    return STATUS_OK;
}

bool content_hash_begin(struct content_hash *hash)
{
    hash->state = XXH3_createState();
    return hash->state && XXH3_128bits_reset(hash->state) == XXH_OK;
}

void content_hash_add(struct content_hash *hash, const char *bytes, size_t size)
{
    uint64_t length = size;
    XXH3_128bits_update(hash->state, &length, sizeof length); /* where one text ends and the next begins */
    XXH3_128bits_update(hash->state, bytes, size);
}

void content_hash_end(struct content_hash *hash, uint64_t key[2])
{
    XXH128_hash_t digest = {0};
    if (hash->state)
        digest = XXH3_128bits_digest(hash->state);
    XXH3_freeState(hash->state);
    hash->state = NULL;
    key[0] = digest.high64;
    key[1] = digest.low64;
}

void content_key(const char *bytes, size_t size, uint64_t key[2])
{
    XXH128_hash_t hash = XXH3_128bits(bytes, size);
    key[0] = hash.high64;
    key[1] = hash.low64;
}
