/* Archives of OTF2. Witnesses: what otf2-print shows of archives of Score-P (tests/traces/otf2/table), call
 * by call and byte by byte; and archives that are written here record by record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory_stream.h"
#include "support/otf2_archive.h"
#include "support/print_calls.h"
#include "support/traces.h"
#include "trace/image/content.h"
#include "trace/trace.h"

static void compare_with_table(const char *path, const char *table)
{
    struct compiled_trace *compiled;
    struct call scratch;
    char *text, *wanted;
    size_t size, wanted_size;
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    compiled_report_notes(compiled, UINT32_MAX);
    struct program *program = &compiled->program;
    FILE *out = memory_stream_open(&text, &size);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        for (const struct call *call; (call = program_next(program, rank, &scratch));)
            print_call(out, program, rank, call);
    fclose(out);
    assert_int_equal(content_load(table, &wanted, &wanted_size), STATUS_OK);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(text, wanted, size);
    free(text);
    free(wanted);
    program->ops->close(program);
}

static void every_call_of_score_p_is_there(void **state)
{
    (void)state;
    compare_with_table("tests/traces/otf2/sst/traces.otf2", "tests/traces/otf2/sst.table");
    assert_non_null(strstr(traces_messages(), "byte 6467: warning: a call that was not captured"));
    compare_with_table("tests/traces/otf2/pipit", "tests/traces/otf2/pipit.table"); /* the folder */
    assert_string_equal(traces_messages(), "");
    compare_with_table("tests/traces/otf2/papi", "tests/traces/otf2/papi.table"); /* with metrics */
}

/* ------------------------------------------------------------- what is read */

/* What is before MPI_Init and behind MPI_Finalize does not count; 1 ns is 12 operations. */
static void time_between_calls_is_computation(void **state)
{
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        archive_begin(2, is_big);
        archive_enter(0, 10, R_USER);
        archive_enter(0, 50, R_INIT);
        archive_leave(0, 100, R_INIT);
        archive_send(0, 110, R_SEND, 1, 300);
        archive_send(0, 111, R_SSEND, 1, 70000);
        archive_at(0, 200);
        archive_put(&archive.events[0], 10); /* tracing writes its buffer for 40 ns */
        archive_put(&archive.events[0], 8);
        archive_put_fixed(&archive.events[0], 240, 8);
        archive_enter(0, 252, R_FINALIZE);
        archive_leave(0, 260, R_FINALIZE);
        archive_leave(0, 300, R_USER);
        archive_receive(1, 5, 0, 300);
        archive_receive(1, 1005, 0, 70000);
        archive_end();
        archive_expect("0 compute 120\n0 send 1 7 300 0,1\nflags 2 0 send 1 7 70000 0,1\n0 compute 1200\n"
                       "1 recv 0 7 300 0,1\n1 compute 11988\n1 recv 0 7 70000 0,1\n");
        assert_non_null(strstr(traces_messages(),
                               "an event of a thread, a device or a metric, which is no rank "
                               "of MPI: left out (the first of 7)"));
    }
}

/* Request 5 is received by a wait, 6 is cancelled, 7 is tested twice: the second time completes it. */
static void requests_keep_their_meaning(void **state)
{
    (void)state;
    archive_begin(2, false);
    archive_enter(0, 0, R_IRECV);
    archive_lone(0, 17, 5);
    archive_leave(0, 0, R_IRECV);
    archive_enter(0, 0, R_IRECV);
    archive_lone(0, 17, 6);
    archive_leave(0, 0, R_IRECV);
    archive_enter(0, 0, R_ISEND);
    EVENT(0, 15, 1, 10, 3, 64, 7);
    archive_leave(0, 0, R_ISEND);
    archive_enter(0, 0, R_TEST);
    archive_lone(0, 20, 7);
    archive_leave(0, 0, R_TEST);
    archive_enter(0, 0, R_WAIT);
    archive_lone(0, 21, 6);
    archive_leave(0, 0, R_WAIT);
    archive_enter(0, 0, R_WAIT);
    EVENT(0, 19, 1, 10, 4, 32, 5);
    archive_leave(0, 0, R_WAIT);
    archive_enter(0, 0, R_TEST);
    archive_lone(0, 16, 7);
    archive_leave(0, 0, R_TEST);
    archive_enter(1, 0, R_SENDRECV);
    EVENT(1, 14, 0, 10, 4, 32);
    EVENT(1, 18, 0, 10, 3, 64);
    archive_leave(1, 0, R_SENDRECV);
    archive_end();
    archive_expect(
        "0 irecv 1 4 32 0,1\n0 isend 1 3 64 0,1\n0 test 2\n0 wait 1\n0 wait 1\n1 sendrecv 0 4 32 0 3 64\n");
    assert_non_null(strstr(traces_messages(), "a request that was cancelled"));
}

