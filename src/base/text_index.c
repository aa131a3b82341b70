#include "base/text_index.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "base/steps.h"

/* Sets *key to where the text is in the map, or would be. Texts of the same hash, of which there are hardly
 * any, follow one another. */
static bool search(const struct text_index *index, const char *text, uint64_t *key)
{
    *key = XXH3_64bits(text, strlen(text));
    for (;; ++*key) {
        uint32_t number = hashmap_get(&index->by_hash, *key);
        steps_add(1);
        if (!number)
            return false;
        if (strcmp(index->texts[number - 1], text) == 0)
            return true;
    }
}

size_t text_index_find(const struct text_index *index, const char *text)
{
    uint64_t key;
    return search(index, text, &key) ? hashmap_get(&index->by_hash, key) - 1 : SIZE_MAX;
}

size_t text_index_add(struct text_index *index, const char *text)
{
    uint64_t key;
    if (search(index, text, &key))
        return hashmap_get(&index->by_hash, key) - 1;
    index->texts = mem_grow(index->texts, &index->capacity, index->count + 1, "texts");
    index->texts[index->count++] = mem_text(text);
    *hashmap_slot(&index->by_hash, key) = (uint32_t)index->count;
    return index->count - 1;
}

void text_index_free(struct text_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        free(index->texts[i]);
    free(index->texts);
    hashmap_free(&index->by_hash);
    *index = (struct text_index){.count = 0};
}
