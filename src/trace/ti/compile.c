#define XXH_INLINE_ALL /* a line is hashed in fewer cycles than a call takes */
#include "trace/ti/compile.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/hashmap.h"
#include "base/mem.h"
#include "call/datatype.h"
#include "trace/image/comms.h"
#include "trace/image/image.h"
#include "trace/image/match.h"
#include "trace/image/number.h"
#include "trace/ti/action.h"

enum { LONGEST_LINE = 1 << 24, LONGEST_PREFIX = 16 };

#define LINE_BAD     UINT32_MAX /* not a token: an error has been reported for this line */
#define SLOT_NOTHING UINT32_MAX /* stands for "its request is gone: the call does nothing" */

/* A line that differs from all lines before it, behind the rank field. Equal lines of a rank are read once.
 */
struct distinct {
    uint32_t start, length; /* in the rank's texts */
    struct action action;
    uint64_t order; /* what it adds to order_hash; 0 for what is no collective */
    uint32_t slot;  /* the first slot it was seen with, and its token then; others are in `variants` */
    uint32_t token;
    bool bad;
};

enum phase { BEFORE_INIT, RUNNING, FINALIZED };

struct compiler {
    const struct ti_source *source;
    struct image_writer writer;
    struct counts counts;
    struct comms comms;
    struct requests requests;
    struct action_reader reader;
    struct notes notes;
    struct ti_hash hash; /* of files: they have been read once before, for their key */
    struct image_rank *ranks;
    struct rank_calls *calls;
    uint64_t lines;

    /* Of the rank that is being read. */
    struct rank_calls *rank;
    char prefix[LONGEST_PREFIX]; /* "12 " */
    size_t prefix_length;
    enum phase phase;
    bool order_reported;
    uint32_t *tokens;
    size_t token_count, token_capacity;
    double *amounts;
    size_t amount_count, amount_capacity;
    char *texts;
    size_t text_count, text_capacity;
    struct distinct *distincts;
    size_t distinct_count, distinct_capacity;
    struct hashmap lines_index;   /* by hash of the text */
    struct hashmap amounts_index; /* by the bits of the double */
    struct hashmap variants;      /* by distinct << 32 | slot */
};

/* -------------------------------------------------------------------------------------------- calls */

static uint32_t new_call(struct compiler *compiler, const struct call *call, uint32_t start, uint32_t key,
                         enum action_doubt doubt)
{
    struct rank_calls *rank = compiler->rank;
    rank->calls = mem_grow(rank->calls, &rank->capacity, rank->count + 1, "distinct calls");
    rank->about = mem_grow(rank->about, &rank->about_capacity, rank->count + 1, "distinct calls");
    rank->calls[rank->count] = *call;
    rank->about[rank->count] =
        (struct rank_call){.first_line = compiler->reader.line, .start = start, .key = key, .doubt = doubt};
    return (uint32_t)rank->count++;
}

static uint32_t new_variant(struct compiler *compiler, const struct distinct *distinct, uint32_t slot)
{
    const struct action *action = &distinct->action;
    bool has_request = action->role == ROLE_START || action->role == ROLE_WAIT || action->role == ROLE_TEST;
    struct call call = action->call;
    call.slot = slot;
    if (slot == SLOT_NOTHING)
        call = (struct call){.op = CALL_NOTHING};
    return new_call(compiler, &call, distinct->start, has_request ? action->key : KEY_NONE, action->doubt);
}

/* The token of the line with its request in that slot. */
static uint32_t variant(struct compiler *compiler, uint32_t index, uint32_t slot)
{
    struct distinct *distinct = &compiler->distincts[index];
    if (distinct->slot == slot && distinct->token != TOKEN_BLANK)
        return distinct->token;
    if (distinct->token == TOKEN_BLANK) {
        distinct->slot = slot;
        return distinct->token = new_variant(compiler, distinct, slot);
    }
    uint32_t *known = hashmap_slot(&compiler->variants, (uint64_t)index << 32 | slot);
    if (!*known)
        *known = new_variant(compiler, distinct, slot) + 1;
    return *known - 1;
}

