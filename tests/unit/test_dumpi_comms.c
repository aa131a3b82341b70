/* DUMPI: communicators, and what is refused, in traces that are written call by call. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/dumpi_calls.h"
#include "support/traces.h"

/* ------------------------------------------------------------ communicators */

/* A barrier of each rank in this communicator, whose members are printed. */
static void put_barriers(int comm)
{
    PUT_ALL(DUMPI_BARRIER, comm);
}

static void a_split_follows_colours_and_keys(void **state)
{
    (void)state;
    dumpi_begin(6);
    for (int r = 0; r < 6; r++) /* rank 5 takes no part; the keys turn the even ranks round */
        PUT(r, DUMPI_COMM_SPLIT, WORLD, r == 5 ? UNDEFINED : r % 2, r % 2 ? 0 : -r, r == 5 ? 1 : COMM);
    for (int r = 0; r < 5; r++) {
        PUT(r, DUMPI_COMM_DUP, COMM, COMM + 1);
        PUT(r, DUMPI_COMM_FREE, COMM);
        PUT(r, DUMPI_COMM_SIZE, COMM + 1, r % 2 ? 2 : 3);
        PUT(r, DUMPI_BARRIER, COMM + 1);
    }
    struct compiled_trace *compiled = dumpi_open_trace();
    for (uint32_t r = 0; r < 5; r++)
        dumpi_expect_last(compiled, r,
                          r % 2 ? "barrier 0 0 root 0 in 1 3\n" : "barrier 0 0 root 0 in 4 2 0\n");
    dumpi_expect_rank(compiled, 5, "MPI_Comm_split\n");
    dumpi_expect_messages("");
    traces_close(compiled);
}

static void groups_are_sets_in_order(void **state)
{
    (void)state;
    dumpi_begin(6);
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
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_last(compiled, 4, "barrier 0 0 root 0 in 4 0 1 3 5\nbarrier 0 0 root 0 in 4 0 1\n");
    dumpi_expect_last(compiled, 3, "barrier 0 0 root 0 in 4 0 1 3 5\nbarrier 0 0 root 0 in 5 3\n");
    dumpi_expect_messages("");
    traces_close(compiled);
}

static void grids_and_graphs_are_followed(void **state)
{
    (void)state;
    dumpi_begin(8);
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
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_last(compiled, 4,
                      "barrier 0 0 root 0 in 0 1 2 3 4 5\nbarrier 0 0 root 0 in 3 4 5\n"
                      "barrier 0 0 root 0 in 1 4\nbarrier 0 0 root 0 in 4\n");
    dumpi_expect_last(compiled, 1, "barrier 0 0 root 0 in 1\nbarrier 0 0 root 0 in 0 1\n");
    dumpi_expect_rank(compiled, 7, "MPI_Cart_create\nMPI_Graph_create\n");
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
    dumpi_begin(6);
    put_intercomm();
    PUT_ALL(DUMPI_COMM_DUP, COMM + 1, COMM + 2);
    for (int r = 0; r < 6; r++) {
        PUT(r, DUMPI_COMM_RANK, COMM + 2, r % 3);
        PUT(r, DUMPI_COMM_SIZE, COMM + 2, 3);
        PUT(r, DUMPI_BARRIER, COMM + 2);
    }
    PUT(0, DUMPI_SEND, 1, INT, 2, 7, COMM + 2); /* to rank 5 */
    PUT(5, DUMPI_RECV, 1, INT, 0, 7, COMM + 2, NO_STATUS);
    const char *path = dumpi_write_trace();
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
    dumpi_expect_last(compiled, 0, "MPI_Barrier\nsend 5 7 4 in 0 1 2 3 4 5\n");
    dumpi_expect_last(compiled, 5, "MPI_Barrier\nrecv 0 7 4 in 0 1 2 3 4 5\n");
    traces_close(compiled);
    assert_int_equal(trace_open(path, &program), STATUS_OK);
    dumpi_expect_messages("what it moved is missing from this trace (the first of 6)\n");
    program->ops->close(program);
}

