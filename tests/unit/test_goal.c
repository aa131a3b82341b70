/* GOAL: what the reader takes and what it refuses, with the place; text and binary are the same graph, also
 * after they were written and read again; every damaged binary file is refused or read, never more. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "trace/goal/goal.h"
#include "trace/goal/write.h"

static char said[8192];
static unsigned errors, warnings;

static void listen(void *self, enum diag_level level, const char *message)
{
    (void)self;
    errors += level == DIAG_ERROR;
    warnings += level == DIAG_WARNING;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

struct bytes {
    char *at;
    size_t size;
};

/* A copy, which the program owns. */
static enum status open_bytes(const void *at, size_t size, struct program **program)
{
    char *copy = mem_alloc(size + 1, 1, "bytes");
    memcpy(copy, at, size);
    said[0] = '\0';
    errors = warnings = 0;
    diag_set_sink(listen, NULL);
    enum status status = goal_open_bytes("x.goal", copy, size, program);
    diag_set_sink(NULL, NULL);
    return status;
}

static struct bytes written(const struct program *program, bool binary)
{
    struct bytes bytes;
    FILE *out = open_memstream(&bytes.at, &bytes.size);
    if (binary)
        goal_write_binary(program, out);
    else
        goal_write_text(program, out);
    fclose(out);
    return bytes;
}

/* What the reader understood, as text; NULL: it refused. */
static char *understood(const void *at, size_t size)
{
    struct program *program;
    if (open_bytes(at, size, &program) != STATUS_OK)
        return NULL;
    char *text = written(program, false).at;
    program->ops->close(program);
    return text;
}

/* ---------------------------------------------------------- what is taken */

#define ONE(body) "num_ranks 1\nrank 0 {\n" body "}\n"
#define TWO(body) "num_ranks 2\nrank 0 {\n" body "}\nrank 1 {\n}\n"

static const struct {
    const char *text, *same; /* the same program in the form in which it is written */
} taken[] = {
    {ONE("calc 5\n"), "num_ranks 1\n\nrank 0 {\nl1: calc 5\n}\n"},
    {ONE(""), "num_ranks 1\n\nrank 0 {\n}\n"},
    {"\n\n// a comment\n/* and\n one */ num_ranks 1\n\n\nrank 0 {\n\ncalc 5 }", ONE("calc 5\n")},
    {"num_ranks 1\r\nrank 0 {\r\ncalc 5\r\n}\r\n", ONE("calc 5\n")},
    {"num_ranks 1\nrank 0 { calc 5\ncalc 6 cpu 2\n}", ONE("calc 5\ncalc 6 cpu 2\n")},
    {"num_ranks 1 rank 0{}", ONE("")},
    {ONE("\t a: calc 5 // why\n  b : calc 6 /* not */\n"), ONE("calc 5\ncalc 6\n")},
    {ONE("a: calc 1\nb: calc 2\nc: calc 3\nb requires a\nc irequires a\nc requires b\n"),
     "num_ranks 1\n\nrank 0 {\nl1: calc 1\nl2: calc 2\nl3: calc 3\nl2 requires l1\nl3 irequires l1\n"
     "l3 requires l2\n}\n"},
    {ONE("a: calc 1\nb: calc 2\nb requires a\nb requires a\n"),
     "num_ranks 1\n\nrank 0 {\nl1: calc 1\nl2: calc 2\nl2 requires l1\nl2 requires l1\n}\n"},
    {TWO("send 8b to 1\nrecv 9 b from 1 tag 4\n"),
     "num_ranks 2\n\nrank 0 {\nl1: send 8b to 1\nl2: recv 9b from 1 tag 4\n}\n\nrank 1 {\n}\n"},
    {TWO("send 8b to 1 nic 3 cpu 2 tag 1\n"), TWO("send 8b to 1 tag 1 cpu 2 nic 3\n")},
    {TWO("recv 8b from -1 tag -1\n"), TWO("recv 8b from 4294967295 tag 4294967295\n")},
    {TWO("send 8b to 1 tag -1\n"), "num_ranks 2\n\nrank 0 {\nl1: send 8b to 1 tag -1\n}\n\nrank 1 {\n}\n"},
    {TWO("send 0b to 0\n"), TWO("x: send 0b to 0 tag 0 cpu 0 nic 0\n")},
    {TWO("send 9223372036854775807b to 1 tag 4294967294 cpu 254 nic 254\n"),
     TWO("send 9223372036854775807b to 1 tag 4294967294 cpu 254 nic 254\n")},
    {ONE("calc 9223372036854775\n"), ONE("calc 9223372036854775\n")},
    {ONE("sendx: calc 1\ncalc_: calc 2\ncalc_ requires sendx\n"),
     ONE("a: calc 1\nb: calc 2\nb requires a\n")},
    {ONE("requires: calc 1\nb: calc 2\nb requires requires\n"), ONE("a: calc 1\nb: calc 2\nb requires a\n")},
};

