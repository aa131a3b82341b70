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
#include "trace/image/format.h"
#include "trace/image/number.h"
#include "trace/ti/packed.h"
#include "trace/ti/rank_files.h"
#include "trace/ti/tail.h"

static uint64_t count_lines(const char *bytes, size_t size)
{
    uint64_t lines = 0;
    for (const char *at = bytes, *end = bytes + size; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    return lines;
}

static void count_lost(struct truncated_trace *trace, const char *name, size_t length)
{
    size_t i = 0;
    while (i < trace->lost_count &&
           (strlen(trace->lost[i].name) != length || memcmp(trace->lost[i].name, name, length) != 0))
        i++;
    if (i == trace->lost_count) {
        trace->lost = mem_grow(trace->lost, &trace->lost_capacity, i + 1, "calls that are lost");
        trace->lost[trace->lost_count++] =
            (struct truncated_lost){.name = mem_format("%.*s", (int)length, name)};
    }
    trace->lost[i].count++;
}

static void find_lost(struct truncated_trace *trace, const char *bytes, size_t size)
{
    static const char mark[] = " #lost ";
    for (const char *at = bytes, *end = bytes + size;
         (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1));) {
        at += sizeof mark - 1;
        const char *name = at;
        while (at < end && *at != ' ' && *at != '\n')
            at++;
        count_lost(trace, name, (size_t)(at - name));
    }
}

static int by_name(const void *first, const void *second)
{
    const struct truncated_lost *a = first, *b = second;
    return strcmp(a->name, b->name);
}

/* The bytes up to the last whole line before the zero bytes, which a tracer writes ahead to reserve room. */
static size_t whole_lines(const char *bytes, size_t size)
{
    const char *zero = memchr(bytes, '\0', size);
    size_t length = zero ? (size_t)(zero - bytes) : size;
    while (length > 0 && bytes[length - 1] != '\n')
        length--;
    return length;
}

/* The last line is this one, perhaps with annotations. */
static bool ends_with(const char *bytes, size_t length, const char *line)
{
    const char *last = length > 1 ? memrchr(bytes, '\n', length - 1) : NULL;
    const char *at = last ? last + 1 : bytes;
    size_t size = strlen(line), left = (size_t)(bytes + length - at);
    return left > size && memcmp(at, line, size) == 0 && (at[size] == '\n' || at[size] == ' ');
}

/* The number of ranks of the world, by the second line: "0 comm_split #c 0-3". 0: there is no such line. */
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

/* The last lines as a frame behind the others. */
static bool append_frame(const char *path, const struct captured_text *text, size_t length)
{
    size_t size = 0;
    char *frame = length > text->in_frames
                      ? ti_frame_of(text->bytes + text->in_frames, length - text->in_frames, &size)
                      : NULL;
    FILE *file = fopen(path, "r+b");
    bool good = file && ftruncate(fileno(file), (off_t)text->file_bytes) == 0 &&
                fseeko(file, (off_t)text->file_bytes, SEEK_SET) == 0 &&
                (!frame || fwrite(frame, 1, size, file) == size);
    free(frame);
    return file && fclose(file) == 0 && good;
}

/* The text has `length` bytes now; it is another one than the frames have, or goes on behind them. What the
 * tail had is in a frame before the tail is removed. */
static enum status write_packed(const char *path, struct captured_text *text, size_t length, bool is_other)
{
    char *tail = captured_tail_path(path);
    enum status status = STATUS_OK;
    if (captured_cancel(text->bytes, length) || is_other) {
        status = ti_packed_write(path, text->bytes, length);
    } else if ((text->has_tail || length > text->in_frames) && !append_frame(path, text, length)) {
        diag_error("cannot write %s: %s", path, strerror(errno));
        status = STATUS_FAILED;
    }
    if (status == STATUS_OK)
        unlink(tail);
    free(tail);
    return status;
}