static void merging_orders_the_groups(void **state)
{
    (void)state;
    for (int high = 0; high < 3; high++) {
        dumpi_begin(6);
        put_intercomm();
        for (int r = 0; r < 6; r++)
            PUT(r, DUMPI_INTERCOMM_MERGE, COMM + 1, high == 2 ? 1 : (r < 3) == (high == 1), COMM + 2);
        PUT_ALL(DUMPI_COMM_REMOTE_GROUP, COMM + 1, GROUP);
        for (int r = 0; r < 6; r++) /* the other group, which makes nothing for the rank's own */
            PUT(r, DUMPI_GROUP_SIZE, GROUP, 3);
        put_barriers(COMM + 2);
        struct compiled_trace *compiled = dumpi_open_trace();
        dumpi_expect_last(compiled, 2,
                          high == 1 ? "barrier 0 0 root 0 in 3 4 5 0 1 2\n"
                                    : "barrier 0 0 root 0 in 0 1 2 3 4 5\n");
        traces_close(compiled);
    }
}

static void self_is_a_communicator_of_one(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT_ALL(DUMPI_COMM_SIZE, SELF, 1);
    PUT_ALL(DUMPI_BARRIER, SELF);
    PUT_ALL(DUMPI_COMM_DUP, SELF, COMM);
    PUT_ALL(DUMPI_BCAST, 1, INT, 0, COMM);
    struct compiled_trace *compiled = dumpi_open_trace();
    dumpi_expect_rank(compiled, 1,
                      "MPI_Comm_size\nbarrier 0 0 root 0 in 1\nMPI_Comm_dup\nbcast 4 0 root 0 in 1\n");
    traces_close(compiled);
}

static void processes_outside_the_trace_are_lost(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_COMM_SPAWN, 0, 0, WORLD, COMM, "worker", 4, 0, LIST(0, 0, 0, 0));
    PUT(1, DUMPI_COMM_SPAWN, 1, 0, WORLD, COMM);
    PUT(0, DUMPI_SEND, 1, INT, 3, 7, COMM);
    PUT(0, DUMPI_IRECV, 1, INT, 3, 7, COMM, 5);
    PUT(0, DUMPI_WAIT, 5, NO_STATUS);
    PUT_ALL(DUMPI_INTERCOMM_MERGE, COMM, 0, COMM + 1);
    PUT_ALL(DUMPI_BARRIER, COMM + 1);
    dumpi_expect("MPI_Comm_spawn\nMPI_Send\nMPI_Irecv\nMPI_Wait\nMPI_Intercomm_merge\nMPI_Barrier\n");
}

/* ------------------------------------------------------------------- errors */

/* Communicators and groups of calls that DUMPI does not record, as MPI_Comm_split_type. A handle that has
 * been freed stands for nothing, so what it stands for next is not taken for what it was. */
static void communicators_of_no_call_are_lost(void **state)
{
    (void)state;
    dumpi_begin(2);
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
    dumpi_expect(
        "MPI_Comm_dup\nbarrier 0 0 root 0 in 0 1\nMPI_Comm_free\nMPI_Comm_size\nMPI_Barrier\nMPI_Comm_dup\n"
        "MPI_Send\nMPI_Win_get_group\nMPI_Comm_create\nMPI_Barrier\nMPI_Comm_create\nMPI_Barrier\n"
        "MPI_Intercomm_create\nMPI_Bcast\n");
}

