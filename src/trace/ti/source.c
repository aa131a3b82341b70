#include "trace/ti/source.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/image.h"
#include "trace/image/number.h"
#include "trace/ti/archive.h"

uint32_t ti_rank_number(const char *name)
{
    const char *at = strstr(name, "rank-");
    if (!at || (at != name && at[-1] != '_'))
        return 0;
    int64_t number;
    const char *digits = at + strlen("rank-");
    const char *end = number_integer(digits, digits + strlen(digits), &number);
    if (!end || strcmp(end, ".txt") != 0 || *digits == '-' || *digits == '0' || number > TRACE_MOST_RANKS)
        return 0;
    return (uint32_t)number;
}

/* ------------------------------------------------------------------------------------------ whole files */

static enum status cannot_read(const char *path)
{
    diag_error("cannot read %s: %s", path, strerror(errno));
    return STATUS_BAD_INPUT;
}

enum status ti_file_load(const char *path, char **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return cannot_read(path);
    struct stat about;
    size_t capacity = 0, used = 0;
    char *buffer = NULL;
    if (!fstat(fileno(file), &about) && about.st_size > 0)
        buffer = mem_grow(buffer, &capacity, (size_t)about.st_size + 1, "the text of a trace");
    setvbuf(file, NULL, _IONBF, 0);
    for (;;) {
        buffer = mem_grow(buffer, &capacity, used + 1, "the text of a trace");
        size_t got = fread(buffer + used, 1, capacity - used, file);
        used += got;
        if (!got)
            break;
    }
    bool failed = ferror(file);
    if (failed) {
        cannot_read(path);
        free(buffer);
    }
    fclose(file);
    if (failed)
        return STATUS_BAD_INPUT;
    *bytes = buffer;
    *size = used;
    return STATUS_OK;
}

enum status ti_source_read(const struct ti_source *source, uint32_t rank, struct ti_text *text)
{
    const struct ti_file *file = &source->files[rank];
    *text = (struct ti_text){.bytes = file->bytes, .size = file->size};
    if (source->kind == TI_ARCHIVE || source->kind == TI_MEMORY)
        return STATUS_OK;
    enum status status = ti_file_load(file->name, &text->owned, &text->size);
    if (status == STATUS_OK)
        text->bytes = text->owned;
    return status;
}

void ti_text_free(struct ti_text *text)
{
    free(text->owned);
    *text = (struct ti_text){0};
}

/* ------------------------------------------------------------------------------------ files by their rank */

void ti_files_add(struct ti_source *source, struct ti_file file)
{
    source->files =
        mem_grow(source->files, &source->capacity, (size_t)source->ranks + 1, "the files of a trace");
    source->files[source->ranks++] = file;
}

static uint32_t file_number(const struct ti_file *file)
{
    const char *slash = strrchr(file->name, '/');
    return ti_rank_number(slash ? slash + 1 : file->name);
}

static int by_number(const void *a, const void *b)
{
    uint32_t first = file_number(a), second = file_number(b);
    return first != second ? (first > second) - (first < second)
                           : strcmp(((const struct ti_file *)a)->name, ((const struct ti_file *)b)->name);
}

enum status ti_files_order(struct ti_source *source)
{
    struct diag_place place = {.file = source->path};
    if (!source->ranks) {
        diag_report(DIAG_ERROR, &place,
                    "no rank-1.txt in it; a trace is one rank-<k>.txt per rank, k = rank + 1");
        return STATUS_BAD_INPUT;
    }
    qsort(source->files, source->ranks, sizeof *source->files, by_number);
    for (uint32_t rank = 0; rank < source->ranks; rank++) {
        uint32_t number = file_number(&source->files[rank]);
        if (number == rank + 1)
            continue;
        if (number == rank)
            diag_report(DIAG_ERROR, &place, "two files for rank %u: %s and %s; a trace has one", rank - 1,
                        source->files[rank - 1].name, source->files[rank].name);
        else
            diag_report(DIAG_ERROR, &place,
                        "rank-%u.txt is missing; all from rank-1.txt to rank-%u.txt are expected", rank + 1,
                        file_number(&source->files[source->ranks - 1]));
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static enum status open_directory(struct ti_source *source)
{
    DIR *directory = opendir(source->path);
    if (!directory)
        return cannot_read(source->path);
    size_t length = strlen(source->path);
    const char *slash = length && source->path[length - 1] == '/' ? "" : "/";
    for (struct dirent *entry; (entry = readdir(directory));)
        if (ti_rank_number(entry->d_name))
            ti_files_add(source,
                         (struct ti_file){.name = mem_format("%s%s%s", source->path, slash, entry->d_name)});
    closedir(directory);
    return ti_files_order(source);
}

/* ----------------------------------------------------------------------------------------------- index */

/* A path of an index file is meant from the folder of the index, or from where the user stands. */
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
    if (source->ranks == TRACE_MOST_RANKS)
        return index_error(source, line, text, length, "more than 16777216 ranks");
    char *path = indexed_path(source->path, text, length);
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode)) {
        bool looks_like_rank = length > 1 && text[0] >= '0' && text[0] <= '9' && memchr(text, ' ', length);
        index_error(source, line, text, length,
                    looks_like_rank
                        ? "there is no such file; this looks like the text of a rank: give the folder "
                          "that holds it, or an index with one path per line"
                        : "there is no such file; an index names one file per line, from the index's "
                          "folder or from the current one");
        free(path);
        return STATUS_BAD_INPUT;
    }
    ti_files_add(source, (struct ti_file){.name = path});
    return STATUS_OK;
}

