#ifndef HELIO_TRACE_IMAGE_COMPILED_H
#define HELIO_TRACE_IMAGE_COMPILED_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/status.h"
#include "call/call.h"
#include "trace/image/image.h"
#include "trace/ti/source.h"

/* A compiled trace in use: the mapped image and one cursor per rank. It is a struct program; next() returns
 * pointers into the mapping. */
struct compiled_trace {
    struct program program; /* first, so that a program can be cast back */
    struct group *groups;
    const unsigned char *image;
    uint64_t image_bytes;
    const struct image_header *header;
    const struct image_rank *ranks;
    const uint32_t **cursors; /* the token after the one last returned */
    char *name;
    const char **files; /* per rank */
    char **owned_files; /* the same, where they are not the image's */
};

/* Maps an image from an open file, which may be closed afterwards. *fault says what is wrong with it, or is
 * NULL; nothing is reported. The names of files are those of `source` where it lists them, so that errors
 * name the trace at hand and not the one that the image was first made from. */
struct compiled_trace *compiled_map(int file, const struct ti_source *source, const char **fault);

/* The program's own view of itself. */
static inline struct compiled_trace *compiled_of(struct program *program)
{
    return (struct compiled_trace *)program;
}

static inline const uint32_t *compiled_tokens(const struct compiled_trace *compiled, uint32_t rank)
{
    return (const uint32_t *)(const void *)(compiled->image + compiled->ranks[rank].tokens.at);
}

static inline const struct call *compiled_calls(const struct compiled_trace *compiled, uint32_t rank)
{
    return (const struct call *)(const void *)(compiled->image + compiled->ranks[rank].calls.at);
}

static inline const double *compiled_amounts(const struct compiled_trace *compiled, uint32_t rank)
{
    return (const double *)(const void *)(compiled->image + compiled->ranks[rank].amounts.at);
}

static inline uint64_t compiled_lines(const struct compiled_trace *compiled, uint32_t rank)
{
    return compiled->ranks[rank].tokens.count - 1;
}

/* The text of a call behind the rank field, without its end; *length is set. */
const char *compiled_text(const struct compiled_trace *compiled, uint32_t rank, uint32_t call,
                          size_t *length);

/* Line `line` (from 1) of a rank as the trace has it, for messages; in `buffer`, cut where it does not fit.
 * Returns its length. */
size_t compiled_line(const struct compiled_trace *compiled, uint32_t rank, uint64_t line, char *buffer,
                     size_t size);

/* A message about a line, with the line. */
void compiled_report(const struct compiled_trace *compiled, enum diag_level level, uint32_t rank,
                     uint64_t line, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Warns of what was found while compiling, once per kind; `kinds`: bits 1 << enum image_note_kind. */
#define NOTES_ALL UINT32_MAX
void compiled_report_notes(const struct compiled_trace *compiled, uint32_t kinds);

#endif
