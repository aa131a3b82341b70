/* DUMPI: what each call becomes, in traces that are written call by call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/dumpi_calls.h"
#include "support/traces.h"

/* -------------------------------------------------------------------- times */

static void computation_lies_between_calls(void **state)
{
    (void)state;
    dumpi_begin(1);
    PUT(0, DUMPI_INIT);
    dumpi_ranks[0].gap_ns = 1000;
    PUT(0, DUMPI_COMM_SIZE, WORLD, 1); /* takes 500 ns, which are no computation */
    PUT(0, DUMPI_WTIME);
    PUT(0, DUMPI_BARRIER, WORLD);
    PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_ranks[0].gap_ns = 0;
    PUT(0, DUMPI_FINALIZE);
    dumpi_expect("init\nMPI_Comm_size\nMPI_Wtime\ncompute 36000\nbarrier 0 0 root 0\ncompute 12000\n"
                 "barrier 0 0 root 0\nfinalize\n");
}

/* Seconds have 16 bits in a record. */
static void the_clock_wraps(void **state)
{
    (void)state;
    dumpi_begin(1);
    PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_ranks[0].gap_ns = UINT64_C(20000) * 1000000000;
    for (int i = 0; i < 4; i++)
        PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_expect(
        "barrier 0 0 root 0\n"
        "compute 240000000000000\nbarrier 0 0 root 0\ncompute 240000000000000\nbarrier 0 0 root 0\n"
        "compute 240000000000000\nbarrier 0 0 root 0\ncompute 240000000000000\nbarrier 0 0 root 0\n");
}

static void what_a_record_may_lack_or_have(void **state)
{
    (void)state;
    dumpi_begin(1);
    dumpi_ranks[0].gap_ns = 1000000;
    dumpi_ranks[0].took_ns = 500000;
    dumpi_ranks[0].mask = DUMPI_HAS_CPU | DUMPI_HAS_COUNTERS; /* the processor's clock runs at a thousandth */
    PUT(0, DUMPI_BARRIER, WORLD);
    PUT(0, DUMPI_FUNCTION_ENTER, 4711LL);
    PUT(0, DUMPI_RECV, 1, BYTE, 0, 7, WORLD, NO_STATUS);
    dumpi_ranks[0].mask = 0;
    PUT(0, DUMPI_SEND, 1, BYTE, 0, 7, WORLD);
    dumpi_expect("barrier 0 0 root 0\ncompute 30000\nrecv 0 7 1\nsend 0 7 1\n");
}

static void several_threads_compute_after_the_last(void **state)
{
    (void)state;
    dumpi_begin(1);
    dumpi_ranks[0].took_ns = 10000;
    PUT(0, DUMPI_BARRIER, WORLD); /* to 10 us */
    dumpi_ranks[0].thread = 1;
    dumpi_ranks[0].now_ns = 2000;
    dumpi_ranks[0].took_ns = 3000;
    PUT(0, DUMPI_BARRIER, WORLD); /* from 2 to 5 us */
    dumpi_ranks[0].now_ns = 11000;
    PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_expect("barrier 0 0 root 0\nbarrier 0 0 root 0\ncompute 12000\nbarrier 0 0 root 0\n");
}

/* ----------------------------------------------------------------- messages */

