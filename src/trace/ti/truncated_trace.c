#include "trace/ti/truncated_trace.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/content.h"
#include "trace/image/format.h"
#include "trace/image/number.h"
#include "trace/ti/rank_files.h"

static uint64_t count_lines(const char *bytes, size_t size)
{
    uint64_t lines = 0;
    for (const char *at = bytes, *end = bytes + size; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    return lines;
}

static void count_lost(struct truncated_trace *prefix, const char *name, size_t length)
{
    size_t i = 0;
    while (i < prefix->lost_count &&
           (strlen(prefix->lost[i].name) != length || memcmp(prefix->lost[i].name, name, length) != 0))
        i++;
    if (i == prefix->lost_count) {
        prefix->lost = mem_grow(prefix->lost, &prefix->lost_capacity, i + 1, "calls that are lost");
        prefix->lost[prefix->lost_count++] =
            (struct truncated_lost){.name = mem_format("%.*s", (int)length, name)};
    }
    prefix->lost[i].count++;
}

static void find_lost(struct truncated_trace *prefix, const char *bytes, size_t size)
{
    static const char mark[] = " #lost ";
    for (const char *at = bytes, *end = bytes + size;
         (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1));) {
        at += sizeof mark - 1;
        const char *name = at;
        while (at < end && *at != ' ' && *at != '\n')
            at++;
        count_lost(prefix, name, (size_t)(at - name));
    }
}

static int by_name(const void *first, const void *second)
{
    const struct truncated_lost *a = first, *b = second;
    return strcmp(a->name, b->name);
}

/* Up to the last whole line before the zero bytes that room was taken for. */
static size_t whole_lines(const char *bytes, size_t size)
{
    const char *zero = memchr(bytes, '\0', size);
    size_t length = zero ? (size_t)(zero - bytes) : size;
    while (length > 0 && bytes[length - 1] != '\n')
        length--;
    return length;
}

static bool ends_with(const char *bytes, size_t length, const char *line)
{
    size_t size = strlen(line);
    return length >= size && memcmp(bytes + length - size, line, size) == 0;
}

/* How many ranks the world has, which stands in the second line: "0 comm_split #c 0-3". 0: it is not there.
 */
static uint32_t world_of(const char *bytes, size_t length)
{
    static const char mark[] = " comm_split #c ";
    const char *end = bytes + (length < 128 ? length : 128), *next;
    const char *at = memmem(bytes, (size_t)(end - bytes), mark, sizeof mark - 1);
    int64_t last;
    if (!at || !(next = number_integer(at + sizeof mark - 1, end, &last)) ||
        (next < end && *next == '-' && !number_integer(next + 1, end, &last)))
        return 0;
    return last >= 0 && last < TRACE_MOST_RANKS ? (uint32_t)last + 1 : 0;
}

static bool write_end(const char *path, size_t length, const char *line)
{
    FILE *file = fopen(path, "r+b");
    if (!file)
        return false;
    bool good = ftruncate(fileno(file), (off_t)length) == 0 && fseek(file, (long)length, SEEK_SET) == 0 &&
                fputs(line, file) >= 0;
    return fclose(file) == 0 && good;
}

static enum status complete_rank(const char *path, uint32_t rank, struct truncated_trace *prefix)
{
    char *bytes, line[32];
    size_t size;
    if (content_load(path, &bytes, &size) != STATUS_OK)
        return STATUS_FAILED;
    size_t length = whole_lines(bytes, size);
    snprintf(line, sizeof line, "%" PRIu32 " finalize\n", rank);
    bool is_whole = ends_with(bytes, length, line);
    prefix->lines += count_lines(bytes, length) + !is_whole;
    find_lost(prefix, bytes, length);
    uint32_t world = world_of(bytes, length);
    prefix->has_mixed |= world && prefix->world && world != prefix->world;
    prefix->world = world ? world : prefix->world;
    free(bytes);
    if (!is_whole && (!prefix->unfinished++ || rank < prefix->first_unfinished))
        prefix->first_unfinished = rank;
    if ((is_whole && length == size) || write_end(path, length, is_whole ? "" : line))
        return STATUS_OK;
    diag_error("cannot write %s: %s", path, strerror(errno));
    return STATUS_FAILED;
}

/* Whether a tracer has left this file where it found its rank's trace written by another. */
static bool is_sign_of_another(const char *folder, const char *name)
{
    static const char ending[] = ".txt.taken";
    size_t length = strlen(name), ending_length = sizeof ending - 1;
    if (length < ending_length || strcmp(name + length - ending_length, ending) != 0)
        return false;
    char *path = mem_format("%s/%s", folder, name);
    unlink(path);
    free(path);
    return true;
}

static void find_missing(const char *folder, struct truncated_trace *prefix)
{
    for (uint32_t rank = prefix->world; rank-- > 0;) {
        char *path = mem_format("%s/rank-%" PRIu32 ".txt", folder, rank + 1);
        if (access(path, F_OK) != 0) {
            prefix->missing++;
            prefix->first_missing = rank;
        }
        free(path);
    }
}

enum status truncated_trace_complete(const char *folder, struct truncated_trace *prefix)
{
    DIR *files = opendir(folder);
    enum status status = STATUS_OK;
    *prefix = (struct truncated_trace){0};
    if (!files) {
        diag_error("cannot read %s: %s", folder, strerror(errno));
        return STATUS_FAILED;
    }
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(files));) {
        uint32_t number = ti_rank_number(entry->d_name);
        prefix->has_mixed |= is_sign_of_another(folder, entry->d_name);
        if (!number)
            continue;
        char *path = mem_format("%s/%s", folder, entry->d_name);
        prefix->ranks++;
        status = complete_rank(path, number - 1, prefix);
        free(path);
    }
    closedir(files);
    find_missing(folder, prefix);
    if (prefix->lost_count)
        qsort(prefix->lost, prefix->lost_count, sizeof *prefix->lost, by_name);
    return status;
}

void truncated_trace_free(struct truncated_trace *prefix)
{
    for (size_t i = 0; i < prefix->lost_count; i++)
        free(prefix->lost[i].name);
    free(prefix->lost);
}
