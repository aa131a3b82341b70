/* Whole traces: requests and channels, conversion to text, the summary, checks across ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/traces.h"
#include "trace/check/check.h"
#include "trace/summary.h"
#include "trace/ti/action_table.h"
#include "trace/ti/decompile.h"
#include "trace/ti/source.h"
#include "trace/ti/write.h"
#include "trace/trace.h"

static const char *const shipped[] = {"bt.S.4", "cg.S.4", "ft.S.4", "is.S.4",
                                      "lu.S.4", "mg.S.4", "sp.S.4", "ring_bcast.64.it2.16M"};

enum { SHIPPED = sizeof shipped / sizeof *shipped };

static struct compiled_trace *open_shipped(const char *name)
{
    char path[128];
    struct compiled_trace *compiled;
    snprintf(path, sizeof path, "tests/traces/%s.tar.zst", name);
    if (trace_open_compiled(path, &compiled) != STATUS_OK)
        fail_msg("%s", traces_messages());
    return compiled;
}

/* The call `index` of a rank. */
static struct call call_at(struct compiled_trace *compiled, uint32_t rank, int index)
{
    struct program *program = &compiled->program;
    struct call scratch, call = {0};
    program->ops->rewind(program);
    for (int i = 0; i <= index; i++) {
        const struct call *next = program_next(program, rank, &scratch);
        assert_non_null(next);
        call = *next;
    }
    return call;
}

/* ---------------------------------------------------------------- requests */

static void requests_take_the_smallest_free_slot(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open("slots",
                                                  "0 init\n"
                                                  "0 irecv 0 1 1 6\n" /* slot 2 */
                                                  "0 isend 0 2 1 6\n" /* 3 */
                                                  "0 isend 0 1 1 6\n" /* 4 */
                                                  "0 wait 0 0 1\n"    /* the oldest request of (0, 0, 1): 2 */
                                                  "0 irecv 0 2 1 6\n" /* 2 */
                                                  "0 wait 0 0 1\n"    /* 4 */
                                                  "0 waitall 2\n"     /* 2 and 3 */
                                                  "0 ibarrier\n"      /* 2 */
                                                  "0 ibcast 1 0 6\n"  /* 3 */
                                                  "0 wait 0 0 -3335\n" /* the ibcast: 3 */
                                                  "0 wait 0 0 -99\n"   /* the remaining request: 2 */
                                                  "0 finalize\n",
                                                  NULL);
    static const uint32_t slots[] = {0, 2, 3, 4, 2, 2, 4, 0, 2, 3, 3, 2, 0};
    for (int i = 0; i < 13; i++)
        assert_int_equal(call_at(compiled, 0, i).slot, slots[i]);
    assert_int_equal(compiled->program.ops->slots(&compiled->program, 0), 5);
    compiled_report_notes(compiled, NOTES_ALL);
    assert_string_equal(traces_messages(), "");
    traces_close(compiled);
}

static void a_test_explains_a_wait_for_no_request(void **state)
{
    (void)state;
    struct compiled_trace *compiled =
        traces_open("tests",
                    "0 init\n0 isend 0 1 1 6\n0 irecv 0 1 1 6\n0 test 0 0 1\n0 wait 0 0 1\n"
                    "0 wait 0 0 1\n0 wait 0 0 1\n0 test 0 0 1\n0 finalize\n",
                    NULL);
    static const int ops[] = {CALL_INIT, CALL_SEND,    CALL_RECV,    CALL_TEST,    CALL_WAIT,
                              CALL_WAIT, CALL_NOTHING, CALL_NOTHING, CALL_FINALIZE};
    for (int i = 0; i < 9; i++)
        assert_int_equal(call_at(compiled, 0, i).op, ops[i]);
    assert_int_equal(call_at(compiled, 0, 3).slot, 2);
    assert_int_equal(call_at(compiled, 0, 4).slot, 2);
    compiled_report_notes(compiled, NOTES_ALL);
    assert_non_null(
        strstr(traces_messages(), "rank-1.txt:8: warning: a test of a request that is not outstanding"));
    traces_close(compiled);
}