static void reader_takes_what_people_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        char *text = understood(taken[i].text, strlen(taken[i].text));
        if (!text)
            fail_msg("refused: %s\n%s", taken[i].text, said);
        assert_int_equal(warnings, 0);
        char *same = understood(taken[i].same, strlen(taken[i].same));
        if (!same)
            fail_msg("refused: %s\n%s", taken[i].same, said);
        assert_string_equal(text, same);
        free(text);
        free(same);
    }
}

/* The first text is also what is written, to the byte. */
static void writer_has_one_form(void **state)
{
    (void)state;
    char *text = understood(taken[0].text, strlen(taken[0].text));
    assert_string_equal(text, taken[0].same);
    free(text);
    text = understood(taken[9].text, strlen(taken[9].text));
    assert_string_equal(text, taken[9].same);
    free(text);
}

static void second_label_is_a_warning(void **state)
{
    (void)state;
    static const char text[] = ONE("a: calc 1\na: calc 2\nb: calc 3\nb requires a\n");
    char *read = understood(text, strlen(text));
    assert_non_null(read);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(said, "x.goal:4:1: warning: rank 0 has a label 'a' already"));
    assert_non_null(strstr(read, "l3 requires l1\n"));
    free(read);
}

/* -------------------------------------------------------- what is refused */

