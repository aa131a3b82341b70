#include "trace/ti/decompile.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/number.h"
#include "trace/ti/write.h"

struct rank_text {
    char *bytes;
    size_t size, capacity;
};

static void add(struct rank_text *text, const char *bytes, size_t size)
{
    text->bytes = mem_grow(text->bytes, &text->capacity, text->size + size, "the text of a trace");
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static char *text_lines(const struct compiled_trace *compiled, uint32_t rank, size_t *size)
{
    static const char compute[] = "compute ";
    struct rank_text text = {0};
    char prefix[16], amount[NUMBER_TEXT];
    size_t prefix_length = (size_t)snprintf(prefix, sizeof prefix, "%u ", rank);
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    for (uint64_t i = 0; i < compiled_lines(compiled, rank); i++) {
        if (tokens[i] != TOKEN_BLANK)
            add(&text, prefix, prefix_length);
        if (tokens[i] & TOKEN_COMPUTE) {
            add(&text, compute, sizeof compute - 1);
            add(&text, amount,
                number_print(compiled_amounts(compiled, rank)[tokens[i] & ~TOKEN_COMPUTE], amount));
            add(&text, "\n", 1);
        } else {
            size_t length;
            const char *line = compiled_text(compiled, rank, tokens[i], &length);
            add(&text, line, length + 1);
        }
    }
    *size = text.size;
    return text.bytes;
}

static char *written_calls(struct compiled_trace *compiled, uint32_t rank, size_t *size)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    if (!out) {
        diag_error("out of memory for the text of a trace");
        return NULL;
    }
    compiled->program.ops->rewind(&compiled->program);
    enum status status = ti_write_rank(&compiled->program, rank, out);
    if (fclose(out) || status != STATUS_OK) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

char *decompile_rank(struct compiled_trace *compiled, uint32_t rank, size_t *size)
{
    return compiled->header->flags & IMAGE_TEXTS_ARE_FREE ? written_calls(compiled, rank, size)
                                                          : text_lines(compiled, rank, size);
}

static enum status cannot_write(const char *path, const char *reason)
{
    diag_error("cannot write %s: %s", path, reason);
    return STATUS_FAILED;
}

/* ------------------------------------------------------------------ folders */

static enum status write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return cannot_write(path, strerror(errno));
    bool written = fwrite(bytes, 1, size, file) == size;
    int error = errno;
    if (fclose(file) && written) {
        written = false;
        error = errno;
    }
    return written ? STATUS_OK : cannot_write(path, strerror(error));
}

static enum status write_folder(struct compiled_trace *compiled, const char *path)
{
    if (mkdir(path, 0777)) {
        if (errno != EEXIST)
            return cannot_write(path, strerror(errno));
        diag_error("%s exists; name a new folder, so that the ranks of two traces do not mix", path);
        return STATUS_BAD_INPUT;
    }
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < compiled->program.ranks; rank++) {
        size_t size;
        char *bytes = decompile_rank(compiled, rank, &size);
        char *file = mem_format("%s/rank-%u.txt", path, rank + 1);
        status = bytes ? write_file(file, bytes, size) : STATUS_FAILED;
        free(file);
        free(bytes);
    }
    return status;
}

/* ----------------------------------------------------------------- archives */

static bool write_entry(struct archive *archive, const char *name, const char *bytes, size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        return false;
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_entry_set_mtime(entry, 0, 0);
    bool written = archive_write_header(archive, entry) == ARCHIVE_OK &&
                   (!size || archive_write_data(archive, bytes, size) == (la_ssize_t)size);
    archive_entry_free(entry);
    return written;
}

/* *said: the error has been reported. */
static bool write_entries(struct compiled_trace *compiled, struct archive *archive, const char *folder,
                          int folder_length, bool *said)
{
    bool written = true;
    for (uint32_t rank = 0; written && rank < compiled->program.ranks; rank++) {
        size_t size;
        char *bytes = decompile_rank(compiled, rank, &size);
        char *name = mem_format("%.*s/rank-%u.txt", folder_length, folder, rank + 1);
        *said = !bytes;
        written = bytes && write_entry(archive, name, bytes, size);
        free(name);
        free(bytes);
    }
    return written;
}

static enum status write_archive(struct compiled_trace *compiled, const char *path, size_t name_length)
{
    struct archive *archive = archive_write_new();
    if (!archive)
        return cannot_write(path, "out of memory");
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? slash + 1 : path;
    bool said = false;
    bool written = archive_write_add_filter_zstd(archive) == ARCHIVE_OK &&
                   archive_write_set_format_ustar(archive) == ARCHIVE_OK &&
                   archive_write_open_filename(archive, path) == ARCHIVE_OK &&
                   write_entries(compiled, archive, folder, (int)(path + name_length - folder), &said) &&
                   archive_write_close(archive) == ARCHIVE_OK;
    if (!written && !said) {
        const char *reason = archive_error_string(archive);
        cannot_write(path, reason ? reason : "unknown reason");
    }
    archive_write_free(archive);
    if (said)
        remove(path);
    return written ? STATUS_OK : STATUS_FAILED;
}

enum status decompile_write(struct compiled_trace *compiled, const char *path)
{
    static const char ending[] = ".tar.zst";
    size_t length = strlen(path), ending_length = sizeof ending - 1;
    if (length > ending_length && !strcmp(path + length - ending_length, ending))
        return write_archive(compiled, path, length - ending_length);
    return write_folder(compiled, path);
}
