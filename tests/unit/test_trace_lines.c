/* Reading lines: every action of a trace, and every kind of wrong line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "support/traces.h"
#include "trace/image/number.h"
#include "trace/ti/action_table.h"
#include "trace/trace.h"

/* ----------------------------------------------------------------- numbers */

static double amount_of(const char *text)
{
    double value = -1;
    const char *end = number_amount(text, text + strlen(text), &value);
    return end == text + strlen(text) ? value : -1;
}

static void amounts_are_read_exactly(void **state)
{
    (void)state;
    assert_true(amount_of("0") == 0);
    assert_true(amount_of("12132") == 12132);
    assert_true(amount_of("2.66329e+06") == 2663290);
    assert_true(amount_of("1e22") == 1e22);
    assert_true(amount_of("1E-3") == 1e-3);
    assert_true(amount_of("0.1") == 0.1);
    assert_true(amount_of("179769313486231570000e288") == 1.7976931348623157e308);
    assert_true(amount_of("9007199254740993") == 9007199254740992.);
    assert_true(amount_of("123456789012345678") == 123456789012345678.);
    assert_true(amount_of("1e-400") == 0);
    static const char *const wrong[] = {"",    "-1",  "+1",    ".5",  "1.",    "1e", "1e+", "0x10",
                                        "inf", "nan", "1e400", "1,5", "1e+-5", "e5", "--1", "1e999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_true(amount_of(wrong[i]) == -1);
}

static void amounts_print_as_they_were(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",           "12132",   "2.66329e+06", "1e+22", "0.001",
                                        "1.23457e+08", "1234567", "0.1",         "1e-05", "16944"};
    char text[NUMBER_TEXT];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(number_print(amount_of(texts[i]), text), strlen(texts[i]));
        assert_string_equal(text, texts[i]);
    }
    number_print(1.0 / 3, text);
    assert_true(amount_of(text) == 1.0 / 3);
}

static void integers_keep_their_range(void **state)
{
    (void)state;
    int64_t value = 0;
    static const char least[] = "-9223372036854775808", most[] = "9223372036854775807",
                      over[] = "9223372036854775808", under[] = "-9223372036854775809";
    assert_non_null(number_integer(least, least + strlen(least), &value));
    assert_true(value == INT64_MIN);
    assert_non_null(number_integer(most, most + strlen(most), &value));
    assert_true(value == INT64_MAX);
    assert_null(number_integer(over, over + strlen(over), &value));
    assert_null(number_integer(under, under + strlen(under), &value));
    assert_null(number_integer("-", (const char *)"-" + 1, &value));
}

/* ----------------------------------------------------------------- actions */

/* The call of a line, between init and finalize of rank 0 of 4; the other ranks do nothing. */
static struct call call_of_line(const char *line, const char *more)
{
    char text[1024];
    struct call scratch;
    static int number;
    char name[32];
    snprintf(name, sizeof name, "action-%d", number++);
    snprintf(text, sizeof text, "0 init\n0 %s\n%s0 finalize\n", line, more);
    struct compiled_trace *compiled =
        traces_open(name, text, "1 init\n1 finalize\n", "2 init\n2 finalize\n", "3 init\n3 finalize\n", NULL);
    struct program *program = &compiled->program;
    assert_int_equal(program_next(program, 0, &scratch)->op, CALL_INIT);
    struct call call = *program_next(program, 0, &scratch);
    assert_int_equal(program->ops->place(program, 0).line, 2);
    if (call.send_counts)
        call.send_counts = program->counts[call.send_counts] * 1000 + program->counts[call.send_counts + 3];
    if (call.recv_counts)
        call.recv_counts = program->counts[call.recv_counts] * 1000 + program->counts[call.recv_counts + 3];
    traces_close(compiled);
    return call;
}

