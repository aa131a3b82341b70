/* Archives of OTF2 that are refused: for every error the byte that it names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "call/recorded.h"
#include "support/otf2_archive.h"
#include "support/traces.h"
#include "trace/trace.h"

static void begin_small(void)
{
    archive_begin(2, false);
    archive_send(0, 0, R_SEND, 1, 5);
    archive_receive(1, 0, 0, 5);
}

static void anchors_of_other_kinds_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
        const char *what;
    } cases[] = {
        {2, 'X', "t.otf2: byte 0: error: it does not begin as the anchor file of an OTF2 archive does"},
        {7, 2, "t.otf2: byte 7: error: an archive of format 3 with an anchor of format 2, which is not read"},
        {8, 9, "t.otf2: byte 7: error: an archive of format 9 with an anchor of format 3, which is not read"},
        {14, 0, "t.otf2: byte 12: error: the size of its chunks is not between 256 KiB and 16 MiB"},
        {28, 2, "t.otf2: byte 28: error: its events are in files of SIONlib"},
        {29, 2, "t.otf2: byte 29: error: its files are compressed with zlib"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_small();
        archive_end();
        archive.anchor.at[cases[i].at] = cases[i].value;
        archive_refuse(cases[i].what);
    }
    begin_small();
    archive_end();
    archive.anchor.size = 20;
    archive_refuse("t.otf2: byte 20: error: the anchor file is cut short");
}

/* Each cut is found, at whatever byte it is. */
static void archives_cut_short_are_refused(void **state)
{
    (void)state;
    begin_small();
    archive_end();
    for (size_t size = archive.events[1].size; size-- > 0;) {
        archive.events[1].size = size;
        archive_refuse("t/101.evt: byte ");
    }
    begin_small();
    archive_end();
    for (size_t size = archive.definitions.size; size-- > 0;) {
        archive.definitions.size = size;
        archive_refuse("t.def: byte ");
    }
    begin_small();
    archive_end();
    for (size_t size = archive.local[0].size; size-- > 0;) {
        archive.local[0].size = size;
        archive_refuse("t/100.def: byte ");
    }
    begin_small();
    archive_end();
    archive.ranks = 1;
    archive_refuse("t/101.def: error: this file of the archive is missing");
}

static void records_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned kind;
        int64_t fields[6];
        size_t count;
        const char *what;
    } cases[] = {
        {14, {9, 10, 7, 5}, 4, "the other end of this message is not in its communicator"},
        {14, {1, 11, 7, 5}, 4, "it names a communicator that is not defined as one of MPI"},
        {14, {1, 10, 7}, 3, "this record of a message is damaged"},
        {19, {1, 10, 7, 5, 3}, 5, "it completes a request that is not outstanding"},
        {23, {BYTE(1), 10, 2, 5, 5}, 5, "the root of this collective is not in its communicator"},
        {23, {BYTE(99), 10, 0, 5, 5}, 5, "this record of a collective is damaged"},
        {86, {BYTE(11), 10, -1, 4, 4, 3}, 6, "it completes a request that is not outstanding"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_small();
        char place[160];
        snprintf(place, sizeof place, "t/100.evt: byte %zu: error: %s", archive.events[0].size,
                 cases[i].what);
        archive_put_record(&archive.events[0], cases[i].kind, cases[i].count, cases[i].fields);
        archive_end();
        archive_refuse(place);
    }
    begin_small();
    archive_lone(0, 12, 77);
    archive_end();
    archive_refuse("it enters a region that is not defined");
    begin_small();
    archive_leave(0, 5, R_SEND);
    archive_end();
    archive_refuse("it leaves a call of MPI that it is not in");
    begin_small();
    archive_lone(0, 21, 77);
    archive_end();
    archive_refuse("it cancels a request that is not outstanding");
    begin_small();
    EVENT(0, 15, 1, 10, 3, 64, 7);
    EVENT(0, 15, 1, 10, 3, 64, 7);
    archive_end();
    archive_refuse("it starts a request of the number of one that is outstanding");
}

