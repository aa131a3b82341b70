/* DUMPI: every call, count and byte of what sst-dumpi's own dumpi2ascii prints is in the compiled trace. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "support/traces.h"
#include "trace/trace.h"

/* ---------------------------------------------------------------- reference */

static char *unpacked(const char *path)
{
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;
    char *text = NULL;
    size_t size = 0, capacity = 0;
    la_ssize_t got;
    assert_int_equal(archive_read_support_filter_gzip(archive), ARCHIVE_OK);
    assert_int_equal(archive_read_support_format_raw(archive), ARCHIVE_OK);
    assert_int_equal(archive_read_open_filename(archive, path, 1 << 16), ARCHIVE_OK);
    assert_int_equal(archive_read_next_header(archive, &entry), ARCHIVE_OK);
    do {
        text = mem_grow(text, &capacity, size + (1 << 16), "a reference");
        got = archive_read_data(archive, text + size, capacity - size - 1);
        assert_true(got >= 0);
        size += (size_t)got;
    } while (got);
    archive_read_free(archive);
    text[size] = '\0';
    return text;
}

/* A call as dumpi2ascii prints it. */
struct printed {
    char name[40];
    int64_t enters, returns; /* ns */
    char *arguments;         /* the lines between */
};

static int64_t time_in(const char *line)
{
    const char *at = strstr(line, "walltime ");
    int64_t seconds;
    int32_t ns;
    assert_non_null(at);
    assert_int_equal(sscanf(at, "walltime %" SCNd64 ".%9" SCNd32, &seconds, &ns), 2);
    return seconds * 1000000000 + ns;
}

/* The next call of the text, whose lines are cut out. False: the text has ended. */
static bool next_printed(char **text, struct printed *call)
{
    char *line = *text;
    if (!*line)
        return false;
    assert_int_equal(sscanf(line, "%39s entering", call->name), 1);
    call->enters = time_in(line);
    call->arguments = strchr(line, '\n') + 1;
    char ending[64];
    snprintf(ending, sizeof ending, "%s returning", call->name);
    char *end = strstr(call->arguments, ending);
    assert_non_null(end);
    call->returns = time_in(end);
    end[-1] = '\0';
    *text = strchr(end, '\n') + 1;
    return true;
}

/* " NAME=": behind it stands the value. */
static const char *argument(const struct printed *call, const char *name)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, " %s=", name);
    const char *at = strstr(call->arguments, wanted);
    if (!at)
        fail_msg("%s has no argument %s", call->name, name);
    return at + strlen(wanted);
}

static int number(const struct printed *call, const char *name)
{
    const char *at = argument(call, name);
    return atoi(at + (*at == '['));
}

/* --------------------------------------------------------------- comparison */

enum { MOST_HANDLES = 64 };

struct comparison {
    struct compiled_trace *compiled;
    uint32_t rank;
    uint64_t token;
    int64_t computed, returned; /* ns */
    uint32_t slots[MOST_HANDLES];
    uint32_t outstanding;
    uint32_t comm; /* of the one that the program makes; 0: not yet */
};

static const struct call *next_call(struct comparison *comparison)
{
    assert_true(comparison->token < compiled_lines(comparison->compiled, comparison->rank));
    uint32_t token = compiled_tokens(comparison->compiled, comparison->rank)[comparison->token++];
    assert_false(token & TOKEN_COMPUTE);
    return &compiled_calls(comparison->compiled, comparison->rank)[token];
}

static void expect_computed(struct comparison *comparison)
{
    if (!comparison->computed)
        return;
    uint32_t token = compiled_tokens(comparison->compiled, comparison->rank)[comparison->token++];
    assert_true(token & TOKEN_COMPUTE);
    double amount = compiled_amounts(comparison->compiled, comparison->rank)[token & ~TOKEN_COMPUTE];
    assert_true(amount == 12. * (double)comparison->computed);
    comparison->computed = 0;
}

static uint64_t bytes_of(const struct printed *call, const char *count, const char *type)
{
    int id = number(call, type);
    assert_true(id == 9 || id == 14); /* MPI_INT, MPI_DOUBLE */
    return (uint64_t)number(call, count) * (id == 9 ? 4 : 8);
}

/* The communicator that the program makes has all ranks in their order. */
static void expect_comm(struct comparison *comparison, const struct printed *call, uint32_t comm)
{
    const struct program *program = &comparison->compiled->program;
    assert_int_equal(comm != 0, number(call, "comm") != 2);
    assert_true(comm < program->group_count);
    assert_int_equal(program->groups[comm].size, program->ranks);
    for (uint32_t i = 0; i < program->ranks; i++)
        assert_int_equal(group_world(&program->groups[comm], i), i);
}

static void compare_message(struct comparison *comparison, const struct printed *printed, bool is_send)
{
    const struct call *call = next_call(comparison);
    bool has_request = printed->name[4] == 'I';
    assert_int_equal(call->op, is_send ? CALL_SEND : CALL_RECV);
    assert_int_equal(call->flags, has_request ? CALL_IMMEDIATE : 0);
    assert_int_equal(call->peer, number(printed, is_send ? "dest" : "source"));
    assert_int_equal(call->tag, number(printed, "tag"));
    assert_int_equal(is_send ? call->bytes : call->recv_bytes, bytes_of(printed, "count", "datatype"));
    expect_comm(comparison, printed, call->context);
    if (has_request) {
        int request = number(printed, "request");
        assert_in_range(request, 2, MOST_HANDLES - 1);
        assert_int_equal(comparison->slots[request], 0);
        comparison->slots[request] = call->slot;
        comparison->outstanding++;
    }
}

