#ifndef HELIO_TRACE_IMAGE_WRITER_H
#define HELIO_TRACE_IMAGE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/hashmap.h"
#include "base/mem.h"
#include "trace/image/comms.h"
#include "trace/image/counts.h"
#include "trace/image/file.h"
#include "trace/image/match.h"
#include "trace/image/sites.h"

/* The image writer: takes the calls of a trace rank by rank, stores equal ones once, matches sends and
 * receives, and writes the compiled trace (trace/image/image.h).
 *
 * A format calls image_writer_add for each call of the rank that it reads. A format that recognises equal
 * calls by itself can be faster: it calls image_writer_text and image_writer_call, or image_writer_amount,
 * once for each distinct call, keeps the token that they return, and calls image_writer_append for each call.
 */

enum { TRACE_MOST_ERRORS = 20 };

#define TOKEN_BAD     UINT32_MAX /* appended for a line in which an error has been found */
#define IMAGE_NO_TEXT UINT32_MAX

struct image_writer {
    struct image_file file;
    struct comms comms;   /* communicators, which a format defines before it uses them */
    struct counts counts; /* vectors of bytes per rank for `send_counts` and `recv_counts` (counts_intern) */
    struct sites sites;   /* where in its source the program calls MPI (sites_intern) */
    struct image_notes notes;
    uint32_t rank_count;
    uint32_t flags;  /* enum image_flag */
    uint32_t errors; /* reported so far */
    uint64_t token_total;
    struct image_rank *ranks;
    struct image_calls *calls;
    char *names;
    size_t name_bytes, name_capacity;

    /* Of the rank that is being read. */
    struct image_calls *rank;
    uint32_t rank_index;
    const char *rank_file; /* its name in messages */
    uint32_t *tokens;
    size_t token_count, token_capacity;
    uint64_t *lines; /* of the tokens, with IMAGE_HAS_LINES */
    size_t line_capacity;
    double *amounts;
    size_t amount_count, amount_capacity;
    char *texts;
    size_t text_count, text_capacity;
    struct hashmap amounts_index; /* by the bits of the double */
    struct hashmap calls_index;   /* of image_writer_add: by hash of call and text */
};

void image_writer_init(struct image_writer *writer, FILE *out, uint32_t ranks, uint32_t flags);
void image_writer_begin_rank(struct image_writer *writer, uint32_t rank, const char *file);
void image_writer_end_rank(struct image_writer *writer);
/* Writes what depends on all ranks, and the header. Returns 0, or the errno of what went wrong with `out`. */
int image_writer_finish(struct image_writer *writer, const uint64_t key[2]);
void image_writer_free(struct image_writer *writer);

/* -------------------------------------------------------- for trace formats */

/* Appends the rank's next call. False: there have been TRACE_MOST_ERRORS errors, or the rank has too many
 * different calls; stop reading.
 *
 * `call` is as the simulator executes it, but without channels, which are found later. The slot of a
 * non-blocking call and of its waits is that of a struct image_slots plus SLOT_FIRST. Its communicator has
 * been defined in `comms`, its size vectors in `counts`. An error is reported if one of them does not exist.
 *
 * `text` shows the call in messages. NULL: call_describe does.
 *
 * `line` is the place of the call in the rank's file: a line from 1, or an offset in bytes or-ed with
 * DIAG_BYTE. Without IMAGE_HAS_LINES it is not kept, and the number of the call stands for it. */
bool image_writer_add(struct image_writer *writer, const struct call *call, const char *text, uint64_t line);

/* Reports an error in the trace and counts it. A trace with errors is not compiled. */
void image_writer_error(struct image_writer *writer, const struct diag_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether there have been so many errors that reading further is of no use. */
static inline bool image_writer_is_done(const struct image_writer *writer)
{
    return writer->errors >= TRACE_MOST_ERRORS;
}

/* Notes something about the call that is appended next. Whenever the trace is used, it is reported as a
 * warning. */
void image_writer_note(struct image_writer *writer, enum image_note_kind kind);

/* -------------------------------------------------------- the same in steps */

/* Keeps a text, which has no newline in it. Returns where it starts. IMAGE_NO_TEXT: no room is left. */
uint32_t image_writer_text(struct image_writer *writer, const char *text, size_t length);

/* A new distinct call, with the start of its text. Returns its token. */
uint32_t image_writer_call(struct image_writer *writer, const struct call *call, uint32_t start, uint32_t key,
                           enum call_doubt doubt);

/* Gives a distinct call that is new its call site, a number of `sites`; 0: it has none. */
void image_writer_site(struct image_writer *writer, uint32_t token, uint32_t site);

/* The token of a CALL_COMPUTE. */
uint32_t image_writer_amount(struct image_writer *writer, double amount);

void image_writer_count_collective(struct image_writer *writer, const struct call *call);

static inline void image_writer_append(struct image_writer *writer, uint32_t token)
{
    writer->tokens =
        mem_grow(writer->tokens, &writer->token_capacity, writer->token_count + 1, "the lines of a rank");
    writer->tokens[writer->token_count++] = token;
    if (token & TOKEN_COMPUTE)
        return;
    struct image_call *about = &writer->rank->about[token];
    about->uses++;
    if (about->is_ordered)
        image_writer_count_collective(writer, &writer->rank->calls[token]);
}

/* The same with the token's place in the file, with IMAGE_HAS_LINES. */
static inline void image_writer_append_at(struct image_writer *writer, uint32_t token, uint64_t line)
{
    image_writer_append(writer, token);
    writer->lines =
        mem_grow(writer->lines, &writer->line_capacity, writer->token_count, "the lines of a rank");
    writer->lines[writer->token_count - 1] = line;
}

/* Puts another call in the place of one that has been appended, by its number from 0: later calls have shown
 * what it was. Neither is a collective. */
static inline void image_writer_replace(struct image_writer *writer, size_t number, uint32_t token)
{
    writer->rank->about[writer->tokens[number]].uses--;
    writer->rank->about[token].uses++;
    writer->tokens[number] = token;
}

#endif
