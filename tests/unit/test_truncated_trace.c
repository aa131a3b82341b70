/* The files that a capture left behind: which ranks are missing. The lines themselves are the work of
 * tests/mpi. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/traces.h"
#include "trace/image/format.h"
#include "trace/ti/truncated_trace.h"

/* Completes a trace of these files, whose numbers end with 0. */
static struct truncated_trace complete(const char *name, const unsigned *numbers, unsigned world)
{
    struct truncated_trace trace;
    for (const unsigned *number = numbers; *number; number++) {
        char *file = mem_format("%s/rank-%u.txt", name, *number);
        char *lines = mem_format("%u init\n%u comm_split #c 0-%u\n", *number - 1, *number - 1, world - 1);
        traces_write(file, lines, strlen(lines));
        free(lines);
        free(file);
    }
    assert_int_equal(truncated_trace_complete(traces_path(name), &trace), STATUS_OK);
    truncated_trace_free(&trace);
    return trace;
}

static void missing_ranks_are_counted(void **state)
{
    (void)state;
    struct truncated_trace trace = complete("whole", (const unsigned[]){3, 1, 2, 0}, 3);
    assert_int_equal(trace.ranks, 3);
    assert_int_equal(trace.missing, 0);
    trace = complete("with-gaps", (const unsigned[]){5, 1, 2, 0}, 6);
    assert_int_equal(trace.missing, 3);
    assert_int_equal(trace.first_missing, 2);
    trace = complete("first-missing", (const unsigned[]){2, 0}, 2);
    assert_int_equal(trace.missing, 1);
    assert_int_equal(trace.first_missing, 0);
}

/* A file may state the largest world. To look for the file of each rank takes seconds. */
static void the_world_may_be_large(void **state)
{
    (void)state;
    struct truncated_trace trace = complete("large-world", (const unsigned[]){2, 1, 0}, TRACE_MOST_RANKS);
    assert_int_equal(trace.missing, TRACE_MOST_RANKS - 2);
    assert_int_equal(trace.first_missing, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_ranks_are_counted),
        cmocka_unit_test(the_world_may_be_large),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