/* ---------------------------------------------------------------------------------------- amounts */

static uint32_t amount_token(struct compiler *compiler, double amount)
{
    uint64_t bits;
    memcpy(&bits, &amount, sizeof bits);
    uint32_t *known = hashmap_slot(&compiler->amounts_index, bits);
    if (!*known) {
        compiler->amounts =
            mem_grow(compiler->amounts, &compiler->amount_capacity, compiler->amount_count + 1, "amounts");
        compiler->amounts[compiler->amount_count++] = amount;
        *known = (uint32_t)compiler->amount_count;
    }
    return (*known - 1) | TOKEN_COMPUTE;
}

/* ------------------------------------------------------------------------------------ distinct lines */

/* What a collective adds to the order that all ranks must share; sizes may differ, kind and root may not. */
static uint64_t order_of(const struct call *call)
{
    if (!call_is_collective(call) || call->group) /* other communicators have their own order */
        return 0;
    return (uint64_t)call->op << 40 | (uint64_t)call->flags << 32 | (uint32_t)call->peer;
}

static void read_distinct(struct compiler *compiler, struct distinct *distinct)
{
    struct action_reader *reader = &compiler->reader;
    const char *zero = memchr(reader->text, '\0', reader->length);
    if (zero) {
        action_error(reader, (size_t)(zero - reader->text), 1,
                     "a zero byte; a trace is text, with one action per line");
        distinct->bad = true;
        return;
    }
    distinct->bad = !action_read(reader, &distinct->action);
    if (!distinct->bad)
        distinct->order = order_of(&distinct->action.call);
}

static uint32_t add_distinct(struct compiler *compiler, const char *text, size_t length)
{
    if (compiler->text_count + length + 1 >= UINT32_MAX || compiler->distinct_count >= TOKEN_COMPUTE - 1) {
        action_error(&compiler->reader, 0, 1, "more than 4 GiB of lines of this rank that all differ");
        return LINE_BAD;
    }
    compiler->texts = mem_grow(compiler->texts, &compiler->text_capacity, compiler->text_count + length + 1,
                               "distinct lines");
    compiler->distincts = mem_grow(compiler->distincts, &compiler->distinct_capacity,
                                   compiler->distinct_count + 1, "distinct lines");
    memcpy(compiler->texts + compiler->text_count, text, length);
    compiler->texts[compiler->text_count + length] = '\n';
    struct distinct *distinct = &compiler->distincts[compiler->distinct_count];
    *distinct = (struct distinct){.start = (uint32_t)compiler->text_count, .length = (uint32_t)length};
    compiler->text_count += length + 1;
    read_distinct(compiler, distinct);
    return (uint32_t)compiler->distinct_count++;
}

static uint32_t intern(struct compiler *compiler, const char *text, size_t length)
{
    for (uint64_t hash = XXH3_64bits(text, length);; hash++) {
        uint32_t *known = hashmap_slot(&compiler->lines_index, hash);
        if (!*known) {
            uint32_t index = add_distinct(compiler, text, length);
            *known = index == LINE_BAD ? 0 : index + 1;
            return index;
        }
        const struct distinct *distinct = &compiler->distincts[*known - 1];
        if (distinct->length == length && !memcmp(compiler->texts + distinct->start, text, length))
            return *known - 1;
    }
}

/* ------------------------------------------------------------------------------------- what a line does */

static void name_place(struct compiler *compiler, const char *begin, const char *body, const char *end)
{
    compiler->reader.text = begin;
    compiler->reader.length = (size_t)(end - begin);
    compiler->reader.body = (size_t)(body - begin);
}

