#include "base/hash.h"

#include <string.h>
#include <xxhash.h>

uint64_t hash_texts(const char *const *texts, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = XXH3_64bits_withSeed(texts[i], strlen(texts[i]) + 1, hash);
    return hash;
}
