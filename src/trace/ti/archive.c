#include "trace/ti/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"

bool archive_is_one(const unsigned char *head, size_t size)
{
    static const struct {
        size_t at, length;
        const char *bytes;
    } magics[] = {
        {0, 4, "\x28\xb5\x2f\xfd"}, /* zstd */
        {0, 2, "\x1f\x8b"},         /* gzip */
        {0, 5,
         "\xfd"
         "7zXZ"},          /* xz */
        {0, 3, "BZh"},     /* bzip2 */
        {257, 5, "ustar"}, /* tar */
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].at + magics[i].length &&
            !memcmp(head + magics[i].at, magics[i].bytes, magics[i].length))
            return true;
    return false;
}

static enum status archive_error(const char *path, struct archive *archive)
{
    const char *reason = archive_error_string(archive);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                "cannot be unpacked: %s; a tar archive of rank-<k>.txt is expected",
                reason ? reason : "it is damaged");
    return STATUS_BAD_INPUT;
}

static enum status read_entry(const char *path, struct archive *archive, struct ti_file *file)
{
    size_t capacity = 0;
    for (;;) {
        enum { STEP = 1 << 16 };
        file->bytes = mem_grow(file->bytes, &capacity, file->size + STEP, "the text of a trace");
        la_ssize_t got = archive_read_data(archive, file->bytes + file->size, capacity - file->size);
        if (got < 0)
            return archive_error(path, archive);
        if (got == 0)
            return STATUS_OK;
        file->size += (size_t)got;
    }
}

static enum status unpack_entries(const char *path, struct archive *archive, struct ti_files *files)
{
    struct archive_entry *entry;
    int result;
    while ((result = archive_read_next_header(archive, &entry)) == ARCHIVE_OK || result == ARCHIVE_WARN) {
        const char *name = archive_entry_pathname(entry);
        const char *slash = name ? strrchr(name, '/') : NULL;
        if (!name || archive_entry_filetype(entry) != AE_IFREG || !ti_rank_number(slash ? slash + 1 : name))
            continue;
        struct ti_file file = {.name = mem_text(name)};
        enum status status = read_entry(path, archive, &file);
        ti_files_add(files, file);
        if (status != STATUS_OK)
            return status;
    }
    return result == ARCHIVE_EOF ? STATUS_OK : archive_error(path, archive);
}

enum status archive_unpack(const char *path, const char *packed, size_t size, struct ti_files *files)
{
    struct archive *archive = archive_read_new();
    if (!archive)
        mem_exhausted("an archive");
    /* Not archive_read_support_filter_all: for rare filters it starts other programs. */
    archive_read_support_filter_zstd(archive);
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_format_tar(archive);
    enum status status;
    if (archive_read_open_memory(archive, packed, size) != ARCHIVE_OK)
        status = archive_error(path, archive);
    else
        status = unpack_entries(path, archive, files);
    archive_read_free(archive);
    return status;
}