static void a_waitall_for_fewer_requests_waits_for_all(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open(
        "waitall", "0 init\n0 isend 0 1 1 6\n0 irecv 0 1 1 6\n0 waitall 1\n0 wait 0 0 1\n0 finalize\n", NULL);
    assert_int_equal(call_at(compiled, 0, 3).expected, 1);
    assert_int_equal(call_at(compiled, 0, 4).op, CALL_NOTHING);
    compiled_report_notes(compiled, NOTES_ALL);
    assert_non_null(strstr(traces_messages(), "rank-1.txt:4: warning: waitall for fewer requests"));
    traces_close(compiled);
}

static void many_requests_at_a_time(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    char text[MANY * 64] = "0 init\n";
    char *at = text + strlen(text);
    for (int i = 0; i < MANY; i++)
        at += sprintf(at, "0 irecv 0 %d 1 6\n", i);
    for (int i = MANY; i-- > 0;)
        at += sprintf(at, "0 send 0 %d 1 6\n0 wait 0 0 %d\n", i, i);
    strcpy(at, "0 finalize\n");
    struct compiled_trace *compiled = traces_open("many", text, NULL);
    assert_int_equal(compiled->program.ops->slots(&compiled->program, 0), MANY + SLOT_FIRST);
    assert_int_equal(call_at(compiled, 0, MANY + 2).slot, MANY + 1);
    assert_int_equal(compiled->program.channels, MANY);
    traces_close(compiled);
}

/* ---------------------------------------------------------------- channels */

static void ends_of_a_channel_have_its_number(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open(
        "channels", "0 init\n0 send 1 7 1 6\n0 send 1 8 2 6\n0 send 1 7 3 6\n0 finalize\n",
        "1 init\n1 irecv 0 8 2 6\n1 recv 0 7 1 6\n1 recv 0 7 9 6\n1 wait 0 1 8\n1 finalize\n", NULL);
    assert_int_equal(compiled->program.channels, 2);
    uint32_t seven = call_at(compiled, 0, 1).channel, eight = call_at(compiled, 0, 2).channel;
    assert_true(seven < 2 && eight < 2 && seven != eight);
    assert_int_equal(call_at(compiled, 0, 3).channel, seven);
    assert_int_equal(call_at(compiled, 1, 1).channel, eight);
    assert_int_equal(call_at(compiled, 1, 2).channel, seven);
    assert_int_equal(call_at(compiled, 1, 3).channel, seven);
    traces_close(compiled);
}

static void wildcards_make_a_mailbox(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open(
        "mailbox",
        "0 init\n0 irecv -333 5 8 6\n0 recv 1 6 8 6\n0 wait -333 0 5\n0 send 1 1 1 6\n0 finalize\n",
        "1 init\n1 send 0 5 8 6\n1 send 0 6 8 6\n1 recv 0 -444 1 6\n1 finalize\n", NULL);
    struct call any = call_at(compiled, 0, 1);
    assert_int_equal(any.peer, CALL_ANY_SOURCE);
    assert_int_equal(any.channel, CHANNEL_MAILBOX);
    assert_int_equal(call_at(compiled, 0, 2).channel, CHANNEL_MAILBOX);
    assert_int_equal(call_at(compiled, 0, 3).slot, any.slot);
    assert_int_equal(call_at(compiled, 1, 1).channel, CHANNEL_MAILBOX);
    assert_int_equal(call_at(compiled, 1, 3).tag, CALL_ANY_TAG);
    assert_int_equal(call_at(compiled, 1, 3).channel, CHANNEL_MAILBOX);
    assert_int_equal(call_at(compiled, 0, 4).channel, CHANNEL_MAILBOX);
    assert_int_equal(compiled->program.channels, 0);
    compiled_report_notes(compiled, NOTES_ALL);
    assert_non_null(strstr(traces_messages(), "rank-1.txt:2: warning: a receive from MPI_ANY_SOURCE or"));
    traces_close(compiled);
}

