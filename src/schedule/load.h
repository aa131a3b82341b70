#ifndef HELIO_SCHEDULE_LOAD_H
#define HELIO_SCHEDULE_LOAD_H

#include <stddef.h>

#include "base/status.h"

/* Reads a whole file into memory, which the caller frees; STATUS_BAD_INPUT, reported, when it cannot be read.
 */
enum status tdm_file_load(const char *path, char **text, size_t *size);

#endif