/* Vectors are printed as (entry 0) * 1000 + entry 3. */
static const struct {
    const char *line, *more;
    struct call call;
} actions[] = {
    {"compute 2.66329e+06", "", {.op = CALL_COMPUTE, .amount = 2663290}},
    {"compute  12132 ", "", {.op = CALL_COMPUTE, .amount = 12132}},
    {"sleep 0.5", "", {.op = CALL_SLEEP, .amount = 0.5}},
    {"send 1 7 10 0", "", {.op = CALL_SEND, .peer = 1, .tag = 7, .bytes = 80}},
    {"send 1 -7 10", "", {.op = CALL_SEND, .peer = 1, .tag = -7, .bytes = 10}},
    {"send -333 7 10 -1", "", {.op = CALL_NOTHING}},
    {"Ssend 1 7 10 0", "", {.op = CALL_SEND, .flags = CALL_SYNCHRONOUS, .peer = 1, .tag = 7, .bytes = 80}},
    {"bsend 1 7 10 43", "", {.op = CALL_SEND, .flags = CALL_BUFFERED, .peer = 1, .tag = 7, .bytes = 160}},
    {"isend 3 7 10 0",
     "",
     {.op = CALL_SEND, .flags = CALL_IMMEDIATE, .slot = 2, .peer = 3, .tag = 7, .bytes = 80}},
    {"isend -333 7 10 0", "0 wait 0 -333 7\n", {.op = CALL_NOTHING}},
    {"ISsend 3 7 10 0",
     "",
     {.op = CALL_SEND,
      .flags = CALL_IMMEDIATE | CALL_SYNCHRONOUS,
      .slot = 2,
      .peer = 3,
      .tag = 7,
      .bytes = 80}},
    {"ibsend 3 7 10 0",
     "",
     {.op = CALL_SEND, .flags = CALL_IMMEDIATE | CALL_BUFFERED, .slot = 2, .peer = 3, .tag = 7, .bytes = 80}},
    {"recv 1 7 10 1", "", {.op = CALL_RECV, .peer = 1, .tag = 7, .recv_bytes = 40}},
    {"irecv 1 7 10 1",
     "",
     {.op = CALL_RECV, .flags = CALL_IMMEDIATE, .slot = 2, .peer = 1, .tag = 7, .recv_bytes = 40}},
    {"sendRecv 10 1 20 2 0 1",
     "",
     {.op = CALL_SENDRECV, .peer = 1, .source = 2, .channel = 1, .bytes = 80, .recv_bytes = 80}},
    {"waitall 3", "", {.op = CALL_WAITALL, .expected = 3}},
    {"comm_size 4", "", {.op = CALL_NOTHING}},
    {"comm_size #phase -2", "", {.op = CALL_NOTHING, .flags = CALL_PHASE, .tag = -2}},
    {"comm_split 4", "", {.op = CALL_NOTHING}},
    {"comm_dup 4", "", {.op = CALL_NOTHING}},
    {"location main.c 12", "", {.op = CALL_NOTHING}},
    {"send 3 7 10 0 #s", "", {.op = CALL_SEND, .flags = CALL_SYNCHRONOUS, .peer = 3, .tag = 7, .bytes = 80}},
    {"send 3 7 10 0 #b", "", {.op = CALL_SEND, .flags = CALL_BUFFERED, .peer = 3, .tag = 7, .bytes = 80}},
    {"barrier #i", "0 comm_size #wait barrier\n", {.op = CALL_BARRIER, .flags = CALL_IMMEDIATE, .slot = 2}},
    {"bcast 10 2 1 #i",
     "0 comm_size #wait bcast\n",
     {.op = CALL_BCAST, .flags = CALL_IMMEDIATE, .slot = 2, .peer = 2, .bytes = 40}},
    {"sendRecv 10 1 20 2 0 1 #tags 7 9",
     "",
     {.op = CALL_SENDRECV,
      .peer = 1,
      .source = 2,
      .tag = 7,
      .channel = 1,
      .expected = 2,
      .bytes = 80,
      .recv_bytes = 80}},
    {"comm_split #c0.1 0-2", "", {.op = CALL_NOTHING}},
    {"barrier", "", {.op = CALL_BARRIER}},
    {"ibarrier", "0 wait 0 0 -779\n", {.op = CALL_BARRIER, .flags = CALL_IMMEDIATE, .slot = 2}},
    {"bcast 10 2 1 ", "", {.op = CALL_BCAST, .peer = 2, .bytes = 40}},
    {"bcast 10", "", {.op = CALL_BCAST, .bytes = 10}},
    {"ibcast 10 2 1", "", {.op = CALL_BCAST, .flags = CALL_IMMEDIATE, .slot = 2, .peer = 2, .bytes = 40}},
    {"reduce 10 0 3 43", "", {.op = CALL_REDUCE, .element_bytes = 16, .peer = 3, .bytes = 160}},
    {"ireduce 10 5 3 43",
     "",
     {.op = CALL_REDUCE,
      .flags = CALL_IMMEDIATE,
      .element_bytes = 16,
      .slot = 2,
      .peer = 3,
      .bytes = 160,
      .amount = 5}},
    {"allreduce 517 0 1 ", "", {.op = CALL_ALLREDUCE, .element_bytes = 4, .bytes = 2068}},
    {"iallreduce 1 0 1",
     "",
     {.op = CALL_ALLREDUCE, .flags = CALL_IMMEDIATE, .element_bytes = 4, .slot = 2, .bytes = 4}},
    {"scan 2 0 0", "", {.op = CALL_SCAN, .element_bytes = 8, .bytes = 16}},
    {"iscan 2 0 0",
     "",
     {.op = CALL_SCAN, .flags = CALL_IMMEDIATE, .element_bytes = 8, .slot = 2, .bytes = 16}},
    {"exscan 2 0 0", "", {.op = CALL_EXSCAN, .element_bytes = 8, .bytes = 16}},
    {"iexscan 2 0 0",
     "",
     {.op = CALL_EXSCAN, .flags = CALL_IMMEDIATE, .element_bytes = 8, .slot = 2, .bytes = 16}},
    {"alltoall 3 4 0 1", "", {.op = CALL_ALLTOALL, .bytes = 24, .recv_bytes = 16}},
    {"ialltoall 3 4 0 1",
     "",
     {.op = CALL_ALLTOALL, .flags = CALL_IMMEDIATE, .slot = 2, .bytes = 24, .recv_bytes = 16}},
    {"alltoallv 10 1 2 3 4 20 5 6 7 8 1 0",
     "",
     {.op = CALL_ALLTOALLV, .send_counts = 4016, .recv_counts = 40064}},
    {"ialltoallv 10 1 2 3 4 20 5 6 7 8 1 0",
     "",
     {.op = CALL_ALLTOALLV, .flags = CALL_IMMEDIATE, .slot = 2, .send_counts = 4016, .recv_counts = 40064}},
    {"allgather 3 4 0 1", "", {.op = CALL_ALLGATHER, .bytes = 24, .recv_bytes = 16}},
    {"iallgather 3 4 0 1",
     "",
     {.op = CALL_ALLGATHER, .flags = CALL_IMMEDIATE, .slot = 2, .bytes = 24, .recv_bytes = 16}},
    {"allgatherv 3 1 2 3 4 0 1", "", {.op = CALL_ALLGATHERV, .bytes = 24, .recv_counts = 4016}},
    {"iallgatherv 3 1 2 3 4 0 1",
     "",
     {.op = CALL_ALLGATHERV, .flags = CALL_IMMEDIATE, .slot = 2, .bytes = 24, .recv_counts = 4016}},
    {"gather 3 4 0 0 1", "", {.op = CALL_GATHER, .bytes = 24, .recv_bytes = 16}},
    {"gather 3 4 2 0 -1", "", {.op = CALL_GATHER, .peer = 2, .bytes = 24}},
    {"igather 3 4 0 0 1",
     "",
     {.op = CALL_GATHER, .flags = CALL_IMMEDIATE, .slot = 2, .bytes = 24, .recv_bytes = 16}},
    {"gatherv 3 1 2 3 4 0 0 1", "", {.op = CALL_GATHERV, .bytes = 24, .recv_counts = 4016}},
    {"gatherv 3 0 0 0 0 2 0 -1", "", {.op = CALL_GATHERV, .peer = 2, .bytes = 24}},
    {"igatherv 3 1 2 3 4 0 0 1",
     "",
     {.op = CALL_GATHERV, .flags = CALL_IMMEDIATE, .slot = 2, .bytes = 24, .recv_counts = 4016}},
    {"scatter 3 6 0 0 1", "", {.op = CALL_SCATTER, .bytes = 24, .recv_bytes = 24}},
    {"scatter 9 6 1 -1 1", "", {.op = CALL_SCATTER, .peer = 1, .bytes = 24, .recv_bytes = 24}},
    {"iscatter 3 6 0 0 1",
     "",
     {.op = CALL_SCATTER, .flags = CALL_IMMEDIATE, .slot = 2, .bytes = 24, .recv_bytes = 24}},
    {"scatterv 1 2 3 4 1 0 0 0", "", {.op = CALL_SCATTERV, .bytes = 8, .recv_bytes = 8, .send_counts = 8032}},
    {"scatterv 0 0 0 0 1 2 -1 0", "", {.op = CALL_SCATTERV, .peer = 2, .bytes = 8, .recv_bytes = 8}},
    {"iscatterv 1 2 3 4 1 0 0 0",
     "",
     {.op = CALL_SCATTERV,
      .flags = CALL_IMMEDIATE,
      .slot = 2,
      .bytes = 8,
      .recv_bytes = 8,
      .send_counts = 8032}},
    {"reducescatter 1 2 3 4 0 1", "", {.op = CALL_REDUCE_SCATTER, .element_bytes = 4, .recv_counts = 4016}},
    {"reducescatter 0 0 0 1", "", {.op = CALL_REDUCE_SCATTER}},
    {"ireducescatter 1 2 3 4 0 1",
     "",
     {.op = CALL_REDUCE_SCATTER,
      .flags = CALL_IMMEDIATE,
      .element_bytes = 4,
      .slot = 2,
      .recv_counts = 4016}},
    {"irecv 1 7 10 1\n0 wait 1 0 7",
     "",
     {.op = CALL_RECV, .flags = CALL_IMMEDIATE, .slot = 2, .peer = 1, .tag = 7, .recv_bytes = 40}},
};