static void definitions_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    begin_small();
    RECORD(&archive.definitions, 22, 10, 1, 1, -1, 0);
    archive_end();
    archive_refuse("this communicator has been defined before");
    begin_small();
    RECORD(&archive.definitions, 18, 9, 0, BYTE(0), 2, 1, 1, BYTE(5), BYTE(4), 0);
    archive_end();
    archive_refuse("t.def: error: a group of ranks has a rank twice");
    begin_small();
    RECORD(&archive.definitions, 18, 9, 0, BYTE(0), 2, 1, 2, BYTE(5), BYTE(4), 0);
    archive_end();
    archive_refuse("t.def: error: a group of ranks has a member that is no rank");
    begin_small();
    archive_put_header(&archive.definitions);
    RECORD(&archive.definitions, 5, 1000, 0, 0);
    archive_end();
    archive_refuse("t.def: error: no location of this archive is a rank of MPI");
    begin_small();
    RECORD(&archive.definitions, 30, 3, 0, 2, BYTE(1));
    RECORD(&archive.definitions, 30, 3, 0, 2, BYTE(1));
    archive_end();
    archive_refuse("this dimension of a grid has been defined before");
    begin_small();
    RECORD(&archive.definitions, 31, 0, 0, 10, BYTE(1), 3);
    archive_end();
    archive_refuse("t.def: error: a grid of ranks has a dimension that is not defined");
    begin_small();
    RECORD(&archive.definitions, 31, 0, 0, 10, BYTE(2), 3);
    archive_end();
    archive_refuse("error: this definition is damaged");
}

/* The attributes by which timelines say what a record cannot (call/recorded.h). */
static void define_attributes(void)
{
    archive_begin(2, false);
    for (uint32_t i = 0; i < RECORDED_KINDS; i++) {
        archive_define_string(200 + i, recorded_name((enum recorded)i));
        RECORD(&archive.definitions, 11, 50 + i, 200 + i, BYTE(4));
    }
    archive_define_string(240, "3,4");
    archive_define_string(241, "3,4,5");
}

enum { UINT64 = 4, TEXT = 11 };

static void attributes_complete_the_records(void **state)
{
    (void)state;
    define_attributes();
    EVENT(0, 14, 1, 10, 7, 1);
    EVENT(1, 6, 1, 50 + RECORDED_ANY, BYTE(UINT64), 3);
    EVENT(1, 18, 0, 10, 7, 1);
    for (uint32_t rank = 0; rank < 2; rank++) {
        EVENT(rank, 6, 2, 50 + RECORDED_SENDS, BYTE(TEXT), 240, 50 + RECORDED_RECEIVES, BYTE(TEXT), 240);
        EVENT(rank, 23, BYTE(9), 10, -1, 7, 7);
    }
    archive_end();
    archive_expect("0 send 1 7 1 0,1\n0 alltoallv 0 0 0 3,4 3,4 0,1\n"
                   "1 recv -2 -2147483648 1 0,1\n1 alltoallv 0 0 0 3,4 3,4 0,1\n");
    assert_null(strstr(traces_messages(), "in proportion"));
    define_attributes();
    EVENT(0, 6, 2, 50 + RECORDED_SENDS, BYTE(TEXT), 240, 50 + RECORDED_RECEIVES, BYTE(TEXT), 241);
    EVENT(0, 23, BYTE(9), 10, -1, 7, 7);
    archive_end();
    archive_refuse("the sizes of this collective are damaged");
    define_attributes();
    EVENT(0, 6, 1, 50 + RECORDED_ELEMENT, BYTE(UINT64), 256);
    EVENT(0, 23, BYTE(11), 10, -1, 16, 16);
    archive_end();
    archive_refuse("this record of a collective is damaged");
}

/* Messages of something other than MPI are passed over, and an archive of nothing else is refused. */
static void archives_without_calls_are_refused(void **state)
{
    (void)state;
    archive_begin(2, false);
    RECORD(&archive.definitions, 18, 9, 0, BYTE(0), 2, 0, 1, BYTE(5), BYTE(6), 0);
    RECORD(&archive.definitions, 22, 70, 0, 9, -1, 0);
    EVENT(0, 14, 1, 70, 7, 1);
    EVENT(1, 18, 0, 70, 7, 1);
    archive_end();
    archive_refuse("t.otf2: error: no rank calls MPI in it");
}

static void folders_have_one_archive(void **state)
{
    (void)state;
    struct compiled_trace *compiled;
    traces_write("two/a.otf2", "x", 1);
    const char *folder = traces_write("two/b.otf2", "x", 1);
    char path[4096];
    snprintf(path, sizeof path, "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "the folder has several archives of OTF2"));
    const char *alone = traces_write("one.otf2", "\003BOTF2\0\3\3\3\0\2", 12);
    assert_int_equal(trace_open_compiled(alone, &compiled), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "one.otf2: byte 12: error: the anchor file is cut short"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_of_other_kinds_are_refused),
        cmocka_unit_test(archives_cut_short_are_refused),
        cmocka_unit_test(records_that_do_not_fit_are_refused),
        cmocka_unit_test(definitions_that_do_not_fit_are_refused),
        cmocka_unit_test(attributes_complete_the_records),
        cmocka_unit_test(archives_without_calls_are_refused),
        cmocka_unit_test(folders_have_one_archive),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
