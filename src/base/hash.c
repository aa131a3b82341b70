#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/mem.h"

uint64_t hash_texts(const char *const *texts, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = XXH3_64bits_withSeed(texts[i], strlen(texts[i]) + 1, hash);
    return hash;
}

static bool hash_of_open(FILE *file, char text[HASH_FILE_TEXT])
{
    XXH3_state_t *state = XXH3_createState();
    char bytes[4096];
    if (!state)
        mem_exhausted("the hash of a file");
    XXH3_128bits_reset(state);
    for (size_t length; (length = fread(bytes, 1, sizeof bytes, file));)
        XXH3_128bits_update(state, bytes, length);
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    snprintf(text, HASH_FILE_TEXT, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    return !ferror(file);
}

bool hash_of_file(const char *path, char text[HASH_FILE_TEXT])
{
    FILE *file = file_open_regular(path);
    *text = '\0';
    if (!file)
        return errno == EINVAL; /* it is no regular file */
    const bool is_read = hash_of_open(file, text);
    const int error = errno;
    fclose(file);
    errno = error;
    return is_read;
}
