#define XXH_INLINE_ALL /* a line is hashed in fewer cycles than a call takes */
#include "trace/ti/reader.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "call/datatype.h"
#include "trace/image/format.h"
#include "trace/image/number.h"
#include "trace/ti/action.h"

enum { LONGEST_LINE = 1 << 24 };

#define SLOT_NOTHING UINT32_MAX /* the call does nothing: its request is gone */

/* A line that differs from all lines of the rank before it, behind the rank field. */
struct distinct_line {
    uint32_t start, length; /* in the texts of the image writer */
    struct action action;
    uint32_t slot;  /* the first slot of its request, and the token with it; others are in `variants` */
    uint32_t token; /* TOKEN_BLANK: none yet */
    bool bad;
};

static uint32_t new_variant(struct ti_reader *reader, const struct distinct_line *distinct, uint32_t slot)
{
    const struct action *action = &distinct->action;
    bool has_request = action->role == ROLE_START || action->role == ROLE_WAIT || action->role == ROLE_TEST;
    struct call call = action->call;
    call.slot = slot;
    if (slot == SLOT_NOTHING)
        call = (struct call){.op = CALL_NOTHING};
    uint32_t token = image_writer_call(reader->line.writer, &call, distinct->start,
                                       has_request ? action->key : KEY_NONE, action->doubt);
    image_writer_site(reader->line.writer, token, action->site);
    return token;
}

/* The token of the line with its request in that slot. */
static uint32_t variant(struct ti_reader *reader, uint32_t index, uint32_t slot)
{
    struct distinct_line *distinct = &reader->distincts[index];
    if (distinct->slot == slot && distinct->token != TOKEN_BLANK)
        return distinct->token;
    if (distinct->token == TOKEN_BLANK) {
        distinct->slot = slot;
        return distinct->token = new_variant(reader, distinct, slot);
    }
    uint32_t *known = hashmap_slot(&reader->variants, (uint64_t)index << 32 | slot);
    if (!*known)
        *known = new_variant(reader, distinct, slot) + 1;
    return *known - 1;
}

/* ----------------------------------------------------------- distinct lines */

static void read_distinct(struct ti_reader *reader, struct distinct_line *distinct)
{
    struct action_reader *line = &reader->line;
    const char *zero = memchr(line->text, '\0', line->length);
    if (zero) {
        action_error(line, (size_t)(zero - line->text), 1,
                     "a zero byte; a trace is text, with one action per line");
        distinct->bad = true;
        return;
    }
    distinct->bad = !action_read(line, &distinct->action);
}

static uint32_t add_distinct(struct ti_reader *reader, const char *text, size_t length)
{
    uint32_t start = reader->distinct_count < TOKEN_COMPUTE - 1
                         ? image_writer_text(reader->line.writer, text, length)
                         : IMAGE_NO_TEXT;
    if (start == IMAGE_NO_TEXT) {
        action_error(&reader->line, 0, 1, "more than 4 GiB of lines of this rank that all differ");
        return TOKEN_BAD;
    }
    reader->distincts =
        mem_grow(reader->distincts, &reader->distinct_capacity, reader->distinct_count + 1, "distinct lines");
    struct distinct_line *distinct = &reader->distincts[reader->distinct_count];
    *distinct = (struct distinct_line){.start = start, .length = (uint32_t)length};
    read_distinct(reader, distinct);
    return (uint32_t)reader->distinct_count++;
}

static uint32_t intern(struct ti_reader *reader, const char *text, size_t length)
{
    for (uint64_t hash = XXH3_64bits(text, length);; hash++) {
        uint32_t *known = hashmap_slot(&reader->lines_index, hash);
        if (!*known) {
            uint32_t index = add_distinct(reader, text, length);
            *known = index == TOKEN_BAD ? 0 : index + 1;
            return index;
        }
        const struct distinct_line *distinct = &reader->distincts[*known - 1];
        if (distinct->length == length && !memcmp(reader->line.writer->texts + distinct->start, text, length))
            return *known - 1;
    }
}

/* -------------------------------------------------------- meaning of a line */

static void name_place(struct ti_reader *reader, const char *begin, const char *body, const char *end)
{
    reader->line.text = begin;
    reader->line.length = (size_t)(end - begin);
    reader->line.body = (size_t)(body - begin);
}

