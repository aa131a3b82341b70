#ifndef HELIO_TESTS_TRACES_H
#define HELIO_TESTS_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/image/compiled.h"

/* Traces that tests write, in a folder of their own that also holds the cache. */

/* cmocka group fixtures: they make the folder, set XDG_CACHE_HOME to a folder in it, and collect messages
 * instead of printing them. */
int traces_set_up(void **state);
int traces_tear_down(void **state);

/* A path in the folder. It is valid until the fourth next call. */
const char *traces_path(const char *name);

/* Writes bytes to a file in the folder, making parent folders; returns its path. */
const char *traces_write(const char *name, const char *bytes, size_t size);

/* Makes the folder NAME with rank-1.txt ... of these texts; NULL ends the list. */
const char *traces_make(const char *name, ...) __attribute__((sentinel));

/* Opens a trace with one text per rank. Fails the test if it cannot be opened. */
struct compiled_trace *traces_open(const char *name, ...) __attribute__((sentinel));
void traces_close(struct compiled_trace *compiled);

/* All messages since the previous call. */
const char *traces_messages(void);

#endif