static enum status open_index(struct ti_source *source)
{
    char *bytes;
    size_t size;
    enum status status = ti_file_load(source->path, &bytes, &size);
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
    if (status == STATUS_OK && !source->ranks) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = source->path},
                    "it is empty; a trace is a folder of rank-<k>.txt, an index of them, or an archive");
        status = STATUS_BAD_INPUT;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------- keys */

bool ti_hash_begin(struct ti_hash *hash)
{
    hash->state = XXH3_createState();
    return hash->state && XXH3_128bits_reset(hash->state) == XXH_OK;
}

void ti_hash_add(struct ti_hash *hash, const struct ti_text *text)
{
    uint64_t size = text->size;
    XXH3_128bits_update(hash->state, &size, sizeof size); /* where one file ends and the next begins */
    XXH3_128bits_update(hash->state, text->bytes, text->size);
}

void ti_hash_end(struct ti_hash *hash, uint64_t key[2])
{
    XXH128_hash_t digest = {0};
    if (hash->state)
        digest = XXH3_128bits_digest(hash->state);
    XXH3_freeState(hash->state);
    hash->state = NULL;
    key[0] = digest.high64;
    key[1] = digest.low64;
}

static enum status hash_files(struct ti_source *source)
{
    struct ti_hash hash;
    enum status status = STATUS_OK;
    if (!ti_hash_begin(&hash)) {
        diag_error("out of memory for a checksum");
        status = STATUS_FAILED;
    }
    for (uint32_t rank = 0; status == STATUS_OK && rank < source->ranks; rank++) {
        struct ti_text text;
        status = ti_source_read(source, rank, &text);
        if (status == STATUS_OK) {
            ti_hash_add(&hash, &text);
            ti_text_free(&text);
        }
    }
    ti_hash_end(&hash, source->key);
    return status;
}

static enum status open_archive(struct ti_source *source)
{
    enum status status = ti_file_load(source->path, &source->packed, &source->packed_size);
    if (status != STATUS_OK)
        return status;
    XXH128_hash_t hash = XXH3_128bits(source->packed, source->packed_size);
    source->key[0] = hash.high64;
    source->key[1] = hash.low64;
    return STATUS_OK;
}

/* ----------------------------------------------------------------------------------------------- opening */

static char *short_name(const char *path)
{
    static const char *const endings[] = {".zst", ".gz",  ".xz",    ".bz2", ".tar",
                                          ".tgz", ".txz", ".helio", ".txt"};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length - begin > ending && !memcmp(path + length - ending, endings[i], ending))
            length -= ending;
    }
    return mem_format("%.*s", (int)(length - begin), path + begin);
}

static enum status find_kind(struct ti_source *source)
{
    struct stat about;
    if (stat(source->path, &about))
        return cannot_read(source->path);
    if (S_ISDIR(about.st_mode)) {
        source->kind = TI_DIRECTORY;
        return STATUS_OK;
    }
    if (!S_ISREG(about.st_mode)) { /* it is read more than once */
        diag_report(DIAG_ERROR, &(struct diag_place){.file = source->path},
                    "neither a file nor a folder; give a trace that can be read again");
        return STATUS_BAD_INPUT;
    }
    unsigned char head[ARCHIVE_HEAD] = {0};
    FILE *file = fopen(source->path, "rb");
    if (!file)
        return cannot_read(source->path);
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    if (size >= strlen(IMAGE_MAGIC) && !memcmp(head, IMAGE_MAGIC, strlen(IMAGE_MAGIC)))
        source->kind = TI_COMPILED;
    else
        source->kind = archive_is_one(head, size) ? TI_ARCHIVE : TI_INDEX;
    return STATUS_OK;
}

enum status ti_source_open(struct ti_source *source, const char *path)
{
    struct ti_source opened = {.path = path};
    enum status status = find_kind(&opened);
    if (status != STATUS_OK)
        return status;
    opened.name = short_name(path);
    if (opened.kind == TI_ARCHIVE)
        status = open_archive(&opened);
    if (opened.kind == TI_DIRECTORY)
        status = open_directory(&opened);
    if (opened.kind == TI_INDEX)
        status = open_index(&opened);
    if (status == STATUS_OK && (opened.kind == TI_DIRECTORY || opened.kind == TI_INDEX))
        status = hash_files(&opened);
    if (status == STATUS_OK)
        *source = opened;
    else
        ti_source_close(&opened);
    return status;
}

enum status ti_source_unpack(struct ti_source *source)
{
    if (source->kind != TI_ARCHIVE || source->files)
        return STATUS_OK;
    enum status status = archive_unpack(source);
    return status == STATUS_OK ? ti_files_order(source) : status;
}

void ti_source_close(struct ti_source *source)
{
    for (uint32_t rank = 0; rank < source->ranks; rank++) {
        free(source->files[rank].name);
        if (source->kind == TI_ARCHIVE)
            free(source->files[rank].bytes);
    }
    free(source->files);
    free(source->packed);
    free(source->name);
    *source = (struct ti_source){0};
}
