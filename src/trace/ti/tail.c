#include "trace/ti/tail.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "call/tail.h"
#include "trace/image/content.h"
#include "trace/image/number.h"
#include "trace/ti/packed.h"

char *captured_tail_path(const char *path)
{
    return mem_format("%.*s" TAIL_ENDING, (int)(strlen(path) - strlen(TI_PACKED_ENDING)), path);
}

static void add(struct captured_text *text, const char *bytes, size_t size)
{
    size_t capacity = text->size;
    const char *zero = memchr(bytes, '\0', size);
    size_t length = zero ? (size_t)(zero - bytes) : size;
    while (length > 0 && bytes[length - 1] != '\n')
        length--;
    text->bytes = mem_grow(text->bytes, &capacity, text->size + length + 1, "the text of a rank");
    memcpy(text->bytes + text->size, bytes, length);
    text->size += length;
}

/* The halves whose lines are behind the frames, one behind the other. */
static void add_halves(struct captured_text *text, const char *bytes, size_t size, uint64_t frames)
{
    struct tail_header header;
    if (size < TAIL_HEADER_BYTES)
        return;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, TAIL_MAGIC, sizeof TAIL_MAGIC) != 0 ||
        header.half_bytes > (size - TAIL_HEADER_BYTES) / 2)
        return;
    for (uint64_t next = frames + 1;; next++) {
        int half = header.begins[0] == next ? 0 : header.begins[1] == next ? 1 : -1;
        if (half < 0)
            return;
        add(text, bytes + TAIL_HEADER_BYTES + (size_t)half * header.half_bytes, header.half_bytes);
        header.begins[half] = 0;
    }
}

static enum status add_tail(struct captured_text *text, const char *path, uint64_t frames)
{
    char *tail = captured_tail_path(path), *bytes;
    size_t size;
    enum status status = STATUS_OK;
    if (access(tail, F_OK) == 0) {
        status = content_load(tail, &bytes, &size);
        text->has_tail = true;
    }
    if (status == STATUS_OK && text->has_tail) {
        add_halves(text, bytes, size, frames);
        free(bytes);
    }
    free(tail);
    return status;
}

enum status captured_text_load(const char *path, struct captured_text *text)
{
    *text = (struct captured_text){.is_packed = ti_is_packed(path)};
    if (!text->is_packed)
        return content_load(path, &text->bytes, &text->size);
    struct ti_frames frames;
    enum status status = ti_frames_read(path, &frames);
    if (status == STATUS_OK) {
        *text = (struct captured_text){frames.text, frames.size,       true,
                                       frames.size, frames.file_bytes, frames.is_cut};
        bool is_cut = frames.is_cut;
        status = add_tail(text, path, frames.count);
        text->has_tail |= is_cut;
    }
    if (status != STATUS_OK)
        free(frames.text);
    return status;
}

/* ---------------------------------------------------------------- cancelled */

static const char nothing[] = "comm_size";

/* The line that begins at `at` becomes one that does nothing, with its rank. */
static void take_out(char *bytes, size_t length, size_t at)
{
    char *end = at < length ? memchr(bytes + at, '\n', length - at) : NULL;
    char *body = end ? memchr(bytes + at, ' ', (size_t)(end - bytes) - at) : NULL;
    const size_t size = sizeof nothing - 1;
    if (!body || (at && bytes[at - 1] != '\n') || (size_t)(end - ++body) < size)
        return;
    memcpy(body, nothing, size);
    memset(body + size, ' ', (size_t)(end - body) - size);
}

bool captured_cancel(char *bytes, size_t length)
{
    static const char mark[] = " comm_size #cancel ";
    bool found = false;
    for (char *at = bytes; length && (at = memmem(at, length - (size_t)(at - bytes), mark, sizeof mark - 1));
         at++) {
        int64_t cancelled;
        char *begin = at;
        while (begin > bytes && begin[-1] != '\n')
            begin--;
        const char *text = at + sizeof mark - 1;
        if (number_integer(text, bytes + length, &cancelled) && cancelled >= 0)
            take_out(bytes, (size_t)(begin - bytes), (size_t)cancelled);
        take_out(bytes, length, (size_t)(begin - bytes));
        found = true;
    }
    return found;
}
