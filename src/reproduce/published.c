#include "reproduce/published.h"

#include <fnmatch.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "reproduce/papers.h"

enum { FIELDS_AT_MOST = 8 };

/* ---------------------------------------------------------------------- CSV */

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

size_t published_split(const char **next, const char *end, struct arena *texts, const char **fields,
                       size_t most)
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

/* -------------------------------------------------------------------- files */

static bool number(const char *text, double *value)
{
    struct units_problem problem;
    bool negative = *text == '-';
    if (!units_number(text + negative, value, &problem))
        return false;
    *value = negative ? -*value : *value;
    return true;
}

static const char *take_item(struct published *published, const char *const *fields)
{
    struct published_item item = {.item = fields[0], .unit = fields[2], .source = fields[4]};
    item.has_value = *fields[1] != '\0';
    if (!*item.item || !*item.source)
        return "an item needs a name and a source";
    if (published_find(published, item.item))
        return "there is another line of this item";
    item.has_tolerance = *fields[3] != '\0';
    if ((item.has_value && !number(fields[1], &item.value)) ||
        (item.has_tolerance && !number(fields[3], &item.tolerance_percent)))
        return "'published' and 'tolerance_percent' are numbers";
    published->items = mem_grow(published->items, &published->capacity, published->count + 1, "items");
    published->items[published->count++] = item;
    return NULL;
}

static const char *take_note(struct published *published, const char *const *fields)
{
    if (!*fields[0] || !*fields[1])
        return "a note needs an item and a text";
    published->notes =
        mem_grow(published->notes, &published->note_capacity, published->note_count + 1, "notes");
    published->notes[published->note_count++] = (struct published_note){.item = fields[0], .note = fields[1]};
    return NULL;
}

struct published_table {
    const char *file, *header;
    size_t columns;
    const char *(*take)(struct published *published, const char *const *fields); /* NULL, or what is wrong */
};

static const struct published_table tables[] = {
    {"published.csv", "item,published,unit,tolerance_percent,source\n", 5, take_item},
    {"notes.csv", "item,note\n", 2, take_note},
};

static enum status read_table(struct published *published, const struct published_table *table,
                              const struct embedded_file *file)
{
    const char *next = file->text, *end = next + file->length, *fields[FIELDS_AT_MOST];
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
        if (published_split(&next, end, &published->texts, fields, FIELDS_AT_MOST) != table->columns)
            wrong = "this line does not have the columns of the first line";
        else
            wrong = table->take(published, fields);
    }
    if (wrong)
        diag_report(DIAG_ERROR, &(struct diag_place){.file = file->path, .line = line}, "%s", wrong);
    return wrong ? STATUS_FAILED : STATUS_OK;
}

enum status published_load(struct published *published, const char *paper)
{
    *published = (struct published){0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == STATUS_OK; i++) {
        char *path = mem_format("papers/%s/%s", paper, tables[i].file);
        const struct embedded_file *file = embedded_find(paper_files, path);
        if (!file)
            diag_error("there is no %s in this program", path);
        status = file ? read_table(published, &tables[i], file) : STATUS_FAILED;
        free(path);
    }
    if (status != STATUS_OK)
        published_free(published);
    return status;
}

void published_free(struct published *published)
{
    free(published->items);
    free(published->notes);
    arena_free(&published->texts);
    *published = (struct published){0};
}

/* ------------------------------------------------------------------ look up */

const struct published_item *published_find(const struct published *published, const char *item)
{
    for (size_t i = 0; i < published->count; i++)
        if (strcmp(published->items[i].item, item) == 0)
            return &published->items[i];
    return NULL;
}

static const char *note_of(const struct published *published, const char *item)
{
    for (size_t i = 0; i < published->note_count; i++)
        if (fnmatch(published->notes[i].item, item, 0) == 0)
            return published->notes[i].note;
    return NULL;
}

const char *published_note(const struct published *published, const char *item, const char *variant)
{
    const char *note = NULL;
    if (variant) {
        char *name = mem_format("%s/%s", item, variant);
        note = note_of(published, name);
        free(name);
    }
    if (!note)
        note = note_of(published, item);
    return note ? note : "";
}
