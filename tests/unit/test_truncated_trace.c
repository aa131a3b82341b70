/* The files that a capture left behind: which ranks are missing, and what frames and tail have. The lines
 * themselves are the work of tests/mpi. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "call/tail.h"
#include "support/traces.h"
#include "trace/image/format.h"
#include "trace/ti/packed.h"
#include "trace/ti/truncated_trace.h"

/* Completes a trace of these files, whose numbers end with 0. */
static struct truncated_trace complete(const char *name, const unsigned *numbers, unsigned world)
{
    struct truncated_trace trace;
    for (const unsigned *number = numbers; *number; number++) {
        char *file = mem_format("%s/rank-%u.txt", name, *number);
        char *lines = mem_format("%u init\n%u comm_split #c 0-%u\n", *number - 1, *number - 1, world - 1);
        traces_write(file, lines, strlen(lines));
        free(lines);
        free(file);
    }
    assert_int_equal(truncated_trace_complete(traces_path(name), &trace), STATUS_OK);
    truncated_trace_free(&trace);
    return trace;
}

static void missing_ranks_are_counted(void **state)
{
    (void)state;
    struct truncated_trace trace = complete("whole", (const unsigned[]){3, 1, 2, 0}, 3);
    assert_int_equal(trace.ranks, 3);
    assert_int_equal(trace.missing, 0);
    trace = complete("with-gaps", (const unsigned[]){5, 1, 2, 0}, 6);
    assert_int_equal(trace.missing, 3);
    assert_int_equal(trace.first_missing, 2);
    trace = complete("first-missing", (const unsigned[]){2, 0}, 2);
    assert_int_equal(trace.missing, 1);
    assert_int_equal(trace.first_missing, 0);
}

/* A finalize may have annotations, such as its call site; another word is none. */
static void the_last_line_ends_a_rank(void **state)
{
    (void)state;
    static const char *const ends[] = {"0 finalize\n", "0 finalize #@1\n", "0 finalized\n", "0 barrier\n"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct truncated_trace trace;
        char *lines = mem_format("0 init\n0 comm_split #c 0\n%s", ends[i]);
        traces_write("ends/rank-1.txt", lines, strlen(lines));
        assert_int_equal(truncated_trace_complete(traces_path("ends"), &trace), STATUS_OK);
        assert_int_equal(trace.unfinished, i >= 2);
        assert_int_equal(trace.lines, i < 2 ? 3 : 4);
        truncated_trace_free(&trace);
        free(lines);
    }
}

/* A file may state the largest world. To look for the file of each rank takes seconds. */
static void the_world_may_be_large(void **state)
{
    (void)state;
    struct truncated_trace trace = complete("large-world", (const unsigned[]){2, 1, 0}, TRACE_MOST_RANKS);
    assert_int_equal(trace.missing, TRACE_MOST_RANKS - 2);
    assert_int_equal(trace.first_missing, 2);
}

/* ------------------------------------------------------- frames and a tail */

enum { HALF = 64 };
static const char *const parts[] = {"0 init\n0 barrier\n", "0 send 0 1 2 3\n", "0 recv 0 1 2 3\n0 bar"};

/* The frames of the first parts, of which the last has `missing` bytes less. */
static void write_frames(const char *file, size_t count, size_t missing)
{
    char bytes[512];
    size_t length = 0, size;
    for (size_t i = 0; i < count; i++) {
        char *frame = ti_frame_of(parts[i], strlen(parts[i]), &size);
        memcpy(bytes + length, frame, size);
        length += size;
        free(frame);
    }
    traces_write(file, bytes, length - missing);
}

/* A tail whose halves have parts, -1: none; `begins` is one more than the frames before it. */
static void write_tail(const char *file, const int half_parts[2], const uint64_t begins[2])
{
    static char bytes[TAIL_HEADER_BYTES + 2 * HALF];
    struct tail_header header = {.magic = TAIL_MAGIC, .half_bytes = HALF, .begins = {begins[0], begins[1]}};
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &header, sizeof header);
    for (int i = 0; i < 2; i++)
        if (half_parts[i] >= 0)
            strcpy(bytes + TAIL_HEADER_BYTES + i * HALF, parts[half_parts[i]]);
    traces_write(file, bytes, sizeof bytes);
}

/* Completed, the rank has this text, and so it stays. */
static void expect_text(const char *folder, const char *wanted)
{
    struct truncated_trace trace;
    char *text, *file = mem_format("%s/rank-1.txt.zst", folder),
                *tail = mem_format("%s/rank-1.txt.tail", folder);
    size_t size;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(truncated_trace_complete(traces_path(folder), &trace), STATUS_OK);
        assert_int_equal(trace.unfinished, !again);
        truncated_trace_free(&trace);
        assert_int_equal(ti_text_load(traces_path(file), &text, &size), STATUS_OK);
        assert_int_equal(size, strlen(wanted));
        assert_memory_equal(text, wanted, size);
        free(text);
        assert_int_not_equal(access(traces_path(tail), F_OK), 0);
    }
    free(file);
    free(tail);
}

