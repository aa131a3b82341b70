#ifndef HELIO_BASE_TEXT_INDEX_H
#define HELIO_BASE_TEXT_INDEX_H

#include "base/hashmap.h"

/* Different texts, numbered in the order in which they first appear. A text is found by its hash, in a time
 * that does not grow with their number. All zero: empty. */
struct text_index {
    char **texts; /* owned */
    size_t count, capacity;
    struct hashmap by_hash; /* the number of a text */
};

/* The number of the text, which is added if it is new. At most UINT32_MAX - 1 texts. */
size_t text_index_add(struct text_index *index, const char *text);

/* The number of the text; SIZE_MAX: it was never added. */
size_t text_index_find(const struct text_index *index, const char *text);

void text_index_free(struct text_index *index);

#endif
