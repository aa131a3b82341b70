#ifndef HELIO_BASE_LINES_H
#define HELIO_BASE_LINES_H

#include <stddef.h>

/* An array for items that are used in no order: an item of 64 bytes is one cache line, and the system may use
 * large pages. Its bytes are not set. Never NULL, as mem_alloc; for free() and realloc(), which may move it
 * to a place that is no longer aligned. */
void *lines_alloc(size_t count, size_t size, const char *what);

#endif
