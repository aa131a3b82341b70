#include "trace/edit/pieces.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "trace/ti/decompile.h"
#include "trace/ti/write.h"

static bool is_op(const struct compiled_trace *source, uint32_t rank, uint64_t at, enum call_op op)
{
    uint32_t token = compiled_tokens(source, rank)[at];
    return !(token & TOKEN_COMPUTE) && compiled_calls(source, rank)[token].op == op;
}

struct rank_piece piece_body(const struct compiled_trace *source, uint32_t rank)
{
    const uint32_t *tokens = compiled_tokens(source, rank);
    struct rank_piece all = {0, compiled_lines(source, rank)}, body;
    while (all.from < all.to && tokens[all.from] == TOKEN_BLANK)
        all.from++;
    while (all.from < all.to && tokens[all.to - 1] == TOKEN_BLANK)
        all.to--;
    body = all;
    if (body.from < body.to && is_op(source, rank, body.from, CALL_INIT))
        body.from++;
    if (body.from < body.to && is_op(source, rank, body.to - 1, CALL_FINALIZE))
        body.to--;
    return body;
}

/* --------------------------------------------------------------------- text */

static bool begins_with(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    return length > size && !memcmp(text, word, size);
}

/* Whether a line says which ranks a communicator has, or where a call site is. */
static bool defines(const struct compiled_trace *source, uint32_t rank, uint32_t token)
{
    size_t length;
    if (token & TOKEN_COMPUTE || token == TOKEN_BLANK)
        return false;
    const char *text = compiled_text(source, rank, token, &length);
    return (begins_with(text, length, "comm_split") && memchr(text, '#', length)) ||
           (begins_with(text, length, "comm_size") && memmem(text, length, "#site ", 6));
}

void pieces_put_definitions(const struct compiled_trace *source, uint32_t rank, uint64_t from, uint64_t end,
                            struct rank_text *text)
{
    const uint32_t *tokens = compiled_tokens(source, rank);
    struct rank_piece body = piece_body(source, rank);
    if (body.from && !from)
        decompile_lines(source, rank, body.from - 1, body.from, text);
    for (uint64_t at = from > body.from ? from : body.from; at < end; at++)
        if (defines(source, rank, tokens[at]))
            decompile_lines(source, rank, at, at + 1, text);
}

void pieces_put_end(const struct compiled_trace *source, uint32_t rank, uint64_t from, struct rank_text *text)
{
    const uint32_t *tokens = compiled_tokens(source, rank);
    const struct rank_piece body = piece_body(source, rank);
    uint64_t at = body.to;
    if (body.to == compiled_lines(source, rank))
        return;
    while (at > from && at > body.from && defines(source, rank, tokens[at - 1]))
        at--;
    decompile_lines(source, rank, at, body.to + 1, text);
}

static void add_text(const struct rank_pieces *pieces, uint32_t rank, struct rank_text *text)
{
    const struct compiled_trace *source = pieces->source;
    const struct rank_piece piece = pieces->of[rank];
    pieces_put_definitions(source, rank, 0, piece.from, text);
    for (uint64_t pass = 0; pass < pieces->times && piece.from < piece.to; pass++)
        decompile_lines(source, rank, piece.from, piece.to, text);
    pieces_put_end(source, rank, piece.to, text);
}

/* ------------------------------------------------------------------ program */

/* False: the rank has ended. */
static bool next_token(struct rank_pieces *pieces, uint32_t rank, uint64_t *token)
{
    struct rank_piece body = piece_body(pieces->source, rank), piece = pieces->of[rank];
    if (pieces->phase == PIECE_BEGIN) {
        pieces->phase = PIECE_BODY;
        pieces->at = piece.from;
        pieces->pass = 0;
        *token = body.from - 1;
        if (body.from && is_op(pieces->source, rank, *token, CALL_INIT))
            return true;
    }
    if (pieces->at == piece.to && ++pieces->pass < pieces->times)
        pieces->at = piece.from;
    *token = pieces->at < piece.to ? pieces->at++ : body.to;
    if (*token < piece.to)
        return true;
    bool ends = pieces->phase == PIECE_BODY && body.to < compiled_lines(pieces->source, rank) &&
                is_op(pieces->source, rank, body.to, CALL_FINALIZE);
    pieces->phase = PIECE_END;
    return ends;
}

static const struct call *next_call(struct program *program, uint32_t rank, struct call *scratch)
{
    struct rank_pieces *pieces = (struct rank_pieces *)program;
    const struct program *source = &pieces->source->program;
    struct program_cursor cursor = {0};
    if (pieces->phase == PIECE_END || !next_token(pieces, rank, &cursor.number))
        return NULL;
    return source->ops->read(source, rank, &cursor, scratch);
}

static uint32_t slots(const struct program *program, uint32_t rank)
{
    const struct program *source = &((const struct rank_pieces *)program)->source->program;
    return source->ops->slots(source, rank);
}

static const struct program_ops ops = {.next = next_call, .slots = slots};

/* --------------------------------------------------------------- the ranks */

static enum status rank_text(void *self, uint32_t rank, char **text, size_t *size)
{
    struct rank_pieces *pieces = self;
    if (pieces->source->header->flags & IMAGE_TEXTS_ARE_FREE) {
        pieces->phase = PIECE_BEGIN;
        *text = ti_rank_text(&pieces->program, rank, size);
        return *text ? STATUS_OK : STATUS_FAILED;
    }
    struct rank_text lines = {0};
    add_text(pieces, rank, &lines);
    *text = lines.bytes ? lines.bytes : mem_text("");
    *size = lines.size;
    return STATUS_OK;
}

void pieces_open(struct rank_pieces *pieces, const struct compiled_trace *source)
{
    *pieces = (struct rank_pieces){.source = source, .times = 1};
    pieces->program = source->program;
    pieces->program.ops = &ops;
    pieces->program.total_calls = 0;
    pieces->of = mem_alloc(source->program.ranks, sizeof *pieces->of, "pieces of ranks");
    for (uint32_t rank = 0; rank < source->program.ranks; rank++)
        pieces->of[rank] = piece_body(source, rank);
}

void pieces_free(struct rank_pieces *pieces)
{
    free(pieces->of);
}

struct edit pieces_edit(struct rank_pieces *pieces)
{
    return (struct edit){.ranks = pieces->source->program.ranks, .rank_text = rank_text, .self = pieces};
}