static void an_undefined_source_that_nobody_serves_is_no_process(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open(
        "null", "0 init\n0 irecv -333 5 8 6\n0 irecv 1 5 8 6\n0 wait -333 0 5\n0 wait 1 0 5\n0 finalize\n",
        "1 init\n1 send 0 5 8 6\n1 finalize\n", NULL);
    assert_int_equal(call_at(compiled, 0, 1).op, CALL_NOTHING);
    assert_int_equal(call_at(compiled, 0, 3).op, CALL_NOTHING);
    assert_int_equal(call_at(compiled, 0, 4).op, CALL_WAIT);
    assert_true(call_at(compiled, 0, 2).channel < compiled->program.channels);
    compiled_report_notes(compiled, NOTES_ALL);
    assert_non_null(strstr(traces_messages(), "taken for the second"));
    traces_close(compiled);
}

/* ------------------------------------------------------------------ checks */

static void ends_that_do_not_meet_are_shown(void **state)
{
    (void)state;
    struct trace_check check;
    struct compiled_trace *compiled = traces_open(
        "unmet", "0 init\n0 send 1 7 8 6\n0 send 1 7 8 6\n0 send 1 8 8 6\n0 recv 1 9 8 6\n0 finalize\n",
        "1 init\n1 recv 0 7 8 6\n1 finalize\n", NULL);
    assert_false(check_trace(compiled, &check));
    assert_int_equal(check.unmatched, 3);
    const char *messages = traces_messages();
    assert_non_null(strstr(messages, "rank-1.txt:3: error: this message is never received: all 1 receives"));
    assert_non_null(strstr(messages, "rank-2.txt:2: note: the first of those is here"));
    assert_non_null(strstr(messages, "rank-1.txt:4: error: this message is never received: no receive"));
    assert_non_null(strstr(messages, "rank-1.txt:5: error: this receive never gets a message: no send"));
    compiled_report_notes(compiled, NOTES_ALL);
    messages = traces_messages();
    assert_non_null(strstr(
        messages,
        "warning: a message that is never received; `helio trace validate` shows more (the first of 2)"));
    assert_non_null(strstr(messages, "warning: a receive that never gets a message"));
    traces_close(compiled);
}

static void messages_larger_than_their_receive_are_shown(void **state)
{
    (void)state;
    struct trace_check check;
    struct compiled_trace *compiled =
        traces_open("cut", "0 init\n0 send 1 7 8 6\n0 send 1 7 16 6\n0 finalize\n",
                    "1 init\n1 recv 0 7 9 6\n1 recv 0 7 15 6\n1 finalize\n", NULL);
    assert_false(check_trace(compiled, &check));
    assert_int_equal(check.truncated, 1);
    const char *messages = traces_messages();
    assert_non_null(
        strstr(messages, "rank-2.txt:3: error: a receive of at most 15 bytes meets a message of 16"));
    assert_non_null(strstr(messages, "rank-1.txt:3: note: the message is sent here"));
    traces_close(compiled);
    /* Sends of 16 and then 8 bytes, receives of 16 and then 8. Each send fits its own receive, although one
     * is larger than some other receive. */
    compiled = traces_open("fit", "0 init\n0 send 1 7 16 6\n0 send 1 7 8 6\n0 finalize\n",
                           "1 init\n1 recv 0 7 16 6\n1 recv 0 7 8 6\n1 finalize\n", NULL);
    assert_true(check_trace(compiled, &check));
    traces_close(compiled);
}

