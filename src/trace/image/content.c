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

static void set_key(XXH128_hash_t hash, uint64_t key[2])
{
    key[0] = hash.high64;
    key[1] = hash.low64;
}

static enum status open_file(const char *path, FILE **file)
{
    *file = file_open_regular(path);
    if (*file)
        return STATUS_OK;
    if (errno != EINVAL)
        return content_cannot_read(path);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "it is no regular file");
    return STATUS_BAD_INPUT;
}

enum status content_load(const char *path, char **bytes, size_t *size)
{
    FILE *file;
    enum status status = open_file(path, &file);
    if (status != STATUS_OK)
        return status;
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

/* ----------------------------------------------------------------- windows */

enum { WINDOW_BYTES = 1 << 20 };

/* A hash without bytes. NULL, reported: no memory. */
static XXH3_state_t *new_hash(void)
{
    XXH3_state_t *hash = XXH3_createState();
    if (hash && XXH3_128bits_reset(hash) == XXH_OK)
        return hash;
    XXH3_freeState(hash);
    diag_error("out of memory for a checksum");
    return NULL;
}

static void read_all(struct content_window *window, XXH3_state_t *hash)
{
    struct stat about;
    size_t got;
    progress_begin("reading a file", fstat(fileno(window->file), &about) ? 0 : (uint64_t)about.st_size);
    while ((got = fread(window->buffer, 1, WINDOW_BYTES, window->file))) {
        XXH3_128bits_update(hash, window->buffer, got);
        window->size += got;
        progress_tell(window->size);
    }
    progress_end();
}

static enum status find_key(struct content_window *window, uint64_t key[2])
{
    XXH3_state_t *hash = new_hash();
    if (!hash)
        return STATUS_FAILED;
    read_all(window, hash);
    set_key(XXH3_128bits_digest(hash), key);
    XXH3_freeState(hash);
    return ferror(window->file) ? content_cannot_read(window->path) : STATUS_OK;
}

enum status content_window_open(struct content_window *window, const char *path, uint64_t key[2])
{
    struct stat about;
    *window = (struct content_window){.path = path};
    enum status status = open_file(path, &window->file);
    if (status != STATUS_OK)
        return status;
    setvbuf(window->file, NULL, _IONBF, 0);
    window->buffer = mem_grow(window->buffer, &window->capacity, WINDOW_BYTES, "a part of a trace");
    if (key)
        status = find_key(window, key);
    else if (fstat(fileno(window->file), &about))
        status = content_cannot_read(path);
    else
        window->size = (uint64_t)about.st_size;
    if (status != STATUS_OK)
        content_window_close(window);
    return status;
}

/* What is in memory and comes behind the hashed bytes. */
static void hash_window(struct content_window *window)
{
    if (!window->hash || window->from > window->hashed || window->to <= window->hashed)
        return;
    const size_t fresh = (size_t)(window->to - window->hashed);
    XXH3_128bits_update(window->hash, window->bytes + (window->hashed - window->from), fresh);
    window->hashed = window->to;
}

const char *content_window_at(struct content_window *window, uint64_t from, size_t count)
{
    if (from >= window->from && from + count <= window->to)
        return window->bytes + (from - window->from);
    if (!window->file)
        return window->bytes + from;
    uint64_t wanted = count > WINDOW_BYTES ? count : WINDOW_BYTES;
    if (wanted > window->size - from)
        wanted = window->size - from;
    window->buffer = mem_grow(window->buffer, &window->capacity, (size_t)wanted, "a part of a trace");
    window->bytes = window->buffer;
    window->from = window->to = from;
    errno = 0;
    if (fseeko(window->file, (off_t)from, SEEK_SET) == 0)
        window->to += fread(window->buffer, 1, (size_t)wanted, window->file);
    hash_window(window);
    if (window->to == from + wanted)
        return window->bytes;
    if (errno)
        content_cannot_read(window->path);
    else
        diag_report(DIAG_ERROR, &(struct diag_place){.file = window->path},
                    "it is shorter than it was before");
    return NULL;
}

enum status content_window_begin_key(struct content_window *window)
{
    window->hash = new_hash();
    return window->hash ? STATUS_OK : STATUS_FAILED;
}

enum status content_window_end_key(struct content_window *window, uint64_t key[2])
{
    while (window->hashed < window->size)
        if (!content_window_at(window, window->hashed, 1))
            return STATUS_BAD_INPUT;
    set_key(XXH3_128bits_digest(window->hash), key);
    return STATUS_OK;
}

void content_window_close(struct content_window *window)
{
    XXH3_freeState(window->hash);
    if (window->file)
        fclose(window->file);
    free(window->buffer);
    *window = (struct content_window){.path = NULL};
}

/* -------------------------------------------------------------------- keys */

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
    set_key(digest, key);
}

void content_key(const char *bytes, size_t size, uint64_t key[2])
{
    set_key(XXH3_128bits(bytes, size), key);
}
