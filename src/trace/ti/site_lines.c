#include "trace/ti/site_lines.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/number.h"
#include "trace/ti/packed.h"
#include "trace/ti/rank_files.h"

/* ------------------------------------------------------------------ finding */

/* The text of a definition without a name. */
struct unnamed {
    size_t at, length; /* in the file; `length` with the blanks behind it */
    size_t text;       /* without them */
};

static size_t without_blanks(const char *bytes, size_t length)
{
    while (length > 0 && (bytes[length - 1] == ' ' || bytes[length - 1] == '\r'))
        length--;
    return length;
}

/* Whether the mark comes behind the rank of its line. What comes later in a line is part of a text. */
static bool begins_line(const char *bytes, const char *mark)
{
    const char *rank = mark;
    while (rank > bytes && rank[-1] != '\n' && rank[-1] != ' ')
        rank--;
    return rank < mark && (rank == bytes || rank[-1] == '\n');
}

/* The next one whose mark is at *from or later; then *from is behind that. False: there is none. */
static bool next_unnamed(const char *bytes, size_t size, size_t *from, struct unnamed *found)
{
    static const char mark[] = " comm_size #site ";
    const char *end = bytes + size, *at;
    while ((at = memmem(bytes + *from, size - *from, mark, sizeof mark - 1))) {
        int64_t number;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        const char *text = number_integer(at + sizeof mark - 1, end, &number);
        *from = (size_t)(at - bytes) + sizeof mark - 1;
        if (!line_end || !text || line_end - text < 4 || memcmp(text, " +0x", 4) != 0 ||
            !begins_line(bytes, at))
            continue;
        found->at = (size_t)(text + 1 - bytes);
        found->length = (size_t)(line_end - text - 1);
        found->text = without_blanks(text + 1, found->length);
        return true;
    }
    return false;
}

/* "+0x11f2 in /home/me/halo" or "+0x11f2#3fa9 in /home/me/halo". False: it is neither. */
static bool parse(struct site_line *line)
{
    static const char between[] = " in ";
    char *end;
    errno = 0;
    line->address = strtoull(line->text + 3, &end, 16);
    if (*end == '#') {
        const size_t length = strspn(end + 1, "0123456789abcdef");
        if (length >= sizeof line->build)
            return false;
        memcpy(line->build, end + 1, length);
        end += 1 + length;
    }
    line->path = end + sizeof between - 1;
    return errno == 0 && strncmp(end, between, sizeof between - 1) == 0 && *line->path;
}

/* ----------------------------------------------------------- all rank files */

/* Calls `use` for the file of each rank. */
static enum status each_file(const char *folder, enum status (*use)(void *self, const char *path), void *self)
{
    DIR *files = opendir(folder);
    enum status status = STATUS_OK;
    if (!files) {
        diag_error("cannot read %s: %s", folder, strerror(errno));
        return STATUS_FAILED;
    }
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(files));) {
        if (!ti_rank_number(entry->d_name))
            continue;
        char *path = mem_format("%s/%s", folder, entry->d_name);
        status = use(self, path);
        free(path);
    }
    closedir(files);
    return status;
}

static enum status load(const char *path, char **bytes, size_t *size)
{
    return ti_text_load(path, bytes, size) == STATUS_OK ? STATUS_OK : STATUS_FAILED;
}

/* ------------------------------------------------------------------ reading */

static enum status read_file(void *self, const char *path)
{
    struct site_lines *lines = self;
    struct unnamed unnamed;
    char *bytes;
    size_t size, from = 0;
    if (load(path, &bytes, &size) != STATUS_OK)
        return STATUS_FAILED;
    while (next_unnamed(bytes, size, &from, &unnamed)) {
        struct site_line line = {.text = mem_format("%.*s", (int)unnamed.text, bytes + unnamed.at)};
        if (!parse(&line)) {
            free(line.text);
            continue;
        }
        lines->at = mem_grow(lines->at, &lines->capacity, lines->count + 1, "call sites");
        lines->at[lines->count++] = line;
    }
    free(bytes);
    return STATUS_OK;
}

static int by_text(const void *first, const void *second)
{
    const struct site_line *a = first, *b = second;
    return strcmp(a->text, b->text);
}

enum status site_lines_read(const char *folder, struct site_lines *lines)
{
    *lines = (struct site_lines){.count = 0};
    enum status status = each_file(folder, read_file, lines);
    size_t kept = 0;
    if (lines->count)
        qsort(lines->at, lines->count, sizeof *lines->at, by_text);
    for (size_t i = 0; i < lines->count; i++) {
        if (kept && by_text(&lines->at[kept - 1], &lines->at[i]) == 0)
            free(lines->at[i].text);
        else
            lines->at[kept++] = lines->at[i];
    }
    lines->count = kept;
    return status;
}

void site_lines_free(struct site_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->at[i].text);
    free(lines->at);
}

/* ------------------------------------------------------------------ writing */

struct naming {
    const struct site_lines *lines;
    char *const *names;
};

/* Overwrites the text. The end of a name says more than its begin. */
static void put_name(char *bytes, const struct unnamed *unnamed, const char *name)
{
    static const char cut[] = "...";
    const size_t length = strlen(name), room = unnamed->length;
    char *text = mem_format("%-*s", (int)room, name);
    if (length > room && room > sizeof cut) {
        memcpy(text, cut, sizeof cut - 1);
        memcpy(text + sizeof cut - 1, name + length - room + sizeof cut - 1, room - sizeof cut + 1);
    }
    memcpy(bytes + unnamed->at, text, room);
    free(text);
}

static bool write_text(FILE *file, const char *bytes, const struct unnamed *unnamed)
{
    return fseeko(file, (off_t)unnamed->at, SEEK_SET) == 0 &&
           fwrite(bytes + unnamed->at, 1, unnamed->length, file) == unnamed->length;
}

static const char *name_of(const struct naming *naming, const char *bytes, const struct unnamed *unnamed)
{
    struct site_line line = {.text = mem_format("%.*s", (int)unnamed->text, bytes + unnamed->at)};
    const struct site_line *found =
        naming->lines->count ? bsearch(&line, naming->lines->at, naming->lines->count, sizeof line, by_text)
                             : NULL;
    free(line.text);
    return found ? naming->names[found - naming->lines->at] : NULL;
}

static enum status name_file(void *self, const char *path)
{
    const struct naming *naming = self;
    struct unnamed unnamed;
    char *bytes;
    size_t size, from = 0;
    bool has_changed = false;
    if (load(path, &bytes, &size) != STATUS_OK)
        return STATUS_FAILED;
    const bool is_packed = ti_is_packed(path);
    FILE *file = is_packed ? NULL : fopen(path, "r+b");
    bool good = is_packed || file;
    while (good && next_unnamed(bytes, size, &from, &unnamed)) {
        const char *name = name_of(naming, bytes, &unnamed);
        if (!name)
            continue;
        put_name(bytes, &unnamed, name);
        good = is_packed || write_text(file, bytes, &unnamed);
        has_changed = true;
    }
    if (is_packed && has_changed) {
        enum status status = ti_packed_write(path, bytes, size);
        free(bytes);
        return status;
    }
    int cause = errno;
    if (file && fclose(file) != 0) {
        cause = errno;
        good = false;
    }
    free(bytes);
    if (!good)
        diag_error("cannot write %s: %s", path, strerror(cause));
    return good ? STATUS_OK : STATUS_FAILED;
}

enum status site_lines_name(const char *folder, const struct site_lines *lines, char *const *names)
{
    struct naming naming = {.lines = lines, .names = names};
    return each_file(folder, name_file, &naming);
}
