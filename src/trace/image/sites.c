#include "trace/image/sites.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

static const char purpose[] = "call sites";

static uint32_t add(struct sites *sites, const char *text, size_t length)
{
    sites->texts = mem_grow(sites->texts, &sites->capacity, sites->size + length + 1, purpose);
    sites->starts = mem_grow(sites->starts, &sites->start_capacity, sites->count + (size_t)1, purpose);
    memcpy(sites->texts + sites->size, text, length);
    sites->texts[sites->size + length] = '\0';
    sites->starts[sites->count] = sites->size;
    sites->size += length + 1;
    return ++sites->count;
}

uint32_t sites_intern(struct sites *sites, const char *text, size_t length)
{
    for (uint64_t hash = XXH3_64bits(text, length);; hash++) {
        uint32_t *known = hashmap_slot(&sites->index, hash);
        if (!*known)
            return *known = add(sites, text, length);
        const char *other = sites->texts + sites->starts[*known - 1];
        if (strlen(other) == length && !memcmp(other, text, length))
            return *known;
    }
}

void sites_free(struct sites *sites)
{
    free(sites->texts);
    free(sites->starts);
    hashmap_free(&sites->index);
}
