#include "workload/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "workload/workload.h"

enum { WIDTH = 110 }; /* of lines */

static const char help[] = "help";

bool workload_help_is_wanted(const char *spec)
{
    const char *last = strrchr(spec, ':');
    return strcmp(last ? last + 1 : spec, help) == 0;
}

/* --------------------------------------------------------------- lines */

/* Words in lines that begin at column `margin`. */
struct help_lines {
    FILE *out;
    size_t margin, column;
};

static void put_word(struct help_lines *lines, const char *word, size_t length)
{
    size_t width = utf8_count(word, length);
    if (lines->column > lines->margin && lines->column + 1 + width > WIDTH) {
        fprintf(lines->out, "\n%*s", (int)lines->margin, "");
        lines->column = lines->margin;
    }
    if (lines->column > lines->margin)
        fputc(' ', lines->out);
    lines->column += (lines->column > lines->margin) + width;
    fwrite(word, 1, length, lines->out);
}

static void put_words(struct help_lines *lines, const char *text)
{
    for (size_t length; *text; text += length + (text[length] == ' ')) {
        length = strcspn(text, " ");
        if (length)
            put_word(lines, text, length);
    }
}

/* A text in a column of its own. */
static void put_column(struct help_lines *lines, const char *text, size_t width)
{
    lines->margin += (size_t)fprintf(lines->out, "%-*s  ", (int)width, text);
    lines->column = lines->margin;
}

/* ------------------------------------------------------- all workloads */

/* The bytes of a doc before its example, which begins with the name of the workload: "MPI_Alltoall" of
 * "MPI_Alltoall: alltoall:ranks=64". *example is NULL if there is none. */
static int split_doc(const struct workload *workload, const char **example)
{
    char *begin = mem_format(": %s:", workload->name);
    const char *found = strstr(workload->doc, begin);
    free(begin);
    *example = found ? found + 2 : NULL;
    return found ? (int)(found - workload->doc) : (int)strlen(workload->doc);
}

/* The default as it stands in the text of a workload: "bytes=8KiB". */
static void put_setting(struct help_lines *lines, const struct param *param)
{
    const char *value = param->default_text;
    char *text = mem_format("%s%s%s", param->name, value ? "=" : "", value ? value : "");
    size_t length = 0;
    for (const char *from = text; *from; from++)
        if (*from != ' ')
            text[length++] = *from;
    put_word(lines, text, length);
    free(text);
}

static void print_in_list(const struct workload *workload, size_t width, FILE *out)
{
    struct help_lines lines = {.out = out};
    const struct param_table *table = workload->params;
    const char *example;
    char *doc = mem_format("%.*s", split_doc(workload, &example), workload->doc);
    put_column(&lines, workload->name, width);
    put_words(&lines, doc);
    free(doc);
    if (table->count) {
        fprintf(out, "\n%*s", (int)lines.margin, "");
        lines.column = lines.margin;
    }
    for (size_t i = 0; i < table->count; i++)
        put_setting(&lines, &table->params[i]);
    fputc('\n', out);
}

static void print_all(FILE *out)
{
    size_t width = 0;
    for (size_t i = 0; workloads[i]; i++)
        if (strlen(workloads[i]->name) > width)
            width = strlen(workloads[i]->name);
    for (size_t i = 0; workloads[i]; i++)
        print_in_list(workloads[i], width, out);
    fputs("\nBelow each stand its parameters with their defaults; NAME:help says what they mean.\n", out);
}

/* -------------------------------------------------------- one workload */

/* What a parameter means, and what it may be. */
static void put_meaning(struct help_lines *lines, const struct param *param)
{
    char *text;
    if (param->min && param->max)
        text = mem_format("%s; from %s to %s", param->doc, param->min, param->max);
    else if (param->min || param->max)
        text = mem_format("%s; at %s %s", param->doc, param->min ? "least" : "most",
                          param->min ? param->min : param->max);
    else
        text = mem_format("%s%s", param->doc, param->choices ? "; one of" : "");
    put_words(lines, text);
    free(text);
    for (size_t i = 0; param->choices && param->choices[i]; i++) {
        char *word = mem_format("%s%s", param->choices[i], param->choices[i + 1] ? "," : "");
        put_word(lines, word, strlen(word));
        free(word);
    }
}

static void print_one(const struct workload *workload, FILE *out)
{
    const struct param_table *table = workload->params;
    size_t name_width = strlen("parameter"), default_width = strlen("default");
    for (size_t i = 0; i < table->count; i++) {
        const char *value = table->params[i].default_text;
        if (strlen(table->params[i].name) > name_width)
            name_width = strlen(table->params[i].name);
        if (value && strlen(value) > default_width)
            default_width = strlen(value);
    }
    const char *example;
    int length = split_doc(workload, &example);
    fprintf(out, "%s: %.*s\n", workload->name, length, workload->doc);
    if (example)
        fprintf(out, "\n    helio run --workload %s\n", example);
    if (table->count)
        fprintf(out, "\n%-*s  %-*s  meaning\n", (int)name_width, "parameter", (int)default_width, "default");
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        struct help_lines lines = {.out = out};
        put_column(&lines, param->name, name_width);
        put_column(&lines, param->default_text ? param->default_text : "-", default_width);
        put_meaning(&lines, param);
        fputc('\n', out);
    }
}

/* The members of a family, such as npb. False: there is no such family. */
static bool print_family(const char *family, size_t length, FILE *out)
{
    bool is_first = true;
    for (size_t i = 0; workloads[i]; i++) {
        const char *name = workloads[i]->name;
        if (strncmp(name, family, length) != 0 || name[length] != ':')
            continue;
        if (!is_first)
            fputc('\n', out);
        print_one(workloads[i], out);
        is_first = false;
    }
    return !is_first;
}

enum status workload_help_print(const char *spec, FILE *out)
{
    const char *last = strrchr(spec, ':');
    if (!last) {
        print_all(out);
        return STATUS_OK;
    }
    size_t length = (size_t)(last - spec);
    const struct workload *workload = workload_find(spec, length);
    if (workload)
        print_one(workload, out);
    else if (!print_family(spec, length, out))
        return workload_report_unknown(spec, length);
    return STATUS_OK;
}
