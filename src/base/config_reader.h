#ifndef HELIO_BASE_CONFIG_READER_H
#define HELIO_BASE_CONFIG_READER_H

/* What reads an experiment file, event by event: nothing is built in memory but the value at hand, and there
 * are no aliases, so what a file can make us hold or do is bounded by its own size. libfyaml looks ahead over
 * a whole list in brackets, at up to 250 bytes for each of it, hence the limit on the size. */

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
    bool scans; /* reads sections alone, and reports nothing */
    struct fy_parser *parser;
    struct fy_diag *diag;
    int depth; /* maps and lists that are open */
    size_t errors;
    bool ended; /* nothing can be read any more, or nothing more is to be said */
};

/* False, reported, when the text cannot be read at all. To be closed in any case. */
bool config_reader_open(struct config_reader *reader);
void config_reader_close(struct config_reader *reader);

/* The line, from 1, that the byte at `offset` is in, and where that line begins. */
size_t config_reader_line(const struct config_reader *reader, size_t offset, size_t *line_begin);

/* "demo.yaml:3", where the value at `offset` comes from; to be freed. */
char *config_reader_origin(const struct config_reader *reader, size_t offset);

/* Reports what is wrong with `span` bytes from `offset` on. */
void config_reader_error(struct config_reader *reader, size_t offset, size_t span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void config_reader_error_args(struct config_reader *reader, size_t offset, size_t span, const char *format,
                              va_list args);

/* Where the token begins; empty ones are nowhere and then at `otherwise`. */
size_t config_reader_offset(const struct config_reader *reader, const struct fy_mark *mark, size_t otherwise);

/* The next event; NULL at the end of what is read. To be discarded. */
struct fy_event *config_reader_next(struct config_reader *reader);
void config_reader_discard(struct config_reader *reader, struct fy_event *event);
/* Passes over what `event` begins, up to its end. */
void config_reader_skip(struct config_reader *reader, struct fy_event *event);

/* Whether the event is YAML that experiment files do without: aliases, which could multiply what is written
 * once, and tags, which would be ignored. Reported. */
bool config_reader_refuses(struct config_reader *reader, struct fy_event *event, size_t otherwise);

/* A scalar: its text, to be freed, and where that stands in the file. Where escapes or folded lines make the
 * text differ from what stands there, it has no `span`, and errors point at its beginning. */
struct config_scalar {
    char *text;
    size_t offset, span;
};
/* False, reported, when it is none that could be a name or a value. Discards the event. */
bool config_reader_scalar(struct config_reader *reader, struct fy_event *event, size_t otherwise,
                          struct config_scalar *scalar);

/* Lets the section read what `event` begins, the value of `key`. */
void config_reader_section(struct config_reader *reader, const struct config_section *section,
                           struct fy_event *event, const struct config_scalar *key);

#endif
