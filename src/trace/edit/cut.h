#ifndef HELIO_TRACE_EDIT_CUT_H
#define HELIO_TRACE_EDIT_CUT_H

#include "trace/edit/pieces.h"
#include "trace/edit/places.h"

/* A part of a trace, from one place to another. */
struct trace_part {
    uint64_t from, to; /* places */
};

/* "3..7", "3..", "..7" or "3": collectives or iterations, from 1. An open end is that of the program.
 * STATUS_BAD_INPUT, reported with the option's name. */
enum status cut_read(const struct places *places, const char *option, const char *text,
                     struct trace_part *cut);

/* STATUS_BAD_INPUT, reported: the cut separates calls that belong together. Says which, and what would be
 * right. */
enum status cut_check(const struct places *places, const struct trace_part *cut);

/* The pieces of the source become those of the cut. */
void cut_apply(const struct places *places, const struct trace_part *cut, struct rank_pieces *pieces);

/* The reverse of cut_read. */
enum { CUT_TEXT = 64 };
const char *cut_print(const struct places *places, const struct trace_part *cut, char text[static CUT_TEXT]);

#endif
