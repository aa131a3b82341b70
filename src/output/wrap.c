#include "output/wrap.h"

#include <string.h>

static const char blanks[] = " \n";

/* A word, or a number with its unit. */
static size_t word_length(const char *text)
{
    size_t length = strcspn(text, blanks), digits = strspn(text, "0123456789.");
    if (length == 0 || digits < length || text[length] != ' ')
        return length;
    size_t unit = strcspn(text + length + 1, blanks);
    return unit ? length + 1 + unit : length;
}

static void put_word(struct wrap *wrap, const char *word, size_t length)
{
    if (wrap->has_words && wrap->column + 1 + length >= WRAP_COLUMNS) {
        fprintf(wrap->out, "\n%*s", (int)wrap->indent, "");
        wrap->column = wrap->indent;
    } else if (wrap->has_words) {
        fputc(' ', wrap->out);
        wrap->column++;
    }
    fprintf(wrap->out, "%.*s", (int)length, word);
    wrap->column += length;
    wrap->has_words = true;
}

static void put_words(struct wrap *wrap, const char *text, size_t length)
{
    for (size_t at = strspn(text, blanks); at < length; at += strspn(text + at, blanks)) {
        size_t word = word_length(text + at);
        put_word(wrap, text + at, word);
        at += word;
    }
}

void wrap_words(struct wrap *wrap, const char *text)
{
    put_words(wrap, text, strlen(text));
}

void wrap_mark(struct wrap *wrap, const char *mark)
{
    fputs(mark, wrap->out);
    wrap->column += strlen(mark);
}

void wrap_sentences(FILE *out, size_t indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        struct wrap wrap = {.out = out, .indent = indent};
        put_words(&wrap, text, length);
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
}

static void begin_paragraph(struct wrap *wrap)
{
    if (!wrap->has_words)
        fprintf(wrap->out, "%*s", (int)wrap->indent, "");
    wrap->column = wrap->has_words ? wrap->column : wrap->indent;
}

static void end_paragraph(struct wrap *wrap)
{
    if (wrap->has_words)
        fputc('\n', wrap->out);
    wrap->has_words = false;
}

void wrap_text(FILE *out, size_t indent, const char *text)
{
    struct wrap wrap = {.out = out, .indent = indent};
    for (const char *line = text; line;) {
        size_t length = strcspn(line, "\n");
        bool is_kept = length == 0 || *line == ' ';
        if (is_kept) {
            end_paragraph(&wrap);
            fprintf(out, "%*s%.*s\n", length ? (int)indent : 0, "", (int)length, line);
        } else {
            begin_paragraph(&wrap);
            put_words(&wrap, line, length);
        }
        line = line[length] ? line + length + 1 : NULL;
    }
    end_paragraph(&wrap);
}