/* `init` comes first and `finalize` last. Reported once per rank, since an error makes all further lines
 * wrong. */
static bool is_out_of_place(struct ti_reader *reader, enum action_role role)
{
    struct action_reader *line = &reader->line;
    const char *what = NULL;
    if (reader->phase == FINALIZED)
        what = "an action behind 'finalize', which must be the last";
    else if (reader->phase == BEFORE_INIT && role != ROLE_INIT)
        what = "the first action of a rank must be 'init'";
    else if (reader->phase == RUNNING && role == ROLE_INIT)
        what = "a second 'init'; each rank has one, as its first action";
    if (!what)
        return false;
    if (!reader->order_reported)
        action_error(line, line->body, line->length - line->body, "%s", what);
    reader->order_reported = true;
    return true;
}

static uint32_t wait_token(struct ti_reader *reader, uint32_t index)
{
    struct action_reader *line = &reader->line;
    const struct action *action = &reader->distincts[index].action;
    uint32_t slot = requests_wait(&reader->requests, action->key);
    if (slot != SLOT_NONE)
        return variant(reader, index, slot);
    if (requests_explained(&reader->requests, action->key))
        return variant(reader, index, SLOT_NOTHING);
    action_error(
        line, line->body, line->length - line->body,
        "this wait matches no outstanding isend or irecv of this rank; one with the same ranks and tag "
        "must come before it");
    return TOKEN_BAD;
}

static uint32_t test_token(struct ti_reader *reader, uint32_t index)
{
    uint32_t slot = requests_test(&reader->requests, reader->distincts[index].action.key);
    if (slot != SLOT_NONE)
        return variant(reader, index, slot);
    image_writer_note(reader->line.writer, NOTE_TEST);
    return variant(reader, index, SLOT_NOTHING);
}

static uint32_t waitall_token(struct ti_reader *reader, uint32_t index)
{
    if (reader->distincts[index].action.call.expected < reader->requests.slots.outstanding)
        image_writer_note(reader->line.writer, NOTE_WAITALL);
    requests_wait_all(&reader->requests);
    return variant(reader, index, 0);
}

static uint32_t action_token(struct ti_reader *reader, uint32_t index)
{
    const struct action *action = &reader->distincts[index].action;
    switch (action->role) {
    case ROLE_INIT:
        reader->phase = RUNNING;
        /* As in SimGrid: if init has an argument, the elements of counts without a type are doubles. */
        reader->line.default_datatype = reader->line.field_count > 1 ? DATATYPE_DOUBLE : DATATYPE_BYTE;
        return variant(reader, index, 0);
    case ROLE_FINALIZE:
        reader->phase = FINALIZED;
        return variant(reader, index, 0);
    case ROLE_COMPUTE:
        return image_writer_amount(reader->line.writer, action->call.amount);
    case ROLE_START:
        return variant(reader, index, requests_start(&reader->requests, action->key));
    case ROLE_WAIT:
        return wait_token(reader, index);
    case ROLE_TEST:
        return test_token(reader, index);
    case ROLE_WAITALL:
        return waitall_token(reader, index);
    case ROLE_PLAIN:
        break;
    }
    return variant(reader, index, 0);
}

static uint32_t body_token(struct ti_reader *reader, const char *begin, const char *body, const char *end)
{
    name_place(reader, begin, body, end);
    uint32_t index = intern(reader, body, (size_t)(end - body));
    if (index == TOKEN_BAD || reader->distincts[index].bad)
        return TOKEN_BAD;
    if (is_out_of_place(reader, reader->distincts[index].action.role))
        return TOKEN_BAD;
    return action_token(reader, index);
}

/* -------------------------------------------------------------------- lines */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && action_is_blank(*at))
        at++;
    return at;
}

/* The byte behind the rank field and its blanks; `end` for a blank line; NULL: the field is wrong. */
static const char *rank_field_end(struct ti_reader *reader, const char *begin, const char *end)
{
    const char *field = skip_blanks(begin, end);
    if (field == end)
        return end;
    name_place(reader, begin, field, end);
    const char *field_end = field;
    while (field_end < end && !action_is_blank(*field_end))
        field_end++;
    size_t at = (size_t)(field - begin), length = (size_t)(field_end - field);
    int64_t rank;
    if (number_integer(field, field_end, &rank) != field_end) {
        action_error(&reader->line, at, length,
                     "a line starts with the number of its rank, here %u; then follows the action",
                     reader->line.rank);
        return NULL;
    }
    if (rank != reader->line.rank) {
        action_error(&reader->line, at, length, "this is the file of rank %u, but the line is of rank %lld",
                     reader->line.rank, (long long)rank);
        return NULL;
    }
    const char *body = skip_blanks(field_end, end);
    if (body == end) {
        action_error(&reader->line, (size_t)(end - begin), 1, "an action is missing behind the rank");
        return NULL;
    }
    return body;
}