static void communicators_that_cannot_be_are_refused(void **state)
{
    (void)state;
    dumpi_begin(2);
    PUT(0, DUMPI_COMM_DUP, WORLD, COMM);
    PUT(1, DUMPI_COMM_SPLIT, WORLD, 0, 0, COMM);
    dumpi_expect_error("byte 16: error: this MPI_Comm_");
    dumpi_begin(2);
    PUT(1, DUMPI_COMM_DUP, WORLD, COMM);
    dumpi_expect_error(
        "-0001.bin: byte 16: error: this MPI_Comm_dup cannot be: not all ranks of its communicator");
    dumpi_begin(1);
    PUT(0, DUMPI_COMM_DUP, 1, COMM);
    dumpi_expect_error("this MPI_Comm_dup cannot be: its communicator is MPI_COMM_NULL");
    dumpi_begin(1);
    PUT(0, DUMPI_BARRIER, 1);
    dumpi_expect_error("MPI_Barrier: its communicator is MPI_COMM_NULL");
    dumpi_begin(2);
    PUT_ALL(DUMPI_COMM_GROUP, WORLD, GROUP);
    PUT_ALL(DUMPI_GROUP_INCL, GROUP, 2, LIST(1, 1), GROUP + 1);
    PUT_ALL(DUMPI_COMM_DUP, WORLD, COMM); /* without such a call groups do not count */
    dumpi_expect_error("this MPI_Group_incl cannot be: it names rank 1 of a group twice");
    dumpi_begin(2);
    PUT_ALL(DUMPI_COMM_GROUP, WORLD, GROUP);
    PUT_ALL(DUMPI_GROUP_INCL, GROUP, 1, LIST(0), GROUP + 1);
    PUT_ALL(DUMPI_COMM_CREATE, WORLD, GROUP + 1, COMM);
    dumpi_expect_error("this MPI_Comm_create cannot be: its group has 1 ranks, of which 2 call it");
    dumpi_begin(2);
    PUT_ALL(DUMPI_CART_CREATE, WORLD, 1, LIST(3), LIST(0), 0, COMM);
    dumpi_expect_error("it wants 3 ranks of a communicator that has 2");
    dumpi_begin(2);
    PUT_ALL(DUMPI_COMM_DUP, WORLD, COMM);
    PUT_ALL(DUMPI_CART_SUB, 1, COMM, LIST(1), COMM + 1);
    dumpi_expect_error("it names 1 dimensions of a grid that has 0");
    dumpi_begin(2);
    PUT_ALL(DUMPI_COMM_DUP, WORLD, COMM);
    PUT(0, DUMPI_COMM_RANK, COMM, 1);
    dumpi_expect_error("it has said 1; by the calls that have made this communicator it is 0");
    dumpi_begin(2);
    PUT_ALL(DUMPI_INTERCOMM_MERGE, WORLD, 0, COMM);
    dumpi_expect_error("its communicator is no intercommunicator");
}

