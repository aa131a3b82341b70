#ifndef HELIO_BASE_WORD_LINE_H
#define HELIO_BASE_WORD_LINE_H

#include <stddef.h>

#include "base/status.h"

/* Lines of words between blanks: what our probes write, and helio reads. */

/* The line that is read. */
struct word_line {
    const char *name; /* of the file, for messages */
    char *text;
    size_t number; /* from 1 on */
};

/* Takes the word at *text and ends it with 0; *text is then behind it. At the end of the line: an empty word.
 */
char *word_take(char **text);

/* Reports an error at the word `at` of the line. Returns STATUS_BAD_INPUT. */
enum status word_fail(const struct word_line *line, const char *at, const char *what);

#endif
