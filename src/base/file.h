#ifndef HELIO_BASE_FILE_H
#define HELIO_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* Files that are read. A device or a pipe may have no end, so all that is kept in memory has a limit. */

/* A whole file, `limit_bytes` at most; `what` is what it should be, as "a pattern". The caller frees *bytes.
 * STATUS_BAD_INPUT, reported: it cannot be read, or is larger. */
enum status file_load(const char *path, uint64_t limit_bytes, const char *what, char **bytes, size_t *size);

/* A line of a file, with its newline and a zero byte behind it, FILE_LINE_AT_MOST bytes at most. The caller
 * frees line->text at the end. A line that is longer ends the file for the reader: `is_too_long` is set. */
enum { FILE_LINE_AT_MOST = 1 << 20 };
struct file_line {
    char *text;
    size_t length, capacity;
    bool is_too_long;
};
bool file_next_line(FILE *file, struct file_line *line); /* false: there is none */

/* Opens a regular file for reading. NULL, with errno: it cannot be opened, or is no regular file, as a FIFO,
 * for which nobody waits. */
FILE *file_open_regular(const char *path);

#endif