/* `init` first, `finalize` last. Said once per rank: all lines of a wrong one would be out of place. */
static bool is_out_of_place(struct compiler *compiler, enum action_role role)
{
    struct action_reader *reader = &compiler->reader;
    const char *what = NULL;
    if (compiler->phase == FINALIZED)
        what = "an action behind 'finalize', which must be the last";
    else if (compiler->phase == BEFORE_INIT && role != ROLE_INIT)
        what = "the first action of a rank must be 'init'";
    else if (compiler->phase == RUNNING && role == ROLE_INIT)
        what = "a second 'init'; each rank has one, as its first action";
    if (!what)
        return false;
    if (!compiler->order_reported)
        action_error(reader, reader->body, reader->length - reader->body, "%s", what);
    compiler->order_reported = true;
    return true;
}

static uint32_t wait_token(struct compiler *compiler, uint32_t index)
{
    struct action_reader *reader = &compiler->reader;
    const struct action *action = &compiler->distincts[index].action;
    uint32_t slot = requests_wait(&compiler->requests, action->key);
    if (slot != SLOT_NONE)
        return variant(compiler, index, slot);
    if (requests_explained(&compiler->requests, action->key))
        return variant(compiler, index, SLOT_NOTHING);
    action_error(reader, reader->body, reader->length - reader->body,
                 "nothing that this rank has started is meant by this wait; an isend or irecv with the same "
                 "ranks and tag must come before it");
    return LINE_BAD;
}

static uint32_t test_token(struct compiler *compiler, uint32_t index)
{
    const struct action_reader *reader = &compiler->reader;
    uint32_t slot = requests_test(&compiler->requests, compiler->distincts[index].action.key);
    if (slot != SLOT_NONE)
        return variant(compiler, index, slot);
    notes_add(&compiler->notes, NOTE_TEST, reader->rank, reader->line, 1);
    return variant(compiler, index, SLOT_NOTHING);
}

static uint32_t waitall_token(struct compiler *compiler, uint32_t index)
{
    const struct action_reader *reader = &compiler->reader;
    if (compiler->distincts[index].action.call.expected < compiler->requests.outstanding)
        notes_add(&compiler->notes, NOTE_WAITALL, reader->rank, reader->line, 1);
    requests_wait_all(&compiler->requests);
    return variant(compiler, index, 0);
}

static uint32_t action_token(struct compiler *compiler, uint32_t index)
{
    const struct action *action = &compiler->distincts[index].action;
    switch (action->role) {
    case ROLE_INIT:
        compiler->phase = RUNNING;
        /* SimGrid's own rule: an argument, whatever it is, makes doubles the elements of what has no type. */
        compiler->reader.default_datatype =
            compiler->reader.field_count > 1 ? DATATYPE_DOUBLE : DATATYPE_BYTE;
        return variant(compiler, index, 0);
    case ROLE_FINALIZE:
        compiler->phase = FINALIZED;
        return variant(compiler, index, 0);
    case ROLE_COMPUTE:
        return amount_token(compiler, action->call.amount);
    case ROLE_START:
        return variant(compiler, index, requests_start(&compiler->requests, action->key));
    case ROLE_WAIT:
        return wait_token(compiler, index);
    case ROLE_TEST:
        return test_token(compiler, index);
    case ROLE_WAITALL:
        return waitall_token(compiler, index);
    case ROLE_PLAIN:
        break;
    }
    return variant(compiler, index, 0);
}

static uint32_t body_token(struct compiler *compiler, const char *begin, const char *body, const char *end)
{
    name_place(compiler, begin, body, end);
    uint32_t index = intern(compiler, body, (size_t)(end - body));
    if (index == LINE_BAD || compiler->distincts[index].bad)
        return LINE_BAD;
    if (is_out_of_place(compiler, compiler->distincts[index].action.role))
        return LINE_BAD;
    uint32_t token = action_token(compiler, index);
    if (token & TOKEN_COMPUTE)
        return token;
    struct rank_calls *rank = compiler->rank;
    rank->about[token].uses++;
    uint64_t order = compiler->distincts[index].order;
    if (order) {
        if (!rank->order_count++)
            rank->first_collective_line = compiler->reader.line;
        rank->order_hash = (rank->order_hash ^ order) * UINT64_C(0x9e3779b97f4a7c15);
        rank->order_hash ^= rank->order_hash >> 29;
    }
    return token;
}