/* Whenever the program is killed, each line is there once, up to the last whole one. */
static void lines_are_in_a_frame_or_in_the_tail(void **state)
{
    (void)state;
    static const struct {
        size_t frames, missing;
        int halves[2];
        uint64_t begins[2];
        const char *wanted;
    } cases[] = {
        {0, 0, {0, -1}, {1, 0}, "0 init\n0 barrier\n0 finalize\n"},                /* the first half fills */
        {1, 3, {0, -1}, {1, 0}, "0 init\n0 barrier\n0 finalize\n"},                /* its frame is written */
        {1, 0, {0, -1}, {1, 0}, "0 init\n0 barrier\n0 finalize\n"},                /* it is whole */
        {1, 0, {0, 1}, {1, 2}, "0 init\n0 barrier\n0 send 0 1 2 3\n0 finalize\n"}, /* the second half fills */
        {2, 1, {0, 1}, {1, 2}, "0 init\n0 barrier\n0 send 0 1 2 3\n0 finalize\n"}, /* its frame is written */
        {2, 0, {-1, 1}, {0, 2}, "0 init\n0 barrier\n0 send 0 1 2 3\n0 finalize\n"}, /* the first is emptied */
        {2, 0, {2, 1}, {3, 2}, "0 init\n0 barrier\n0 send 0 1 2 3\n0 recv 0 1 2 3\n0 finalize\n"},
        {1,
         0,
         {2, 1},
         {3, 2},
         "0 init\n0 barrier\n0 send 0 1 2 3\n0 recv 0 1 2 3\n0 finalize\n"}, /* a copy */
        {1, 0, {2, -1}, {3, 0}, "0 init\n0 barrier\n0 finalize\n"}, /* a frame is lost, and all behind it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folder[32], file[64];
        snprintf(folder, sizeof folder, "tail-%zu", i);
        snprintf(file, sizeof file, "%s/rank-1.txt.zst", folder);
        write_frames(file, cases[i].frames, cases[i].missing);
        snprintf(file, sizeof file, "%s/rank-1.txt.tail", folder);
        write_tail(file, cases[i].halves, cases[i].begins);
        expect_text(folder, cases[i].wanted);
    }
}

/* A line that is in a frame is taken out when the trace is completed. */
static void cancelled_lines_are_taken_out(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0 init\n0 irecv 1 2 3 4\n0 comm_size #cancel 7\n",
        "0 init\n0 barrier\n0 comm_size #cancel 700\n0 comm_size #cancel 8\n0 comm_size #cancel 7\n",
    };
    static const char *const wanted[] = {
        "0 init\n0 comm_size    \n0 comm_size          \n0 finalize\n",
        "0 init\n0 barrier\n0 comm_size            \n0 comm_size          \n0 comm_size          \n0 "
        "finalize\n",
    };
    for (int i = 0; i < 2; i++) { /* the barrier is shorter than what would be put in its place */
        char folder[32], file[64];
        size_t size;
        char *frame = ti_frame_of(texts[i], strlen(texts[i]), &size);
        snprintf(folder, sizeof folder, "cancelled-%d", i);
        snprintf(file, sizeof file, "%s/rank-1.txt.zst", folder);
        traces_write(file, frame, size);
        free(frame);
        expect_text(folder, wanted[i]);
    }
}

static void frames_that_are_damaged_are_refused(void **state)
{
    (void)state;
    char *text;
    size_t size;
    write_frames("cut/rank-1.txt.zst", 2, 1);
    assert_int_equal(ti_text_load(traces_path("cut/rank-1.txt.zst"), &text, &size), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "it is cut short behind 1 whole frame"));
    traces_write("cut/rank-2.txt.zst", "no frame of zstd", 16);
    assert_int_equal(ti_text_load(traces_path("cut/rank-2.txt.zst"), &text, &size), STATUS_BAD_INPUT);
    assert_non_null(
        strstr(traces_messages(), "rank-2.txt.zst: error: cannot be unpacked: Unknown frame descriptor"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_ranks_are_counted),
        cmocka_unit_test(the_last_line_ends_a_rank),
        cmocka_unit_test(the_world_may_be_large),
        cmocka_unit_test(lines_are_in_a_frame_or_in_the_tail),
        cmocka_unit_test(cancelled_lines_are_taken_out),
        cmocka_unit_test(frames_that_are_damaged_are_refused),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