/* "compute 12132": not kept as a distinct line. A third of the lines of most traces are computes, and their
 * amounts differ. */
static bool is_compute(const char *body, const char *end, double *amount)
{
    static const char name[] = "compute ";
    size_t length = sizeof name - 1;
    if ((size_t)(end - body) <= length || memcmp(body, name, length) != 0)
        return false;
    const char *rest = number_amount(body + length, end, amount);
    return rest && skip_blanks(rest, end) == end;
}

static uint32_t line_token(struct ti_reader *reader, const char *begin, const char *end)
{
    if (end - begin > LONGEST_LINE) {
        name_place(reader, begin, begin, begin + LONGEST_LINE);
        action_error(&reader->line, 0, 1, "a line of more than %d bytes; is this a trace?", LONGEST_LINE);
        return TOKEN_BAD;
    }
    size_t prefix = reader->prefix_length;
    const char *body = begin + prefix;
    if ((size_t)(end - begin) <= prefix || memcmp(begin, reader->prefix, prefix) != 0 ||
        action_is_blank(*body)) {
        body = rank_field_end(reader, begin, end);
        if (!body || body == end)
            return body ? TOKEN_BLANK : TOKEN_BAD;
    }
    double amount;
    if (reader->phase == RUNNING && is_compute(body, end, &amount))
        return image_writer_amount(reader->line.writer, amount);
    return body_token(reader, begin, body, end);
}

enum { LINES_TO_TELL = 1 << 10 };

/* How far the text of the rank is read. */
static void tell_progress(const struct ti_reader *reader, size_t read, size_t size)
{
    double share = (double)read / (double)size;
    progress_tell((uint64_t)reader->line.rank * TRACE_RANK_PARTS + (uint64_t)(share * TRACE_RANK_PARTS));
}

static void read_lines(struct ti_reader *reader, const char *text, size_t size)
{
    struct image_writer *writer = reader->line.writer;
    const char *at = text, *end = at + size;
    while (at < end && !image_writer_is_done(writer)) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;
        if (stop > at && stop[-1] == '\r')
            stop--;
        reader->line.line++;
        if (reader->line.line % LINES_TO_TELL == 0)
            tell_progress(reader, (size_t)(at - text), size);
        image_writer_append(writer, line_token(reader, at, stop));
        at = next;
    }
}

static void begin_rank(struct ti_reader *reader, struct image_writer *writer, uint32_t rank)
{
    struct action_reader *line = &reader->line;
    line->writer = writer;
    line->requests = &reader->requests;
    line->ranks = writer->rank_count;
    line->rank = rank;
    line->line = 0;
    line->default_datatype = DATATYPE_BYTE;
    hashmap_clear(&line->sites);
    reader->phase = BEFORE_INIT;
    reader->order_reported = false;
    reader->distinct_count = 0;
    reader->prefix_length = (size_t)snprintf(reader->prefix, sizeof reader->prefix, "%u ", rank);
    hashmap_clear(&reader->lines_index);
    hashmap_clear(&reader->variants);
    requests_clear(&reader->requests);
}

void ti_reader_read(struct ti_reader *reader, struct image_writer *writer, uint32_t rank, const char *text,
                    size_t size)
{
    begin_rank(reader, writer, rank);
    read_lines(reader, text, size);
    if (reader->phase != FINALIZED && !image_writer_is_done(writer) && !reader->order_reported)
        image_writer_error(writer, &(struct diag_place){.file = writer->rank_file, .line = reader->line.line},
                           "the trace of rank %u ends without 'finalize'; it is incomplete", rank);
}

void ti_reader_free(struct ti_reader *reader)
{
    free(reader->distincts);
    hashmap_free(&reader->lines_index);
    hashmap_free(&reader->variants);
    requests_free(&reader->requests);
    action_reader_free(&reader->line);
}
