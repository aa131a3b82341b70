#include "collfile/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"

/* ---------------------------------------------------------------- unpacking */

static bool is_packed(const char *bytes, size_t size)
{
    static const struct {
        const char *magic;
        size_t length;
    } kinds[] = {{"\x1f\x8b", 2},
                 {"\x28\xb5\x2f\xfd", 4},
                 {"\xfd"
                  "7zXZ",
                  5},
                 {"BZh", 3}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (size >= kinds[i].length && memcmp(bytes, kinds[i].magic, kinds[i].length) == 0)
            return true;
    return false;
}

static enum status refuse_packed(const char *path, struct archive *archive)
{
    const char *reason = archive_error_string(archive);
    if (archive_errno(archive) == ENOMEM)
        mem_exhausted("a packed file");
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                "cannot be unpacked: %s; one schedule packed with gzip, zstd, xz or bzip2 is expected",
                reason ? reason : "it is damaged");
    return STATUS_BAD_INPUT;
}

/* Packed bytes can say any amount, so there is a limit. */
static enum status read_all(struct archive *archive, const char *path, char **bytes, size_t *size)
{
    size_t capacity = 0;
    for (;;) {
        *bytes = mem_grow(*bytes, &capacity, *size + 65536 + 1, "a schedule");
        la_ssize_t got = archive_read_data(archive, *bytes + *size, 65536);
        if (got < 0)
            return refuse_packed(path, archive);
        *size += (size_t)got;
        if (got == 0)
            return STATUS_OK;
        if (*size > COLLFILE_TEXT_AT_MOST) {
            diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                        "it unpacks to more than %d MiB, which no schedule has", COLLFILE_TEXT_AT_MOST >> 20);
            return STATUS_BAD_INPUT;
        }
    }
}

static enum status unpack(const char *path, char **bytes, size_t *size)
{
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    char *unpacked = NULL;
    size_t length = 0;
    if (!archive)
        mem_exhausted("a packed file");
    archive_read_support_filter_all(archive);
    archive_read_support_format_raw(archive);
    enum status status = STATUS_OK;
    if (archive_read_open_memory(archive, *bytes, *size) != ARCHIVE_OK ||
        archive_read_next_header(archive, &entry) != ARCHIVE_OK)
        status = refuse_packed(path, archive);
    else
        status = read_all(archive, path, &unpacked, &length);
    archive_read_free(archive);
    if (status != STATUS_OK) {
        free(unpacked);
        return status;
    }
    unpacked[length] = '\0';
    free(*bytes);
    *bytes = unpacked;
    *size = length;
    return STATUS_OK;
}

enum status collfile_text_load(struct collfile_text *text, const char *path)
{
    *text = (struct collfile_text){.path = path};
    enum status status = file_load(path, COLLFILE_TEXT_AT_MOST, "a schedule", &text->bytes, &text->size);
    if (status == STATUS_OK && is_packed(text->bytes, text->size))
        return unpack(path, &text->bytes, &text->size);
    if (status == STATUS_OK) {
        text->bytes = mem_resize(text->bytes, text->size + 1, 1, "a schedule");
        text->bytes[text->size] = '\0';
    }
    return status;
}

void collfile_text_free(struct collfile_text *text)
{
    free(text->bytes);
    *text = (struct collfile_text){0};
}

/* ----------------------------------------------------------------- messages */

/* The whole line of that number. NULL: there is none. */
static const char *find_line(const struct collfile_text *text, uint64_t line, size_t *length)
{
    const char *at = text->bytes, *end = text->bytes + text->size;
    for (uint64_t i = 1; at && i < line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || at >= end || line == 0)
        return NULL;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((stop ? stop : end) - at);
    return at;
}

enum status collfile_refuse(const struct collfile_text *text, uint64_t line, uint64_t column,
                            const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct diag_place place = {.file = text->path, .line = line, .column = (uint32_t)column};
    place.source = find_line(text, line, &place.source_length);
    if (place.source && column > place.source_length)
        place.source = NULL;
    place.span = place.source && column ? 1 : 0;
    diag_report(DIAG_ERROR, &place, "%s", message);
    return STATUS_BAD_INPUT;
}

void collfile_refuse_at(const void *text, uint64_t line, uint64_t column, const char *message)
{
    collfile_refuse(text, line, column, "%s", message);
}

void collfile_wrong(const struct collfile_text *text, struct collfile_proof *proof,
                    enum collfile_problem problem, uint64_t line, const char *format, ...)
{
    proof->problems[problem]++;
    if (*proof->first_problem)
        return;
    char message[380], number[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (line)
        snprintf(number, sizeof number, ":%llu", (unsigned long long)line);
    const char *name = strrchr(text->path, '/');
    snprintf(proof->first_problem, sizeof proof->first_problem, "%.96s%s: %s", name ? name + 1 : text->path,
             number, message);
}

uint64_t collfile_line_of(const struct collfile_text *text, const char *bytes)
{
    const char *found = memmem(text->bytes, text->size, bytes, strlen(bytes));
    if (!found)
        return 0;
    uint64_t line = 1;
    for (const char *at = text->bytes; (at = memchr(at, '\n', (size_t)(found - at))); at++)
        line++;
    return line;
}