static void calls_that_cannot_be_are_refused(void **state)
{
    (void)state;
    dumpi_begin(1);
    PUT(0, DUMPI_SEND, -1, INT, 0, 7, WORLD);
    dumpi_expect_error("byte 16: error: MPI_Send: its count is -1");
    dumpi_begin(1);
    PUT(0, DUMPI_SEND, 1, INT, 1, 7, WORLD);
    dumpi_expect_error("MPI_Send: it names rank 1 of a communicator of 1 ranks");
    dumpi_begin(1);
    PUT(0, DUMPI_BCAST, 1, INT, 1, WORLD);
    dumpi_expect_error("MPI_Bcast: it names a rank that does not exist");
    dumpi_begin(1);
    PUT(0, DUMPI_REDUCE_SCATTER, 2, LIST(1, 2), INT, 3, WORLD);
    dumpi_expect_error("MPI_Reduce_scatter: it has sizes for 2 ranks, in a communicator of 1");
    dumpi_begin(1);
    PUT(0, DUMPI_START, 7);
    dumpi_expect_error("MPI_Start: no call before this one has made the persistent request 7");
    dumpi_begin(1);
    PUT(0, DUMPI_SEND_INIT, 1, INT, 0, 7, WORLD, 5);
    PUT(0, DUMPI_STARTALL, 2, LIST(5, 5));
    dumpi_expect_error("MPI_Startall: request 5 has been started already, and has not ended");
    dumpi_begin(1);
    PUT(0, DUMPI_WAITANY, 1, LIST(5), 3, NO_STATUS);
    dumpi_expect_error("MPI_Waitany: it completes number 3 of 1 requests");
    dumpi_begin(1);
    PUT(0, DUMPI_FINALIZE);
    PUT(0, DUMPI_WTIME);
    PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_expect_error("MPI_Barrier: a call behind MPI_Finalize");
    dumpi_begin(1);
    PUT(0, DUMPI_INIT);
    PUT(0, DUMPI_INIT_THREAD, 1, 1);
    dumpi_expect_error("MPI_Init_thread: a second one");
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    dumpi_begin(1);
    PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_text_add(&dumpi_ranks[0], "\1\50", 2); /* number 296 */
    dumpi_expect_error("byte 47: error: no function of MPI has this number");
    dumpi_begin(1);
    PUT(0, DUMPI_PCONTROL);
    dumpi_expect_error("byte 16: error: a record of MPI_Pcontrol, of which DUMPI writes none");
    dumpi_begin(1);
    PUT(0, DUMPI_WAITALL, 1, LIST(5), NO_STATUS);
    memset(dumpi_ranks[0].bytes + 49, 0xff, 4); /* the length of the list */
    dumpi_expect_error("byte 16: error: the stream is cut short in this record");
    dumpi_begin(1);
    dumpi_ranks[0].version[0] = 0;
    dumpi_ranks[0].version[1] = 6;
    PUT(0, DUMPI_BARRIER, WORLD);
    dumpi_expect_error("it is of version 0.6.0 of DUMPI; this reader knows the form since 0.6.5");
    dumpi_begin(1); /* the footer hides a communicator */
    PUT(0, DUMPI_COMM_DUP, WORLD, COMM);
    dumpi_ranks[0].calls[DUMPI_COMM_DUP] = 0;
    dumpi_expect_error(
        "byte 16: error: MPI_Comm_dup: the numbers of calls at the end of the file do not have this");
}

/* Without a footer all calls are read for communicators, and without sizes types have the usual ones. */
static void old_and_short_forms_are_read(void **state)
{
    (void)state;
    for (unsigned places = 4; places <= 7; places++) {
        dumpi_begin(2);
        for (int r = 0; r < 2; r++) {
            dumpi_ranks[r].places = places;
            dumpi_ranks[r].is_short = true;
            dumpi_ranks[r].version[0] = 0;
            dumpi_ranks[r].version[1] = 6;
            dumpi_ranks[r].version[2] = 9;
        }
        PUT_ALL(DUMPI_COMM_SPLIT, WORLD, 0, -1, COMM);
        PUT_ALL(DUMPI_ALLREDUCE, 1, 15, 3, COMM);
        dumpi_expect("MPI_Comm_split\nallreduce 16 0 root 0 of 16 in 0 1\n");
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

/* DUMPI has no neighbourhood collectives. A grid on which nothing else happens hints at them. */
static void a_grid_that_nothing_uses_is_noted(void **state)
{
    (void)state;
    for (int used = 0; used < 6; used++) {
        dumpi_begin(3);
        PUT_ALL(DUMPI_CART_CREATE, WORLD, 1, LIST(3), LIST(0), 0, COMM);
        if (used == 1)
            PUT_ALL(DUMPI_BARRIER, COMM);
        if (used == 2)
            PUT_ALL(DUMPI_COMM_DUP, COMM, COMM + 1);
        if (used == 3)
            PUT(0, DUMPI_CART_SHIFT, COMM, 0, 1, -1, 1);
        if (used == 4)
            PUT(0, DUMPI_CART_RANK, 1, COMM, LIST(1), 1);
        if (used == 5)
            PUT(2, DUMPI_SEND, 1, INT, -2, 0, COMM);
        struct compiled_trace *compiled = dumpi_open_trace();
        compiled_report_notes(compiled, 1u << NOTE_UNUSED_GRID);
        traces_close(compiled);
        dumpi_expect_messages(used ? "" : "a grid or graph of ranks that no recorded message uses");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(a_grid_that_nothing_uses_is_noted),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