static enum status write_rank(const char *path, struct captured_text *text, size_t length, const char *line)
{
    size_t capacity = text->size, more = strlen(line);
    if (!text->is_packed && !more && length == text->size)
        return STATUS_OK;
    if (!text->is_packed && write_end(path, length, line))
        return STATUS_OK;
    if (text->is_packed) {
        text->bytes = mem_grow(text->bytes, &capacity, length + more + 1, "the text of a rank");
        memcpy(text->bytes + length, line, more);
        return write_packed(path, text, length + more, length < text->in_frames);
    }
    diag_error("cannot write %s: %s", path, strerror(errno));
    return STATUS_FAILED;
}

static enum status complete_rank(const char *path, uint32_t rank, struct truncated_trace *trace)
{
    struct captured_text text;
    char end[32], line[33];
    if (captured_text_load(path, &text) != STATUS_OK)
        return STATUS_FAILED;
    const char *bytes = text.size ? text.bytes : "";
    size_t length = whole_lines(bytes, text.size);
    snprintf(end, sizeof end, "%" PRIu32 " finalize", rank);
    snprintf(line, sizeof line, "%s\n", end);
    bool is_whole = ends_with(bytes, length, end);
    trace->lines += count_lines(bytes, length) + !is_whole;
    find_lost(trace, bytes, length);
    trace->has_parts |= memmem(bytes, length, " comm_size #behind ", 19) != NULL;
    uint32_t world = world_of(bytes, length);
    trace->has_mixed |= world && trace->world && world != trace->world;
    trace->world = world ? world : trace->world;
    if (!is_whole && (!trace->unfinished++ || rank < trace->first_unfinished))
        trace->first_unfinished = rank;
    enum status status = write_rank(path, &text, length, is_whole ? "" : line);
    free(text.bytes);
    return status;
}

/* A tracer leaves such a file if its rank already has a file from another program. It is removed here. */
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

/* Numbers of rank files, from 1 on. */
struct rank_numbers {
    uint32_t *numbers;
    size_t count, capacity;
};

static void note_number(struct rank_numbers *found, uint32_t number)
{
    found->numbers = mem_grow(found->numbers, &found->capacity, found->count + 1, "rank files");
    found->numbers[found->count++] = number;
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The ranks of the world without a file. The work depends on the files, not on the world that they state. */
static void find_missing(struct rank_numbers *found, struct truncated_trace *trace)
{
    uint32_t there = 0, last = 0;
    if (found->count)
        qsort(found->numbers, found->count, sizeof *found->numbers, by_number);
    for (size_t i = 0; i < found->count && found->numbers[i] <= trace->world; i++) {
        if (found->numbers[i] == last)
            continue;
        last = found->numbers[i];
        if (last == ++there)
            trace->first_missing = last; /* counted from 0: the one behind it */
    }
    trace->missing = trace->world - there;
}

enum status truncated_trace_complete(const char *folder, struct truncated_trace *trace)
{
    DIR *files = opendir(folder);
    struct rank_numbers found = {.count = 0};
    enum status status = STATUS_OK;
    *trace = (struct truncated_trace){0};
    if (!files) {
        diag_error("cannot read %s: %s", folder, strerror(errno));
        return STATUS_FAILED;
    }
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(files));) {
        uint32_t number = ti_rank_number(entry->d_name);
        trace->has_mixed |= is_sign_of_another(folder, entry->d_name);
        if (!number)
            continue;
        char *path = mem_format("%s/%s", folder, entry->d_name);
        trace->ranks++;
        note_number(&found, number);
        status = complete_rank(path, number - 1, trace);
        free(path);
    }
    closedir(files);
    find_missing(&found, trace);
    free(found.numbers);
    if (trace->lost_count)
        qsort(trace->lost, trace->lost_count, sizeof *trace->lost, by_name);
    return status;
}

void truncated_trace_free(struct truncated_trace *trace)
{
    for (size_t i = 0; i < trace->lost_count; i++)
        free(trace->lost[i].name);
    free(trace->lost);
}