static void all_kinds_of_sends(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_SEND, 2, DOUBLE, 1, 7, WORLD);
    PUT(0, DUMPI_BSEND, 2, INT, 1, 7, WORLD);
    PUT(0, DUMPI_SSEND, 2, INT, 1, 7, WORLD);
    PUT(0, DUMPI_RSEND, 0, INT, 1, 7, WORLD);
    PUT(0, DUMPI_ISEND, 2, INT, 1, 8, WORLD, 5);
    PUT(0, DUMPI_IBSEND, 2, INT, 1, 8, WORLD, 6);
    PUT(0, DUMPI_ISSEND, 2, INT, 1, 8, WORLD, 7);
    PUT(0, DUMPI_IRSEND, 2, INT, 1, 8, WORLD, 8);
    PUT(0, DUMPI_WAITALL, 4, LIST(5, 6, 7, 8), NO_STATUS);
    for (int i = 0; i < 8; i++)
        PUT(1, DUMPI_RECV, 2, DOUBLE, 0, i < 4 ? 7 : 8, WORLD, NO_STATUS);
    dumpi_expect("send 1 7 16\nbsend 1 7 8\nssend 1 7 8\nsend 1 7 0\nisend 1 8 8 as 0\nibsend 1 8 8 as 1\n"
                 "issend 1 8 8 as 2\nisend 1 8 8 as 3\nwaitall 4\n");
    dumpi_expect_messages("");
}

static void nothing_goes_to_proc_null(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_SEND, 2, DOUBLE, -1, 7, WORLD);         /* MPICH */
    PUT(0, DUMPI_SEND, 2, DOUBLE, -2, 7, WORLD);         /* Open MPI */
    PUT(0, DUMPI_RECV, 2, INT, -2, 7, WORLD, NO_STATUS); /* Open MPI */
    PUT(0, DUMPI_RECV, 2, INT, -1, 7, WORLD, STATUS(0, -1, -1, 0));
    PUT(0, DUMPI_ISEND, 2, INT, -2, 7, WORLD, 5);
    PUT(0, DUMPI_WAIT, 5, NO_STATUS);
    PUT(0, DUMPI_SENDRECV, 1, INT, -1, 7, 2, INT, -2, 8, WORLD, NO_STATUS);
    PUT(0, DUMPI_SENDRECV, 1, INT, 1, 7, 2, INT, -2, 8, WORLD, NO_STATUS);
    PUT(0, DUMPI_SENDRECV, 1, INT, -1, 7, 2, INT, 1, 8, WORLD, NO_STATUS);
    PUT(1, DUMPI_SENDRECV_REPLACE, 2, INT, 0, 8, 0, 7, WORLD, NO_STATUS);
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_rank(
        compiled, 0,
        "MPI_Send\nMPI_Send\nMPI_Recv\nMPI_Recv\nMPI_Isend\nMPI_Wait\nMPI_Sendrecv\nsend 1 7 4\n"
        "recv 1 8 8\n");
    dumpi_expect_rank(compiled, 1, "sendRecv 0 8 8 0 7 8\n");
    dumpi_expect_messages("");
    traces_close(compiled);
}

static void statuses_tell_wildcards_from_proc_null(void **state)
{
    (void)state;
    dumpi_begin(2);
    for (int i = 0; i < 4; i++)
        PUT(1, DUMPI_SEND, 2, INT, 0, 7, WORLD);
    PUT(0, DUMPI_RECV, 4, INT, -1, -1, WORLD, STATUS(8, 1, 7, 0));
    PUT(0, DUMPI_IRECV, 4, INT, -1, 7, WORLD, 5);
    PUT(0, DUMPI_IRECV, 4, INT, -1, 7, WORLD, 6);
    PUT(0, DUMPI_WAITALL, 2, LIST(5, 6), 2, ((const int[]){8, 1, 7, 0, 0, -1, -1, 0}));
    PUT(0, DUMPI_SENDRECV, 0, INT, 0, 3, 2, INT, -1, 7, WORLD, STATUS(8, 1, 7, 0));
    PUT(0, DUMPI_RECV, 0, INT, 0, 3, WORLD, NO_STATUS);
    PUT(0, DUMPI_RECV, 4, INT, -1, 7, WORLD, STATUS(8, 1, 7, 0));
    dumpi_expect("recv -2 any 16\nirecv -2 7 16 as 0\nMPI_Irecv\nwait 0\nsendRecv 0 3 0 -2 7 8\nrecv 0 3 0\n"
                 "recv -2 7 16\n");
    dumpi_expect_messages("");
}

