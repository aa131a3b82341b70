#include "trace/ti/source.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "trace/image/content.h"
#include "trace/image/format.h"
#include "trace/ti/archive.h"
#include "trace/ti/packed.h"

enum status ti_source_read(const struct ti_source *source, uint32_t rank, struct ti_text *text)
{
    const struct ti_file *file = &source->files.at[rank];
    *text = (struct ti_text){.bytes = file->bytes, .size = file->size};
    if (!ti_source_can_change(source))
        return STATUS_OK;
    enum status status = ti_text_load(file->name, &text->owned, &text->size);
    if (status == STATUS_OK)
        text->bytes = text->owned;
    return status;
}

void ti_text_free(struct ti_text *text)
{
    free(text->owned);
    *text = (struct ti_text){0};
}

static enum status open_folder(struct ti_source *source)
{
    DIR *folder = opendir(source->path);
    if (!folder)
        return content_cannot_read(source->path);
    size_t length = strlen(source->path);
    const char *slash = length && source->path[length - 1] == '/' ? "" : "/";
    for (struct dirent *entry; (entry = readdir(folder));)
        if (ti_rank_number(entry->d_name))
            ti_files_add(&source->files,
                         (struct ti_file){.name = mem_format("%s%s%s", source->path, slash, entry->d_name)});
    closedir(folder);
    return ti_files_order(&source->files, source->path);
}

/* -------------------------------------------------------------------- index */

/* A path in an index file is relative to the folder of the index, or else to the working directory. */
static char *indexed_path(const char *index, const char *line, size_t length)
{
    const char *slash = strrchr(index, '/');
    struct stat about;
    if (slash && length && line[0] != '/') {
        char *beside = mem_format("%.*s/%.*s", (int)(slash - index), index, (int)length, line);
        if (!stat(beside, &about))
            return beside;
        free(beside);
    }
    return mem_format("%.*s", (int)length, line);
}

static enum status index_error(const struct ti_source *source, uint64_t line, const char *text, size_t length,
                               const char *what)
{
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = source->path,
                                     .line = line,
                                     .column = 1,
                                     .span = length < 200 ? (uint32_t)length : 200,
                                     .source = text,
                                     .source_length = length},
                "%s", what);
    return STATUS_BAD_INPUT;
}

static enum status read_index_line(struct ti_source *source, uint64_t line, const char *text, size_t length)
{
    enum { LONGEST_PATH = 4096 };
    if (length > LONGEST_PATH || memchr(text, '\0', length))
        return index_error(source, line, text, length,
                           "this is not a path; an index names one file per line");
    if (source->files.count == TRACE_MOST_RANKS)
        return index_error(source, line, text, length, "more than 16777216 ranks");
    char *path = indexed_path(source->path, text, length);
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode)) {
        index_error(source, line, text, length,
                    "there is no such file; an index names one file per line, from the index's folder or "
                    "from the current one");
        free(path);
        return STATUS_BAD_INPUT;
    }
    ti_files_add(&source->files, (struct ti_file){.name = path});
    return STATUS_OK;
}

bool ti_source_is_index(const char *path, const char *head, size_t size)
{
    size_t begin = 0, end;
    struct stat about;
    while (begin < size && head[begin] && strchr(" \r\n", head[begin]))
        begin++;
    const char *newline = memchr(head + begin, '\n', size - begin);
    end = newline ? (size_t)(newline - head) : size;
    while (end > begin && strchr(" \r", head[end - 1]))
        end--;
    if (end == begin || memchr(head + begin, '\0', end - begin))
        return false;
    char *first = indexed_path(path, head + begin, end - begin);
    bool is_file = !stat(first, &about) && S_ISREG(about.st_mode);
    free(first);
    return is_file;
}

static enum status open_index(struct ti_source *source)
{
    char *bytes;
    size_t size;
    enum status status = content_load(source->path, &bytes, &size);
    if (status != STATUS_OK)
        return status;
    const char *at = bytes, *end = bytes + size;
    for (uint64_t line = 1; status == STATUS_OK && at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        const char *next = newline ? newline + 1 : end;
        while (stop > at && (stop[-1] == '\r' || stop[-1] == ' '))
            stop--;
        if (stop > at)
            status = read_index_line(source, line, at, (size_t)(stop - at));
        at = next;
    }
    free(bytes);
    if (status == STATUS_OK && !source->files.count) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = source->path},
                    "it is empty; a trace is a folder of rank-<k>.txt, an index of them, or an archive");
        status = STATUS_BAD_INPUT;
    }
    return status;
}

/* ------------------------------------------------------------------ opening */

static enum status hash_files(const struct ti_source *source, uint64_t key[2])
{
    struct content_hash hash;
    enum status status = STATUS_OK;
    if (!content_hash_begin(&hash)) {
        diag_error("out of memory for a checksum");
        status = STATUS_FAILED;
    }
    progress_begin("reading the trace", source->files.count);
    for (uint32_t rank = 0; status == STATUS_OK && rank < source->files.count; rank++) {
        progress_tell(rank);
        struct ti_text text;
        status = ti_source_read(source, rank, &text);
        if (status == STATUS_OK) {
            content_hash_add(&hash, text.bytes, text.size);
            ti_text_free(&text);
        }
    }
    progress_end();
    content_hash_end(&hash, key);
    return status;
}

enum status ti_source_open(struct ti_source *source, uint64_t key[2])
{
    enum status status = STATUS_OK;
    switch (source->kind) {
    case TI_FOLDER:
        status = open_folder(source);
        break;
    case TI_INDEX:
        status = open_index(source);
        break;
    case TI_ARCHIVE:
        status = content_load(source->path, &source->packed, &source->packed_size);
        if (status == STATUS_OK)
            content_key(source->packed, source->packed_size, key);
        break;
    case TI_MEMORY:
        break;
    }
    return status == STATUS_OK && ti_source_can_change(source) ? hash_files(source, key) : status;
}

enum status ti_source_unpack(struct ti_source *source)
{
    if (!source->packed)
        return STATUS_OK;
    enum status status = archive_unpack(source->path, source->packed, source->packed_size, &source->files);
    free(source->packed);
    source->packed = NULL;
    return status == STATUS_OK ? ti_files_order(&source->files, source->path) : status;
}

void ti_source_close(struct ti_source *source)
{
    ti_files_free(&source->files);
    free(source->packed);
    source->packed = NULL;
}