/* ------------------------------------------------------------------------------------------- lines */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at))
        at++;
    return at;
}

/* The byte behind the rank field and its blanks, `end` for a blank line, NULL where the field is wrong. */
static const char *rank_field_end(struct compiler *compiler, const char *begin, const char *end)
{
    const char *field = skip_blanks(begin, end);
    if (field == end)
        return end;
    name_place(compiler, begin, field, end);
    const char *field_end = field;
    while (field_end < end && !is_blank(*field_end))
        field_end++;
    size_t at = (size_t)(field - begin), length = (size_t)(field_end - field);
    int64_t rank;
    if (number_integer(field, field_end, &rank) != field_end) {
        action_error(&compiler->reader, at, length,
                     "a line starts with the number of its rank, here %u; then follows the action",
                     compiler->reader.rank);
        return NULL;
    }
    if (rank != compiler->reader.rank) {
        action_error(&compiler->reader, at, length,
                     "this is the file of rank %u, but the line is of rank %lld", compiler->reader.rank,
                     (long long)rank);
        return NULL;
    }
    const char *body = skip_blanks(field_end, end);
    if (body == end) {
        action_error(&compiler->reader, (size_t)(end - begin), 1, "an action is missing behind the rank");
        return NULL;
    }
    return body;
}

/* "compute 12132": a third of the lines of most traces, and their amounts differ. */
static bool is_compute(const char *body, const char *end, double *amount)
{
    static const char name[] = "compute ";
    size_t length = sizeof name - 1;
    if ((size_t)(end - body) <= length || memcmp(body, name, length) != 0)
        return false;
    const char *rest = number_amount(body + length, end, amount);
    return rest && skip_blanks(rest, end) == end;
}

static uint32_t line_token(struct compiler *compiler, const char *begin, const char *end)
{
    if (end - begin > LONGEST_LINE) {
        name_place(compiler, begin, begin, begin + LONGEST_LINE);
        action_error(&compiler->reader, 0, 1, "a line of more than %d bytes; is this a trace?", LONGEST_LINE);
        return LINE_BAD;
    }
    size_t prefix = compiler->prefix_length;
    const char *body = begin + prefix;
    if ((size_t)(end - begin) <= prefix || memcmp(begin, compiler->prefix, prefix) != 0 || is_blank(*body)) {
        body = rank_field_end(compiler, begin, end);
        if (!body || body == end)
            return body ? TOKEN_BLANK : LINE_BAD;
    }
    double amount;
    if (compiler->phase == RUNNING && is_compute(body, end, &amount))
        return amount_token(compiler, amount);
    return body_token(compiler, begin, body, end);
}

static void read_lines(struct compiler *compiler, const struct ti_text *text)
{
    const char *at = text->bytes, *end = at + text->size;
    while (at < end && compiler->reader.errors < TRACE_MOST_ERRORS) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;
        if (stop > at && stop[-1] == '\r')
            stop--;
        compiler->reader.line++;
        uint32_t token = line_token(compiler, at, stop);
        compiler->tokens = mem_grow(compiler->tokens, &compiler->token_capacity, compiler->token_count + 2,
                                    "the lines of a rank");
        compiler->tokens[compiler->token_count++] = token;
        at = next;
    }
}

/* ---------------------------------------------------------------------------------------------- ranks */