/* Without a status, what is sent decides. */
static void undefined_sources_are_decided_as_in_ti(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_IRECV, 4, INT, -1, 7, WORLD, 5);
    PUT(0, DUMPI_SENDRECV, 1, INT, 1, 1, 1, INT, -1, 9, WORLD, NO_STATUS);
    PUT(0, DUMPI_WAIT, 5, NO_STATUS);
    PUT(1, DUMPI_SEND, 2, INT, 0, 7, WORLD);
    PUT(1, DUMPI_RECV, 2, INT, 0, 1, WORLD, NO_STATUS);
    struct compiled_trace *compiled;
    struct program *program;
    const char *path = dumpi_write_trace();
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    dumpi_expect_rank(
        compiled, 0,
        "irecv -2 7 16 as 0\nMPI_Sendrecv: non-blocking recv of 4 bytes from any source, tag 9\nsend 1 1 4\n"
        "MPI_Sendrecv: wait for request 3\nwait 0\n");
    traces_close(compiled);
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    dumpi_expect_messages("warning: ");
    program->ops->close(program);
}

static void ends_are_ranks_of_the_communicator(void **state)
{
    (void)state;
    dumpi_begin(3);
    for (int r = 0; r < 3; r++) {
        PUT(r, DUMPI_COMM_SPLIT, WORLD, 0, -r, COMM); /* 2 1 0 */
        PUT(r, DUMPI_COMM_RANK, COMM, 2 - r);
    }
    PUT(0, DUMPI_SEND, 1, INT, 0, 7, COMM);
    PUT(2, DUMPI_RECV, 1, INT, 2, 7, COMM, NO_STATUS);
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_rank(compiled, 0, "MPI_Comm_split\nMPI_Comm_rank\nsend 2 7 4 in 2 1 0\n");
    dumpi_expect_rank(compiled, 2, "MPI_Comm_split\nMPI_Comm_rank\nrecv 0 7 4 in 2 1 0\n");
    traces_close(compiled);
    dumpi_expect_messages("");
}

/* ----------------------------------------------------------------- requests */

static void put_sends(int count)
{
    for (int i = 0; i < count; i++) {
        PUT(0, DUMPI_ISEND, 1, INT, 1, 7, WORLD, REQUEST + i);
        PUT(1, DUMPI_RECV, 1, INT, 0, 7, WORLD, NO_STATUS);
    }
}

static void completions_wait_for_what_they_complete(void **state)
{
    (void)state;
    dumpi_begin(2);
    put_sends(7);
    PUT(0, DUMPI_WAITANY, 3, LIST(2, 3, 4), 1, NO_STATUS);
    PUT(0, DUMPI_WAITSOME, 2, LIST(2, 4), 2, LIST(1, 0), NO_STATUS);
    PUT(0, DUMPI_TESTANY, 2, LIST(5, 6), 1, 1, NO_STATUS);
    PUT(0, DUMPI_TESTANY, 1, LIST(5), UNDEFINED, 0, NO_STATUS);
    PUT(0, DUMPI_TESTSOME, 2, LIST(5, 7), UNDEFINED, NO_STATUS, NO_STATUS);
    PUT(0, DUMPI_TESTSOME, 2, LIST(5, 7), 1, LIST(0), NO_STATUS);
    PUT(0, DUMPI_TEST, 7, 0, NO_STATUS);
    PUT(0, DUMPI_TESTALL, 2, LIST(7, 8), 0, NO_STATUS);
    PUT(0, DUMPI_TESTALL, 2, LIST(7, 8), 1, NO_STATUS);
    PUT(0, DUMPI_WAITALL, 2, LIST(1, 1), NO_STATUS); /* MPI_REQUEST_NULL */
    PUT(0, DUMPI_WAITANY, 1, LIST(1), UNDEFINED, NO_STATUS);
    dumpi_expect(
        "isend 1 7 4 as 0\nisend 1 7 4 as 1\nisend 1 7 4 as 2\nisend 1 7 4 as 3\nisend 1 7 4 as 4\n"
        "isend 1 7 4 as 5\nisend 1 7 4 as 6\nwait 1\nwait 2\nwait 0\nwait 4\nMPI_Testany\nMPI_Testsome\n"
        "wait 3\nMPI_Test\nMPI_Testall\nwaitall 2\nMPI_Waitall\nMPI_Waitany\n");
    dumpi_expect_messages("");
}