static const struct {
    const char *text, *error;
} refused[] = {
    {"", "x.goal:1:1: error: the end of the file stands where 'num_ranks' has to"},
    {"rank 0 {}", "x.goal:1:1: error: 'rank' stands where 'num_ranks' has to"},
    {"num_ranks x", "x.goal:1:11: error: 'x' stands where the number of ranks has to"},
    {"num_ranks 0\n", "x.goal:1:11: error: 0 ranks; a program has at least one"},
    {"num_ranks 99\nrank 0 {}", "x.goal:1:11: error: the file is too short for 99 ranks"},
    {"num_ranks -1\nrank 0 {}", "x.goal:1:11: error: the number of ranks cannot be -1"},
    {"num_ranks 4294967296\nrank 0 {}", "x.goal:1:11: error: the number of ranks is at most 2147483647"},
    {"num_ranks 2\nrank 0 {\n}\n", "x.goal:4:1: error: rank 1 is missing: num_ranks is 2"},
    {"num_ranks 2\nrank 1 {\n}\nrank 0 {\n}", "x.goal:2:6: error: rank 0 comes next; ranks stand in order"},
    {"num_ranks 1\nrank 1 {\n}\n", "x.goal:2:6: error: rank 0 comes next, and num_ranks is 1"},
    {"num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n", "x.goal:4:1: error: 'rank' stands behind the last rank"},
    {"num_ranks 1\nrank 0\n{\n}\n", "x.goal:2:7: error: the end of the line stands where '{' has to"},
    {"num_ranks 1\nrank 0 {\ncalc 5\n", "x.goal:4:1: error: rank 0 has no closing brace"},
    {"num_ranks 1\nrank 0 {\ncalc 5 /* open\n}\n", "x.goal:3:8: error: '/*'"},
    {ONE("calc 5 calc 6\n"), "x.goal:3:8: error: 'calc' is no option of calc, which has only cpu"},
    {ONE("calc 5 nic 1\n"), "x.goal:3:8: error: 'nic' is no option of calc, which has only cpu"},
    {ONE("calc 5 cpu 1 cpu 1\n"), "x.goal:3:14: error: cpu stands twice"},
    {ONE("calc 5 cpu 255\n"), "x.goal:3:12: error: the number of a cpu or nic is at most 254"},
    {ONE("calc -1\n"), "x.goal:3:6: error: a time in ns cannot be -1"},
    {ONE("calc -2\n"), "x.goal:3:6: error: '-' stands where a time in ns has to"},
    {ONE("calc 9223372036854776\n"), "x.goal:3:6: error: a time in ns is at most 9223372036854775"},
    {ONE("calc 99999999999999999999\n"), "x.goal:3:6: error: a time in ns is at most 9223372036854775"},
    {ONE("calc\n"), "x.goal:3:5: error: the end of the line stands where a time in ns has to"},
    {ONE("calc 5 # note\n"), "x.goal:3:8: error: '#' stands behind a statement"},
    {ONE("send 9223372036854775808b to 0\n"), "x.goal:3:6: error: a size in bytes is at most"},
    {ONE("send 8 to 0\n"), "x.goal:3:8: error: 'to' stands where 'b' has to"},
    {ONE("send 8b from 0\n"), "x.goal:3:9: error: 'from' stands where 'to' has to"},
    {ONE("recv 8b to 0\n"), "x.goal:3:9: error: 'to' stands where 'from' has to"},
    {ONE("send 8b to 1\n"), "x.goal:3:12: error: there is no rank 1: num_ranks is 1"},
    {ONE("recv 8b from 7 tag 1\n"), "x.goal:3:14: error: there is no rank 7: num_ranks is 1"},
    {ONE("send 8b to -1\n"), "x.goal:3:12: error: the number of a rank cannot be -1"},
    {ONE("send 8b to 0 tag 4294967296\n"), "x.goal:3:18: error: a tag is at most 4294967294"},
    {ONE("send 8b to 0 hop 4\n"), "x.goal:3:14: error: 'hop' is no option of a message: tag, cpu or nic"},
    {ONE("send: calc 5\n"), "x.goal:3:5: error: a keyword cannot be a label"},
    {ONE("a: b: calc 5\n"), "x.goal:3:4: error: 'b' stands where send, recv or calc has to"},
    {ONE("a: move 5\n"), "x.goal:3:4: error: 'move' stands where send, recv or calc has to"},
    {ONE("a calc 5\n"), "x.goal:3:3: error: 'calc' stands where ':', requires or irequires has to"},
    {ONE("5 calc\n"), "x.goal:3:1: error: '5' begins no statement"},
    {ONE("a: calc 1\na requires b\n"), "x.goal:4:12: error: no operation of rank 0 above this line has the "},
    {ONE("a: calc 1\nb requires a\nb: calc 2\n"), "x.goal:4:1: error: no operation of rank 0 above this "},
    {ONE("a: calc 1\na requires 1\n"), "x.goal:4:12: error: '1' stands where a label has to"},
    {ONE("a: calc 1\na requires a\n"), "x.goal:3: error: a of rank 0 requires itself"},
    {ONE("a: calc 1\nb: calc 1\na requires b\nb irequires a\n"),
     "x.goal:3: error: a of rank 0 requires itself"},
    {ONE("a: calc 1\nb: calc 1\na requires b\nb irequires a\n"), "x.goal:4: note: b is required by the "},
    {TWO("a: calc 1\n}\nrank 1 {\nb: calc 2\nb requires a\n"), "x.goal:7:12: error: no operation of rank 1"},
};

static void errors_have_their_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct program *program;
        enum status status = open_bytes(refused[i].text, strlen(refused[i].text), &program);
        if (status == STATUS_OK)
            fail_msg("taken: %s", refused[i].text);
        assert_int_equal(status, STATUS_BAD_INPUT);
        if (!strstr(said, refused[i].error))
            fail_msg("%s\nhas '%s'\n not '%s'", refused[i].text, said, refused[i].error);
    }
}

/* An error does not hide those of other lines, and many end the reading. */
static void all_errors_are_reported_up_to_a_limit(void **state)
{
    (void)state;
    struct program *program;
    static const char two[] = ONE("a: calk 1\nb: calc 2\nb requires a\ncalc x\nc requires a\n");
    assert_int_equal(open_bytes(two, strlen(two), &program), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "x.goal:3:4: error:"));
    assert_null(strstr(said, "x.goal:5:")); /* a is a label, whatever follows it */
    assert_non_null(strstr(said, "x.goal:6:6: error:"));
    assert_non_null(strstr(said, "x.goal:7:1: error:"));
}

