#ifndef HELIO_TRACE_IMAGE_COMPILED_H
#define HELIO_TRACE_IMAGE_COMPILED_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/status.h"
#include "call/bursts.h"
#include "call/call.h"
#include "call/lost.h"
#include "call/sites.h"
#include "trace/image/image.h"

struct trace_input;
struct trace_format;

/* Where the last search of a rank for the call in front of a burst began, and the call site that it found.
 * `steps`: the tokens that all searches have looked at. */
struct burst_place {
    const uint32_t *at;
    uint32_t site;
    uint64_t steps;
};

/* A compiled trace in use: the mapped image and a cursor for each rank. It is a struct program whose next()
 * returns pointers into the mapping. */
struct compiled_trace {
    struct program program; /* first, so that a program can be cast back */
    struct program_sites sites;
    struct program_lost lost;
    struct program_bursts bursts;     /* if the image has any */
    struct burst_place *burst_places; /* per rank; NULL: it has none */
    const char **site_names;          /* NULL: the image has no call sites */
    struct group *groups;
    const unsigned char *image;
    uint64_t image_bytes;
    const struct image_header *header;
    const struct image_rank *ranks;
    const uint32_t **cursors; /* the token after the one last returned */
    char *name;
    const char **files; /* names, per rank */
    char **owned_files; /* the same names, if they are not the image's */
};

/* Maps an image from an open file, which may be closed afterwards. NULL: it cannot be used, and *fault says
 * why; nothing has been reported. Messages name the files of `input`, if its format knows them, and else
 * those that the image was made from. */
struct compiled_trace *compiled_map(int file, const struct trace_input *input, const char **fault);

/* The same with a copy of the image. What is mapped must not change, and a file that is truncated while it is
 * mapped ends the process by SIGBUS. So only files of the cache, which are never written again, are mapped.
 */
struct compiled_trace *compiled_copy(int file, const struct trace_input *input, const char **fault);

/* The files that compiled_map maps, as a trace format. */
extern const struct trace_format compiled_trace_format;

/* Gives the program its bursts, if the image has any. */
void compiled_use_bursts(struct compiled_trace *compiled);

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

/* The number of the rank's calls, computes and blank lines. In a TI trace: of the lines of its file. */
static inline uint64_t compiled_lines(const struct compiled_trace *compiled, uint32_t rank)
{
    return compiled->ranks[rank].tokens.count - 1;
}

/* Sets *call to the rank's first collective of a group behind call *number (from 1; 0: from the first on),
 * and *number to its own number. False: there is none. */
bool compiled_next_collective(const struct compiled_trace *compiled, uint32_t rank, uint32_t group,
                              uint64_t *number, const struct call **call);

/* The text that the image keeps for a call, without its newline; sets *length. In a TI trace it is the action
 * behind the rank field. */
const char *compiled_text(const struct compiled_trace *compiled, uint32_t rank, uint32_t call,
                          size_t *length);

/* Call `number` (from 1) of a rank as a line of text, for messages, in `buffer`, cut if it does not fit.
 * Returns its length. */
size_t compiled_line(const struct compiled_trace *compiled, uint32_t rank, uint64_t number, char *buffer,
                     size_t size);

/* A message about call `number` (from 1) of a rank, with its place and its text. 0: about the rank's file. */
void compiled_report(const struct compiled_trace *compiled, enum diag_level level, uint32_t rank,
                     uint64_t number, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Warns of what was found while compiling, once per kind. `kinds`: bits 1 << enum image_note_kind. */
#define NOTES_ALL UINT32_MAX
void compiled_report_notes(const struct compiled_trace *compiled, uint32_t kinds);

#endif