static void waitall_waits_for_all_or_for_those_named(void **state)
{
    (void)state;
    archive_begin(2, false);
    for (uint64_t id = 1; id <= 3; id++) {
        archive_enter(0, 0, R_ISEND);
        EVENT(0, 15, 1, 10, 3, 64, (int64_t)id);
        archive_leave(0, 0, R_ISEND);
    }
    for (uint64_t id = 1; id <= 3; id++) {
        if (id != 2)
            archive_enter(0, 0, R_WAITALL);
        archive_lone(0, 16, id);
        if (id != 1)
            archive_leave(0, 0, R_WAITALL);
    }
    for (int i = 0; i < 3; i++) {
        archive_enter(1, 0, R_RECV);
        EVENT(1, 18, 0, 10, 3, 64);
        archive_leave(1, 0, R_RECV);
    }
    archive_end();
    archive_expect(
        "0 isend 1 3 64 0,1\n0 isend 1 3 64 0,1\n0 isend 1 3 64 0,1\n0 wait 1\n0 wait 1\n0 wait 1\n"
        "1 recv 0 3 64 0,1\n1 recv 0 3 64 0,1\n1 recv 0 3 64 0,1\n");
}

/* A collective that does not block: what it moves stands where it completes. */
static void communicators_keep_their_meaning(void **state)
{
    (void)state;
    archive_begin(3, false);
    for (uint32_t rank = 0; rank < 3; rank += 2) {
        archive_enter(rank, 0, R_COLLECTIVE);
        EVENT(rank, 85, 9);
        archive_leave(rank, 0, R_COLLECTIVE);
        archive_enter(rank, 0, R_WAIT);
        EVENT(rank, 86, BYTE(11), 20, -1, 16, 16, 9);
        archive_leave(rank, 0, R_WAIT);
        EVENT(rank, 23, BYTE(1), 20, 1, rank ? 0 : 48, 24); /* alone: its root is rank 0 of the world */
        EVENT(rank, 23, BYTE(11), 30, -1, 8, 8);
    }
    EVENT(2, 14, 0, 40, 5, 128); /* to rank 0 of the other group */
    EVENT(1, 18, 0, 40, 5, 128);
    EVENT(1, 23, BYTE(9), 10, -1, 10, 0);
    EVENT(0, 23, BYTE(9), 10, -1, 0, 7);
    EVENT(2, 23, BYTE(9), 10, -1, 0, 3);
    archive_enter(0, 0, R_PUT);
    archive_leave(0, 0, R_PUT);
    archive_end();
    archive_expect(
        "0 allreduce 0 16 16 2,0\n0 wait 1\n0 bcast 1 48 24 2,0\n0 allreduce 0 8 8 0\n"
        "0 alltoallv 0 0 0 0,0,0 0,7,0 0,1,2\n"
        "1 recv 2 5 128 2,0\n1 alltoallv 0 0 0 7,0,3 0,0,0 0,1,2\n"
        "2 allreduce 0 16 16 2,0\n2 wait 1\n2 bcast 1 0 24 2,0\n2 allreduce 0 8 8 2\n2 send 1 5 128 2,0\n"
        "2 alltoallv 0 0 0 0,0,0 0,3,0 0,1,2\n");
    const char *said = traces_messages();
    assert_non_null(strstr(said, "in proportion to what each rank receives (the first of 3)"));
    assert_non_null(strstr(said, "a call that was not captured"));
}