static void many_errors_end_the_reading(void **state)
{
    (void)state;
    struct program *program;
    char *text = mem_alloc(4000, 1, "text");
    strcpy(text, "num_ranks 1\nrank 0 {\n");
    for (int i = 0; i < 100; i++)
        strcat(text, "calc x\n");
    strcat(text, "}\n");
    assert_int_equal(open_bytes(text, strlen(text), &program), STATUS_BAD_INPUT);
    assert_int_equal(errors, GOAL_MOST_ERRORS + 1);
    assert_non_null(strstr(said, "20 errors are enough"));
    free(text);
}

/* ----------------------------------------------------------------- labels */

static void operations_have_places_and_labels(void **state)
{
    (void)state;
    static const char text[] =
        "num_ranks 2\nrank 0 {\n}\nrank 1 { /* one\ntwo */ calc 1\n\n  last : calc 2\n}\n";
    struct program *program;
    assert_int_equal(open_bytes(text, strlen(text), &program), STATUS_OK);
    const struct graph *graph = program->graph;
    assert_int_equal(graph->place(program, 1, 0).line, 5);
    assert_int_equal(graph->place(program, 1, 1).line, 7);
    assert_string_equal(graph->place(program, 1, 1).file, "x.goal");
    assert_string_equal(graph->label(program, 1, 0), "operation 0");
    assert_string_equal(graph->label(program, 1, 1), "last");
    struct bytes binary = written(program, true);
    program->ops->close(program);
    assert_int_equal(open_bytes(binary.at, binary.size, &program), STATUS_OK);
    assert_string_equal(program->graph->label(program, 1, 1), "operation 1");
    /* 8 of the magic number, 6 + 2 x 16 of the head, 8 of rank 0, 8 + 2 x 4 of rank 1, and an operation */
    assert_true(program->graph->place(program, 1, 1).line == ((8 + 6 + 32 + 8 + 16 + 39) | DIAG_BYTE));
    program->ops->close(program);
    free(binary.at);
}

/* ----------------------------------------------------------------- binary */

/* As txt2bin writes it, computed by hand. */
static void binary_form_is_that_of_txt2bin(void **state)
{
    (void)state;
    static const char text[] = "num_ranks 2\nrank 0 {\nl1: calc 7\nl2: send 11b to 1 tag 5 cpu 1 nic 2\n"
                               "l2 requires l1\n}\nrank 1 {\n}\n";
    static const unsigned char expected[] = {
        0x7f, 0x10, 0, 0, 0, 0, 0, 0, 2,   0,  0, 0, 1, 2,       /* magic, ranks, cpu, nic */
        38,   0,    0, 0, 0, 0, 0, 0, 132, 0,  0, 0, 0, 0, 0, 0, /* rank 0: from, to */
        132,  0,    0, 0, 0, 0, 0, 0, 140, 0,  0, 0, 0, 0, 0, 0, /* rank 1 */
        2,    0,    0, 0, 1, 0, 0, 0, 0,   0,  0, 0,             /* 2 operations, 1 root: 0 */
        0,    0,    0, 0, 3, 0, 0, 0, 0,   7,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* calc 7 */
        1,    0,    0, 0, 0, 0, 0, 0, 0,   0,  0, 0, 1, 0, 0, 0, /* one waits for its end */
        1,    0,    0, 0, 1, 1, 0, 0, 0,   11, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 2, /* send */
        0,    0,    0, 0, 1, 0, 0, 0, 0,   0,  0, 0, 1, 0, 0, 0,                      /* none waits */
        1,    0,    0, 0,              /* the list: operation 1 */
        0,    0,    0, 0, 0, 0, 0, 0}; /* rank 1 is empty */
    struct program *program;
    assert_int_equal(open_bytes(text, strlen(text), &program), STATUS_OK);
    struct bytes binary = written(program, true);
    program->ops->close(program);
    assert_int_equal(binary.size, sizeof expected);
    assert_memory_equal(binary.at, expected, sizeof expected);
    free(binary.at);
}

