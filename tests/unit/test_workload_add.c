/* A workload that is added at run time: it opens by its text like those of the list. A name that is taken is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "workload/workload.h"

/* Barriers, one after another. */
struct barriers_config {
    uint64_t ranks, count;
};

PARAM_TABLE(barriers_params, "barriers", struct barriers_config, "barriers, one after another",
            {.name = "ranks",
             .type = PARAM_COUNT,
             .offset = offsetof(struct barriers_config, ranks),
             .default_text = "4",
             .min = "1",
             .doc = "number of ranks"},
            {.name = "count",
             .type = PARAM_COUNT,
             .offset = offsetof(struct barriers_config, count),
             .default_text = "1",
             .doc = "number of barriers"});

static uint32_t barriers_ranks(const void *config)
{
    return (uint32_t)((const struct barriers_config *)config)->ranks;
}

static uint64_t barriers_steps(const void *config)
{
    return ((const struct barriers_config *)config)->count;
}

static void barriers_call(const void *config, uint32_t rank, uint64_t step, struct call *call)
{
    (void)config, (void)rank, (void)step;
    call->op = CALL_BARRIER;
}

static const struct workload barriers_workload = {
    .name = "barriers",
    .doc = "barriers: barriers:ranks=4,count=1",
    .params = &barriers_params,
    .ranks = barriers_ranks,
    .steps = barriers_steps,
    .call = barriers_call,
};

static void test_added_workload(void **state)
{
    (void)state;
    struct program *program;
    struct call scratch;
    assert_int_equal(workload_open("barriers:count=2", &program), STATUS_BAD_INPUT);
    assert_int_equal(workload_add(&barriers_workload), STATUS_OK);
    assert_int_equal(workload_open("barriers:count=2", &program), STATUS_OK);
    assert_int_equal(program->ranks, 4);
    assert_int_equal(program->total_calls, 8);
    program->ops->rewind(program);
    for (int i = 0; i < 2; i++)
        assert_int_equal(program_next(program, 3, &scratch)->op, CALL_BARRIER);
    assert_null(program_next(program, 3, &scratch));
    program->ops->close(program);
}

static void test_taken_name(void **state)
{
    (void)state;
    struct workload other = barriers_workload;
    assert_int_equal(workload_add(&barriers_workload), STATUS_BAD_INPUT);
    other.name = "pingpong";
    assert_int_equal(workload_add(&other), STATUS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added_workload),
        cmocka_unit_test(test_taken_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
