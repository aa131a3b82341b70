#include "trace/goal/lexer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

void goal_lexer_init(struct goal_lexer *lexer, const char *path, const char *bytes, size_t size)
{
    *lexer = (struct goal_lexer){.path = path, .bytes = bytes, .size = size, .line = 1};
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char peek(const struct goal_lexer *lexer, size_t ahead)
{
    return lexer->next + ahead < lexer->size ? lexer->bytes[lexer->next + ahead] : '\0';
}

static void count_line(struct goal_lexer *lexer)
{
    lexer->line++;
    lexer->line_at = lexer->next;
}

/* True: the comment is closed. */
static bool skip_block_comment(struct goal_lexer *lexer)
{
    for (lexer->next += 2; lexer->next < lexer->size; lexer->next++) {
        if (lexer->bytes[lexer->next] == '*' && peek(lexer, 1) == '/') {
            lexer->next += 2;
            return true;
        }
        if (lexer->bytes[lexer->next] == '\n') {
            lexer->line++;
            lexer->line_at = lexer->next + 1;
        }
    }
    return false;
}

/* False: a comment has no end, and the token is that comment. */
static bool skip_blanks(struct goal_lexer *lexer)
{
    for (;;) {
        char c = peek(lexer, 0);
        const struct goal_lexer begin = *lexer;
        if (c == ' ' || c == '\t' || c == '\r') {
            lexer->next++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            while (lexer->next < lexer->size && lexer->bytes[lexer->next] != '\n')
                lexer->next++;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            if (!skip_block_comment(lexer)) {
                *lexer = begin;
                lexer->at = begin.next;
                lexer->length = 2;
                return false;
            }
        } else {
            return true;
        }
    }
}

static void read_number(struct goal_lexer *lexer)
{
    uint64_t number = 0;
    lexer->too_large = false;
    for (; is_digit(peek(lexer, 0)); lexer->next++) {
        unsigned digit = (unsigned)(peek(lexer, 0) - '0');
        lexer->too_large |= __builtin_mul_overflow(number, UINT64_C(10), &number) ||
                            __builtin_add_overflow(number, digit, &number);
    }
    lexer->number = number;
    lexer->token = GOAL_NUMBER;
}

static void read_token(struct goal_lexer *lexer)
{
    char c = peek(lexer, 0);
    lexer->is_any = c == '-' && peek(lexer, 1) == '1' && !is_digit(peek(lexer, 2));
    if (is_digit(c)) {
        read_number(lexer);
    } else if (lexer->is_any) {
        lexer->next += 2;
        lexer->token = GOAL_NUMBER;
        lexer->too_large = false;
        lexer->number = UINT32_MAX;
    } else if (is_letter(c)) {
        while (is_letter(peek(lexer, 0)) || is_digit(peek(lexer, 0)))
            lexer->next++;
        lexer->token = GOAL_WORD;
    } else {
        lexer->next++;
        lexer->token = c == '{' ? GOAL_OPEN : c == '}' ? GOAL_CLOSE : c == ':' ? GOAL_COLON : GOAL_WRONG;
    }
}

void goal_next(struct goal_lexer *lexer)
{
    if (lexer->token == GOAL_LINE)
        count_line(lexer);
    if (!skip_blanks(lexer)) {
        lexer->token = GOAL_WRONG;
        lexer->next = lexer->size;
        return;
    }
    lexer->at = lexer->next;
    if (lexer->next >= lexer->size) {
        lexer->token = GOAL_END;
    } else if (lexer->bytes[lexer->next] == '\n') {
        lexer->next++;
        lexer->token = GOAL_LINE;
    } else {
        read_token(lexer);
    }
    lexer->length = lexer->next - lexer->at;
}

bool goal_is(const struct goal_lexer *lexer, const char *word)
{
    return lexer->token == GOAL_WORD && strlen(word) == lexer->length &&
           !memcmp(lexer->bytes + lexer->at, word, lexer->length);
}

static void report(const struct goal_lexer *lexer, enum diag_level level, const char *format, va_list values)
{
    char text[512];
    const char *line = lexer->bytes + lexer->line_at;
    const char *end = memchr(line, '\n', lexer->size - lexer->line_at);
    size_t length = end ? (size_t)(end - line) : lexer->size - lexer->line_at;
    bool is_in_line = lexer->at >= lexer->line_at && lexer->at - lexer->line_at <= length;
    vsnprintf(text, sizeof text, format, values);
    diag_report(level,
                &(struct diag_place){.file = lexer->path,
                                     .line = lexer->line,
                                     .column = is_in_line ? (uint32_t)(lexer->at - lexer->line_at) + 1 : 0,
                                     .span = lexer->token == GOAL_LINE ? 1 : (uint32_t)lexer->length,
                                     .source = line,
                                     .source_length = length},
                "%s", text);
}

void goal_error(struct goal_lexer *lexer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    report(lexer, DIAG_ERROR, format, values);
    va_end(values);
    lexer->errors++;
}

void goal_warning(struct goal_lexer *lexer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    report(lexer, DIAG_WARNING, format, values);
    va_end(values);
}

void goal_skip_line(struct goal_lexer *lexer)
{
    while (lexer->token != GOAL_LINE && lexer->token != GOAL_END && lexer->token != GOAL_CLOSE)
        goal_next(lexer);
}

const char *goal_show(const struct goal_lexer *lexer, char *buffer, size_t size)
{
    if (lexer->token == GOAL_END)
        snprintf(buffer, size, "the end of the file");
    else if (lexer->token == GOAL_LINE)
        snprintf(buffer, size, "the end of the line");
    else
        snprintf(buffer, size, "'%.*s'", lexer->length < 40 ? (int)lexer->length : 40,
                 lexer->bytes + lexer->at);
    return buffer;
}