static void ranks_that_disagree_are_shown(void **state)
{
    (void)state;
    struct trace_check check;
    struct compiled_trace *compiled = traces_open(
        "order", "0 init\n0 barrier\n0 bcast 1 0 6\n0 finalize\n",
        "1 init\n1 barrier\n1 bcast 1 1 6\n1 finalize\n", "2 init\n2 bcast 1 0 6\n2 barrier\n2 finalize\n",
        "3 init\n3 barrier\n3 finalize\n", "4 init\n4 barrier\n4 bcast 2 0 6\n4 finalize\n", NULL);
    assert_false(check_trace(compiled, &check));
    assert_int_equal(check.disagreements, 4);
    assert_int_equal(check.collectives, 2);
    const char *messages = traces_messages();
    assert_non_null(strstr(messages, "rank-2.txt:3: error: another root than rank 0 has at this point"));
    assert_non_null(strstr(messages, "rank-3.txt:2: error: another collective than rank 0"));
    assert_non_null(strstr(messages, "rank-1.txt:2: note: rank 0 is here"));
    assert_non_null(strstr(messages, "rank-4.txt:2: error: fewer collectives than rank 0"));
    assert_non_null(strstr(messages, "rank-5.txt:3: error: another size than rank 0"));
    compiled_report_notes(compiled, NOTES_ALL);
    assert_non_null(strstr(traces_messages(), "warning: this rank calls other collectives than rank 0"));
    traces_close(compiled);
}

/* Rank 1 is not in communicator #a, whose order of ranks is another than that of the world. */
static void members_that_disagree_are_shown(void **state)
{
    (void)state;
    static const char *const texts[][3] = {
        {"bcast 1 0 6 #ca\n0 barrier #ca", "barrier #ca\n2 bcast 1 0 6 #ca",
         "rank-3.txt:3: error: another collective than rank 0 has at this point in this communicator"},
        {"bcast 1 0 6 #ca", "bcast 1 1 6 #ca", "rank-3.txt:3: error: another root than rank 0"},
        {"allreduce 1 0 6 #ca", "allreduce 2 0 6 #ca", "rank-3.txt:3: error: another size than rank 0"},
        {"barrier #ca\n0 barrier #ca", "barrier #ca", "rank-3.txt:3: error: fewer collectives than rank 0"},
        {"barrier #ca", "comm_size", "rank-3.txt: error: fewer collectives than rank 0"},
        {"comm_size", "barrier #ca", "rank-1.txt: error: fewer collectives than rank 2"},
        {"bcast 1 1 6 #ca\n0 barrier #ca", "bcast 1 1 6 #ca\n2 barrier #ca", NULL},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char name[16], first[128], last[128];
        struct trace_check check;
        snprintf(name, sizeof name, "members-%zu", i);
        snprintf(first, sizeof first, "0 init\n0 comm_split 2 #ca 2,0\n0 %s\n0 finalize\n", texts[i][0]);
        snprintf(last, sizeof last, "2 init\n2 comm_split 2 #ca 2,0\n2 %s\n2 finalize\n", texts[i][1]);
        struct compiled_trace *compiled = traces_open(name, first, "1 init\n1 finalize\n", last, NULL);
        assert_int_equal(check_trace(compiled, &check), !texts[i][2]);
        assert_int_equal(check.disagreements, !!texts[i][2]);
        const char *messages = traces_messages();
        if (texts[i][2] && !strstr(messages, texts[i][2]))
            fail_msg("'%s' is not in: %s", texts[i][2], messages);
        traces_close(compiled);
    }
}

