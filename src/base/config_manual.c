#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/utf8.h"

/* `helio params`: the tables of parameters as an experiment file. */

enum { WIDTH = 110 }; /* of comments */

/* A comment whose lines are at most WIDTH wide. */
struct comment {
    FILE *out;
    size_t column;
};

/* Writes a text that stays on one line, such as "64 KiB". */
static void put_word(struct comment *comment, const char *word, size_t length)
{
    size_t width = utf8_count(word, length);
    if (comment->column && comment->column + 1 + width > WIDTH) {
        fputc('\n', comment->out);
        comment->column = 0;
    }
    fputs(comment->column ? " " : "# ", comment->out);
    fwrite(word, 1, length, comment->out);
    comment->column += (comment->column ? 1 : 2) + width;
}

static void put_words(struct comment *comment, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (length)
            put_word(comment, text, length);
        text += length + (text[length] == ' ');
    }
}

static void end_comment(struct comment *comment)
{
    fputc('\n', comment->out);
    comment->column = 0;
}

static void print_range(const struct param *param, FILE *out)
{
    struct comment comment = {.out = out};
    if (param->choices) {
        put_words(&comment, "one of:");
        for (size_t i = 0; param->choices[i]; i++) {
            char word[64];
            snprintf(word, sizeof word, "%s%s", param->choices[i], param->choices[i + 1] ? "," : "");
            put_word(&comment, word, strlen(word));
        }
        end_comment(&comment);
    }
    if (param->min && param->max)
        fprintf(out, "# from %s to %s\n", param->min, param->max);
    else if (param->min)
        fprintf(out, "# at least %s\n", param->min);
    else if (param->max)
        fprintf(out, "# at most %s\n", param->max);
}

/* Whether YAML reads the text as a plain scalar: it has no indicator at its begin, no comment and no key. */
static bool is_plain(const char *text)
{
    static const char *const nothing[] = {"~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if (strcmp(text, nothing[i]) == 0)
            return false;
    size_t length = strlen(text);
    bool clean = length && !strchr(" ,[]{}#&*!|>'\"%@`?:-", *text) && text[length - 1] != ' ';
    return clean && text[length - 1] != ':' && !strstr(text, ": ") && !strstr(text, " #") &&
           !strpbrk(text, "\t\n");
}

/* Only double quotes have a way to write a tab, which a file may not contain. */
static void print_with_tabs(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if (*text == '\t')
            fputs("\\t", out);
        else
            fputc(*text, out);
    }
    fputc('"', out);
}

/* A minus before a number may begin a plain scalar, other indicators may not. */
static void print_value(const char *text, FILE *out)
{
    bool negative = text[0] == '-' && text[1] && strchr("0123456789.", text[1]);
    if (is_plain(text + negative)) {
        fputs(text, out);
        return;
    }
    if (strchr(text, '\t')) {
        print_with_tabs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, out);
    fputc('\'', out);
}

/* A value that comes from elsewhere, as a comment. False: it does not. */
static bool print_given(const struct config_given *given, const struct param *param, FILE *out)
{
    struct comment comment = {.out = out};
    const char *value;
    char *text;
    if (!given || !given->find(given->self, param, &value, &text))
        return false;
    put_words(&comment, text);
    end_comment(&comment);
    free(text);
    fprintf(out, "#%s:", param->name);
    if (value) {
        fputc(' ', out);
        print_value(value, out);
    }
    fputs("\n\n", out);
    return true;
}

static size_t print_table(const struct param_table *table, const char *filter,
                          const struct config_given *given, FILE *out)
{
    size_t printed = 0;
    struct comment comment = {.out = out};
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        if (filter && !strstr(param->name, filter))
            continue;
        if (!printed++) {
            char component[64];
            snprintf(component, sizeof component, "%s:", table->component);
            put_words(&comment, "----");
            put_words(&comment, component);
            put_words(&comment, table->doc);
            end_comment(&comment);
            fputc('\n', out);
        }
        put_words(&comment, param->doc);
        end_comment(&comment);
        print_range(param, out);
        if (print_given(given, param, out))
            continue;
        if (param->default_text) {
            fprintf(out, "%s: ", param->name);
            print_value(param->default_text, out);
            fputs("\n\n", out);
        } else {
            fprintf(out, "#%s:\n\n", param->name);
        }
    }
    return printed;
}

size_t config_print_manual(const struct param_table *const *tables, size_t count, const char *filter,
                           const struct config_given *given, FILE *out)
{
    size_t printed = 0;
    for (size_t i = 0; i < count; i++)
        printed += print_table(tables[i], filter, given, out);
    return printed;
}