enum { ACTIONS = sizeof actions / sizeof *actions };

static void every_action_becomes_its_call(void **state)
{
    (void)state;
    for (size_t i = 0; i < ACTIONS; i++) {
        struct call call = call_of_line(actions[i].line, actions[i].more);
        if (memcmp(&call, &actions[i].call, sizeof call) != 0)
            fail_msg("'%s' is read wrongly", actions[i].line);
    }
    traces_messages();
}

static bool is_tried(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < ACTIONS; i++)
        if (!strncmp(actions[i].line, name, length) && strchr(" ", actions[i].line[length]))
            return true;
    return !strcmp(name, "init") || !strcmp(name, "finalize") || !strcmp(name, "wait") ||
           !strcmp(name, "test");
}

static void every_action_is_tested_above(void **state)
{
    (void)state;
    for (size_t i = 0; action_form_at(i); i++)
        if (!is_tried(action_form_at(i)->name))
            fail_msg("'%s' is not tried", action_form_at(i)->name);
}

static void an_argument_of_init_makes_elements_doubles(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open("init-1", "0 init 1\n0 bcast 3\n0 finalize\n", NULL);
    struct call scratch;
    program_next(&compiled->program, 0, &scratch);
    assert_int_equal(program_next(&compiled->program, 0, &scratch)->bytes, 24);
    traces_close(compiled);
}