static void sizes_that_are_not_expected_are_shown(void **state)
{
    (void)state;
    static const struct {
        const char *zero, *one, *message;
    } pairs[] = {
        {"alltoallv 3 1 2 7 3 4 6 6", "alltoallv 9 4 5 7 1 5 6 6",
         "rank-2.txt:2: error: 1 bytes are expected of rank 0, which sends 2"},
        {"alltoall 1 2 6 6", "alltoall 2 2 6 6",
         "rank-2.txt:2: error: 2 bytes are expected of rank 0, which sends 1"},
        {"allgather 1 1 6 6", "allgather 1 2 6 6",
         "rank-2.txt:2: error: 2 bytes are expected of rank 0, which sends 1"},
        {"allgatherv 1 1 2 6 6", "allgatherv 3 1 3 6 6",
         "rank-1.txt:2: error: 2 bytes are expected of rank 1, which sends 3"},
        {"gather 1 1 0 6 6", "gather 2 9 0 6 6",
         "rank-1.txt:2: error: 1 bytes are expected of rank 1, which sends 2"},
        {"gatherv 1 1 3 0 6 6", "gatherv 2 0 0 0 6 6",
         "rank-1.txt:2: error: 3 bytes are expected of rank 1, which sends 2"},
        {"scatter 9 4 1 6 6", "scatter 3 3 1 6 6",
         "rank-1.txt:2: error: 4 bytes are expected of rank 1, which sends 3"},
        {"scatterv 0 0 4 1 6 6", "scatterv 3 3 3 1 6 6",
         "rank-1.txt:2: error: 4 bytes are expected of rank 1, which sends 3"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char name[32], zero[128], one[128];
        struct trace_check check;
        snprintf(name, sizeof name, "sizes-%zu", i);
        snprintf(zero, sizeof zero, "0 init\n0 %s\n0 finalize\n", pairs[i].zero);
        snprintf(one, sizeof one, "1 init\n1 %s\n1 finalize\n", pairs[i].one);
        struct compiled_trace *compiled = traces_open(name, zero, one, NULL);
        assert_false(check_trace(compiled, &check));
        assert_int_equal(check.unequal, 1);
        const char *messages = traces_messages();
        if (!strstr(messages, pairs[i].message))
            fail_msg("expected: %s\ngot: %s", pairs[i].message, messages);
        traces_close(compiled);
    }
}

static void shipped_traces_are_right(void **state)
{
    (void)state;
    for (int i = 0; i < SHIPPED; i++) {
        struct trace_check check;
        struct compiled_trace *compiled = open_shipped(shipped[i]);
        assert_true(check_trace(compiled, &check));
        compiled_report_notes(compiled, NOTES_ALL);
        assert_string_equal(traces_messages(), "");
        traces_close(compiled);
    }
}

/* -------------------------------------------------------------------- text */

static void assert_same(struct compiled_trace *a, struct compiled_trace *b)
{
    assert_int_equal(a->program.ranks, b->program.ranks);
    for (uint32_t rank = 0; rank < a->program.ranks; rank++) {
        size_t a_size, b_size;
        char *a_text = decompile_rank(a, rank, &a_size), *b_text = decompile_rank(b, rank, &b_size);
        assert_int_equal(a_size, b_size);
        assert_memory_equal(a_text, b_text, a_size);
        free(a_text);
        free(b_text);
    }
    /* The images differ only in the names of files. */
    assert_int_equal(a->header->lines, b->header->lines);
    assert_int_equal(a->header->channels, b->header->channels);
    for (uint32_t rank = 0; rank < a->program.ranks; rank++) {
        assert_int_equal(a->ranks[rank].calls.count, b->ranks[rank].calls.count);
        assert_memory_equal(compiled_calls(a, rank), compiled_calls(b, rank),
                            a->ranks[rank].calls.count * sizeof(struct call));
        assert_memory_equal(compiled_tokens(a, rank), compiled_tokens(b, rank),
                            a->ranks[rank].tokens.count * sizeof(uint32_t));
    }
}

static void text_survives_the_way_there_and_back(void **state)
{
    (void)state;
    for (int i = 0; i < SHIPPED; i++) {
        char folder[64], archive[64];
        snprintf(folder, sizeof folder, "back/%s", shipped[i]);
        snprintf(archive, sizeof archive, "back-%s.tar.zst", shipped[i]);
        traces_write("back/.here", "", 0);
        struct compiled_trace *original = open_shipped(shipped[i]), *again;
        assert_int_equal(decompile_write(original, traces_path(folder)), STATUS_OK);
        assert_int_equal(trace_open_compiled(traces_path(folder), &again), STATUS_OK);
        assert_same(original, again);
        assert_string_equal(again->program.name, shipped[i]);
        traces_close(again);
        assert_int_equal(decompile_write(original, traces_path(archive)), STATUS_OK);
        assert_int_equal(trace_open_compiled(traces_path(archive), &again), STATUS_OK);
        assert_same(original, again);
        traces_close(again);
        assert_int_equal(decompile_write(original, traces_path(folder)), STATUS_BAD_INPUT);
        assert_non_null(strstr(traces_messages(), "exists; name a new folder"));
        traces_close(original);
    }
}

static void shipped_traces_come_back_byte_for_byte(void **state)
{
    (void)state;
    for (int i = 0; i < SHIPPED; i++) {
        char path[128];
        struct ti_source source = {.kind = TI_ARCHIVE, .path = path};
        uint64_t key[2];
        struct compiled_trace *compiled = open_shipped(shipped[i]);
        snprintf(path, sizeof path, "tests/traces/%s.tar.zst", shipped[i]);
        assert_int_equal(ti_source_open(&source, key), STATUS_OK);
        assert_int_equal(ti_source_unpack(&source), STATUS_OK);
        assert_int_equal(source.files.count, compiled->program.ranks);
        for (uint32_t rank = 0; rank < source.files.count; rank++) {
            size_t size;
            char *text = decompile_rank(compiled, rank, &size);
            assert_int_equal(size, source.files.at[rank].size);
            assert_memory_equal(text, source.files.at[rank].bytes, size);
            free(text);
        }
        ti_source_close(&source);
        traces_close(compiled);
    }
}

/* The text is written call by call, not copied line by line. It has the same calls, without lines that are
 * not calls. */
static void every_action_is_written(void **state)
{
    (void)state;
    struct compiled_trace *original, *again;
    assert_int_equal(trace_open_compiled("tests/traces/every.4", &original), STATUS_OK);
    assert_int_equal(ti_write(&original->program, traces_path("every.written")), STATUS_OK);
    assert_int_equal(trace_open_compiled(traces_path("every.written"), &again), STATUS_OK);
    struct program *programs[] = {&original->program, &again->program};
    original->program.ops->rewind(&original->program);
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct call scratch[2], pair[2];
        do {
            for (int i = 0; i < 2; i++) {
                const struct call *call;
                do
                    call = program_next(programs[i], rank, &scratch[i]);
                while (call && call->op == CALL_NOTHING);
                pair[i] = call ? *call : (struct call){.op = CALL_OPS};
                pair[i].send_counts = pair[i].recv_counts = 0; /* as the two traces number them */
                pair[i].channel = pair[i].source_channel = 0;
            }
            if (memcmp(&pair[0], &pair[1], sizeof pair[0]) != 0)
                fail_msg("line %lu of rank %u comes back as line %lu",
                         (unsigned long)programs[0]->ops->place(programs[0], rank).line, rank,
                         (unsigned long)programs[1]->ops->place(programs[1], rank).line);
        } while (pair[0].op != CALL_OPS);
    }
    traces_close(again);
    traces_close(original);
    traces_messages();
}

