/* The names of lost calls: each is one word of a line. What traces do with lost calls is golden.trace-lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "call/lost.h"
#include "support/traces.h"
#include "trace/summary.h"
#include "trace/ti/write.h"

static const char *name;

static const char *given_name(const struct program_lost *lost, uint32_t rank, const struct call *call,
                              size_t *length)
{
    (void)lost, (void)rank, (void)call;
    *length = name ? strlen(name) : 0;
    return name;
}

/* An archive of OTF2 has any names. */
static void a_name_is_one_word(void **state)
{
    (void)state;
    static const struct program_lost lost = {.name = given_name};
    static const struct {
        const char *name, *line;
    } cases[] = {
        {"MPI_Put", "0 comm_size #lost MPI_Put\n"},
        {"measurement is off", "0 comm_size #lost measurement_is_off\n"},
        {"a\n1 init", "0 comm_size #lost a_1_init\n"},
        {"\xc3\xa4", "0 comm_size #lost __\n"},
        {"", "0 comm_size #lost unknown\n"},
        {NULL, "0 comm_size #lost unknown\n"},
    };
    struct compiled_trace *trace =
        traces_open("names", "0 init\n0 comm_size #lost MPI_Put\n0 comm_size\n0 finalize\n", NULL);
    trace->program.lost = &lost;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        name = cases[i].name;
        trace->program.ops->rewind(&trace->program);
        char *text = ti_rank_text(&trace->program, 0, &size);
        assert_int_equal(size, strlen("0 init\n0 finalize\n") + strlen(cases[i].line));
        assert_memory_equal(text + strlen("0 init\n"), cases[i].line, strlen(cases[i].line));
        free(text);
    }
    traces_close(trace);
}

/* Calls of one name count together, whatever else is in their lines, and each as often as it is made. */
static void calls_are_counted_by_name(void **state)
{
    (void)state;
    struct compiled_trace *trace =
        traces_open("counts",
                    "0 init\n0 comm_size #site 1 a.c:1\n0 comm_size #lost MPI_Put #@1\n0 comm_size\n"
                    "0 comm_size #lost MPI_Put #@1\n0 comm_size #lost MPI_Get\n0 finalize\n",
                    "1 init\n1 comm_size #lost MPI_Put\n1 finalize\n", NULL);
    struct summary_losses losses = summary_lost(trace);
    assert_int_equal(losses.count, 2);
    assert_string_equal(losses.names[0].name, "MPI_Get");
    assert_int_equal(losses.names[0].calls, 1);
    assert_string_equal(losses.names[1].name, "MPI_Put");
    assert_int_equal(losses.names[1].calls, 3);
    summary_lost_free(&losses);
    traces_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_one_word),
        cmocka_unit_test(calls_are_counted_by_name),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
