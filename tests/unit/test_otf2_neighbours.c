/* Neighbourhood collectives in archives of OTF2, and several messages in one call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/otf2_archive.h"
#include "support/traces.h"

/* Communicator 50: the ranks in a row, or in a ring. */
static void begin_grid(uint32_t ranks, bool wraps)
{
    archive_begin(ranks, false);
    RECORD(&archive.definitions, 22, 50, 0, 1, -1, 0);
    RECORD(&archive.definitions, 30, 3, 0, ranks, BYTE(wraps));
    RECORD(&archive.definitions, 30, 4, 0, 1, BYTE(0));
    RECORD(&archive.definitions, 31, 0, 0, 50, BYTE(2), 3, 4);
}

static void call_alone(uint32_t rank, uint32_t region)
{
    archive_enter(rank, 0, region);
    archive_leave(rank, 0, region);
}

/* As Score-P has them: no records of what they move. Their neighbours follow from the grid. */
static void neighbours_follow_from_the_grid(void **state)
{
    (void)state;
    begin_grid(3, false);
    for (uint32_t rank = 0; rank < 3; rank++) {
        call_alone(rank, R_NEIGHBOURS);
        call_alone(rank, R_INEIGHBOURS);
    }
    archive_end();
    archive_expect("0 sendrecv 1 1 0 1 0 0\n"
                   "1 irecv 0 1 0 0,1,2\n1 irecv 2 0 0 0,1,2\n1 isend 0 0 0 0,1,2\n1 isend 2 1 0 0,1,2\n"
                   "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n"
                   "2 sendrecv 1 0 0 1 1 0\n");
    const char *said = traces_messages();
    assert_non_null(strstr(said, "empty messages to and from the neighbours (the first of 3)"));
    assert_non_null(strstr(said, "a call that was not captured: what it moved is missing from this trace "
                                 "(the first of 3)\n"));
    assert_non_null(strstr(said, "MPI_Ineighbor_allgather"));
    assert_null(strstr(said, "never"));
}

/* Two neighbours that are one rank: the direction tells their messages apart. */
static void both_neighbours_can_be_one_rank(void **state)
{
    (void)state;
    begin_grid(2, true);
    call_alone(0, R_NEIGHBOURS);
    call_alone(1, R_NEIGHBOURS);
    archive_end();
    archive_expect("0 irecv 1 1 0 0,1\n0 irecv 1 0 0 0,1\n0 isend 1 0 0 0,1\n0 isend 1 1 0 0,1\n"
                   "0 wait 1\n0 wait 1\n0 wait 1\n0 wait 1\n"
                   "1 irecv 0 1 0 0,1\n1 irecv 0 0 0 0,1\n1 isend 0 0 0 0,1\n1 isend 0 1 0 0,1\n"
                   "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n");
}

/* Nobody is in two grids, and no graph is made; else it is not known whose neighbours are meant. */
static void neighbours_that_are_not_known_are_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        begin_grid(3, false);
        if (i == 0) {
            RECORD(&archive.definitions, 30, 5, 0, 2, BYTE(1));
            RECORD(&archive.definitions, 31, 1, 0, 20, BYTE(1), 5);
        } else {
            call_alone(2, R_GRAPH);
        }
        call_alone(0, R_NEIGHBOURS);
        call_alone(1, R_NEIGHBOURS);
        archive_end();
        archive_expect("");
        assert_non_null(strstr(traces_messages(), "a call that was not captured: what it moved is missing "
                                                  "from this trace (the first of 2)\n"));
    }
}

/* Records of a collective have the sums of the rank: each neighbour has the same part of them, which for
 * those with a size for each neighbour is a guess. On a communicator without a grid nothing is known. */
static void sums_are_shared_among_neighbours(void **state)
{
    (void)state;
    begin_grid(3, false);
    for (uint32_t rank = 0; rank < 3; rank++) {
        archive_enter(rank, 0, R_NEIGHBOURS);
        EVENT(rank, 23, BYTE(8), 50, -1, rank == 1 ? 16 : 8, rank == 1 ? 16 : 8);
        archive_leave(rank, 0, R_NEIGHBOURS);
    }
    for (uint32_t rank = 0; rank < 3; rank++) {
        archive_enter(rank, 0, R_NEIGHBOURS);
        EVENT(rank, 23, BYTE(8), 10, -1, 8, 8);
        archive_leave(rank, 0, R_NEIGHBOURS);
    }
    archive_end();
    archive_expect("0 sendrecv 1 1 8 1 0 8\n"
                   "1 irecv 0 1 8 0,1,2\n1 irecv 2 0 8 0,1,2\n1 isend 0 0 8 0,1,2\n1 isend 2 1 8 0,1,2\n"
                   "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n"
                   "2 sendrecv 1 0 8 1 1 8\n");
    const char *said = traces_messages();
    assert_null(strstr(said, "neighbours"));
    assert_non_null(strstr(said, "(the first of 3)"));
    begin_grid(2, false);
    for (uint32_t rank = 0; rank < 2; rank++) {
        archive_enter(rank, 0, R_NEIGHBOURS_V);
        EVENT(rank, 23, BYTE(9), 50, -1, 5 + rank, 6 - rank);
        archive_leave(rank, 0, R_NEIGHBOURS_V);
    }
    archive_end();
    archive_expect("0 sendrecv 1 1 5 1 0 6\n1 sendrecv 0 0 6 0 1 5\n");
    assert_non_null(strstr(traces_messages(), "equal shares of what it has"));
}

/* Records of messages say all; the messages of one call are under way together. A request whose collective is
 * one of neighbours is lost, with its wait. */
static void messages_of_one_call_are_at_once(void **state)
{
    (void)state;
    archive_begin(2, false);
    for (uint32_t rank = 0; rank < 2; rank++) {
        archive_enter(rank, 0, R_NEIGHBOURS);
        for (int i = 0; i < 2; i++)
            EVENT(rank, 14, 1 - rank, 10, 7 + i, 4096);
        for (int i = 0; i < 2; i++)
            EVENT(rank, 18, 1 - rank, 10, 7 + i, 4096);
        archive_leave(rank, 0, R_NEIGHBOURS);
        archive_enter(rank, 0, R_INEIGHBOURS);
        EVENT(rank, 85, 9);
        archive_leave(rank, 0, R_INEIGHBOURS);
        archive_enter(rank, 0, R_WAIT);
        EVENT(rank, 86, BYTE(6), 10, -1, 16, 16, 9);
        archive_leave(rank, 0, R_WAIT);
    }
    archive_end();
    archive_expect("0 irecv 1 7 4096 0,1\n0 irecv 1 8 4096 0,1\n0 isend 1 7 4096 0,1\n0 isend 1 8 4096 0,1\n"
                   "0 wait 1\n0 wait 1\n0 wait 1\n0 wait 1\n"
                   "1 irecv 0 7 4096 0,1\n1 irecv 0 8 4096 0,1\n1 isend 0 7 4096 0,1\n1 isend 0 8 4096 0,1\n"
                   "1 wait 1\n1 wait 1\n1 wait 1\n1 wait 1\n");
    const char *said = traces_messages();
    assert_non_null(strstr(said, "MPI_Ineighbor_allgather"));
    assert_non_null(strstr(said, "(the first of 2)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_follow_from_the_grid),
        cmocka_unit_test(both_neighbours_can_be_one_rank),
        cmocka_unit_test(neighbours_that_are_not_known_are_lost),
        cmocka_unit_test(sums_are_shared_among_neighbours),
        cmocka_unit_test(messages_of_one_call_are_at_once),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