static void begin_rank(struct compiler *compiler, uint32_t rank)
{
    struct action_reader *reader = &compiler->reader;
    compiler->rank = &compiler->calls[rank];
    compiler->phase = BEFORE_INIT;
    compiler->order_reported = false;
    compiler->token_count = compiler->amount_count = compiler->text_count = compiler->distinct_count = 0;
    compiler->prefix_length = (size_t)snprintf(compiler->prefix, sizeof compiler->prefix, "%u ", rank);
    hashmap_clear(&compiler->lines_index);
    hashmap_clear(&compiler->amounts_index);
    hashmap_clear(&compiler->variants);
    requests_clear(&compiler->requests);
    reader->file = compiler->source->files[rank].name;
    reader->rank = rank;
    reader->line = 0;
    reader->default_datatype = DATATYPE_BYTE;
    compiler->texts = mem_grow(compiler->texts, &compiler->text_capacity, 1, "distinct lines");
    compiler->texts[compiler->text_count++] = '\n';
    compiler->tokens = mem_grow(compiler->tokens, &compiler->token_capacity, 1, "the lines of a rank");
    new_call(compiler, &(struct call){.op = CALL_NOTHING}, 0, KEY_NONE, DOUBT_NONE); /* TOKEN_BLANK */
}

static void end_rank(struct compiler *compiler, uint32_t rank)
{
    struct action_reader *reader = &compiler->reader;
    if (compiler->phase != FINALIZED && reader->errors < TRACE_MOST_ERRORS && !compiler->order_reported) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = reader->file, .line = reader->line},
                    "the trace of rank %u ends without 'finalize'; it is incomplete", rank);
        reader->errors++;
    }
    compiler->tokens[compiler->token_count++] = TOKEN_END;
    struct image_rank *image = &compiler->ranks[rank];
    struct image_writer *writer = &compiler->writer;
    image->tokens = image_append(writer, compiler->tokens, compiler->token_count, sizeof *compiler->tokens);
    image->amounts =
        image_append(writer, compiler->amounts, compiler->amount_count, sizeof *compiler->amounts);
    image->texts = image_append(writer, compiler->texts, compiler->text_count, 1);
    image->slots = SLOT_FIRST + compiler->requests.slots;
    compiler->lines += reader->line;
}

static enum status read_rank(struct compiler *compiler, uint32_t rank)
{
    struct ti_text text;
    enum status status = ti_source_read(compiler->source, rank, &text);
    if (status != STATUS_OK)
        return status;
    if (compiler->hash.state)
        ti_hash_add(&compiler->hash, &text);
    begin_rank(compiler, rank);
    read_lines(compiler, &text);
    end_rank(compiler, rank);
    ti_text_free(&text);
    return STATUS_OK;
}

/* Ranks that disagree about the order of collectives: each is held against rank 0. */
static void note_order(struct compiler *compiler)
{
    const struct rank_calls *first = &compiler->calls[0];
    for (uint32_t rank = 1; rank < compiler->source->ranks; rank++) {
        const struct rank_calls *other = &compiler->calls[rank];
        if (other->order_hash != first->order_hash || other->order_count != first->order_count)
            notes_add(&compiler->notes, NOTE_ORDER, rank, other->first_collective_line, 1);
    }
}

/* What depends on all ranks, behind what each rank had alone. Returns an errno or 0. */
static int write_rest(struct compiler *compiler)
{
    struct image_header header = {.key = {compiler->source->key[0], compiler->source->key[1]}};
    struct image_writer *writer = &compiler->writer;
    uint32_t ranks = compiler->source->ranks;
    note_order(compiler);
    header.lines = compiler->lines;
    header.channels = match_ranks(compiler->calls, ranks, &compiler->notes);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const struct rank_calls *calls = &compiler->calls[rank];
        uint32_t *starts = mem_alloc(calls->count, sizeof *starts, "distinct calls");
        for (size_t i = 0; i < calls->count; i++)
            starts[i] = calls->about[i].start;
        compiler->ranks[rank].calls = image_append(writer, calls->calls, calls->count, sizeof *calls->calls);
        compiler->ranks[rank].starts = image_append(writer, starts, calls->count, sizeof *starts).at;
        free(starts);
    }
    header.counts =
        image_append(writer, compiler->counts.bytes, compiler->counts.count, sizeof *compiler->counts.bytes);

    char *names = NULL;
    size_t used = 0, capacity = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        size_t length = strlen(compiler->source->files[rank].name) + 1;
        names = mem_grow(names, &capacity, used + length, "the names of files");
        memcpy(names + used, compiler->source->files[rank].name, length);
        compiler->ranks[rank].name = used;
        used += length;
    }
    header.names = image_append(writer, names, used, 1);
    free(names);

    struct image_note notes[NOTE_KINDS];
    uint64_t count = 0;
    for (int kind = 0; kind < NOTE_KINDS; kind++)
        if (compiler->notes.kinds[kind].count)
            notes[count++] = compiler->notes.kinds[kind];
    header.notes = image_append(writer, notes, count, sizeof *notes);
    header.ranks = image_append(writer, compiler->ranks, ranks, sizeof *compiler->ranks);
    const struct comms *comms = &compiler->comms;
    header.groups = image_append(writer, comms->groups, comms->count, sizeof *comms->groups);
    header.members = image_append(writer, comms->members, comms->member_count, sizeof *comms->members);
    return image_finish(writer, &header);
}

