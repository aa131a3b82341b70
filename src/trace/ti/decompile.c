#include "trace/ti/decompile.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "output/output.h"
#include "trace/image/number.h"
#include "trace/ti/write.h"

static void add(struct rank_text *text, const char *bytes, size_t size)
{
    text->bytes = mem_grow(text->bytes, &text->capacity, text->size + size, "the text of a trace");
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

void decompile_lines(const struct compiled_trace *compiled, uint32_t rank, uint64_t from, uint64_t to,
                     struct rank_text *text)
{
    static const char compute[] = "compute ";
    char prefix[16], amount[NUMBER_TEXT];
    size_t prefix_length = (size_t)snprintf(prefix, sizeof prefix, "%u ", rank);
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    for (uint64_t i = from; i < to; i++) {
        if (tokens[i] != TOKEN_BLANK)
            add(text, prefix, prefix_length);
        if (tokens[i] & TOKEN_COMPUTE) {
            add(text, compute, sizeof compute - 1);
            add(text, amount,
                number_print(compiled_amounts(compiled, rank)[tokens[i] & ~TOKEN_COMPUTE], amount));
            add(text, "\n", 1);
        } else {
            size_t length;
            const char *line = compiled_text(compiled, rank, tokens[i], &length);
            add(text, line, length + 1);
        }
    }
}

static char *text_lines(const struct compiled_trace *compiled, uint32_t rank, size_t *size)
{
    enum { LINES = 1024 }; /* between two tellings of progress */
    struct rank_text text = {0};
    uint64_t lines = compiled_lines(compiled, rank);
    for (uint64_t from = 0, to; from < lines; from = to) {
        to = lines - from > LINES ? from + LINES : lines;
        decompile_lines(compiled, rank, from, to, &text);
        progress_steps(to - from);
    }
    *size = text.size;
    return text.bytes;
}

static char *written_calls(struct compiled_trace *compiled, uint32_t rank, size_t *size)
{
    compiled->program.ops->rewind(&compiled->program);
    return ti_rank_text(&compiled->program, rank, size);
}

char *decompile_rank(struct compiled_trace *compiled, uint32_t rank, size_t *size)
{
    return compiled->header->flags & IMAGE_TEXTS_ARE_FREE ? written_calls(compiled, rank, size)
                                                          : text_lines(compiled, rank, size);
}

/* ------------------------------------------------------------------ folders */

static enum status write_folder(struct compiled_trace *compiled, const char *path)
{
    struct output_folder folder;
    enum status status = output_folder_open(&folder, path);
    if (status != STATUS_OK)
        return status;
    progress_begin("writing the trace", compiled->header->lines);
    for (uint32_t rank = 0; status == STATUS_OK && rank < compiled->program.ranks; rank++) {
        size_t size;
        char name[RANK_FILE_NAME];
        char *bytes = decompile_rank(compiled, rank, &size);
        status = bytes ? output_folder_put(&folder, rank_file_name(rank, name), bytes, size) : STATUS_FAILED;
        free(bytes);
    }
    progress_end();
    return output_folder_close(&folder, status);
}

/* ----------------------------------------------------------------- archives */

static bool write_entry(struct archive *archive, const char *name, const char *bytes, size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    if (!entry)
        mem_exhausted("an archive");
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
    progress_begin("writing the trace", compiled->header->lines);
    for (uint32_t rank = 0; written && rank < compiled->program.ranks; rank++) {
        size_t size;
        char *bytes = decompile_rank(compiled, rank, &size);
        char file[RANK_FILE_NAME];
        char *name = mem_format("%.*s/%s", folder_length, folder, rank_file_name(rank, file));
        *said = !bytes;
        written = bytes && write_entry(archive, name, bytes, size);
        free(name);
        free(bytes);
    }
    progress_end();
    return written;
}

enum { LONGEST_FOLDER = 155 }; /* bytes, of the format ustar */

/* `name` without its ending is the folder in the archive. */
static enum status write_archive(struct compiled_trace *compiled, struct output *output, const char *name,
                                 int folder_length)
{
    struct archive *archive = archive_write_new();
    if (!archive)
        mem_exhausted("an archive");
    bool said = false;
    if (folder_length > LONGEST_FOLDER)
        folder_length = LONGEST_FOLDER;
    bool written = archive_write_add_filter_zstd(archive) == ARCHIVE_OK &&
                   archive_write_set_format_ustar(archive) == ARCHIVE_OK &&
                   archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                   archive_write_open_FILE(archive, output->file) == ARCHIVE_OK &&
                   write_entries(compiled, archive, name, folder_length, &said) &&
                   archive_write_close(archive) == ARCHIVE_OK;
    bool is_full = output_has_failed(output);
    if (!written && !said && !is_full) {
        const char *reason = archive_error_string(archive);
        diag_error("cannot write %s: %s", name, reason ? reason : "unknown reason");
    }
    archive_write_free(archive);
    return written || is_full ? STATUS_OK : STATUS_FAILED; /* output_close reports a write that failed */
}

enum status decompile_write(struct compiled_trace *compiled, const char *path)
{
    static const char ending[] = ".tar.zst";
    size_t length = strlen(path), ending_length = sizeof ending - 1;
    if (length <= ending_length || strcmp(path + length - ending_length, ending) != 0)
        return write_folder(compiled, path);
    struct output output;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    enum status status = output_open(&output, path);
    if (status != STATUS_OK)
        return status;
    status = write_archive(compiled, &output, name, (int)(path + length - ending_length - name));
    return output_close(&output, status);
}
