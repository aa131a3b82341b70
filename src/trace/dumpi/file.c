#include "trace/dumpi/file.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "trace/dumpi/record.h"

#define MAGIC        UINT64_C(0xffaadd44554d5049) /* begins the file and the index */
#define FOOTER_MAGIC UINT64_C(0xf007fee7)

enum { MAGIC_BYTES = 8, OFFSET_BYTES = 8, FEWEST_OFFSETS = 4, MOST_OFFSETS = 7 };
enum { BIAS_BYTES = 8 }; /* before the records: the seconds at which both clocks begin */

static enum status fail(const struct dumpi_file *file, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum status fail(const struct dumpi_file *file, uint64_t at, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = file->path, .line = at | DIAG_BYTE}, "%s", text);
    return STATUS_BAD_INPUT;
}

/* NULL: they are not there, or cannot be read, which is reported. */
static const unsigned char *bytes_at(struct dumpi_file *file, uint64_t at, uint64_t count)
{
    if (at > file->window.size || count > file->window.size - at) {
        fail(file, at, "the file is cut short: %" PRIu64 " bytes are expected here", count);
        return NULL;
    }
    return (const unsigned char *)content_window_at(&file->window, at, (size_t)count);
}

/* The places of the parts, the newest first: sizes, addresses, counters, header, body, footer, keyval. */
enum file_part {
    PART_SIZES,
    PART_ADDRESSES,
    PART_COUNTERS,
    PART_HEADER,
    PART_BODY,
    PART_FOOTER,
    PART_KEYVAL
};

/* Returns where the index begins; 0: an error has been reported. */
static uint64_t read_index(struct dumpi_file *file, uint64_t parts[MOST_OFFSETS])
{
    uint64_t size = file->window.size;
    for (unsigned count = MOST_OFFSETS; count >= FEWEST_OFFSETS; count--) {
        uint64_t length = MAGIC_BYTES + OFFSET_BYTES * count;
        if (size < MAGIC_BYTES + length)
            continue;
        const unsigned char *index = bytes_at(file, size - length, length);
        if (!index)
            return 0;
        if (dumpi_u64(index) != MAGIC)
            continue;
        memset(parts, 0, MOST_OFFSETS * sizeof *parts);
        for (unsigned i = 0; i < count; i++)
            parts[MOST_OFFSETS - count + i] = dumpi_u64(index + MAGIC_BYTES + OFFSET_BYTES * i);
        return size - length;
    }
    fail(file, size, "the file is cut short: the index at the end of a DUMPI file is missing");
    return 0;
}

static enum status read_version(struct dumpi_file *file, uint64_t header)
{
    const unsigned char *version = bytes_at(file, header, 3);
    if (!version)
        return STATUS_BAD_INPUT;
    file->version = DUMPI_VERSION(version[0], version[1], version[2]);
    if (file->version >= DUMPI_VERSION(0, 6, 5) && version[0] < 128)
        return STATUS_OK;
    return fail(file, header, "it is of version %d.%d.%d of DUMPI; this reader knows the form since 0.6.5",
                version[0], version[1], version[2]);
}

/* The stream ends where the next part begins. */
static enum status find_stream(struct dumpi_file *file, const uint64_t parts[MOST_OFFSETS], uint64_t index)
{
    file->begin = parts[PART_BODY] + BIAS_BYTES;
    file->end = index;
    for (int part = 0; part < MOST_OFFSETS; part++) {
        if (parts[part] > index)
            return fail(file, index, "the index names byte %" PRIu64 ", which is behind it", parts[part]);
        if (part != PART_BODY && parts[part] > parts[PART_BODY] && parts[part] < file->end)
            file->end = parts[part];
    }
    if (parts[PART_BODY] < MAGIC_BYTES || file->begin > file->end)
        return fail(file, index, "the index names byte %" PRIu64 " for the calls, where they cannot be",
                    parts[PART_BODY]);
    if (parts[PART_HEADER] < MAGIC_BYTES)
        return fail(file, index, "the index names byte %" PRIu64 " for the header, where it cannot be",
                    parts[PART_HEADER]);
    file->at = file->begin;
    return STATUS_OK;
}

