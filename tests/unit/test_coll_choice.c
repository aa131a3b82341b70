/* Choosing an algorithm by message size: texts that are read, printed and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coll/choice.h"

static void assert_refused(enum coll_kind kind, const char *text, uint32_t at, const char *message)
{
    struct coll_choice choice = {.count = 77};
    struct param_problem problem = {.at = 99};
    assert_false(coll_choice_parse(kind, text, &choice, &problem));
    assert_string_equal(problem.text, message);
    assert_int_equal(problem.at, at);
    assert_int_equal(choice.count, 77);
}

static void reads_and_prints(void **state)
{
    (void)state;
    struct coll_choice choice;
    struct param_problem problem;
    char text[128];
    assert_true(coll_choice_parse(COLL_BCAST, "binomial", &choice, &problem));
    assert_int_equal(choice.count, 1);
    assert_string_equal(coll_choice_print(&choice, text, sizeof text), "binomial");
    assert_true(coll_choice_parse(COLL_ALLREDUCE, " recursive-doubling <= 2048 B, rabenseifner<=1 MiB ,ring",
                                  &choice, &problem));
    assert_int_equal(choice.count, 3);
    assert_int_equal(choice.limit[1], 1 << 20);
    assert_true(choice.limit[2] == UINT64_MAX);
    assert_string_equal(coll_choice_print(&choice, text, sizeof text),
                        "recursive-doubling<=2KiB,rabenseifner<=1MiB,ring");
    assert_true(coll_choice_parse(COLL_ALLREDUCE, text, &choice, &problem));
    assert_int_equal(choice.limit[0], 2048);
    char little[8];
    assert_string_equal(coll_choice_print(&choice, little, sizeof little), "recursi");
}

static void every_name_reads_back(void **state)
{
    (void)state;
    for (size_t i = 0; coll_algorithms[i]; i++) {
        struct coll_choice choice;
        struct param_problem problem;
        char text[64];
        assert_true(coll_choice_parse(coll_algorithms[i]->kind, coll_algorithms[i]->name, &choice, &problem));
        assert_ptr_equal(choice.algorithm[0], coll_algorithms[i]);
        assert_string_equal(coll_choice_print(&choice, text, sizeof text), coll_algorithms[i]->name);
    }
}

static void limits_are_inclusive(void **state)
{
    (void)state;
    struct coll_choice choice;
    struct param_problem problem;
    assert_true(
        coll_choice_parse(COLL_BCAST, "linear<=10B,binomial<=64KiB,scatter-allgather", &choice, &problem));
    struct coll_call call = {.kind = COLL_BCAST, .size = 4, .element = 1, .bytes = 10};
    assert_string_equal(coll_choose(&choice, &call)->name, "linear");
    call.bytes = 11;
    assert_string_equal(coll_choose(&choice, &call)->name, "binomial");
    call.bytes = 65536;
    assert_string_equal(coll_choose(&choice, &call)->name, "binomial");
    call.bytes = 65537;
    assert_string_equal(coll_choose(&choice, &call)->name, "scatter-allgather");
}

static void refuses_wrong_names(void **state)
{
    (void)state;
    assert_refused(COLL_EXSCAN, "lineal", 0,
                   "'lineal' is not an algorithm of exscan, which has linear, recursive-doubling, exchange; "
                   "did you mean "
                   "'linear'?");
    assert_refused(COLL_EXSCAN, "xyz", 0,
                   "'xyz' is not an algorithm of exscan, which has linear, recursive-doubling, exchange");
    assert_refused(COLL_EXSCAN, "", 0,
                   "an algorithm of exscan is expected here: linear, recursive-doubling, exchange");
    assert_refused(COLL_SCAN, "linear<=1KiB, ", 14,
                   "an algorithm of scan is expected here: linear, recursive-doubling, exchange, mpich");
}

static void refuses_wrong_limits(void **state)
{
    (void)state;
    assert_refused(COLL_REDUCE, "linear,binomial", 6,
                   "'linear' needs a limit, such as linear<=64KiB, or must be the last");
    assert_refused(COLL_REDUCE, "linear<=4KiB", 6,
                   "the last algorithm takes no limit: it serves all larger sizes");
    assert_refused(COLL_REDUCE, "linear<4KiB,binomial", 6,
                   "'<=' and a size are expected after the algorithm, such as linear<=64KiB");
    assert_refused(COLL_REDUCE, "linear<=,binomial", 8, "a size is missing after '<=', such as 64KiB");
    assert_refused(COLL_REDUCE, "linear<=4KiB,binomial<=4096B,linear", 23,
                   "limits must rise, and 4096B is not above the limit before it");
    assert_refused(COLL_REDUCE, "linear<=1B,linear<=2B,linear<=3B,linear<=4B,linear", 44,
                   "a choice has at most 4 algorithms");
    assert_refused(
        COLL_ALLTOALLV, "linear<=4KiB,pairwise", 6,
        "alltoallv takes one algorithm for all sizes: its ranks know only their own lengths and could not "
        "agree");
    struct coll_choice choice;
    struct param_problem problem;
    assert_false(coll_choice_parse(COLL_REDUCE, "linear<= 4 KiBs,binomial", &choice, &problem));
    assert_in_range(problem.at, 9, 14); /* base/units.h writes this sentence */
    assert_false(coll_choice_parse(COLL_REDUCE, "linear<=4096,binomial", &choice, &problem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_prints),     cmocka_unit_test(every_name_reads_back),
        cmocka_unit_test(limits_are_inclusive), cmocka_unit_test(refuses_wrong_names),
        cmocka_unit_test(refuses_wrong_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
