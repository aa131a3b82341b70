/* DUMPI: what each call becomes, in traces that are written call by call. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/memory_stream.h"
#include "support/dumpi.h"
#include "support/traces.h"
#include "trace/trace.h"

enum { BYTE = 5, INT = 9, DOUBLE = 14, TYPE = 28 }; /* TYPE: the first that a program makes */
enum { WORLD = 2, SELF = 3, COMM = 4 };             /* COMM: likewise */
enum { GROUP = 3, REQUEST = 2, MOST_RANKS = 8, UNDEFINED = -32766 };

#define LIST(...)                                                                                            \
    (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)), (const int[])                                           \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define NO_STATUS 0, (const int *)NULL
#define STATUS(bytes, source, tag, cancelled)                                                                \
    1, (const int[])                                                                                         \
    {                                                                                                        \
        bytes, source, tag, cancelled                                                                        \
    }

/* The ranks of the trace that a test writes. Calls follow one another without computation. */
static struct dumpi_text ranks[MOST_RANKS];
static int rank_count;

static void begin(int count)
{
    rank_count = count;
    for (int rank = 0; rank < count; rank++) {
        dumpi_text_begin(&ranks[rank]);
        ranks[rank].gap_ns = 0;
    }
}

#define PUT(rank, ...) dumpi_text_put(&ranks[rank], __VA_ARGS__)
#define PUT_ALL(...)                                                                                         \
    do                                                                                                       \
        for (int r = 0; r < rank_count; r++)                                                                 \
            PUT(r, __VA_ARGS__);                                                                             \
    while (0)

/* Writes the files of the ranks, and their .meta, whose path it returns. */
static const char *write_trace(void)
{
    static int number;
    char name[40], meta[80];
    for (int rank = 0; rank < rank_count; rank++) {
        dumpi_text_end(&ranks[rank]);
        snprintf(name, sizeof name, "%d/t-%04d.bin", number, rank);
        traces_write(name, (const char *)ranks[rank].bytes, ranks[rank].count);
        dumpi_text_free(&ranks[rank]);
    }
    snprintf(meta, sizeof meta, "hostname=node0\nnumprocs=%d\nfileprefix=t\n", rank_count);
    snprintf(name, sizeof name, "%d/t.meta", number++);
    return traces_write(name, meta, strlen(meta));
}

static struct compiled_trace *open_trace(void)
{
    struct compiled_trace *compiled;
    enum status status = trace_open_compiled(write_trace(), &compiled);
    if (status != STATUS_OK)
        fail_msg("%s", traces_messages());
    return compiled;
}

/* ----------------------------------------------------------------- printing */

static void print_sizes(FILE *out, const struct compiled_trace *compiled, const struct call *call,
                        uint64_t at)
{
    fputs(" [", out);
    for (uint32_t i = 0; at && i < compiled->program.groups[call->group].size; i++)
        fprintf(out, i ? " %" PRIu64 : "%" PRIu64, compiled->program.counts[at + i]);
    fputs("]", out);
}

static void print_tag(FILE *out, int32_t tag)
{
    if (tag == CALL_ANY_TAG)
        fputs(" any", out);
    else
        fprintf(out, " %d", tag);
}

static void print_ends(FILE *out, const struct call *call)
{
    fprintf(out, "%s%s%s%s %d", call->flags & CALL_IMMEDIATE ? "i" : "",
            call->flags & CALL_SYNCHRONOUS ? "s" : "", call->flags & CALL_BUFFERED ? "b" : "",
            call_op_name(call->op), call->peer);
    print_tag(out, call->tag);
    fprintf(out, " %" PRIu64, call->op == CALL_RECV ? call->recv_bytes : call->bytes);
    if (call->op == CALL_SENDRECV) {
        fprintf(out, " %d", call->source);
        print_tag(out, call_source_tag(call));
        fprintf(out, " %" PRIu64, call->recv_bytes);
    }
    if (call->flags & CALL_IMMEDIATE)
        fprintf(out, " as %u", call->slot - SLOT_FIRST);
}

static void print_collective(FILE *out, const struct compiled_trace *compiled, const struct call *call)
{
    fprintf(out, "%s %" PRIu64 " %" PRIu64 " root %d", call_op_name(call->op), call->bytes, call->recv_bytes,
            call->peer);
    if (call->send_counts || call->recv_counts) {
        print_sizes(out, compiled, call, call->send_counts);
        print_sizes(out, compiled, call, call->recv_counts);
    }
    if (call->element_bytes)
        fprintf(out, " of %u", call->element_bytes);
}

static void print_comm(FILE *out, const struct compiled_trace *compiled, uint32_t context)
{
    fputs(" in", out);
    for (uint32_t i = 0; i < compiled->program.groups[context].size; i++)
        fprintf(out, " %u", group_world(&compiled->program.groups[context], i));
}

static void print_call(FILE *out, const struct compiled_trace *compiled, uint32_t rank, uint32_t token)
{
    const struct call *call = &compiled_calls(compiled, rank)[token];
    size_t length;
    const char *text = compiled_text(compiled, rank, token, &length);
    if (call->op == CALL_NOTHING)
        fprintf(out, "%.*s", (int)length, text);
    else if (call->op == CALL_SEND || call->op == CALL_RECV || call->op == CALL_SENDRECV)
        print_ends(out, call);
    else if (call->op == CALL_WAIT)
        fprintf(out, "wait %u", call->slot - SLOT_FIRST);
    else if (call->op == CALL_WAITALL)
        fprintf(out, "waitall %u", call->expected);
    else if (call_is_collective(call))
        print_collective(out, compiled, call);
    else
        fprintf(out, "%s", call_op_name(call->op));
    if (call->context)
        print_comm(out, compiled, call->context);
}

