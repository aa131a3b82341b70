#include "trace/dumpi/meta.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"
#include "trace/image/content.h"
#include "trace/image/format.h"
#include "trace/image/number.h"

static const char ending[] = ".meta";

/* ----------------------------------------------------------------- the text */

/* Where in the text a message is about. */
struct meta_line {
    const char *text;
    size_t length;
    uint64_t number;
};

static enum status fail(const struct dumpi_meta *meta, const struct meta_line *line, size_t column,
                        const char *message)
{
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = meta->path,
                                     .line = line->number,
                                     .column = (uint32_t)column + 1,
                                     .span = (uint32_t)(line->length - column),
                                     .source = line->text,
                                     .source_length = line->length},
                "%s", message);
    return STATUS_BAD_INPUT;
}

/* The value of a line KEY=VALUE; NULL: it has another key. */
static const char *value_of(const struct meta_line *line, const char *key)
{
    size_t length = strlen(key);
    bool is_it = line->length > length && line->text[length] == '=' && !memcmp(line->text, key, length);
    return is_it ? line->text + length + 1 : NULL;
}

static enum status read_ranks(struct dumpi_meta *meta, const struct meta_line *line, const char *value)
{
    int64_t ranks;
    const char *end = line->text + line->length;
    if (number_integer(value, end, &ranks) != end || ranks < 1 || ranks > TRACE_MOST_RANKS)
        return fail(meta, line, (size_t)(value - line->text),
                    "a number of ranks, 1 to 16777216, is expected");
    if (meta->ranks && meta->ranks != ranks)
        return fail(meta, line, 0, "a second numprocs, with another number");
    meta->ranks = (uint32_t)ranks;
    return STATUS_OK;
}

/* The folder of the .meta file and the prefix. */
static enum status read_prefix(struct dumpi_meta *meta, const struct meta_line *line, const char *value)
{
    const char *slash = strrchr(meta->path, '/');
    size_t length = (size_t)(line->text + line->length - value);
    if (!length || memchr(value, '\0', length))
        return fail(meta, line, 0, "the beginning of the names of the ranks' files is expected");
    bool is_absolute = *value == '/';
    free(meta->prefix);
    meta->prefix = mem_format("%.*s%.*s", slash && !is_absolute ? (int)(slash + 1 - meta->path) : 0,
                              meta->path, (int)length, value);
    return STATUS_OK;
}

static enum status read_line(struct dumpi_meta *meta, const struct meta_line *line)
{
    const char *ranks = value_of(line, "numprocs"), *prefix = value_of(line, "fileprefix");
    if (ranks)
        return read_ranks(meta, line, ranks);
    return prefix ? read_prefix(meta, line, prefix) : STATUS_OK;
}

enum status dumpi_meta_read(struct dumpi_meta *meta, const char *text, size_t size)
{
    enum status status = STATUS_OK;
    const char *end = text + size;
    struct meta_line line = {.text = text};
    while (status == STATUS_OK && line.text < end) {
        const char *newline = memchr(line.text, '\n', (size_t)(end - line.text));
        const char *stop = newline ? newline : end, *next = newline ? newline + 1 : end;
        while (stop > line.text && (stop[-1] == '\r' || stop[-1] == ' '))
            stop--;
        line.length = (size_t)(stop - line.text);
        line.number++;
        status = read_line(meta, &line);
        line.text = next;
    }
    if (status != STATUS_OK || (meta->ranks && meta->prefix))
        return status;
    diag_report(DIAG_ERROR, &(struct diag_place){.file = meta->path}, "a line %s=... is missing",
                meta->ranks ? "fileprefix" : "numprocs");
    return STATUS_BAD_INPUT;
}

/* ---------------------------------------------------------------- the files */

static bool is_meta(const char *name)
{
    size_t length = strlen(name), tail = sizeof ending - 1;
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

size_t dumpi_meta_count(const char *folder)
{
    size_t count = 0;
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        count += is_meta(entry->d_name);
    if (stream)
        closedir(stream);
    return count;
}

/* The path of the folder's one .meta file, to be freed. NULL, reported: there are more. */
static char *find_meta(const char *folder)
{
    char *found = NULL;
    size_t count = 0, length = strlen(folder);
    DIR *stream = opendir(folder);
    for (struct dirent *entry; stream && (entry = readdir(stream));) {
        if (!is_meta(entry->d_name))
            continue;
        free(found);
        found = mem_format("%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", entry->d_name);
        count++;
    }
    if (stream)
        closedir(stream);
    else
        content_cannot_read(folder);
    if (count == 1)
        return found;
    free(found);
    if (stream)
        diag_report(DIAG_ERROR, &(struct diag_place){.file = folder},
                    "it holds %zu files *.meta of DUMPI traces; name the one that is meant", count);
    return NULL;
}

char *dumpi_meta_file(const struct dumpi_meta *meta, uint32_t rank)
{
    return mem_format("%s-%0*u.bin", meta->prefix, meta->digits, rank);
}

static bool has_file(const struct dumpi_meta *meta, uint32_t rank)
{
    char *path = dumpi_meta_file(meta, rank);
    bool is_there = access(path, F_OK) == 0;
    free(path);
    return is_there;
}

enum { USUAL_DIGITS = 4, MOST_DIGITS = 10 };

static enum status report_missing(const struct dumpi_meta *meta, uint32_t rank)
{
    char *path = dumpi_meta_file(meta, rank);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = meta->path},
                "it says numprocs=%u, but the file of rank %u, %s, is not there", meta->ranks, rank, path);
    free(path);
    return STATUS_BAD_INPUT;
}

static enum status find_files(struct dumpi_meta *meta)
{
    meta->digits = USUAL_DIGITS;
    while (meta->digits <= MOST_DIGITS && !has_file(meta, 0))
        meta->digits++;
    if (meta->digits > MOST_DIGITS) {
        meta->digits = USUAL_DIGITS;
        return report_missing(meta, 0);
    }
    for (uint32_t rank = 1; rank < meta->ranks; rank++)
        if (!has_file(meta, rank))
            return report_missing(meta, rank);
    if (!has_file(meta, meta->ranks))
        return STATUS_OK;
    char *path = dumpi_meta_file(meta, meta->ranks);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = meta->path},
                "it says numprocs=%u, but there is a file of rank %u too, %s", meta->ranks, meta->ranks,
                path);
    free(path);
    return STATUS_BAD_INPUT;
}

enum { LONGEST = 1 << 20 };

enum status dumpi_meta_open(struct dumpi_meta *meta, const char *path, bool is_folder)
{
    char *text = NULL;
    size_t size = 0;
    *meta = (struct dumpi_meta){.path = is_folder ? find_meta(path) : mem_text(path)};
    if (!meta->path)
        return STATUS_BAD_INPUT;
    enum status status = file_load(meta->path, LONGEST, "the .meta file of a DUMPI trace", &text, &size);
    if (status == STATUS_OK) {
        status = dumpi_meta_read(meta, text, size);
        free(text);
    }
    if (status == STATUS_OK)
        status = find_files(meta);
    if (status != STATUS_OK)
        dumpi_meta_close(meta);
    return status;
}

void dumpi_meta_close(struct dumpi_meta *meta)
{
    free(meta->path);
    free(meta->prefix);
    *meta = (struct dumpi_meta){0};
}