static void layout_of_the_text_does_not_matter(void **state)
{
    (void)state;
    struct compiled_trace *compiled = traces_open(
        "layout", "\n0 init\r\n\r\n  0\tcompute   5 \n \t\n00 compute 6\n0 barrier \r\n0 finalize", NULL);
    struct program *program = &compiled->program;
    static const struct {
        int op;
        double amount;
    } expected[] = {{CALL_NOTHING, 0}, {CALL_INIT, 0},    {CALL_NOTHING, 0}, {CALL_COMPUTE, 5},
                    {CALL_NOTHING, 0}, {CALL_COMPUTE, 6}, {CALL_BARRIER, 0}, {CALL_FINALIZE, 0}};
    struct call scratch;
    for (uint64_t i = 0; i < 8; i++) {
        const struct call *call = program_next(program, 0, &scratch);
        assert_non_null(call);
        assert_int_equal(call->op, expected[i].op);
        assert_true(call->amount == expected[i].amount);
        assert_int_equal(program->ops->place(program, 0).line, i + 1);
    }
    assert_null(program_next(program, 0, &scratch));
    assert_null(program_next(program, 0, &scratch));
    assert_int_equal(program->ops->place(program, 0).line, 8);
    program->ops->rewind(program);
    assert_int_equal(program_next(program, 0, &scratch)->op, CALL_NOTHING);
    traces_close(compiled);
}

