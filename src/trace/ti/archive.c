#include "trace/ti/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/memory_room.h"
#include "base/progress.h"
#include "base/units.h"
#include "trace/image/format.h"
#include "trace/ti/packed.h"

static enum status archive_error(const char *path, struct archive *archive)
{
    const char *reason = archive_error_string(archive);
    if (archive_errno(archive) == ENOMEM)
        mem_exhausted("an archive");
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                "cannot be unpacked: %s; a tar archive of rank-<k>.txt is expected",
                reason ? reason : "it is damaged");
    return STATUS_BAD_INPUT;
}

/* An archive is unpacked into memory. A few bytes of it can say any amount, so there are limits. */
#define LEAST_LIMIT_BYTES (UINT64_C(1) << 30)
enum { MOST_RATIO = 1000 };
/* So much is there without a look at the machine, which takes longer than to unpack a small trace. */
#define SURELY_THERE_BYTES (UINT64_C(1) << 20)

struct unpacking {
    const char *path;
    struct archive *archive;
    uint64_t limit_bytes;
    bool knows_memory;  /* the limit is not above the available memory */
    const char *memory; /* what limits it, where that is the available memory; NULL: its own size does */
};

static uint64_t limit_of(uint64_t packed_bytes)
{
    uint64_t limit = packed_bytes * MOST_RATIO;
    return limit > LEAST_LIMIT_BYTES ? limit : LEAST_LIMIT_BYTES;
}

/* No more than the memory that there is, either. */
static void take_memory(struct unpacking *unpacking)
{
    struct memory_room room = memory_room_find();
    unpacking->knows_memory = true;
    if (room.bytes >= (double)unpacking->limit_bytes)
        return;
    unpacking->limit_bytes = (uint64_t)room.bytes;
    unpacking->memory = room.limit;
}

static enum status too_large(const struct unpacking *unpacking)
{
    char limit[32];
    if (unpacking->memory) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = unpacking->path},
                    "it expands to more than %s, %s; unpack it, and give the folder of its files, which are "
                    "read one after "
                    "another",
                    units_show_size((double)unpacking->limit_bytes, 4, limit, sizeof limit),
                    unpacking->memory);
        return STATUS_BAD_INPUT;
    }
    diag_report(
        DIAG_ERROR, &(struct diag_place){.file = unpacking->path},
        "it expands to more than %s, the limit of an archive of this size (%d times its size, at least "
        "1 GiB); unpack it, and give the folder of its files",
        units_show_size((double)unpacking->limit_bytes, 4, limit, sizeof limit), MOST_RATIO);
    return STATUS_BAD_INPUT;
}

/* Whether `more` bytes behind those that are unpacked stay below the limit. */
static bool has_room(struct unpacking *unpacking, uint64_t more)
{
    la_int64_t unpacked = archive_filter_bytes(unpacking->archive, 0);
    uint64_t so_far = unpacked > 0 ? (uint64_t)unpacked : 0;
    if (so_far <= SURELY_THERE_BYTES && more <= SURELY_THERE_BYTES - so_far)
        return true;
    if (!unpacking->knows_memory)
        take_memory(unpacking);
    return so_far <= unpacking->limit_bytes && more <= unpacking->limit_bytes - so_far;
}

static enum status read_entry(struct unpacking *unpacking, struct ti_file *file)
{
    size_t capacity = 0;
    for (;;) {
        enum { STEP = 1 << 16 };
        file->bytes = mem_grow(file->bytes, &capacity, file->size + STEP, "the text of a trace");
        la_ssize_t got =
            archive_read_data(unpacking->archive, file->bytes + file->size, capacity - file->size);
        if (got < 0)
            return archive_error(unpacking->path, unpacking->archive);
        if (got == 0)
            return STATUS_OK;
        file->size += (size_t)got;
        progress_tell((uint64_t)archive_filter_bytes(unpacking->archive, -1));
        if (!has_room(unpacking, 0))
            return too_large(unpacking);
    }
}

static enum status too_many(const struct unpacking *unpacking)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = unpacking->path}, "more than %d ranks",
                TRACE_MOST_RANKS);
    return STATUS_BAD_INPUT;
}

static enum status unpack_entries(struct unpacking *unpacking, struct ti_files *files)
{
    struct archive *archive = unpacking->archive;
    struct archive_entry *entry;
    int result;
    while ((result = archive_read_next_header(archive, &entry)) == ARCHIVE_OK || result == ARCHIVE_WARN) {
        la_int64_t size = archive_entry_size(entry);
        if (!has_room(unpacking, size > 0 ? (uint64_t)size : 0))
            return too_large(unpacking);
        errno = 0;
        const char *name = archive_entry_pathname(entry);
        if (!name && errno == ENOMEM)
            mem_exhausted("an archive");
        const char *slash = name ? strrchr(name, '/') : NULL;
        if (!name || archive_entry_filetype(entry) != AE_IFREG || ti_is_packed(name) ||
            !ti_rank_number(slash ? slash + 1 : name))
            continue;
        if (files->count == TRACE_MOST_RANKS)
            return too_many(unpacking);
        struct ti_file file = {.name = mem_text(name)};
        enum status status = read_entry(unpacking, &file);
        ti_files_add(files, file);
        if (status != STATUS_OK)
            return status;
    }
    return result == ARCHIVE_EOF ? STATUS_OK : archive_error(unpacking->path, archive);
}

enum status archive_unpack(const char *path, const char *packed, size_t size, struct ti_files *files)
{
    struct archive *archive = archive_read_new();
    /* Not archive_read_support_filter_all: for rare filters it starts other programs. */
    if (!archive || archive_read_support_filter_zstd(archive) != ARCHIVE_OK ||
        archive_read_support_filter_gzip(archive) != ARCHIVE_OK ||
        archive_read_support_filter_xz(archive) != ARCHIVE_OK ||
        archive_read_support_filter_bzip2(archive) != ARCHIVE_OK ||
        archive_read_support_format_tar(archive) != ARCHIVE_OK)
        mem_exhausted("an archive");
    struct unpacking unpacking = {.path = path, .archive = archive, .limit_bytes = limit_of(size)};
    enum status status;
    progress_begin("unpacking the trace", size);
    if (archive_read_open_memory(archive, packed, size) != ARCHIVE_OK)
        status = archive_error(path, archive);
    else
        status = unpack_entries(&unpacking, files);
    progress_end();
    archive_read_free(archive);
    return status;
}