/* A line for each call of the rank. */
static char *print_rank(const struct compiled_trace *compiled, uint32_t rank)
{
    char *text;
    size_t size;
    FILE *out = memory_stream_open(&text, &size);
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    for (uint64_t i = 0; i < compiled_lines(compiled, rank); i++) {
        if (tokens[i] & TOKEN_COMPUTE)
            fprintf(out, "compute %.0f", compiled_amounts(compiled, rank)[tokens[i] & ~TOKEN_COMPUTE]);
        else
            print_call(out, compiled, rank, tokens[i]);
        fputc('\n', out);
    }
    fputc('\0', out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect_rank(const struct compiled_trace *compiled, uint32_t rank, const char *expected)
{
    char *printed = print_rank(compiled, rank);
    if (strcmp(printed, expected) != 0)
        fail_msg("rank %u has\n%sinstead of\n%s", rank, printed, expected);
    free(printed);
}

/* The calls of rank 0 of the trace that has been written. */
static void expect(const char *expected)
{
    struct compiled_trace *compiled = open_trace();
    expect_rank(compiled, 0, expected);
    traces_close(compiled);
}

static void expect_messages(const char *part)
{
    const char *messages = traces_messages();
    if (*part ? !strstr(messages, part) : *messages)
        fail_msg("'%s' is not in '%s'", part, messages);
}

/* The trace is refused, with this message. */
static void expect_error(const char *part)
{
    struct compiled_trace *compiled;
    traces_messages();
    assert_int_equal(trace_open_compiled(write_trace(), &compiled), STATUS_BAD_INPUT);
    expect_messages(part);
}

/* -------------------------------------------------------------------- times */

static void computation_lies_between_calls(void **state)
{
    (void)state;
    begin(1);
    PUT(0, DUMPI_INIT);
    ranks[0].gap_ns = 1000;
    PUT(0, DUMPI_COMM_SIZE, WORLD, 1); /* takes 500 ns, which are no computation */
    PUT(0, DUMPI_WTIME);
    PUT(0, DUMPI_BARRIER, WORLD);
    PUT(0, DUMPI_BARRIER, WORLD);
    ranks[0].gap_ns = 0;
    PUT(0, DUMPI_FINALIZE);
    expect("init\nMPI_Comm_size\nMPI_Wtime\ncompute 36000\nbarrier 0 0 root 0\ncompute 12000\n"
           "barrier 0 0 root 0\nfinalize\n");
}

/* Seconds have 16 bits in a record. */
static void the_clock_wraps(void **state)
{
    (void)state;
    begin(1);
    PUT(0, DUMPI_BARRIER, WORLD);
    ranks[0].gap_ns = UINT64_C(20000) * 1000000000;
    for (int i = 0; i < 4; i++)
        PUT(0, DUMPI_BARRIER, WORLD);
    expect("barrier 0 0 root 0\n"
           "compute 240000000000000\nbarrier 0 0 root 0\ncompute 240000000000000\nbarrier 0 0 root 0\n"
           "compute 240000000000000\nbarrier 0 0 root 0\ncompute 240000000000000\nbarrier 0 0 root 0\n");
}

static void what_a_record_may_lack_or_have(void **state)
{
    (void)state;
    begin(1);
    ranks[0].gap_ns = 1000000;
    ranks[0].took_ns = 500000;
    ranks[0].mask = DUMPI_HAS_CPU | DUMPI_HAS_COUNTERS; /* the processor's clock runs at a thousandth */
    PUT(0, DUMPI_BARRIER, WORLD);
    PUT(0, DUMPI_FUNCTION_ENTER, 4711LL);
    PUT(0, DUMPI_RECV, 1, BYTE, 0, 7, WORLD, NO_STATUS);
    ranks[0].mask = 0;
    PUT(0, DUMPI_SEND, 1, BYTE, 0, 7, WORLD);
    expect("barrier 0 0 root 0\ncompute 30000\nrecv 0 7 1\nsend 0 7 1\n");
}

static void several_threads_compute_after_the_last(void **state)
{
    (void)state;
    begin(1);
    ranks[0].took_ns = 10000;
    PUT(0, DUMPI_BARRIER, WORLD); /* to 10 us */
    ranks[0].thread = 1;
    ranks[0].now_ns = 2000;
    ranks[0].took_ns = 3000;
    PUT(0, DUMPI_BARRIER, WORLD); /* from 2 to 5 us */
    ranks[0].now_ns = 11000;
    PUT(0, DUMPI_BARRIER, WORLD);
    expect("barrier 0 0 root 0\nbarrier 0 0 root 0\ncompute 12000\nbarrier 0 0 root 0\n");
}

/* ----------------------------------------------------------------- messages */

static void all_kinds_of_sends(void **state)
{
    (void)state;
    begin(2);
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
    expect("send 1 7 16\nbsend 1 7 8\nssend 1 7 8\nsend 1 7 0\nisend 1 8 8 as 0\nibsend 1 8 8 as 1\n"
           "issend 1 8 8 as 2\nisend 1 8 8 as 3\nwaitall 4\n");
    expect_messages("");
}

static void nothing_goes_to_proc_null(void **state)
{
    (void)state;
    begin(2);
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
    struct compiled_trace *compiled = open_trace();
    expect_rank(compiled, 0,
                "MPI_Send\nMPI_Send\nMPI_Recv\nMPI_Recv\nMPI_Isend\nMPI_Wait\nMPI_Sendrecv\nsend 1 7 4\n"
                "recv 1 8 8\n");
    expect_rank(compiled, 1, "sendRecv 0 8 8 0 7 8\n");
    expect_messages("");
    traces_close(compiled);
}

static void statuses_tell_wildcards_from_proc_null(void **state)
{
    (void)state;
    begin(2);
    for (int i = 0; i < 4; i++)
        PUT(1, DUMPI_SEND, 2, INT, 0, 7, WORLD);
    PUT(0, DUMPI_RECV, 4, INT, -1, -1, WORLD, STATUS(8, 1, 7, 0));
    PUT(0, DUMPI_IRECV, 4, INT, -1, 7, WORLD, 5);
    PUT(0, DUMPI_IRECV, 4, INT, -1, 7, WORLD, 6);
    PUT(0, DUMPI_WAITALL, 2, LIST(5, 6), 2, ((const int[]){8, 1, 7, 0, 0, -1, -1, 0}));
    PUT(0, DUMPI_SENDRECV, 0, INT, 0, 3, 2, INT, -1, 7, WORLD, STATUS(8, 1, 7, 0));
    PUT(0, DUMPI_RECV, 0, INT, 0, 3, WORLD, NO_STATUS);
    PUT(0, DUMPI_RECV, 4, INT, -1, 7, WORLD, STATUS(8, 1, 7, 0));
    expect("recv -2 any 16\nirecv -2 7 16 as 0\nMPI_Irecv\nwait 0\nsendRecv 0 3 0 -2 7 8\nrecv 0 3 0\n"
           "recv -2 7 16\n");
    expect_messages("");
}

/* Without a status, what is sent decides. */
static void undefined_sources_are_decided_as_in_ti(void **state)
{
    (void)state;
    begin(2);
    PUT(0, DUMPI_IRECV, 4, INT, -1, 7, WORLD, 5);
    PUT(0, DUMPI_SENDRECV, 1, INT, 1, 1, 1, INT, -1, 9, WORLD, NO_STATUS);
    PUT(0, DUMPI_WAIT, 5, NO_STATUS);
    PUT(1, DUMPI_SEND, 2, INT, 0, 7, WORLD);
    PUT(1, DUMPI_RECV, 2, INT, 0, 1, WORLD, NO_STATUS);
    struct compiled_trace *compiled;
    struct program *program;
    const char *path = write_trace();
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    expect_rank(
        compiled, 0,
        "irecv -2 7 16 as 0\nMPI_Sendrecv: non-blocking recv of 4 bytes from any source, tag 9\nsend 1 1 4\n"
        "MPI_Sendrecv: wait for request 3\nwait 0\n");
    traces_close(compiled);
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    expect_messages("warning: ");
    program->ops->close(program);
}

static void ends_are_ranks_of_the_communicator(void **state)
{
    (void)state;
    begin(3);
    for (int r = 0; r < 3; r++) {
        PUT(r, DUMPI_COMM_SPLIT, WORLD, 0, -r, COMM); /* 2 1 0 */
        PUT(r, DUMPI_COMM_RANK, COMM, 2 - r);
    }
    PUT(0, DUMPI_SEND, 1, INT, 0, 7, COMM);
    PUT(2, DUMPI_RECV, 1, INT, 2, 7, COMM, NO_STATUS);
    struct compiled_trace *compiled = open_trace();
    expect_rank(compiled, 0, "MPI_Comm_split\nMPI_Comm_rank\nsend 2 7 4 in 2 1 0\n");
    expect_rank(compiled, 2, "MPI_Comm_split\nMPI_Comm_rank\nrecv 0 7 4 in 2 1 0\n");
    traces_close(compiled);
    expect_messages("");
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
    begin(2);
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
    expect("isend 1 7 4 as 0\nisend 1 7 4 as 1\nisend 1 7 4 as 2\nisend 1 7 4 as 3\nisend 1 7 4 as 4\n"
           "isend 1 7 4 as 5\nisend 1 7 4 as 6\nwait 1\nwait 2\nwait 0\nwait 4\nMPI_Testany\nMPI_Testsome\n"
           "wait 3\nMPI_Test\nMPI_Testall\nwaitall 2\nMPI_Waitall\nMPI_Waitany\n");
    expect_messages("");
}

static void a_waitall_of_some_is_several_waits(void **state)
{
    (void)state;
    begin(2);
    put_sends(3);
    PUT(0, DUMPI_WAITALL, 2, LIST(4, 2), NO_STATUS);
    PUT(0, DUMPI_TEST, 3, 1, NO_STATUS);
    expect("isend 1 7 4 as 0\nisend 1 7 4 as 1\nisend 1 7 4 as 2\nwait 2\nwait 0\nwait 1\n");
}

/* MPICH has one handle for all sends that have ended when they return. */
static void a_handle_may_stand_for_several_requests(void **state)
{
    (void)state;
    begin(2);
    for (int i = 0; i < 4; i++) {
        PUT(0, DUMPI_ISEND, 1, INT, 1, i, WORLD, 9);
        PUT(1, DUMPI_RECV, 1, INT, 0, i, WORLD, NO_STATUS);
    }
    PUT(0, DUMPI_WAIT, 9, NO_STATUS);
    PUT(0, DUMPI_WAITALL, 2, LIST(9, 9), NO_STATUS);
    PUT(0, DUMPI_WAIT, 9, NO_STATUS);
    expect("isend 1 0 4 as 0\nisend 1 1 4 as 1\nisend 1 2 4 as 2\nisend 1 3 4 as 3\nwait 0\nwait 1\nwait 2\n"
           "wait 3\n");
}

static void persistent_requests_start_again(void **state)
{
    (void)state;
    begin(2);
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
    expect("MPI_Send_init\nMPI_Ssend_init\nMPI_Recv_init\nMPI_Wait\n"
           "isend 1 7 12 as 0\nissend 1 8 12 as 1\nirecv 1 9 12 as 2\nwaitall 3\n"
           "isend 1 7 12 as 0\nissend 1 8 12 as 1\nirecv 1 9 12 as 2\nwaitall 3\n"
           "MPI_Request_free\nMPI_Send_init\nMPI_Start\n");
    expect_messages("");
}

static void a_cancelled_receive_does_nothing(void **state)
{
    struct program *program;
    (void)state;
    begin(2);
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
    const char *path = write_trace();
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    expect_rank(
        compiled, 0,
        "irecv 1 7 4 as 0\nMPI_Irecv\nMPI_Irecv\nMPI_Irecv\nisend 1 8 4 as 4\nMPI_Cancel\nMPI_Cancel\n"
        "MPI_Cancel\nMPI_Cancel\nMPI_Cancel\nMPI_Wait\nwait 0\nMPI_Wait\nMPI_Request_free\nwait 4\n");
    traces_close(compiled);
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    expect_messages("a request that was cancelled: it does nothing (the first of 3)\n");
    program->ops->close(program);
}

static void a_freed_request_stays_outstanding(void **state)
{
    (void)state;
    begin(2);
    put_sends(2);
    PUT(0, DUMPI_REQUEST_FREE, 2);
    PUT(0, DUMPI_WAITALL, 1, LIST(3), NO_STATUS);
    PUT(0, DUMPI_ISEND, 1, INT, 1, 7, WORLD, 2);
    PUT(0, DUMPI_WAITALL, 1, LIST(2), NO_STATUS);
    PUT(1, DUMPI_RECV, 1, INT, 0, 7, WORLD, NO_STATUS);
    expect("isend 1 7 4 as 0\nisend 1 7 4 as 1\nMPI_Request_free\nwait 1\nisend 1 7 4 as 1\nwait 1\n");
}

static void a_wait_for_an_unknown_request_is_noted(void **state)
{
    struct program *program;
    (void)state;
    begin(1);
    ranks[0].gap_ns = 1000;
    PUT(0, DUMPI_FILE_IREAD, 1, 1, INT, 5);
    PUT(0, DUMPI_ISEND, 1, INT, 0, 7, WORLD, 6);
    PUT(0, DUMPI_WAITALL, 3, LIST(5, 6, 7), NO_STATUS);
    PUT(0, DUMPI_RECV, 1, INT, 0, 7, WORLD, NO_STATUS);
    PUT(0, DUMPI_PUT, 1, INT, 0, 0, 1, INT, 1);
    PUT(0, DUMPI_WIN_FENCE, 0, 1);
    const char *path = write_trace();
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
    begin(1);
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
    expect("MPI_Type_contiguous\nsend 0 7 48\nrecv 0 7 48\nMPI_Type_vector\nsend 0 7 240\nrecv 0 7 240\n"
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
        begin(1);
        PUT(0, DUMPI_TYPE_CREATE_DARRAY, 6, process, 2, LIST(10, 7), LIST(1, 2), LIST(-1, -1), LIST(2, 3), 1,
            BYTE, TYPE);
        put_typed_send(1, TYPE);
        snprintf(text, sizeof text, "MPI_Type_create_darray\nsend 0 7 %d\nrecv 0 7 %d\n", expected[process],
                 expected[process]);
        expect(text);
    }
}

static void the_table_has_the_sizes_of_other_types(void **state)
{
    (void)state;
    begin(1);
    ranks[0].size_count = 31;
    ranks[0].sizes[11] = 4; /* LONG, of a 32-bit machine */
    ranks[0].sizes[30] = 8; /* such as Fortran's DOUBLE PRECISION */
    put_typed_send(3, 11);
    put_typed_send(3, 30);
    put_typed_send(3, INT);
    expect("send 0 7 12\nrecv 0 7 12\nsend 0 7 24\nrecv 0 7 24\nsend 0 7 12\nrecv 0 7 12\n");
    begin(1);
    put_typed_send(1, 31);
    expect_error("byte 16: error: MPI_Send: no call makes datatype 31, and the file has no size of it");
}

/* -------------------------------------------------------------- collectives */

static void collectives_have_their_sizes(void **state)
{
    (void)state;
    begin(2);
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
    struct compiled_trace *compiled = open_trace();
    expect_rank(compiled, 1,
                "barrier 0 0 root 0\nbcast 12 0 root 1\nreduce 24 0 root 1 of 8\nallreduce 24 0 root 0 of 8\n"
                "scan 4 0 root 0 of 4\nexscan 4 0 root 0 of 4\nreducescatter 0 0 root 0 [] [4 8] of 4\n"
                "alltoall 12 12 root 0\nallgather 5 5 root 0\nallgatherv 8 0 root 0 [] [4 8]\n"
                "alltoallv 0 0 root 0 [4 8] [8 8]\nalltoallv 0 0 root 0 [3 3] [3 3]\n");
    expect_messages("");
    traces_close(compiled);
}

static void roots_know_the_sizes_of_all(void **state)
{
    (void)state;
    begin(2);
    PUT(0, DUMPI_GATHER, 0, 3, INT, 0, WORLD, 12, BYTE);
    PUT(1, DUMPI_GATHER, 1, 3, INT, 0, WORLD);
    PUT(0, DUMPI_GATHERV, 0, 2, 1, INT, 0, WORLD, LIST(1, 2), LIST(0, 1), INT);
    PUT(1, DUMPI_GATHERV, 1, 2, 2, INT, 0, WORLD, 1);
    PUT(0, DUMPI_SCATTER, 0, 3, INT, 0, WORLD, 12, BYTE);
    PUT(1, DUMPI_SCATTER, 1, 3, INT, 0, WORLD);
    PUT(0, DUMPI_SCATTERV, 0, 2, INT, 1, INT, 0, WORLD, LIST(1, 2), LIST(0, 1));
    PUT(1, DUMPI_SCATTERV, 1, 2, 1, 2, INT, 0, WORLD);
    struct compiled_trace *compiled = open_trace();
    expect_rank(compiled, 0,
                "gather 12 12 root 0\ngatherv 4 0 root 0 [] [4 8]\nscatter 12 12 root 0\n"
                "scatterv 4 4 root 0 [4 8] []\n");
    expect_rank(compiled, 1,
                "gather 12 0 root 0\ngatherv 8 0 root 0\nscatter 12 12 root 0\nscatterv 8 8 root 0\n");
    traces_close(compiled);
}

static void in_place_takes_the_other_size(void **state)
{
    (void)state;
    begin(2);
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
    expect("alltoall 12 12 root 0\nallgather 12 12 root 0\nallgatherv 4 0 root 0 [] [4 8]\n"
           "alltoallv 0 0 root 0 [20 20] [20 20]\ngather 12 12 root 0\nscatter 12 12 root 0\n");
}

/* ------------------------------------------------------------ communicators */

/* A barrier of each rank in this communicator, whose members are printed. */
static void put_barriers(int comm)
{
    PUT_ALL(DUMPI_BARRIER, comm);
}

/* The last line of the rank. */
static void expect_last(const struct compiled_trace *compiled, uint32_t rank, const char *expected)
{
    char *printed = print_rank(compiled, rank);
    size_t length = strlen(printed), wanted = strlen(expected);
    if (length < wanted || strcmp(printed + length - wanted, expected) != 0)
        fail_msg("rank %u has\n%sbut its end should be\n%s", rank, printed, expected);
    free(printed);
}

static void a_split_follows_colours_and_keys(void **state)
{
    (void)state;
    begin(6);
    for (int r = 0; r < 6; r++) /* rank 5 takes no part; the keys turn the even ranks round */
        PUT(r, DUMPI_COMM_SPLIT, WORLD, r == 5 ? UNDEFINED : r % 2, r % 2 ? 0 : -r, r == 5 ? 1 : COMM);
    for (int r = 0; r < 5; r++) {
        PUT(r, DUMPI_COMM_DUP, COMM, COMM + 1);
        PUT(r, DUMPI_COMM_FREE, COMM);
        PUT(r, DUMPI_COMM_SIZE, COMM + 1, r % 2 ? 2 : 3);
        PUT(r, DUMPI_BARRIER, COMM + 1);
    }
    struct compiled_trace *compiled = open_trace();
    for (uint32_t r = 0; r < 5; r++)
        expect_last(compiled, r, r % 2 ? "barrier 0 0 root 0 in 1 3\n" : "barrier 0 0 root 0 in 4 2 0\n");
    expect_rank(compiled, 5, "MPI_Comm_split\n");
    expect_messages("");
    traces_close(compiled);
}

static void groups_are_sets_in_order(void **state)
{
    (void)state;
    begin(6);
    PUT_ALL(DUMPI_COMM_GROUP, WORLD, GROUP);
    PUT_ALL(DUMPI_GROUP_INCL, GROUP, 4, LIST(4, 2, 0, 1), GROUP + 1);                            /* 4 2 0 1 */
    PUT_ALL(DUMPI_GROUP_EXCL, GROUP + 1, 1, LIST(1), GROUP + 2);                                 /* 4 0 1 */
    PUT_ALL(DUMPI_GROUP_RANGE_INCL, GROUP, 2, 2, ((const int[]){5, 3, -1, 0, 0, 1}), GROUP + 3); /* 5 4 3 0 */
    PUT_ALL(DUMPI_GROUP_RANGE_EXCL, GROUP, 1, 1, ((const int[]){0, 5, 2}), GROUP + 4);           /* 1 3 5 */
    PUT_ALL(DUMPI_GROUP_UNION, GROUP + 2, GROUP + 4, GROUP + 5);        /* 4 0 1 3 5 */
    PUT_ALL(DUMPI_GROUP_INTERSECTION, GROUP + 3, GROUP + 5, GROUP + 6); /* 5 4 3 0 */
    PUT_ALL(DUMPI_GROUP_DIFFERENCE, GROUP + 6, GROUP + 2, GROUP + 7);   /* 5 3 */
    for (int r = 0; r < 6; r++) {
        PUT(r, DUMPI_COMM_CREATE, WORLD, GROUP + 5, r == 2 ? 1 : COMM);
        PUT(r, DUMPI_COMM_CREATE, WORLD, r == 3 || r == 5 ? GROUP + 7 : GROUP + 2,
            r == 2 ? 1 : COMM + 1); /* two at once */
        if (r != 2)
            PUT(r, DUMPI_BARRIER, COMM);
        if (r != 2)
            PUT(r, DUMPI_BARRIER, COMM + 1);
    }
    struct compiled_trace *compiled = open_trace();
    expect_last(compiled, 4, "barrier 0 0 root 0 in 4 0 1 3 5\nbarrier 0 0 root 0 in 4 0 1\n");
    expect_last(compiled, 3, "barrier 0 0 root 0 in 4 0 1 3 5\nbarrier 0 0 root 0 in 5 3\n");
    expect_messages("");
    traces_close(compiled);
}

static void grids_and_graphs_are_followed(void **state)
{
    (void)state;
    begin(8);
    for (int r = 0; r < 8; r++) { /* 2 x 3: ranks 6 and 7 are not in it */
        PUT(r, DUMPI_CART_CREATE, WORLD, 2, LIST(2, 3), LIST(0, 1), 1, r < 6 ? COMM : 1);
        PUT(r, DUMPI_GRAPH_CREATE, 2, WORLD, 2, LIST(1, 2), LIST(1, 0), 0, r < 2 ? COMM + 3 : 1);
    }
    for (int r = 0; r < 6; r++) {
        PUT(r, DUMPI_CART_SUB, 2, COMM, LIST(0, 1), COMM + 1);  /* rows */
        PUT(r, DUMPI_CART_SUB, 2, COMM, LIST(1, 0), COMM + 2);  /* columns */
        PUT(r, DUMPI_CART_SUB, 1, COMM + 1, LIST(0), COMM + 4); /* each alone */
        PUT(r, DUMPI_BARRIER, COMM);
        PUT(r, DUMPI_BARRIER, COMM + 1);
        PUT(r, DUMPI_BARRIER, COMM + 2);
        PUT(r, DUMPI_BARRIER, COMM + 4);
    }
    PUT(0, DUMPI_BARRIER, COMM + 3);
    PUT(1, DUMPI_BARRIER, COMM + 3);
    struct compiled_trace *compiled = open_trace();
    expect_last(compiled, 4,
                "barrier 0 0 root 0 in 0 1 2 3 4 5\nbarrier 0 0 root 0 in 3 4 5\n"
                "barrier 0 0 root 0 in 1 4\nbarrier 0 0 root 0 in 4\n");
    expect_last(compiled, 1, "barrier 0 0 root 0 in 1\nbarrier 0 0 root 0 in 0 1\n");
    expect_rank(compiled, 7, "MPI_Cart_create\nMPI_Graph_create\n");
    traces_close(compiled);
}

/* Ranks 0 to 2 and 3 to 5, whose leaders are 1 and 5. */
static void put_intercomm(void)
{
    for (int r = 0; r < 6; r++) {
        PUT(r, DUMPI_COMM_SPLIT, WORLD, r / 3, 0, COMM);
        PUT(r, DUMPI_INTERCOMM_CREATE, COMM, r < 3 ? 1 : 2, WORLD, r < 3 ? 5 : 1, 99, COMM + 1);
    }
}

static void messages_cross_an_intercommunicator(void **state)
{
    struct program *program;
    (void)state;
    begin(6);
    put_intercomm();
    PUT_ALL(DUMPI_COMM_DUP, COMM + 1, COMM + 2);
    for (int r = 0; r < 6; r++) {
        PUT(r, DUMPI_COMM_RANK, COMM + 2, r % 3);
        PUT(r, DUMPI_COMM_SIZE, COMM + 2, 3);
        PUT(r, DUMPI_BARRIER, COMM + 2);
    }
    PUT(0, DUMPI_SEND, 1, INT, 2, 7, COMM + 2); /* to rank 5 */
    PUT(5, DUMPI_RECV, 1, INT, 0, 7, COMM + 2, NO_STATUS);
    const char *path = write_trace();
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    expect_last(compiled, 0, "MPI_Barrier\nsend 5 7 4 in 0 1 2 3 4 5\n");
    expect_last(compiled, 5, "MPI_Barrier\nrecv 0 7 4 in 0 1 2 3 4 5\n");
    traces_close(compiled);
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    expect_messages("what it moved is missing from this trace (the first of 6)\n");
    program->ops->close(program);
}

static void merging_orders_the_groups(void **state)
{
    (void)state;
    for (int high = 0; high < 3; high++) {
        begin(6);
        put_intercomm();
        for (int r = 0; r < 6; r++)
            PUT(r, DUMPI_INTERCOMM_MERGE, COMM + 1, high == 2 ? 1 : (r < 3) == (high == 1), COMM + 2);
        PUT_ALL(DUMPI_COMM_REMOTE_GROUP, COMM + 1, GROUP);
        for (int r = 0; r < 6; r++) /* the other group, which makes nothing for the rank's own */
            PUT(r, DUMPI_GROUP_SIZE, GROUP, 3);
        put_barriers(COMM + 2);
        struct compiled_trace *compiled = open_trace();
        expect_last(compiled, 2,
                    high == 1 ? "barrier 0 0 root 0 in 3 4 5 0 1 2\n"
                              : "barrier 0 0 root 0 in 0 1 2 3 4 5\n");
        traces_close(compiled);
    }
}

static void self_is_a_communicator_of_one(void **state)
{
    (void)state;
    begin(2);
    PUT_ALL(DUMPI_COMM_SIZE, SELF, 1);
    PUT_ALL(DUMPI_BARRIER, SELF);
    PUT_ALL(DUMPI_COMM_DUP, SELF, COMM);
    PUT_ALL(DUMPI_BCAST, 1, INT, 0, COMM);
    struct compiled_trace *compiled = open_trace();
    expect_rank(compiled, 1, "MPI_Comm_size\nbarrier 0 0 root 0 in 1\nMPI_Comm_dup\nbcast 4 0 root 0 in 1\n");
    traces_close(compiled);
}

static void processes_outside_the_trace_are_lost(void **state)
{
    (void)state;
    begin(2);
    PUT(0, DUMPI_COMM_SPAWN, 0, 0, WORLD, COMM, "worker", 4, 0, LIST(0, 0, 0, 0));
    PUT(1, DUMPI_COMM_SPAWN, 1, 0, WORLD, COMM);
    PUT(0, DUMPI_SEND, 1, INT, 3, 7, COMM);
    PUT(0, DUMPI_IRECV, 1, INT, 3, 7, COMM, 5);
    PUT(0, DUMPI_WAIT, 5, NO_STATUS);
    PUT_ALL(DUMPI_INTERCOMM_MERGE, COMM, 0, COMM + 1);
    PUT_ALL(DUMPI_BARRIER, COMM + 1);
    expect("MPI_Comm_spawn\nMPI_Send\nMPI_Irecv\nMPI_Wait\nMPI_Intercomm_merge\nMPI_Barrier\n");
}

/* ------------------------------------------------------------------- errors */

/* Communicators and groups of calls that DUMPI does not record, as MPI_Comm_split_type. A handle that has
 * been freed stands for nothing, so what it stands for next is not taken for what it was. */
static void communicators_of_no_call_are_lost(void **state)
{
    (void)state;
    begin(2);
    PUT_ALL(DUMPI_COMM_DUP, WORLD, COMM);
    PUT_ALL(DUMPI_BARRIER, COMM);
    PUT_ALL(DUMPI_COMM_FREE, COMM);
    PUT_ALL(DUMPI_COMM_SIZE, COMM, 1);
    PUT_ALL(DUMPI_BARRIER, COMM);
    PUT_ALL(DUMPI_COMM_DUP, COMM, COMM + 1);
    PUT_ALL(DUMPI_SEND, 1, INT, 0, 7, COMM + 1);
    PUT_ALL(DUMPI_WIN_GET_GROUP, 1, GROUP);
    PUT_ALL(DUMPI_COMM_CREATE, WORLD, GROUP, COMM);
    PUT_ALL(DUMPI_BARRIER, COMM);
    PUT_ALL(DUMPI_COMM_CREATE, WORLD, GROUP + 1, COMM);
    PUT_ALL(DUMPI_BARRIER, COMM);
    PUT_ALL(DUMPI_INTERCOMM_CREATE, WORLD, 0, COMM, 0, 7, COMM + 2);
    PUT_ALL(DUMPI_BCAST, 1, INT, 0, COMM + 2);
    expect(
        "MPI_Comm_dup\nbarrier 0 0 root 0 in 0 1\nMPI_Comm_free\nMPI_Comm_size\nMPI_Barrier\nMPI_Comm_dup\n"
        "MPI_Send\nMPI_Win_get_group\nMPI_Comm_create\nMPI_Barrier\nMPI_Comm_create\nMPI_Barrier\n"
        "MPI_Intercomm_create\nMPI_Bcast\n");
}

static void communicators_that_cannot_be_are_refused(void **state)
{
    (void)state;
    begin(2);
    PUT(0, DUMPI_COMM_DUP, WORLD, COMM);
    PUT(1, DUMPI_COMM_SPLIT, WORLD, 0, 0, COMM);
    expect_error("byte 16: error: this MPI_Comm_");
    begin(2);
    PUT(1, DUMPI_COMM_DUP, WORLD, COMM);
    expect_error("-0001.bin: byte 16: error: this MPI_Comm_dup cannot be: not all ranks of its communicator");
    begin(1);
    PUT(0, DUMPI_COMM_DUP, 1, COMM);
    expect_error("this MPI_Comm_dup cannot be: its communicator is MPI_COMM_NULL");
    begin(1);
    PUT(0, DUMPI_BARRIER, 1);
    expect_error("MPI_Barrier: its communicator is MPI_COMM_NULL");
    begin(2);
    PUT_ALL(DUMPI_COMM_GROUP, WORLD, GROUP);
    PUT_ALL(DUMPI_GROUP_INCL, GROUP, 2, LIST(1, 1), GROUP + 1);
    PUT_ALL(DUMPI_COMM_DUP, WORLD, COMM); /* without such a call groups do not count */
    expect_error("this MPI_Group_incl cannot be: it names rank 1 of a group twice");
    begin(2);
    PUT_ALL(DUMPI_COMM_GROUP, WORLD, GROUP);
    PUT_ALL(DUMPI_GROUP_INCL, GROUP, 1, LIST(0), GROUP + 1);
    PUT_ALL(DUMPI_COMM_CREATE, WORLD, GROUP + 1, COMM);
    expect_error("this MPI_Comm_create cannot be: its group has 1 ranks, of which 2 call it");
    begin(2);
    PUT_ALL(DUMPI_CART_CREATE, WORLD, 1, LIST(3), LIST(0), 0, COMM);
    expect_error("it wants 3 ranks of a communicator that has 2");
    begin(2);
    PUT_ALL(DUMPI_COMM_DUP, WORLD, COMM);
    PUT_ALL(DUMPI_CART_SUB, 1, COMM, LIST(1), COMM + 1);
    expect_error("it names 1 dimensions of a grid that has 0");
    begin(2);
    PUT_ALL(DUMPI_COMM_DUP, WORLD, COMM);
    PUT(0, DUMPI_COMM_RANK, COMM, 1);
    expect_error("it has said 1; by the calls that have made this communicator it is 0");
    begin(2);
    PUT_ALL(DUMPI_INTERCOMM_MERGE, WORLD, 0, COMM);
    expect_error("its communicator is no intercommunicator");
}

static void calls_that_cannot_be_are_refused(void **state)
{
    (void)state;
    begin(1);
    PUT(0, DUMPI_SEND, -1, INT, 0, 7, WORLD);
    expect_error("byte 16: error: MPI_Send: its count is -1");
    begin(1);
    PUT(0, DUMPI_SEND, 1, INT, 1, 7, WORLD);
    expect_error("MPI_Send: it names rank 1 of a communicator of 1 ranks");
    begin(1);
    PUT(0, DUMPI_BCAST, 1, INT, 1, WORLD);
    expect_error("MPI_Bcast: it names a rank that does not exist");
    begin(1);
    PUT(0, DUMPI_REDUCE_SCATTER, 2, LIST(1, 2), INT, 3, WORLD);
    expect_error("MPI_Reduce_scatter: it has sizes for 2 ranks, in a communicator of 1");
    begin(1);
    PUT(0, DUMPI_START, 7);
    expect_error("MPI_Start: no call before this one has made the persistent request 7");
    begin(1);
    PUT(0, DUMPI_SEND_INIT, 1, INT, 0, 7, WORLD, 5);
    PUT(0, DUMPI_STARTALL, 2, LIST(5, 5));
    expect_error("MPI_Startall: request 5 has been started already, and has not ended");
    begin(1);
    PUT(0, DUMPI_WAITANY, 1, LIST(5), 3, NO_STATUS);
    expect_error("MPI_Waitany: it completes number 3 of 1 requests");
    begin(1);
    PUT(0, DUMPI_FINALIZE);
    PUT(0, DUMPI_WTIME);
    PUT(0, DUMPI_BARRIER, WORLD);
    expect_error("MPI_Barrier: a call behind MPI_Finalize");
    begin(1);
    PUT(0, DUMPI_INIT);
    PUT(0, DUMPI_INIT_THREAD, 1, 1);
    expect_error("MPI_Init_thread: a second one");
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    begin(1);
    PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_text_add(&ranks[0], "\1\50", 2); /* number 296 */
    expect_error("byte 47: error: no function of MPI has this number");
    begin(1);
    PUT(0, DUMPI_PCONTROL);
    expect_error("byte 16: error: a record of MPI_Pcontrol, of which DUMPI writes none");
    begin(1);
    PUT(0, DUMPI_WAITALL, 1, LIST(5), NO_STATUS);
    memset(ranks[0].bytes + 49, 0xff, 4); /* the length of the list */
    expect_error("byte 16: error: the stream is cut short in this record");
    begin(1);
    ranks[0].version[0] = 0;
    ranks[0].version[1] = 6;
    PUT(0, DUMPI_BARRIER, WORLD);
    expect_error("it is of version 0.6.0 of DUMPI; this reader knows the form since 0.6.5");
    begin(1); /* the footer hides a communicator */
    PUT(0, DUMPI_COMM_DUP, WORLD, COMM);
    ranks[0].calls[DUMPI_COMM_DUP] = 0;
    expect_error(
        "byte 16: error: MPI_Comm_dup: the numbers of calls at the end of the file do not have this");
}

/* Without a footer all calls are read for communicators, and without sizes types have the usual ones. */
static void old_and_short_forms_are_read(void **state)
{
    (void)state;
    for (unsigned places = 4; places <= 7; places++) {
        begin(2);
        for (int r = 0; r < 2; r++) {
            ranks[r].places = places;
            ranks[r].is_short = true;
            ranks[r].version[0] = 0;
            ranks[r].version[1] = 6;
            ranks[r].version[2] = 9;
        }
        PUT_ALL(DUMPI_COMM_SPLIT, WORLD, 0, -1, COMM);
        PUT_ALL(DUMPI_ALLREDUCE, 1, 15, 3, COMM);
        expect("MPI_Comm_split\nallreduce 16 0 root 0 of 16 in 0 1\n");
    }
}

/* Wherever the file ends, it is refused. */
static void every_cut_is_refused(void **state)
{
    struct dumpi_text text;
    struct compiled_trace *compiled;
    (void)state;
    dumpi_text_begin(&text);
    dumpi_text_put(&text, DUMPI_INIT);
    dumpi_text_put(&text, DUMPI_BARRIER, WORLD);
    dumpi_text_put(&text, DUMPI_FINALIZE);
    dumpi_text_end(&text);
    traces_write("cut/t.meta", "numprocs=1\nfileprefix=t\n", 24);
    for (size_t size = 0; size <= text.count; size += size < 200 || size > text.count - 100 ? 1 : 97) {
        traces_write("cut/t-0000.bin", (const char *)text.bytes, size);
        enum status status = trace_open_compiled(traces_path("cut/t.meta"), &compiled);
        const char *messages = traces_messages();
        if (status == STATUS_OK)
            traces_close(compiled);
        else
            assert_non_null(strstr(messages, "t-0000.bin: byte "));
        assert_int_equal(status, size == text.count ? STATUS_OK : STATUS_BAD_INPUT);
    }
    dumpi_text_free(&text);
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
        cmocka_unit_test(a_split_follows_colours_and_keys),
        cmocka_unit_test(groups_are_sets_in_order),
        cmocka_unit_test(grids_and_graphs_are_followed),
        cmocka_unit_test(messages_cross_an_intercommunicator),
        cmocka_unit_test(merging_orders_the_groups),
        cmocka_unit_test(self_is_a_communicator_of_one),
        cmocka_unit_test(processes_outside_the_trace_are_lost),
        cmocka_unit_test(communicators_of_no_call_are_lost),
        cmocka_unit_test(communicators_that_cannot_be_are_refused),
        cmocka_unit_test(calls_that_cannot_be_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(old_and_short_forms_are_read),
        cmocka_unit_test(every_cut_is_refused),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