static void free_compiler(struct compiler *compiler)
{
    for (uint32_t rank = 0; rank < compiler->source->ranks; rank++) {
        free(compiler->calls[rank].calls);
        free(compiler->calls[rank].about);
    }
    free(compiler->calls);
    free(compiler->ranks);
    free(compiler->tokens);
    free(compiler->amounts);
    free(compiler->texts);
    free(compiler->distincts);
    hashmap_free(&compiler->lines_index);
    hashmap_free(&compiler->amounts_index);
    hashmap_free(&compiler->variants);
    counts_free(&compiler->counts);
    comms_free(&compiler->comms);
    requests_free(&compiler->requests);
    action_reader_free(&compiler->reader);
    if (compiler->hash.state) {
        uint64_t unused[2];
        ti_hash_end(&compiler->hash, unused);
    }
}

/* Files may be written to while they are read, by a capture that still runs: what was compiled must not be
 * kept under the key of what was there before. */
static enum status check_unchanged(struct compiler *compiler)
{
    uint64_t key[2];
    if (!compiler->hash.state)
        return STATUS_OK;
    ti_hash_end(&compiler->hash, key);
    if (!memcmp(key, compiler->source->key, sizeof key))
        return STATUS_OK;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = compiler->source->path},
                "it was changed while it was read; try again when nothing writes to it any more");
    return STATUS_BAD_INPUT;
}

enum status compile(const struct ti_source *source, FILE *out, int *error)
{
    struct compiler compiler = {.source = source};
    compiler.reader = (struct action_reader){.ranks = source->ranks,
                                             .requests = &compiler.requests,
                                             .counts = &compiler.counts,
                                             .comms = &compiler.comms};
    comms_init(&compiler.comms, source->ranks);
    compiler.ranks = mem_alloc(source->ranks, sizeof *compiler.ranks, "the ranks of a trace");
    compiler.calls = mem_alloc(source->ranks, sizeof *compiler.calls, "the ranks of a trace");
    counts_init(&compiler.counts);
    image_begin(&compiler.writer, out);
    enum status status = STATUS_OK;
    bool are_files = source->kind == TI_DIRECTORY || source->kind == TI_INDEX;
    if (are_files && !ti_hash_begin(&compiler.hash)) {
        *error = ENOMEM;
        status = STATUS_FAILED;
    }
    for (uint32_t rank = 0; status == STATUS_OK && rank < source->ranks; rank++) {
        status = read_rank(&compiler, rank);
        if (compiler.reader.errors >= TRACE_MOST_ERRORS) {
            diag_error("%s: %d errors are enough; stopped reading", source->path, TRACE_MOST_ERRORS);
            break;
        }
    }
    if (status == STATUS_OK && compiler.reader.errors)
        status = STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = check_unchanged(&compiler);
    if (status == STATUS_OK) {
        *error = write_rest(&compiler);
        status = *error ? STATUS_FAILED : STATUS_OK;
    } else {
        image_abandon(&compiler.writer);
    }
    free_compiler(&compiler);
    return status;
}
