#ifndef HELIO_BASE_CONFIG_READER_H
#define HELIO_BASE_CONFIG_READER_H

/* Reads an experiment file event by event. Memory holds only the present value, and there are no aliases, so
 * the size of the file bounds memory and time. libfyaml reads a whole list in brackets ahead and needs up to
 * 250 bytes of memory for each byte, which is why files have a limit. */

#include <libfyaml.h>

#include "base/config_internal.h"

enum {
    CONFIG_FILE_AT_MOST = 1 << 20,
    CONFIG_DEPTH_AT_MOST = 16,
    CONFIG_NAME_AT_MOST = 256,
    CONFIG_ERRORS_AT_MOST = 20
};

struct config_reader {
    struct config *config;
    const char *name; /* of the file */
    const char *text;
    size_t length;
    const struct config_section *sections; /* beside parameters */
    size_t section_count;
    bool *sections_read;
    void *sections_self;
    bool scans;        /* reads only sections, and reports nothing */
    const char *under; /* reads only the map at this key of the file; NULL: all */
    bool is_under;     /* is in that map */
    char *copy;        /* of a text with tabs; or NULL */
    struct fy_parser *parser;
    struct fy_diag *diag;
    int depth;     /* maps and lists that are open */
    bool complete; /* the parser has come to the end of the text */
    size_t errors;
    bool ended; /* reading stops: after a syntax error, or too many errors */
};

/* False, reported: the text cannot be read. Close the reader in any case. */
bool config_reader_open(struct config_reader *reader);
void config_reader_close(struct config_reader *reader);

/* The line, from 1, of the byte at `offset`, and the offset at which that line begins. */
size_t config_reader_line(const struct config_reader *reader, size_t offset, size_t *line_begin);

/* The origin of the value at `offset`, such as "demo.yaml:3". The caller frees it. */
char *config_reader_origin(const struct config_reader *reader, size_t offset);

/* The place of `span` bytes from `offset` on. It refers to the text of the reader. */
struct diag_place config_reader_place(const struct config_reader *reader, size_t offset, size_t span);

/* Reports an error in `span` bytes from `offset` on. */
void config_reader_error(struct config_reader *reader, size_t offset, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void config_reader_error_args(struct config_reader *reader, size_t offset, size_t span, const char *format,
                              va_list args);

/* The offset at which a token begins. An empty token has no mark; the result is then `otherwise`. */
size_t config_reader_offset(const struct config_reader *reader, const struct fy_mark *mark, size_t otherwise);

/* The next event, which the caller discards; NULL: the end. */
struct fy_event *config_reader_next(struct config_reader *reader);
void config_reader_discard(struct config_reader *reader, struct fy_event *event);
/* Skips the value that begins with `event`, and discards the event. */
void config_reader_skip(struct config_reader *reader, struct fy_event *event);

/* Whether the event is YAML that experiment files may not have, which is reported: an alias, because aliases
 * of aliases can become very large, or a tag, because it would have no effect. */
bool config_reader_refuses(struct config_reader *reader, struct fy_event *event, size_t otherwise);

/* A scalar's text, which the caller frees, and its place in the file. If escapes or folded lines make the
 * text differ from the bytes of the file, `span` is 0, and errors point to its beginning. */
struct config_scalar {
    char *text;
    size_t offset, span;
};
/* False, reported: the event cannot be a name or a value. Discards the event. */
bool config_reader_scalar(struct config_reader *reader, struct fy_event *event, size_t otherwise,
                          struct config_scalar *scalar);

/* Lets the section read the value of `key`, which begins with `event`. */
void config_reader_section(struct config_reader *reader, const struct config_section *section,
                           struct fy_event *event, const struct config_scalar *key);

#endif
