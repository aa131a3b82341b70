#ifndef HELIO_TRACE_EDIT_PIECES_H
#define HELIO_TRACE_EDIT_PIECES_H

#include "trace/edit/edit.h"

/* A piece of each rank of a trace, between its init and its finalize, once or several times. Text keeps each
 * line as it is; definitions of communicators before the piece are kept too. */

/* Tokens of a rank, by index from 0: `from` to `to` - 1. */
struct rank_piece {
    uint64_t from, to;
};

/* What stands between init and finalize. */
struct rank_piece piece_body(const struct compiled_trace *source, uint32_t rank);

/* Appends the lines of a rank that a piece behind them needs: its init, if `from` is 0, and the definitions
 * of communicators and call sites among the tokens from `from` to `end`. */
struct rank_text;
void pieces_put_definitions(const struct compiled_trace *source, uint32_t rank, uint64_t from, uint64_t end,
                            struct rank_text *text);

/* Appends the finalize of a rank, if it has one, and the definitions of call sites directly in front of it,
 * from token `from` on. */
void pieces_put_end(const struct compiled_trace *source, uint32_t rank, uint64_t from,
                    struct rank_text *text);

struct rank_pieces {
    struct program program; /* the pieces as a program, for sources without text; first */
    const struct compiled_trace *source;
    struct rank_piece *of; /* per rank */
    uint64_t times;
    /* Of the rank that is read: the next token, and how many passes are over. */
    uint64_t at, pass;
    enum { PIECE_BEGIN, PIECE_BODY, PIECE_END } phase;
};

/* All bodies of the source, once. The caller changes `of` and `times`, and frees the pieces. */
void pieces_open(struct rank_pieces *pieces, const struct compiled_trace *source);
void pieces_free(struct rank_pieces *pieces);

struct edit pieces_edit(struct rank_pieces *pieces);

#endif
