#include "reproduce/csv.h"

#include <string.h>

#include "base/diag.h"

/* Reads the field at *next, without its quotes. *next is then at the comma or the end of the line. NULL: a
 * quote is not closed. */
static const char *take_field(const char **next, const char *end, struct arena *texts)
{
    const char *at = *next;
    if (at == end || *at != '"') {
        while (at < end && *at != ',' && *at != '\n')
            at++;
        const char *field = arena_text(texts, *next, (size_t)(at - *next));
        *next = at;
        return field;
    }
    const char *begin = ++at;
    char *field = arena_text(texts, begin, (size_t)(end - begin));
    size_t length = 0;
    for (; at < end && *at != '\n'; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"')) {
            field[length] = '\0';
            *next = at + 1;
            return field;
        }
        at += *at == '"';
        field[length++] = *at;
    }
    return NULL;
}

size_t csv_split(const char **next, const char *end, struct arena *texts, const char **fields, size_t most)
{
    const char *at = *next, *line_end = memchr(at, '\n', (size_t)(end - at));
    if (!line_end)
        line_end = end;
    *next = line_end < end ? line_end + 1 : end;
    for (size_t count = 0; count < most;) {
        const char *field = take_field(&at, line_end, texts);
        if (!field || (at < line_end && *at != ','))
            return 0;
        fields[count++] = field;
        if (at++ == line_end)
            return count;
    }
    return 0;
}

enum status csv_read(const struct embedded_file *file, const struct csv_table *table, struct arena *texts,
                     void *self)
{
    const char *next = file->text, *end = next + file->length, *fields[CSV_FIELDS_AT_MOST];
    size_t header = strlen(table->header);
    const char *wrong = NULL;
    uint64_t line = 1;
    if (file->length < header || memcmp(next, table->header, header) != 0)
        wrong = "the first line is not the expected one";
    else
        next += header;
    while (!wrong && next < end) {
        line++;
        if (*next == '#' || *next == '\n') {
            const char *line_end = memchr(next, '\n', (size_t)(end - next));
            next = line_end ? line_end + 1 : end;
            continue;
        }
        if (csv_split(&next, end, texts, fields, CSV_FIELDS_AT_MOST) != table->columns)
            wrong = "this line does not have the columns of the first line";
        else
            wrong = table->take(self, fields);
    }
    if (wrong)
        diag_report(DIAG_ERROR, &(struct diag_place){.file = file->path, .line = line}, "%s", wrong);
    return wrong ? STATUS_FAILED : STATUS_OK;
}
