#ifndef HELIO_OUTPUT_WRAP_H
#define HELIO_OUTPUT_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Text for a terminal of 80 columns. */
enum { WRAP_COLUMNS = 80 };

/* A text that is put word by word. Its lines end before WRAP_COLUMNS, unless a word is longer than a line;
 * those behind the first begin in column `indent`. */
struct wrap {
    FILE *out;
    size_t indent, column; /* `column` is where the next word stands, or the blank before it */
    bool has_words;
};

/* The words of `text`, which blanks and ends of lines separate. A number stays with its unit. */
void wrap_words(struct wrap *wrap, const char *text);

/* What belongs to the word before it, as a comma. A comma still fits a line of 79 characters. */
void wrap_mark(struct wrap *wrap, const char *mark);

/* The text, and the end of its line; all of it begins in column `indent`. Lines that begin with a blank are
 * put as they are, an empty line separates paragraphs, and all other lines are one paragraph. */
void wrap_text(FILE *out, size_t indent, const char *text);

/* Each line of the text is a sentence. What does not fit its first line begins in column `indent`. */
void wrap_sentences(FILE *out, size_t indent, const char *text);

#endif
