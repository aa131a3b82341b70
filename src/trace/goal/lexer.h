#ifndef HELIO_TRACE_GOAL_LEXER_H
#define HELIO_TRACE_GOAL_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tokens of GOAL text. Blanks and comments separate them: a line from // on, and what is between two
 * marks as in C. The end of a line is a token, since it ends a statement. */
enum goal_token {
    GOAL_END, /* of the file */
    GOAL_LINE,
    GOAL_WORD,   /* a label or a keyword */
    GOAL_NUMBER, /* digits; -1 too, with is_any */
    GOAL_OPEN,
    GOAL_CLOSE,
    GOAL_COLON,
    GOAL_WRONG, /* a character that no token begins with */
};

struct goal_lexer {
    const char *path, *bytes;
    size_t size;
    size_t next; /* the byte behind the token */
    uint64_t line;
    size_t line_at; /* the byte at which the line begins */

    enum goal_token token;
    size_t at, length;
    uint64_t number;
    bool is_any;    /* the number is -1 */
    bool too_large; /* the number is 2^64 or more */
    uint32_t errors;
};

void goal_lexer_init(struct goal_lexer *lexer, const char *path, const char *bytes, size_t size);
void goal_next(struct goal_lexer *lexer); /* reads the next token */

/* Whether the token is this word. */
bool goal_is(const struct goal_lexer *lexer, const char *word);

/* Reports an error at the present token, and counts it. */
void goal_error(struct goal_lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void goal_warning(struct goal_lexer *lexer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Goes on to the end of the line, or to a closing brace. */
void goal_skip_line(struct goal_lexer *lexer);

/* "'sned'", "the end of the line": the token in messages. Returns buffer. */
const char *goal_show(const struct goal_lexer *lexer, char *buffer, size_t size);

#endif