static void compare_wait(struct comparison *comparison, const struct call *call, int request)
{
    assert_int_equal(call->op, CALL_WAIT);
    assert_true(call->slot && call->slot == comparison->slots[request]);
    comparison->slots[request] = 0;
    comparison->outstanding--;
}

static void compare_waitall(struct comparison *comparison, const struct printed *printed)
{
    int count = number(printed, "count");
    const struct call *call = next_call(comparison);
    const char *list = strstr(strstr(printed->arguments, "requests["), "=[") + 2;
    if (call->op == CALL_WAITALL) {
        assert_int_equal(call->expected, count);
        assert_int_equal(comparison->outstanding, count);
    }
    for (int i = 0; i < count; i++, list = strchr(list, ' ') + 1) {
        if (call->op == CALL_WAITALL)
            comparison->slots[atoi(list)] = 0;
        else
            compare_wait(comparison, i ? next_call(comparison) : call, atoi(list));
    }
    if (call->op == CALL_WAITALL)
        comparison->outstanding = 0;
}

static void compare_collective(struct comparison *comparison, const struct printed *printed)
{
    const struct call *call = next_call(comparison);
    if (!strcmp(printed->name, "MPI_Barrier")) {
        assert_int_equal(call->op, CALL_BARRIER);
    } else if (!strcmp(printed->name, "MPI_Allreduce")) {
        assert_int_equal(call->op, CALL_ALLREDUCE);
        assert_int_equal(call->bytes, bytes_of(printed, "count", "datatype"));
        assert_int_equal(call->element_bytes, 4);
    } else {
        assert_string_equal(printed->name, "MPI_Alltoall");
        assert_int_equal(call->op, CALL_ALLTOALL);
        assert_int_equal(call->bytes, bytes_of(printed, "sendcount", "sendtype"));
        assert_int_equal(call->recv_bytes, bytes_of(printed, "recvcount", "recvtype"));
    }
    expect_comm(comparison, printed, call->group);
    assert_int_equal(call->context, call->group);
}

static bool is_local(const char *name)
{
    static const char *const local[] = {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_group", "MPI_Group_incl",
                                        "MPI_Comm_create"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (!strcmp(name, local[i]))
            return true;
    return false;
}

static void compare_call(struct comparison *comparison, const struct printed *printed)
{
    if (is_local(printed->name)) {
        assert_int_equal(next_call(comparison)->op, CALL_NOTHING);
        return;
    }
    expect_computed(comparison);
    if (!strcmp(printed->name, "MPI_Init"))
        assert_int_equal(next_call(comparison)->op, CALL_INIT);
    else if (!strcmp(printed->name, "MPI_Finalize"))
        assert_int_equal(next_call(comparison)->op, CALL_FINALIZE);
    else if (!strcmp(printed->name, "MPI_Wait"))
        compare_wait(comparison, next_call(comparison), number(printed, "request"));
    else if (!strcmp(printed->name, "MPI_Waitall"))
        compare_waitall(comparison, printed);
    else if (strstr(printed->name, "send"))
        compare_message(comparison, printed, true);
    else if (strstr(printed->name, "ecv"))
        compare_message(comparison, printed, false);
    else
        compare_collective(comparison, printed);
}

static unsigned compare_rank(struct compiled_trace *compiled, uint32_t rank, const char *reference)
{
    struct comparison comparison = {.compiled = compiled, .rank = rank};
    struct printed printed;
    char *text = unpacked(reference), *at = text;
    unsigned calls = 0;
    for (; next_printed(&at, &printed); calls++) {
        if (calls)
            comparison.computed += printed.enters - comparison.returned;
        compare_call(&comparison, &printed);
        comparison.returned = printed.returns;
    }
    assert_int_equal(comparison.token, compiled_lines(compiled, rank));
    assert_int_equal(comparison.outstanding, 0);
    free(text);
    return calls;
}

static void compare(const char *folder, const char *prefix, uint32_t ranks, unsigned expected)
{
    struct compiled_trace *compiled;
    unsigned calls = 0;
    assert_int_equal(trace_open_compiled(folder, &compiled), STATUS_OK);
    assert_string_equal(traces_messages(), "");
    assert_int_equal(compiled->program.ranks, ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        char reference[100];
        snprintf(reference, sizeof reference, "%s/%s-%04u.ascii.gz", folder, prefix, rank);
        calls += compare_rank(compiled, rank, reference);
    }
    assert_int_equal(calls, expected);
    traces_close(compiled);
}

static void the_sample_of_sst_dumpi(void **state)
{
    (void)state;
    compare("tests/traces/dumpi", "testtrace", 4, 36);
}

static void the_sample_of_sst_macro(void **state)
{
    (void)state;
    compare("tests/traces/dumpi-bgp", "testbgp", 7, 1589);
}

/* Both samples hold each call's place: the first record is behind the magic and the clocks. */
static void calls_have_places_in_bytes(void **state)
{
    struct program *program;
    struct call scratch;
    (void)state;
    assert_int_equal(trace_open("tests/traces/dumpi/testtrace.meta", &program), STATUS_OK);
    assert_string_equal(program->name, "testtrace");
    assert_non_null(program_next(program, 2, &scratch));
    struct call_place place = program->ops->place(program, 2);
    assert_string_equal(place.file, "tests/traces/dumpi/testtrace-0002.bin");
    assert_true(place.line == (DIAG_BYTE | 16));
    program->ops->close(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_of_sst_dumpi),
        cmocka_unit_test(the_sample_of_sst_macro),
        cmocka_unit_test(calls_have_places_in_bytes),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