/* tests/traces/every.4 has every action, in an order that ends. */
static void every_action_in_one_trace(void **state)
{
    (void)state;
    struct compiled_trace *compiled;
    struct trace_check check;
    struct trace_summary summary;
    size_t size;
    assert_int_equal(trace_open_compiled("tests/traces/every.4", &compiled), STATUS_OK);
    char *text = decompile_rank(compiled, 1, &size);
    for (size_t i = 0; action_form_at(i); i++) {
        char line[64];
        snprintf(line, sizeof line, "\n1 %s", action_form_at(i)->name);
        if (i && !memmem(text, size, line, strlen(line)))
            fail_msg("'%s' is missing", action_form_at(i)->name);
    }
    free(text);
    assert_true(check_trace(compiled, &check));
    summary_of(compiled, &summary);
    for (int op = 0; op < CALL_OPS; op++)
        assert_true(summary.calls[op] > 0);
    assert_int_equal(summary.mailbox_ranks, 1);
    assert_string_equal(traces_messages(), "");
    compiled_report_notes(compiled, NOTES_ALL);
    const char *messages = traces_messages();
    assert_non_null(strstr(messages, "rank-1.txt:28: warning: a receive from MPI_ANY_SOURCE"));
    assert_non_null(strstr(messages, "rank-1.txt:54: warning: reducescatter without counts"));
    traces_close(compiled);
}

