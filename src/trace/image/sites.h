#ifndef HELIO_TRACE_IMAGE_SITES_H
#define HELIO_TRACE_IMAGE_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/* The call sites of a trace that is written: different texts, with numbers from 1 on. All zero: none. */
struct sites {
    char *texts; /* each ended by a zero byte, as in the image */
    size_t size, capacity;
    size_t *starts; /* in `texts`, by number - 1 */
    size_t start_capacity;
    uint32_t count;
    struct hashmap index; /* by hash of the text: its number */
};

/* The number of the site with this text, which has no zero byte. */
uint32_t sites_intern(struct sites *sites, const char *text, size_t length);
void sites_free(struct sites *sites);

#endif