/* ------------------------------------------------------------------ errors */

#define FRAME(line) "0 init\n" line "\n0 finalize\n"

/* Rank 0 of 2: the place and the beginning of the message after "error: ". */
static const struct {
    const char *text, *place, *message;
} errors[] = {
    {FRAME("0 sned 1 7 700 0"), "2:3", "'sned' is not an action; did you mean 'send'?"},
    {FRAME("0 barrier #c1"), "2:11", "no comm_split before this line defines this communicator"},
    {FRAME("0 barrier #tag"), "2:11", "'#tag' is not an annotation; did you mean '#tags'?"},
    {FRAME("0 comm_split #c1 0-2"), "2:18", "ranks such as 0-3,5 are expected, from 0 to 1"},
    {FRAME("0 comm_split #c 0-2"), "2:17", "ranks such as 0-3,5 are expected, from 0 to 1"},
    {FRAME("0 comm_split #c 0"), "2:17", "the program had 1 ranks, but the trace has 2"},
    {FRAME("0 comm_split #c1 0;1"), "2:18", "a comma is expected"},
    {FRAME("0 comm_split #c1 0,0"), "2:18", "a rank is named twice"},
    {FRAME("0 comm_split #c1 1"), "2:18", "rank 0 names a communicator that it is not in"},
    {FRAME("0 comm_split #c1 0\n0 comm_split #c1 0-1"), "3:18", "this communicator has other members"},
    {FRAME("0 comm_split #c1 0\n0 bcast 1 1 0 #c1"), "3:11", "there is no rank 1 in a communicator of 1"},
    {FRAME("0 comm_size #wait send"), "2:19", "the name of a collective is expected"},
    {FRAME("0 barrier #phase 2"), "2:18", "only a comm_size begins a phase"},
    {FRAME("0 comm_size #phase x"), "2:20", "'x' is not the number of a phase"},
    {FRAME("0 comm_size #phase 2147483648"), "2:20", "the number 2147483648 does not fit"},
    {FRAME("0 comm_size #phase"), "2:13", "'#phase' is not an annotation"},
    {FRAME("0 send 1 7 1 0 #tags 1 2"), "2:22", "only a sendRecv has two tags"},
    {FRAME("0 frobnicate"), "2:3", "'frobnicate' is not an action\n"},
    {FRAME("0 Startall"), "2:3", "'Startall' cannot be replayed: the trace does not say what persistent"},
    {FRAME("0 waitAny 3"), "2:3", "'waitAny' cannot be replayed: the trace does not say which request"},
    {FRAME("0 testsome"), "2:3", "'testsome' cannot be replayed"},
    {FRAME("0 isendRecv 1 1 1 1 0 0"), "2:3", "'isendRecv' cannot be replayed"},
    {FRAME("0 Win_fence"), "2:3", "'Win_fence' cannot be replayed: one-sided"},
    {FRAME("0 Put 1 1 1"), "2:3", "'Put' cannot be replayed: one-sided"},
    {FRAME("0 IO - read 10"), "2:3", "'IO' cannot be replayed: files"},
    {FRAME("0 send 1 7"), "2:3", "'send' has 2 fields, but takes 3 to 4: <rank> <tag> <count> [<datatype>]"},
    {FRAME("0 send 1 7 700 0 9"), "2:18", "'send' has 5 fields, but takes 3 to 4"},
    {FRAME("0 barrier 1"), "2:11", "'barrier' has 1 fields, but takes 0: none"},
    {FRAME("0 alltoallv 1 1 1 1"), "2:3", "'alltoallv' has 4 fields, but takes 6 to 8"},
    {FRAME("0 send x 7 700 0"), "2:8", "'x' is not a rank; a whole number is expected"},
    {FRAME("0 send 1 7.5 700 0"), "2:10", "'7.5' is not a tag"},
    {FRAME("0 send 1 7 7e2 0"), "2:12", "'7e2' is not a count"},
    {FRAME("0 send 1 7 -7 0"), "2:12", "the count -7 is negative"},
    {FRAME("0 send 1 7 99999999999999999999 0"), "2:12", "'99999999999999999999' is not a count"},
    {FRAME("0 send 1 7 9223372036854775807 0"), "2:12", "9223372036854775807 elements of 8 bytes are more"},
    {FRAME("0 send 1 3000000000 1 0"), "2:10", "the tag 3000000000 does not fit into an int"},
    {FRAME("0 send 2 7 700 0"), "2:8", "there is no rank 2; the trace has the ranks 0 to 1"},
    {FRAME("0 recv -1 7 700 0"), "2:8", "there is no rank -1"},
    {FRAME("0 bcast 1 2 0"), "2:11", "there is no rank 2"},
    {FRAME("0 bcast 1 -333 0"), "2:11", "there is no rank -333"},
    {FRAME("0 send 1 7 700 -1"), "2:16", "-1 is a derived datatype, whose size the trace has lost"},
    {FRAME("0 send 1 7 700 60"), "2:16", "60 is not a datatype; SimGrid numbers them from 0 (DOUBLE) to 59"},
    {FRAME("0 alltoallv 1 1 1 1 0 0 -1 0"), "2:25", "-1 is a derived datatype"},
    {FRAME("0 sendRecv 1 -333 1 1 0 0"), "2:14", "sendRecv needs a destination"},
    {FRAME("0 wait 1 1 7"), "2:8", "rank 0 can only wait for what it sends or receives"},
    {FRAME("0 wait 1 0 7"), "2:3", "this wait matches no outstanding isend or irecv of this rank"},
    {FRAME("0 wait 0 0 -4446"), "2:3", "this wait matches no outstanding isend or irecv of this rank"},
    {FRAME("0 compute 1e400"), "2:11", "'1e400' is not an amount"},
    {FRAME("0 compute -5"), "2:11", "'-5' is not an amount"},
    {FRAME("0 compute"), "2:3", "'compute' has 0 fields, but takes 1: <amount>"},
    {FRAME("0 compute 5 6"), "2:13", "'compute' has 2 fields"},
    {FRAME("0"), "2:2", "an action is missing behind the rank"},
    {FRAME("1 barrier"), "2:1", "this is the file of rank 0, but the line is of rank 1"},
    {FRAME("barrier"), "2:1", "a line starts with the number of its rank, here 0"},
    {FRAME("0 init"), "2:3", "a second 'init'"},
    {"0 barrier\n0 finalize\n", "1:3", "the first action of a rank must be 'init'"},
    {"0 init\n0 finalize\n0 compute 5\n", "3:3", "an action behind 'finalize', which must be the last"},
    {"0 init\n0 barrier\n", "2", "the trace of rank 0 ends without 'finalize'"},
    {"", "", "the trace of rank 0 ends without 'finalize'"},
};

