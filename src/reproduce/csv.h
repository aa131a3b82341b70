#ifndef HELIO_REPRODUCE_CSV_H
#define HELIO_REPRODUCE_CSV_H

#include <stddef.h>

#include "base/embedded.h"
#include "base/mem.h"
#include "base/status.h"

/* The tables of papers/NAME/: CSV as in RFC 4180, without line breaks in fields. Lines that begin with # are
 * comments. */
enum { CSV_FIELDS_AT_MOST = 1024 };

struct csv_table {
    const char *header; /* the first line, with its end */
    size_t columns;
    /* Takes a line. NULL, or what is wrong with it. */
    const char *(*take)(void *self, const char *const *fields);
};

/* Reads a table that is in the program, its fields in the arena. STATUS_FAILED, reported with the line: the
 * file is wrong. */
enum status csv_read(const struct embedded_file *file, const struct csv_table *table, struct arena *texts,
                     void *self);

/* Splits one line into at most `most` fields, texts in the arena. Returns how many there are; 0: there are
 * more, or a quote is not closed. *next is moved behind the line. */
size_t csv_split(const char **next, const char *end, struct arena *texts, const char **fields, size_t most);

#endif