static void text_is_the_text_that_was_read(void **state)
{
    (void)state;
    static const char text[] =
        "0 init\n\n0 compute 1234567\n0 compute 0.1\n0 compute 2.66329e+06\n0 bcast 1 0 23 \n"
        "0 allreduce  1  0  0\n0 irecv 0 3 1 6\n0 isend 0 3 1 6\n0 waitall 2\n0 finalize\n";
    struct compiled_trace *compiled = traces_open("text", text, NULL);
    size_t size;
    char *back = decompile_rank(compiled, 0, &size);
    assert_int_equal(size, sizeof text - 1);
    assert_memory_equal(back, text, size);
    free(back);
    traces_close(compiled);
}

/* ----------------------------------------------------------------- summary */

static void messages_are_counted_as_in_table_5(void **state)
{
    (void)state;
    /* By hand, P = 3: bcast 2 x 8; reduce 2 x 16; allreduce 4 x 24; barrier 4; alltoall 6 x 40000; alltoallv
     * 0->1 1, 0->2 2, 1->0 0, 1->2 4, 2->0 5, 2->1 6; send 1 x 7; to itself 1 x 3; finalize 4. */
    struct compiled_trace *compiled = traces_open(
        "table",
        "0 init\n0 compute 5\n0 bcast 1 1 0\n0 reduce 2 0 2 0\n0 allreduce 3 0 0\n0 barrier\n"
        "0 alltoall 40000 40000 6 6\n0 alltoallv 3 9 1 2 5 9 0 5 6 6\n0 send 1 1 7 6\n0 finalize\n",
        "1 init\n1 compute 6\n1 bcast 1 1 0\n1 reduce 2 0 2 0\n1 allreduce 3 0 0\n1 barrier\n"
        "1 alltoall 40000 40000 6 6\n1 alltoallv 13 0 9 4 7 1 9 6 6 6\n1 recv 0 1 7 6\n1 finalize\n",
        "2 init\n2 compute 7\n2 bcast 1 1 0\n2 reduce 2 0 2 0\n2 allreduce 3 0 0\n2 barrier\n"
        "2 alltoall 40000 40000 6 6\n2 alltoallv 20 5 6 9 15 2 4 9 6 6\n"
        "2 irecv 2 1 3 6\n2 send 2 1 3 6\n2 wait 2 2 1\n2 finalize\n",
        NULL);
    struct trace_summary summary;
    summary_of(compiled, &summary);
    assert_int_equal(summary.ranks, 3);
    assert_int_equal(summary.lines, 32);
    assert_int_equal(summary.messages, 2 + 2 + 4 + 4 + 6 + 6 + 1 + 1 + 4);
    assert_int_equal(summary.message_bytes, 16 + 32 + 96 + 240000 + 18 + 7 + 3);
    assert_int_equal(summary.large_messages, 6);
    assert_int_equal(summary.sends, 2);
    assert_int_equal(summary.send_bytes, 10);
    assert_int_equal(summary.to_itself, 1);
    assert_int_equal(summary.collectives, 6);
    assert_int_equal(summary.calls[CALL_ALLTOALLV], 3);
    assert_int_equal(summary.outstanding, 1);
    assert_int_equal(summary.channels, 2);
    assert_int_equal(summary.wildcards, 0);
    assert_true(summary.compute_total == 18);
    assert_int_equal(summary.sizes[0], 4 + 1 + 4);
    assert_int_equal(summary.sizes[16], 6);
    traces_close(compiled);
}

