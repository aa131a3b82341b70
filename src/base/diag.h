#ifndef HELIO_BASE_DIAG_H
#define HELIO_BASE_DIAG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Messages to people about input and runs. They are written to standard error as
 *
 *     cg.S.4/rank-1.txt:1234:8: error: 'sned' is not an action; did you mean 'send'?
 *     1234 | 0 sned 1 7 700 0
 *          |   ^~~~
 *
 * so that an editor can jump to the place. Results are written to standard output, never here. Control
 * characters, bytes that are not UTF-8 and characters that change the direction of text appear as \xNN,
 * because the names in a message come from outside. */
enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

/* A place in an input. Parts that are 0 or NULL are unknown, and left out of the message. Lines and columns
 * count from 1. `source` is the whole line; the message is about `span` bytes of it from `column` on. A file
 * without lines has places in bytes: `line` is an offset, from 0, or-ed with DIAG_BYTE. */
#define DIAG_BYTE (UINT64_C(1) << 63)

struct diag_place {
    const char *file;
    uint64_t line;
    uint32_t column;
    uint32_t span;
    const char *source;
    size_t source_length;
};

/* A sink gets each message: several lines, with a newline at the end. Each thread has one; NULL restores
 * standard error. Tests and programs that embed the library set their own. */
typedef void diag_sink(void *self, enum diag_level level, const char *message);
void diag_set_sink(diag_sink *sink, void *self);

/* Drops this thread's messages until diag_end_silence(), which gives them to the sink that had them before.
 */
struct diag_silence {
    diag_sink *sink;
    void *self;
};
struct diag_silence diag_begin_silence(void);
void diag_end_silence(const struct diag_silence *silence);

void diag_report(enum diag_level level, const struct diag_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void diag_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A message, and below it the messages of another run, as a sink has got them. */
void diag_cite(enum diag_level level, const char *messages, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The candidate most similar to `word`; NULL: none is similar enough to be a typing error. `at(candidates,
 * i)` returns the i-th of `count` candidates; diag_nearest_of takes an array. Words of more than 64 bytes,
 * and candidates behind the 4096th, have no similar ones: a hostile input costs little. */
const char *diag_nearest(const char *word, const void *candidates, size_t count,
                         const char *(*at)(const void *candidates, size_t index));
const char *diag_nearest_of(const char *word, const char *const *candidates, size_t count);

/* NULL: a terminal may show colours. Else why not: NO_COLOR is set, or TERM is dumb. */
const char *diag_colours_refused(void);

/* "; did you mean 'send'?", or "" if `guess` is NULL. Valid until the next call in this thread. */
const char *diag_did_you_mean(const char *guess);

#endif