/* The sums of all ranks give the sizes of all calls but an alltoallv. The second allgatherv is in place. */
static void sizes_follow_from_the_sums_of_all_ranks(void **state)
{
    (void)state;
    static const int64_t blocks[] = {4, 0, 7};
    archive_begin(3, false);
    for (uint32_t rank = 0; rank < 3; rank++) {
        int64_t mine = blocks[rank];
        EVENT(rank, 23, BYTE(3), 10, 1, mine, rank == 1 ? 11 : 0); /* gatherv to rank 1 */
        EVENT(rank, 23, BYTE(5), 10, 2, rank == 2 ? 11 : 0, mine); /* scatterv from rank 2 */
        EVENT(rank, 23, BYTE(7), 10, -1, 3 * mine, 11);
        EVENT(rank, 23, BYTE(7), 10, -1, 2 * mine, 11 - mine);
        EVENT(rank, 23, BYTE(13), 10, -1, 11, 3 * mine);                   /* reduce_scatter */
        EVENT(rank, 23, BYTE(16), 10, -1, 24, 24);                         /* reduce_scatter_block */
        EVENT(rank, 23, BYTE(14), 10, -1, (3 - rank) * 5, (rank + 1) * 5); /* scan */
        EVENT(rank, 23, BYTE(15), 10, -1, (2 - rank) * 5, rank * 5);       /* exscan */
        EVENT(rank, 23, BYTE(11), 10, -1, 16, 16);                         /* allreduce in place */
    }
    archive_end();
    archive_expect("0 gatherv 1 12 0 0,1,2\n0 scatterv 2 12 12 0,1,2\n0 allgatherv 0 12 0 4,0,7 0,1,2\n"
                   "0 allgatherv 0 12 0 4,0,7 0,1,2\n0 reducescatter 0 0 0 4,0,7 0,1,2\n"
                   "0 reducescatter 0 24 24 0,1,2\n0 scan 0 15 0 0,1,2\n0 exscan 0 15 0 0,1,2\n"
                   "0 allreduce 0 24 24 0,1,2\n"
                   "1 gatherv 1 0 0 4,0,7 0,1,2\n1 scatterv 2 0 0 0,1,2\n1 allgatherv 0 0 0 4,0,7 0,1,2\n"
                   "1 allgatherv 0 0 0 4,0,7 0,1,2\n1 reducescatter 0 0 0 4,0,7 0,1,2\n"
                   "1 reducescatter 0 24 24 0,1,2\n1 scan 0 15 0 0,1,2\n1 exscan 0 15 0 0,1,2\n"
                   "1 allreduce 0 24 24 0,1,2\n"
                   "2 gatherv 1 21 0 0,1,2\n2 scatterv 2 21 21 4,0,7 0,1,2\n2 allgatherv 0 21 0 4,0,7 0,1,2\n"
                   "2 allgatherv 0 21 0 4,0,7 0,1,2\n2 reducescatter 0 0 0 4,0,7 0,1,2\n"
                   "2 reducescatter 0 24 24 0,1,2\n2 scan 0 15 0 0,1,2\n2 exscan 0 15 0 0,1,2\n"
                   "2 allreduce 0 24 24 0,1,2\n");
    assert_null(strstr(traces_messages(), "in proportion"));
}

/* Two offsets of a clock: it shows 10 ticks more at 1000 and 30 more at 2000. */
static void a_clock_that_drifts_is_set_right(void **state)
{
    (void)state;
    archive_begin(2, false);
    for (int i = 0; i < 2; i++) {
        struct archive_bytes *local = &archive.local[0];
        archive_put(local, 6);
        archive_put(local, 8 + 2 + 8);
        archive_put_fixed(local, i ? 2000 : 1000, 8);
        archive_put_number(local, i ? 30 : 10);
        archive_put_fixed(local, 0, 8);
    }
    /* This location numbers regions otherwise: its 0 is MPI_Send, its 1 MPI_RECV. */
    RECORD(&archive.local[0], 5, BYTE(3), 2, BYTE(0), R_SEND, R_RECV);
    archive_enter(0, 1000, 0);
    EVENT(0, 14, 1, 10, 7, 1);
    archive_leave(0, 1000, 0);
    archive_enter(0, 1500, 1);
    EVENT(0, 18, 1, 10, 7, 1);
    archive_leave(0, 1500, 1);
    archive_receive(1, 0, 0, 1);
    archive_send(1, 1, R_SEND, 0, 1);
    archive_end();
    archive_expect(
        "0 send 1 7 1 0,1\n0 compute 6120\n0 recv 1 7 1 0,1\n1 recv 0 7 1 0,1\n1 send 0 7 1 0,1\n");
}

/* A chunk ends, and the next one begins where the anchor says. */
static void events_go_on_in_the_next_chunk(void **state)
{
    (void)state;
    archive_begin(2, false);
    struct archive_bytes *events = &archive.events[0];
    archive_send(0, 0, R_SEND, 1, 5);
    archive_put(events, 0);
    while (events->size < 256 << 10)
        archive_put(events, 0);
    archive_put(events, 3);
    archive_put(events, 0x42);
    archive_put_fixed(events, 0, 8);
    archive_put_fixed(events, 0, 8);
    archive_send(0, 11, R_SEND, 1, 6);
    archive_receive(1, 0, 0, 5);
    archive_receive(1, 1, 0, 6);
    archive_end();
    archive_expect("0 send 1 7 5 0,1\n0 compute 120\n0 send 1 7 6 0,1\n1 recv 0 7 5 0,1\n1 recv 0 7 6 0,1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_score_p_is_there),
        cmocka_unit_test(time_between_calls_is_computation),
        cmocka_unit_test(requests_keep_their_meaning),
        cmocka_unit_test(waitall_waits_for_all_or_for_those_named),
        cmocka_unit_test(communicators_keep_their_meaning),
        cmocka_unit_test(sizes_follow_from_the_sums_of_all_ranks),
        cmocka_unit_test(a_clock_that_drifts_is_set_right),
        cmocka_unit_test(events_go_on_in_the_next_chunk),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