static void errors_say_where_and_what(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        char name[32], expected[512];
        snprintf(name, sizeof name, "error-%zu", i);
        const char *path = traces_make(name, errors[i].text, "1 init\n1 finalize\n", NULL);
        struct compiled_trace *compiled;
        assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
        const char *place = errors[i].place;
        snprintf(expected, sizeof expected, "%s/rank-1.txt:%s%s error: %s", path, place, *place ? ":" : "",
                 errors[i].message);
        const char *messages = traces_messages();
        if (strncmp(messages, expected, strlen(expected)) != 0)
            fail_msg("expected:\n%s\ngot:\n%s", expected, messages);
        if (strstr(strstr(messages, "error: ") + 1, "error: "))
            fail_msg("more than one error:\n%s", messages);
    }
}

static void a_stranger_to_a_communicator_is_an_error(void **state)
{
    (void)state;
    struct compiled_trace *compiled;
    const char *path = traces_make("stranger", "0 init\n0 comm_split #c1 0\n0 barrier #c1\n0 finalize\n",
                                   "1 init\n1 barrier #c1\n1 finalize\n", NULL);
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
    assert_non_null(
        strstr(traces_messages(), "rank-2.txt:2:11: error: rank 1 is not in this communicator\n"));
}

static void a_zero_byte_is_an_error(void **state)
{
    (void)state;
    static const char text[] = "0 init\n0 compute 5\0\n0 finalize\n";
    traces_write("zero/rank-1.txt", text, sizeof text - 1);
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(traces_path("zero"), &compiled), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "rank-1.txt:2:12: error: a zero byte"));
}

