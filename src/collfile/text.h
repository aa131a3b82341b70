#ifndef HELIO_COLLFILE_TEXT_H
#define HELIO_COLLFILE_TEXT_H

#include "collfile/collfile.h"

/* The text of a file, as it is on the disk or unpacked, with a zero byte behind it. */
struct collfile_text {
    const char *path;
    char *bytes;
    size_t size;
};

enum { COLLFILE_TEXT_AT_MOST = 1 << 28 };

enum status collfile_text_load(struct collfile_text *text, const char *path);
void collfile_text_free(struct collfile_text *text);

/* Reports what makes the file unreadable. Line and column count from 1; 0 = unknown. Returns
 * STATUS_BAD_INPUT. */
enum status collfile_refuse(const struct collfile_text *text, uint64_t line, uint64_t column,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same for an xml_reader, whose text this is. */
void collfile_refuse_at(const void *text, uint64_t line, uint64_t column, const char *message);

/* Counts a problem. The first one is kept with its line; 0 = unknown. */
void collfile_wrong(const struct collfile_text *text, struct collfile_proof *proof,
                    enum collfile_problem problem, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The line on which these bytes first stand; 0: nowhere. */
uint64_t collfile_line_of(const struct collfile_text *text, const char *bytes);

#endif