static void a_waitall_of_some_is_several_waits(void **state)
{
    (void)state;
    dumpi_begin(2);
    put_sends(3);
    PUT(0, DUMPI_WAITALL, 2, LIST(4, 2), NO_STATUS);
    PUT(0, DUMPI_TEST, 3, 1, NO_STATUS);
    dumpi_expect("isend 1 7 4 as 0\nisend 1 7 4 as 1\nisend 1 7 4 as 2\nwait 2\nwait 0\nwait 1\n");
}

/* MPICH has one handle for all sends that have ended when they return. */
static void a_handle_may_stand_for_several_requests(void **state)
{
    (void)state;
    dumpi_begin(2);
    for (int i = 0; i < 4; i++) {
        PUT(0, DUMPI_ISEND, 1, INT, 1, i, WORLD, 9);
        PUT(1, DUMPI_RECV, 1, INT, 0, i, WORLD, NO_STATUS);
    }
    PUT(0, DUMPI_WAIT, 9, NO_STATUS);
    PUT(0, DUMPI_WAITALL, 2, LIST(9, 9), NO_STATUS);
    PUT(0, DUMPI_WAIT, 9, NO_STATUS);
    dumpi_expect(
        "isend 1 0 4 as 0\nisend 1 1 4 as 1\nisend 1 2 4 as 2\nisend 1 3 4 as 3\nwait 0\nwait 1\nwait 2\n"
        "wait 3\n");
}

static void persistent_requests_start_again(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_SEND_INIT, 3, INT, 1, 7, WORLD, 5);
    PUT(0, DUMPI_SSEND_INIT, 3, INT, 1, 8, WORLD, 6);
    PUT(0, DUMPI_RECV_INIT, 3, INT, 1, 9, WORLD, 7);
    PUT(0, DUMPI_WAIT, 5, NO_STATUS); /* not started */
    for (int i = 0; i < 2; i++) {
        PUT(0, DUMPI_STARTALL, 2, LIST(5, 6));
        PUT(0, DUMPI_START, 7);
        PUT(0, DUMPI_WAITALL, 3, LIST(5, 6, 7), NO_STATUS);
        PUT(1, DUMPI_RECV, 3, INT, 0, 7, WORLD, NO_STATUS);
        PUT(1, DUMPI_RECV, 3, INT, 0, 8, WORLD, NO_STATUS);
        PUT(1, DUMPI_SEND, 3, INT, 0, 9, WORLD);
    }
    PUT(0, DUMPI_REQUEST_FREE, 5);
    PUT(0, DUMPI_SEND_INIT, 3, INT, -1, 7, WORLD, 5); /* the handle again */
    PUT(0, DUMPI_START, 5);
    dumpi_expect("MPI_Send_init\nMPI_Ssend_init\nMPI_Recv_init\nMPI_Wait\n"
                 "isend 1 7 12 as 0\nissend 1 8 12 as 1\nirecv 1 9 12 as 2\nwaitall 3\n"
                 "isend 1 7 12 as 0\nissend 1 8 12 as 1\nirecv 1 9 12 as 2\nwaitall 3\n"
                 "MPI_Request_free\nMPI_Send_init\nMPI_Start\n");
    dumpi_expect_messages("");
}