static void check_round_trip(const char *name, const char *text, size_t size)
{
    struct program *program;
    if (open_bytes(text, size, &program) != STATUS_OK)
        fail_msg("%s: %s", name, said);
    struct bytes first = written(program, false), binary = written(program, true);
    program->ops->close(program);
    char *from_text = understood(first.at, first.size), *from_binary = understood(binary.at, binary.size);
    if (!from_binary)
        fail_msg("%s: %s", name, said);
    assert_non_null(from_text);
    assert_string_equal(from_text, first.at);
    assert_string_equal(from_binary, first.at);
    assert_int_equal(open_bytes(binary.at, binary.size, &program), STATUS_OK);
    struct bytes again = written(program, true);
    program->ops->close(program);
    assert_int_equal(again.size, binary.size);
    assert_memory_equal(again.at, binary.at, binary.size);
    free(first.at);
    free(binary.at);
    free(again.at);
    free(from_text);
    free(from_binary);
}

static struct bytes load(const char *folder, const char *name)
{
    char path[512];
    struct bytes bytes = {mem_alloc(1 << 20, 1, "a file"), 0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bytes.size = fread(bytes.at, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static unsigned round_trips_in(const char *folder)
{
    unsigned count = 0;
    DIR *files = opendir(folder);
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files));) {
        if (file->d_name[0] == '.')
            continue;
        struct bytes bytes = load(folder, file->d_name);
        check_round_trip(file->d_name, bytes.at, bytes.size);
        free(bytes.at);
        count++;
    }
    closedir(files);
    return count;
}

static void round_trips_keep_the_graph(void **state)
{
    (void)state;
    assert_int_equal(round_trips_in("tests/goal/cases"), 76);
    assert_int_equal(round_trips_in("tests/goal/simllm"), 18);
}

/* ---------------------------------------------------------- damaged files */

enum { START = 8, JUMP = 8 + 6, RANK = 8 + 38, ROOT = RANK + 8, FIRST = ROOT + 4, SECOND = FIRST + 39 };
enum { LIST = SECOND + 39 };

static const struct {
    size_t at;
    uint64_t number;
    unsigned bytes;
    const char *error;
} damages[] = {
    {0, GOAL_CONSUMED, 8, "x.goal: error: LogGOPSim has written into this file (--save-mem)"},
    {START, 0, 4, "0 ranks, for which the file is too short"},
    {START, 9999, 4, "9999 ranks, for which the file is too short"},
    {JUMP, 500, 8, "rank 0 is said to be from byte 500"},
    {JUMP, 3, 8, "rank 0 is said to be from byte 3"},
    {JUMP + 8, UINT64_MAX, 8, "rank 0 is said to be from byte 38 to 18446744073709551615"},
    {JUMP + 8, 39, 8, "rank 0 is said to be from byte 38 to 39"},
    {RANK, 3, 4, "rank 0 has 3 operations and 1 roots, for which it is too short"},
    {RANK, UINT32_MAX, 4, "rank 0 has 4294967295 operations"},
    {RANK + 4, 2, 4, ""},
    {RANK + 4, 0, 4, ""},
    {RANK + 4, UINT32_MAX, 4, "rank 0 has 2 operations and 4294967295 roots"},
    {FIRST, 1, 4, "operation 0 of rank 0 waits for 1 dependences, and 0 lead to it"},
    {SECOND, 0, 4, "operation 1 of rank 0 waits for 0 dependences, and 1 lead to it"},
    {FIRST + 4, 0, 1, "operation 0 of rank 0 is of kind 0; there are 1 to 3"},
    {FIRST + 4, 4, 1, "operation 0 of rank 0 is of kind 4; there are 1 to 3"},
    {SECOND + 5, 2, 4, "there is no rank 2: the file has 2"},
    {SECOND + 5, UINT32_MAX, 4, "there is no rank 4294967295: the file has 2"},
    {FIRST + 9, UINT64_C(9223372036854776), 8, "a time in ns is at most 9223372036854775"},
    {SECOND + 9, UINT64_MAX, 8, "a size in bytes is at most 9223372036854775807"},
    {SECOND + 21, 255, 1, "the number of a cpu or nic is at most 254"},
    {SECOND + 22, 255, 1, "the number of a cpu or nic is at most 254"},
    {FIRST + 23, 2, 4, "the operations of rank 0 name 2 dependences, its list has 1"},
    {FIRST + 27, 1, 4, "operation 0 of rank 0 names entries 1 to 2 of a list of 1"},
    {FIRST + 31, 1, 4, "the operations of rank 0 name 2 dependences, its list has 1"},
    {LIST, 2, 4, "there is no operation 2: rank 0 has 2"},
    {LIST, 0, 4, "operation 0 of rank 0 waits for 0 dependences, and 1 lead to it"},
};

