/* What a capture left behind while its lines were compressed (call/tail.h): four bytes, which say how many
 * frames there are, how much of the last one is missing, and before which frame each half of the tail begins;
 * then the texts of frames and halves, separated by lines of "----". With 128 added to the first byte the
 * first text is not compressed. What is accepted is completed, after which a second look finds nothing to
 * complete; then it is refused or run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "call/tail.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_run_trace.h"
#include "trace/ti/packed.h"
#include "trace/ti/truncated_trace.h"

enum { HALF = 1 << 12, RAW = 128, MOST_FRAMES = 4 };
static const char folder[] = "packed", frames_path[] = "packed/rank-1.txt.zst",
                  tail_path[] = "packed/rank-1.txt.tail";

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    fuzz_must(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "cannot write %s", path);
}

static void remove_files(void)
{
    unlink(frames_path);
    unlink(tail_path);
    rmdir(folder);
}

static void write_frames(struct fuzz_piece *rest, const uint8_t *head)
{
    size_t count = head[0] % MOST_FRAMES, length = 0, capacity = 0;
    char *bytes = NULL;
    for (size_t i = 0; i < count; i++) {
        struct fuzz_piece piece = fuzz_cut(rest, "----\n");
        bool is_raw = i == 0 && head[0] & RAW;
        size_t size = piece.size;
        char *frame = is_raw ? NULL : ti_frame_of(piece.bytes, piece.size, &size);
        bytes = mem_grow(bytes, &capacity, length + size + 1, "frames");
        memcpy(bytes + length, is_raw ? piece.bytes : frame, size);
        length += size;
        free(frame);
    }
    write_file(frames_path, bytes ? bytes : "", length > head[1] ? length - head[1] : length);
    free(bytes);
}

static void write_tail(struct fuzz_piece *rest, const uint8_t *head)
{
    static char bytes[TAIL_HEADER_BYTES + 2 * HALF];
    struct tail_header header = {.magic = TAIL_MAGIC, .half_bytes = HALF, .begins = {head[2], head[3]}};
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &header, sizeof header);
    for (int i = 0; i < 2; i++) {
        struct fuzz_piece piece = fuzz_cut(rest, "----\n");
        memcpy(bytes + TAIL_HEADER_BYTES + i * HALF, piece.bytes, piece.size < HALF ? piece.size : HALF);
    }
    write_file(tail_path, bytes, sizeof bytes);
}

static bool run(size_t size)
{
    struct trace_input input;
    return trace_input_open(&input, folder) == STATUS_OK && fuzz_run_trace(&input, size);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct truncated_trace first, second;
    uint8_t head[4] = {0};
    memcpy(head, data, size < sizeof head ? size : sizeof head);
    struct fuzz_piece rest = {(const char *)data + (size < sizeof head ? size : sizeof head),
                              size < sizeof head ? 0 : size - sizeof head};
    remove_files(); /* of an input that broke the target */
    mkdir(folder, 0777);
    write_frames(&rest, head);
    write_tail(&rest, head);
    bool is_complete = truncated_trace_complete(folder, &first) == STATUS_OK;
    if (is_complete) {
        fuzz_must(truncated_trace_complete(folder, &second) == STATUS_OK && second.unfinished == 0 &&
                      second.lines == first.lines,
                  "a completed trace is not complete");
        truncated_trace_free(&second);
    }
    truncated_trace_free(&first);
    bool has_ended = is_complete && run(size);
    remove_files();
    return has_ended;
}