static void a_cancelled_receive_does_nothing(void **state)
{
    struct program *program;
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_IRECV, 1, INT, 1, 7, WORLD, 5);
    PUT(0, DUMPI_IRECV, 1, INT, 1, 7, WORLD, 6);
    PUT(0, DUMPI_IRECV, 1, INT, 1, 8, WORLD, 7);
    PUT(0, DUMPI_IRECV, 1, INT, 1, 9, WORLD, 8);
    PUT(0, DUMPI_ISEND, 1, INT, 1, 8, WORLD, 9);
    for (int request = 5; request < 10; request++)
        PUT(0, DUMPI_CANCEL, request);
    PUT(0, DUMPI_WAIT, 6, STATUS(0, -1, -1, 1)); /* in time */
    PUT(0, DUMPI_WAIT, 5, STATUS(4, 1, 7, 0));   /* too late */
    PUT(0, DUMPI_WAIT, 7, NO_STATUS);
    PUT(0, DUMPI_REQUEST_FREE, 8);
    PUT(0, DUMPI_WAIT, 9, NO_STATUS);
    PUT(1, DUMPI_SEND, 1, INT, 0, 7, WORLD);
    PUT(1, DUMPI_RECV, 1, INT, 0, 8, WORLD, NO_STATUS);
    const char *path = dumpi_write_trace();
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    dumpi_expect_rank(
        compiled, 0,
        "irecv 1 7 4 as 0\nMPI_Irecv\nMPI_Irecv\nMPI_Irecv\nisend 1 8 4 as 4\nMPI_Cancel\nMPI_Cancel\n"
        "MPI_Cancel\nMPI_Cancel\nMPI_Cancel\nMPI_Wait\nwait 0\nMPI_Wait\nMPI_Request_free\nwait 4\n");
    traces_close(compiled);
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    dumpi_expect_messages("a request that was cancelled: it does nothing (the first of 3)\n");
    program->ops->close(program);
}

static void a_freed_request_stays_outstanding(void **state)
{
    (void)state;
    dumpi_begin(2);
    put_sends(2);
    PUT(0, DUMPI_REQUEST_FREE, 2);
    PUT(0, DUMPI_WAITALL, 1, LIST(3), NO_STATUS);
    PUT(0, DUMPI_ISEND, 1, INT, 1, 7, WORLD, 2);
    PUT(0, DUMPI_WAITALL, 1, LIST(2), NO_STATUS);
    PUT(1, DUMPI_RECV, 1, INT, 0, 7, WORLD, NO_STATUS);
    dumpi_expect("isend 1 7 4 as 0\nisend 1 7 4 as 1\nMPI_Request_free\nwait 1\nisend 1 7 4 as 1\nwait 1\n");
}

static void a_wait_for_an_unknown_request_is_noted(void **state)
{
    struct program *program;
    (void)state;
    dumpi_begin(1);
    dumpi_ranks[0].gap_ns = 1000;
    PUT(0, DUMPI_FILE_IREAD, 1, 1, INT, 5);
    PUT(0, DUMPI_ISEND, 1, INT, 0, 7, WORLD, 6);
    PUT(0, DUMPI_WAITALL, 3, LIST(5, 6, 7), NO_STATUS);
    PUT(0, DUMPI_RECV, 1, INT, 0, 7, WORLD, NO_STATUS);
    PUT(0, DUMPI_PUT, 1, INT, 0, 0, 1, INT, 1);
    PUT(0, DUMPI_WIN_FENCE, 0, 1);
    const char *path = dumpi_write_trace();
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    program->ops->close(program);
    const char *messages = traces_messages();
    if (!strstr(messages, "a request that is not outstanding: skipped (the first of 2)\n") ||
        !strstr(messages, " | MPI_Waitall: wait for request 2\n") ||
        !strstr(messages, "what it moved is missing from this trace (the first of 3)\n") ||
        !strstr(messages, "16 | MPI_File_iread\n"))
        fail_msg("%s", messages);
}

/* -------------------------------------------------------------------- types */

