#include "trace/ti/packed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/memory_room.h"
#include "base/units.h"
#include "output/output.h"
#include "trace/image/content.h"

bool ti_is_packed(const char *name)
{
    size_t length = strlen(name), ending = strlen(TI_PACKED_ENDING);
    return length > ending && strcmp(name + length - ending, TI_PACKED_ENDING) == 0;
}

/* ---------------------------------------------------------------- unpacking */

/* A few bytes can say any amount of text, so the memory that there is limits it. */
#define SURELY_THERE_BYTES (UINT64_C(64) << 20)

struct frame_reader {
    const char *path;
    struct ti_frames *frames;
    size_t capacity;
    double room_bytes; /* 0: not looked at */
};

static enum status refuse(const struct frame_reader *reader, const char *what)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = reader->path}, "cannot be unpacked: %s", what);
    return STATUS_BAD_INPUT;
}

static enum status grow(struct frame_reader *reader, size_t used)
{
    struct ti_frames *frames = reader->frames;
    if (used < reader->capacity)
        return STATUS_OK;
    if (used >= SURELY_THERE_BYTES && reader->room_bytes == 0)
        reader->room_bytes = memory_room_find().bytes;
    if (used >= SURELY_THERE_BYTES && (double)used > reader->room_bytes)
        return refuse(reader, "its text takes more memory than there is");
    frames->text =
        mem_grow(frames->text, &reader->capacity, used + ZSTD_DStreamOutSize(), "the text of a rank");
    return STATUS_OK;
}

/* One frame after another. What is behind the last whole frame is dropped. */
static enum status unpack(struct frame_reader *reader, ZSTD_DCtx *context, const char *bytes, size_t size)
{
    struct ti_frames *frames = reader->frames;
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t used = 0, left = 0;
    enum status status = grow(reader, used);
    while (status == STATUS_OK) {
        ZSTD_outBuffer out = {frames->text, reader->capacity, used};
        size_t before = in.pos;
        left = ZSTD_decompressStream(context, &out, &in);
        if (ZSTD_isError(left))
            return refuse(reader, ZSTD_getErrorName(left));
        bool stands_still = in.pos == before && out.pos == used;
        used = out.pos;
        if (left == 0) {
            frames->count++;
            frames->size = used;
            frames->file_bytes = in.pos;
        }
        if (in.pos == size && (left == 0 || stands_still || out.pos < out.size))
            break;
        status = grow(reader, used);
    }
    frames->is_cut = frames->file_bytes < size;
    return status;
}

static enum status read_frames(const char *path, const char *bytes, size_t size, struct ti_frames *frames)
{
    struct frame_reader reader = {.path = path, .frames = frames};
    if (!size)
        return STATUS_OK;
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (!context)
        mem_exhausted("zstd");
    enum status status = unpack(&reader, context, bytes, size);
    ZSTD_freeDCtx(context);
    return status;
}

enum status ti_frames_read(const char *path, struct ti_frames *frames)
{
    char *bytes;
    size_t size;
    *frames = (struct ti_frames){.count = 0};
    enum status status = content_load(path, &bytes, &size);
    if (status != STATUS_OK)
        return status;
    status = read_frames(path, bytes, size, frames);
    free(bytes);
    return status;
}

enum status ti_text_load(const char *path, char **text, size_t *size)
{
    struct ti_frames frames;
    if (!ti_is_packed(path))
        return content_load(path, text, size);
    enum status status = ti_frames_read(path, &frames);
    if (status == STATUS_OK && frames.is_cut) {
        diag_report(DIAG_ERROR, &(struct diag_place){.file = path},
                    "it is cut short behind %" PRIu64
                    " whole frames of zstd; `helio capture --collect` completes what a "
                    "capture has left",
                    frames.count);
        status = STATUS_BAD_INPUT;
    }
    if (status != STATUS_OK)
        free(frames.text);
    *text = status == STATUS_OK ? frames.text : NULL;
    *size = frames.size;
    return status;
}

/* ------------------------------------------------------------------ packing */

char *ti_frame_of(const char *text, size_t length, size_t *size)
{
    size_t room = ZSTD_compressBound(length);
    char *frame = mem_alloc(room, 1, "a compressed trace");
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!context || ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)))
        mem_exhausted("zstd");
    *size = ZSTD_compress2(context, frame, room, text, length);
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(*size))
        mem_exhausted("zstd");
    return frame;
}

enum status ti_packed_write(const char *path, const char *text, size_t length)
{
    struct output output;
    size_t size;
    enum status status = output_open(&output, path);
    if (status != STATUS_OK)
        return status;
    char *frame = ti_frame_of(text, length, &size);
    fwrite(frame, 1, size, output.file); /* output_close reports what fails */
    free(frame);
    return output_close(&output, STATUS_OK);
}