static void an_endless_line_is_an_error(void **state)
{
    (void)state;
    size_t size = (1 << 24) + 100;
    char *text = test_malloc(size);
    memset(text, '7', size);
    traces_write("endless/rank-1.txt", text, size);
    test_free(text);
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(traces_path("endless"), &compiled), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "rank-1.txt:1:1: error: a line of more than 16777216 bytes"));
}

static void equal_errors_are_reported_once_and_many_are_cut(void **state)
{
    (void)state;
    struct compiled_trace *compiled;
    const char *path = traces_make("once", "0 init\n0 sned\n0 sned\n0 sned\n0 finalize\n", NULL);
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
    const char *messages = traces_messages();
    assert_null(strstr(strstr(messages, "error:") + 1, "error:"));

    char text[4096] = "0 init\n";
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "0 nonsense%d\n", i);
    path = traces_make("many", text, NULL);
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
    int count = 0;
    for (const char *at = traces_messages(); (at = strstr(at, "is not an action")); at++)
        count++;
    assert_int_equal(count, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_read_exactly),
        cmocka_unit_test(amounts_print_as_they_were),
        cmocka_unit_test(integers_keep_their_range),
        cmocka_unit_test(every_action_becomes_its_call),
        cmocka_unit_test(every_action_is_tested_above),
        cmocka_unit_test(an_argument_of_init_makes_elements_doubles),
        cmocka_unit_test(layout_of_the_text_does_not_matter),
        cmocka_unit_test(errors_say_where_and_what),
        cmocka_unit_test(a_stranger_to_a_communicator_is_an_error),
        cmocka_unit_test(a_zero_byte_is_an_error),
        cmocka_unit_test(an_endless_line_is_an_error),
        cmocka_unit_test(equal_errors_are_reported_once_and_many_are_cut),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