static void put_typed_send(int count, int type)
{
    PUT(0, DUMPI_SEND, count, type, 0, 7, WORLD);
    PUT(0, DUMPI_RECV, count, type, 0, 7, WORLD, NO_STATUS);
}

static void sizes_of_types_are_followed(void **state)
{
    (void)state;
    dumpi_begin(1);
    PUT(0, DUMPI_TYPE_CONTIGUOUS, 3, DOUBLE, TYPE); /* 24 */
    put_typed_send(2, TYPE);
    PUT(0, DUMPI_TYPE_VECTOR, 5, 2, 9, TYPE, TYPE + 1); /* 240 */
    put_typed_send(1, TYPE + 1);
    PUT(0, DUMPI_TYPE_INDEXED, 3, LIST(1, 0, 4), LIST(0, 8, 9), INT, TYPE + 2); /* 20 */
    put_typed_send(1, TYPE + 2);
    PUT(0, DUMPI_TYPE_CREATE_STRUCT, 2, LIST(2, 3), LIST(0, 100), LIST(TYPE + 2, BYTE), TYPE + 3); /* 43 */
    put_typed_send(1, TYPE + 3);
    PUT(0, DUMPI_TYPE_DUP, TYPE + 3, TYPE + 4);
    PUT(0, DUMPI_TYPE_CREATE_RESIZED, TYPE + 4, -8, 1000, TYPE + 5);
    put_typed_send(2, TYPE + 5); /* 86 */
    PUT(0, DUMPI_TYPE_CREATE_SUBARRAY, 2, LIST(10, 10), LIST(3, 4), LIST(1, 1), 1, DOUBLE, TYPE + 6);
    put_typed_send(1, TYPE + 6); /* 96 */
    PUT(0, DUMPI_TYPE_CREATE_INDEXED_BLOCK, 4, 5, LIST(0, 10, 20, 30), INT, TYPE + 7);
    put_typed_send(1, TYPE + 7); /* 80 */
    PUT(0, DUMPI_TYPE_FREE, TYPE);
    PUT(0, DUMPI_TYPE_CREATE_HVECTOR, 7, 1, 64, BYTE, TYPE); /* the handle again */
    put_typed_send(1, TYPE);                                 /* 7 */
    PUT(0, DUMPI_TYPE_SIZE, 50, 33);                         /* of a type that MPI has made */
    put_typed_send(1, 50);
    dumpi_expect(
        "MPI_Type_contiguous\nsend 0 7 48\nrecv 0 7 48\nMPI_Type_vector\nsend 0 7 240\nrecv 0 7 240\n"
        "MPI_Type_indexed\nsend 0 7 20\nrecv 0 7 20\nMPI_Type_create_struct\nsend 0 7 43\nrecv 0 7 43\n"
        "MPI_Type_dup\nMPI_Type_create_resized\nsend 0 7 86\nrecv 0 7 86\n"
        "MPI_Type_create_subarray\nsend 0 7 96\nrecv 0 7 96\n"
        "MPI_Type_create_indexed_block\nsend 0 7 80\nrecv 0 7 80\n"
        "MPI_Type_free\nMPI_Type_create_hvector\nsend 0 7 7\nrecv 0 7 7\n"
        "MPI_Type_size\nsend 0 7 33\nrecv 0 7 33\n");
}

/* An array of 10 by 7 over a grid of 2 by 3 processes: rows in blocks, columns cyclically. All parts together
 * are the array. */
static void a_darray_is_a_process_part(void **state)
{
    static const int expected[] = {5 * 3, 5 * 2, 5 * 2, 5 * 3, 5 * 2, 5 * 2};
    char text[200];
    (void)state;
    for (int process = 0; process < 6; process++) {
        dumpi_begin(1);
        PUT(0, DUMPI_TYPE_CREATE_DARRAY, 6, process, 2, LIST(10, 7), LIST(1, 2), LIST(-1, -1), LIST(2, 3), 1,
            BYTE, TYPE);
        put_typed_send(1, TYPE);
        snprintf(text, sizeof text, "MPI_Type_create_darray\nsend 0 7 %d\nrecv 0 7 %d\n", expected[process],
                 expected[process]);
        dumpi_expect(text);
    }
}