static enum status find_sizes(struct dumpi_file *file, uint64_t at, uint64_t index)
{
    if (!at)
        return STATUS_OK;
    const unsigned char *count = bytes_at(file, at, 4);
    if (!count)
        return STATUS_BAD_INPUT;
    file->size_count = dumpi_u32(count);
    file->sizes = at + 4;
    if (file->sizes > index || file->size_count > (index - file->sizes) / 4)
        return fail(file, at, "%" PRIu32 " sizes of datatypes, for which the file is too short",
                    file->size_count);
    return STATUS_OK;
}

static enum status find_footer(struct dumpi_file *file, uint64_t at)
{
    if (!at)
        return STATUS_OK;
    const unsigned char *footer = bytes_at(file, at, MAGIC_BYTES);
    if (!footer)
        return STATUS_BAD_INPUT;
    if (dumpi_u64(footer) != FOOTER_MAGIC)
        return fail(file, at, "the numbers of calls should begin here, and do not");
    file->footer = at + MAGIC_BYTES;
    return STATUS_OK;
}

static enum status read_frame(struct dumpi_file *file)
{
    uint64_t parts[MOST_OFFSETS];
    const unsigned char *magic = file->window.size < MAGIC_BYTES ? NULL : bytes_at(file, 0, MAGIC_BYTES);
    if (!magic || dumpi_u64(magic) != MAGIC)
        return fail(file, 0, "it is no rank of a DUMPI trace: such a file begins with ff aa dd \"DUMPI\"");
    uint64_t index = read_index(file, parts);
    enum status status = index ? find_stream(file, parts, index) : STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = read_version(file, parts[PART_HEADER]);
    if (status == STATUS_OK)
        status = find_sizes(file, parts[PART_SIZES], index);
    return status == STATUS_OK ? find_footer(file, parts[PART_FOOTER]) : status;
}

enum status dumpi_file_open(struct dumpi_file *file, const char *path, const char *bytes, uint64_t size,
                            uint64_t key[2])
{
    struct stat about;
    enum status status = STATUS_OK;
    *file = (struct dumpi_file){.path = path};
    if (bytes)
        file->window = (struct content_window){.path = path, .bytes = bytes, .to = size, .size = size};
    else
        status = content_window_open(&file->window, path, key);
    if (status != STATUS_OK)
        return status;
    if (file->window.file && !fstat(fileno(file->window.file), &about))
        file->changed_ns =
            (int64_t)((uint64_t)about.st_mtim.tv_sec * 1000000000 + (uint64_t)about.st_mtim.tv_nsec);
    status = read_frame(file);
    if (status != STATUS_OK)
        dumpi_file_close(file);
    return status;
}

void dumpi_file_close(struct dumpi_file *file)
{
    content_window_close(&file->window);
}

bool dumpi_file_calls(struct dumpi_file *file, uint32_t *calls, uint32_t count)
{
    if (!file->footer || count > (file->window.size - file->footer) / 4)
        return false;
    const unsigned char *bytes = bytes_at(file, file->footer, (uint64_t)4 * count);
    for (uint32_t i = 0; bytes && i < count; i++)
        calls[i] = dumpi_u32(bytes + (size_t)4 * i);
    return bytes != NULL;
}

bool dumpi_file_sizes(struct dumpi_file *file, uint32_t *sizes)
{
    const unsigned char *bytes = bytes_at(file, file->sizes, (uint64_t)4 * file->size_count);
    for (uint32_t i = 0; bytes && i < file->size_count; i++)
        sizes[i] = dumpi_u32(bytes + (size_t)4 * i);
    return bytes != NULL;
}