static void shipped_traces_count_as_known(void **state)
{
    (void)state;
    struct trace_summary summary;
    struct compiled_trace *compiled = open_shipped("lu.S.4");
    summary_of(compiled, &summary);
    assert_int_equal(summary.lines, compiled->header->lines);
    traces_close(compiled);
    /* IS sends the same number of messages in every class: 348, as in the table. */
    compiled = open_shipped("is.S.4");
    summary_of(compiled, &summary);
    assert_int_equal(summary.messages, 348);
    traces_close(compiled);
    /* FT.S on 4 ranks: 8 transposes of 4 x 3 messages of 16384 x 16 bytes, and small ones. */
    compiled = open_shipped("ft.S.4");
    summary_of(compiled, &summary);
    assert_int_equal(summary.sends, 0);
    assert_int_equal(summary.sizes[19], 12 * summary.calls[CALL_ALLTOALL] / 4);
    assert_int_equal(summary.large_messages, 12 * summary.calls[CALL_ALLTOALL] / 4);
    traces_close(compiled);
}

/* The numbers of the paper's Table 5. These traces are too large to ship. HELIO_TRACES names their folder. */
static void traces_have_the_published_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t messages, mean_bytes;
        uint64_t large_percent; /* rounded up, like all numbers of the table */
    } table[] = {{"is.C.16", 5700, 971534, 47},          {"ft.C.16.scaled", 5715, 7750106, 93},
                 {"ft.C.64.scaled", 90531, 513708, 98},  {"cg.C.16", 223834, 127127, 43},
                 {"cg.C.64.scaled", 1279610, 59303, 40}, {"lu.C.4.scaled", 323428, 9774, 1},
                 {"lu.C.16.scaled", 1940448, 4887, 1}};
    const char *folder = getenv("HELIO_TRACES");
    if (!folder) {
        skip();
        return;
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[512];
        struct compiled_trace *compiled;
        struct trace_summary summary;
        snprintf(path, sizeof path, "%s/%s.tar.zst", folder, table[i].name);
        assert_int_equal(trace_open_compiled(path, &compiled), STATUS_OK);
        summary_of(compiled, &summary);
        assert_int_equal(summary.messages, table[i].messages);
        assert_int_equal((summary.message_bytes + summary.messages / 2) / summary.messages,
                         table[i].mean_bytes);
        assert_int_equal((summary.large_messages * 100 + summary.messages - 1) / summary.messages,
                         table[i].large_percent);
        traces_close(compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_take_the_smallest_free_slot),
        cmocka_unit_test(a_test_explains_a_wait_for_no_request),
        cmocka_unit_test(a_waitall_for_fewer_requests_waits_for_all),
        cmocka_unit_test(many_requests_at_a_time),
        cmocka_unit_test(ends_of_a_channel_have_its_number),
        cmocka_unit_test(wildcards_make_a_mailbox),
        cmocka_unit_test(an_undefined_source_that_nobody_serves_is_no_process),
        cmocka_unit_test(ends_that_do_not_meet_are_shown),
        cmocka_unit_test(messages_larger_than_their_receive_are_shown),
        cmocka_unit_test(ranks_that_disagree_are_shown),
        cmocka_unit_test(members_that_disagree_are_shown),
        cmocka_unit_test(sizes_that_are_not_expected_are_shown),
        cmocka_unit_test(shipped_traces_are_right),
        cmocka_unit_test(text_survives_the_way_there_and_back),
        cmocka_unit_test(shipped_traces_come_back_byte_for_byte),
        cmocka_unit_test(every_action_in_one_trace),
        cmocka_unit_test(every_action_is_written),
        cmocka_unit_test(text_is_the_text_that_was_read),
        cmocka_unit_test(messages_are_counted_as_in_table_5),
        cmocka_unit_test(shipped_traces_count_as_known),
        cmocka_unit_test(traces_have_the_published_counts),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