static void the_table_has_the_sizes_of_other_types(void **state)
{
    (void)state;
    dumpi_begin(1);
    dumpi_ranks[0].size_count = 31;
    dumpi_ranks[0].sizes[11] = 4; /* LONG, of a 32-bit machine */
    dumpi_ranks[0].sizes[30] = 8; /* such as Fortran's DOUBLE PRECISION */
    put_typed_send(3, 11);
    put_typed_send(3, 30);
    put_typed_send(3, INT);
    dumpi_expect("send 0 7 12\nrecv 0 7 12\nsend 0 7 24\nrecv 0 7 24\nsend 0 7 12\nrecv 0 7 12\n");
    dumpi_begin(1);
    put_typed_send(1, 31);
    dumpi_expect_error("byte 16: error: MPI_Send: no call makes datatype 31, and the file has no size of it");
}

/* -------------------------------------------------------------- collectives */

static void collectives_have_their_sizes(void **state)
{
    (void)state;
    dumpi_begin(2);
    for (int r = 0; r < 2; r++) {
        PUT(r, DUMPI_BARRIER, WORLD);
        PUT(r, DUMPI_BCAST, 3, INT, 1, WORLD);
        PUT(r, DUMPI_REDUCE, 3, DOUBLE, 3, 1, WORLD);
        PUT(r, DUMPI_ALLREDUCE, 3, DOUBLE, 3, WORLD);
        PUT(r, DUMPI_SCAN, 1, INT, 3, WORLD);
        PUT(r, DUMPI_EXSCAN, 1, INT, 3, WORLD);
        PUT(r, DUMPI_REDUCE_SCATTER, 2, LIST(1, 2), INT, 3, WORLD);
        PUT(r, DUMPI_ALLTOALL, 3, INT, 12, BYTE, WORLD);
        PUT(r, DUMPI_ALLGATHER, 5, BYTE, 5, BYTE, WORLD);
        PUT(r, DUMPI_ALLGATHERV, 2, r + 1, INT, LIST(1, 2), LIST(0, 1), INT, WORLD);
        PUT(r, DUMPI_ALLTOALLV, 2, LIST(r, 2), LIST(0, 9), INT, LIST(r ? 2 : 0, r ? 2 : 1), LIST(0, 9), INT,
            WORLD);
        PUT(r, DUMPI_ALLTOALLW, 2, LIST(3, 3), LIST(0, 9), LIST(BYTE, BYTE), LIST(3, 3), LIST(0, 9),
            LIST(BYTE, BYTE), WORLD);
    }
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_rank(
        compiled, 1,
        "barrier 0 0 root 0\nbcast 12 0 root 1\nreduce 24 0 root 1 of 8\nallreduce 24 0 root 0 of 8\n"
        "scan 4 0 root 0 of 4\nexscan 4 0 root 0 of 4\nreducescatter 0 0 root 0 [] [4 8] of 4\n"
        "alltoall 12 12 root 0\nallgather 5 5 root 0\nallgatherv 8 0 root 0 [] [4 8]\n"
        "alltoallv 0 0 root 0 [4 8] [8 8]\nalltoallv 0 0 root 0 [3 3] [3 3]\n");
    dumpi_expect_messages("");
    traces_close(compiled);
}