static struct bytes small_binary(void)
{
    static const char text[] = "num_ranks 2\nrank 0 {\nl1: calc 7\nl2: send 11b to 1 tag 5 cpu 1 nic 2\n"
                               "l2 requires l1\n}\nrank 1 {\n}\n";
    struct program *program;
    assert_int_equal(open_bytes(text, strlen(text), &program), STATUS_OK);
    struct bytes binary = written(program, true);
    program->ops->close(program);
    return binary;
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    struct bytes binary = small_binary();
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char damaged[256];
        struct program *program;
        memcpy(damaged, binary.at, binary.size);
        for (unsigned k = 0; k < damages[i].bytes; k++)
            damaged[damages[i].at + k] = (char)(damages[i].number >> 8 * k);
        enum status status = open_bytes(damaged, binary.size, &program);
        if (status != STATUS_BAD_INPUT || !strstr(said, damages[i].error))
            fail_msg("damage %zu: status %d, %s", i, status, said);
        assert_int_equal(errors, 1);
    }
    free(binary.at);
}

/* A circle, with the needs and roots that go with it. */
static void circle_in_a_binary_file_is_refused(void **state)
{
    (void)state;
    struct bytes binary = small_binary();
    struct program *program;
    binary.at[SECOND + 23] = 1; /* operation 1 is before itself, and not operation 0 */
    binary.at[FIRST + 23] = 0;
    binary.at[SECOND + 27] = 0;
    assert_int_equal(open_bytes(binary.at, binary.size, &program), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "operation 1 of rank 0 requires itself"));
    free(binary.at);
}

static void files_cut_short_are_refused(void **state)
{
    (void)state;
    struct bytes binary = small_binary();
    for (size_t size = 0; size < binary.size; size++) {
        struct program *program;
        assert_int_equal(open_bytes(binary.at, size, &program), STATUS_BAD_INPUT);
        assert_true(errors > 0);
    }
    free(binary.at);
}

/* Whatever is changed: a file is refused with an error, or is a program that is written and read again. */
static void changed_files_are_read_or_refused(void **state)
{
    (void)state;
    struct bytes text = load("tests/goal/cases", "irq-04.goal");
    struct program *program;
    struct rng rng = rng_init(3, "test_goal");
    assert_int_equal(open_bytes(text.at, text.size, &program), STATUS_OK);
    struct bytes binary = written(program, true);
    unsigned refusals = 0;
    program->ops->close(program);
    for (int round = 0; round < 4000; round++) {
        struct bytes changed = {mem_alloc(binary.size, 1, "bytes"), binary.size};
        memcpy(changed.at, binary.at, binary.size);
        for (uint64_t i = 1 + rng_below(&rng, 3); i; i--)
            changed.at[rng_below(&rng, binary.size)] = (char)rng_below(&rng, rng_below(&rng, 2) ? 4 : 256);
        if (open_bytes(changed.at, changed.size, &program) == STATUS_OK) {
            program->ops->close(program);
            check_round_trip("changed", changed.at, changed.size);
        } else {
            assert_true(errors > 0);
            refusals++;
        }
        free(changed.at);
    }
    assert_true(refusals > 1000 && refusals < 4000);
    free(binary.at);
    free(text.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_takes_what_people_write),
        cmocka_unit_test(writer_has_one_form),
        cmocka_unit_test(second_label_is_a_warning),
        cmocka_unit_test(errors_have_their_places),
        cmocka_unit_test(all_errors_are_reported_up_to_a_limit),
        cmocka_unit_test(many_errors_end_the_reading),
        cmocka_unit_test(operations_have_places_and_labels),
        cmocka_unit_test(binary_form_is_that_of_txt2bin),
        cmocka_unit_test(round_trips_keep_the_graph),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(circle_in_a_binary_file_is_refused),
        cmocka_unit_test(files_cut_short_are_refused),
        cmocka_unit_test(changed_files_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