static void roots_know_the_sizes_of_all(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_GATHER, 0, 3, INT, 0, WORLD, 12, BYTE);
    PUT(1, DUMPI_GATHER, 1, 3, INT, 0, WORLD);
    PUT(0, DUMPI_GATHERV, 0, 2, 1, INT, 0, WORLD, LIST(1, 2), LIST(0, 1), INT);
    PUT(1, DUMPI_GATHERV, 1, 2, 2, INT, 0, WORLD, 1);
    PUT(0, DUMPI_SCATTER, 0, 3, INT, 0, WORLD, 12, BYTE);
    PUT(1, DUMPI_SCATTER, 1, 3, INT, 0, WORLD);
    PUT(0, DUMPI_SCATTERV, 0, 2, INT, 1, INT, 0, WORLD, LIST(1, 2), LIST(0, 1));
    PUT(1, DUMPI_SCATTERV, 1, 2, 1, 2, INT, 0, WORLD);
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_rank(compiled, 0,
                      "gather 12 12 root 0\ngatherv 4 0 root 0 [] [4 8]\nscatter 12 12 root 0\n"
                      "scatterv 4 4 root 0 [4 8] []\n");
    dumpi_expect_rank(compiled, 1,
                      "gather 12 0 root 0\ngatherv 8 0 root 0\nscatter 12 12 root 0\nscatterv 8 8 root 0\n");
    traces_close(compiled);
}

static void in_place_takes_the_other_size(void **state)
{
    (void)state;
    dumpi_begin(2);
    for (int r = 0; r < 2; r++) {
        PUT(r, DUMPI_ALLTOALL, 7, 1, 3, INT, WORLD); /* MPI_DATATYPE_NULL */
        PUT(r, DUMPI_ALLGATHER, 0, INT, 3, INT, WORLD);
        PUT(r, DUMPI_ALLGATHERV, 2, 0, 1, LIST(1, 2), LIST(0, 1), INT, WORLD);
        PUT(r, DUMPI_ALLTOALLV, 2, NO_STATUS, NO_STATUS, 1, LIST(5, 5), LIST(0, 9), INT, WORLD);
    }
    PUT(0, DUMPI_GATHER, 0, 99, 1, 0, WORLD, 3, INT);
    PUT(1, DUMPI_GATHER, 1, 3, INT, 0, WORLD);
    PUT(0, DUMPI_SCATTER, 0, 99, 1, 0, WORLD, 3, INT);
    PUT(1, DUMPI_SCATTER, 1, 3, INT, 0, WORLD);
    dumpi_expect("alltoall 12 12 root 0\nallgather 12 12 root 0\nallgatherv 4 0 root 0 [] [4 8]\n"
                 "alltoallv 0 0 root 0 [20 20] [20 20]\ngather 12 12 root 0\nscatter 12 12 root 0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computation_lies_between_calls),
        cmocka_unit_test(the_clock_wraps),
        cmocka_unit_test(what_a_record_may_lack_or_have),
        cmocka_unit_test(several_threads_compute_after_the_last),
        cmocka_unit_test(all_kinds_of_sends),
        cmocka_unit_test(nothing_goes_to_proc_null),
        cmocka_unit_test(statuses_tell_wildcards_from_proc_null),
        cmocka_unit_test(undefined_sources_are_decided_as_in_ti),
        cmocka_unit_test(ends_are_ranks_of_the_communicator),
        cmocka_unit_test(completions_wait_for_what_they_complete),
        cmocka_unit_test(a_waitall_of_some_is_several_waits),
        cmocka_unit_test(a_handle_may_stand_for_several_requests),
        cmocka_unit_test(persistent_requests_start_again),
        cmocka_unit_test(a_cancelled_receive_does_nothing),
        cmocka_unit_test(a_freed_request_stays_outstanding),
        cmocka_unit_test(a_wait_for_an_unknown_request_is_noted),
        cmocka_unit_test(sizes_of_types_are_followed),
        cmocka_unit_test(a_darray_is_a_process_part),
        cmocka_unit_test(the_table_has_the_sizes_of_other_types),
        cmocka_unit_test(collectives_have_their_sizes),
        cmocka_unit_test(roots_know_the_sizes_of_all),
        cmocka_unit_test(in_place_takes_the_other_size),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
